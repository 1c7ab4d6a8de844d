//! The settings file: its path, reading it, and atomic changes of it.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_app_strategy};

use super::setting::{Setting, SettingError, SettingSource};
use super::text;
use crate::file::atomic;

/// The longest file that is read, in bytes; a typical one has a hundred.
const MAX_FILE: u64 = 64 * 1024;

/// The name of the file.
const FILE: &str = "client.toml";

/// The settings file, which may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile(PathBuf);

impl SettingsFile {
    /// The file in this user's default folder; `None` if the system has none.
    pub fn in_default_folder() -> Option<Self> {
        let ours = AppStrategyArgs { app_name: "nim".into(), ..AppStrategyArgs::default() };
        Some(Self(choose_app_strategy(ours).ok()?.config_dir().join(FILE)))
    }

    /// The file at this path.
    pub fn at(path: &Path) -> Self {
        Self(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Reads the text; `None` if there is no such file.
    pub fn text(&self) -> Result<Option<String>, SettingError> {
        let about = match fs::metadata(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about => about.map_err(|error| self.unreadable(&error))?,
        };
        if !about.is_file() {
            let what = if about.is_dir() { "it is a folder" } else { "it is not a file" };
            return Err(self.file_error(format!("{what}; settings must be in a file")));
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(&self.0).map_err(|error| self.unreadable(&error))?;
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(self.file_error(format!("it is too large: settings have at most {MAX_FILE} bytes")));
        }
        String::from_utf8(bytes).map(Some).map_err(|bad| {
            let right = String::from_utf8_lossy(&bad.as_bytes()[..bad.utf8_error().valid_up_to()]);
            self.line_error((text::line(&right, right.len()), "this is not UTF-8 text".into()))
        })
    }

    /// Writes a setting. The rest of the file stays unchanged.
    pub fn set(&self, setting: &Setting) -> Result<(), SettingError> {
        let text = self.text()?.unwrap_or_default();
        self.write(&text::with(&text, setting).map_err(|wrong| self.line_error(wrong))?)
    }

    /// Writes the key of an action of the screen. The rest of the file stays unchanged.
    pub fn set_key(&self, action: &str, key: &str) -> Result<(), SettingError> {
        let text = self.text()?.unwrap_or_default();
        self.write(&text::with_key(&text, action, key).map_err(|wrong| self.line_error(wrong))?)
    }

    /// Removes a key, known or not; `keys.hint` is the key of an action. Returns whether it was present.
    pub fn unset(&self, key: &str) -> Result<bool, SettingError> {
        let text = self.text()?.unwrap_or_default();
        match text::without(&text, key).map_err(|wrong| self.line_error(wrong))? {
            Some(text) => self.write(&text).map(|()| true),
            None => Ok(false),
        }
    }

    fn write(&self, text: &str) -> Result<(), SettingError> {
        let unwritable = |error: io::Error| self.file_error(format!("it cannot be written: {error}"));
        if self.0.exists() {
            return atomic::write(&self.0, text, true).map_err(unwritable);
        }
        self.0.parent().map_or(Ok(()), atomic::private_folder).map_err(unwritable)?;
        atomic::write_private(&self.0, text.as_bytes()).map_err(unwritable)
    }

    fn unreadable(&self, error: &io::Error) -> SettingError {
        self.file_error(format!("it cannot be read: {error}"))
    }

    fn file_error(&self, why: String) -> SettingError {
        SettingError { at: SettingSource::File(self.0.clone()), why }
    }

    fn line_error(&self, (line, why): text::Wrong) -> SettingError {
        SettingError { at: SettingSource::Line(self.0.clone(), line), why }
    }
}
