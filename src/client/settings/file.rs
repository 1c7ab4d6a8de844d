//! The file of settings: where it is, what is read of it, and how it is written. It is always whole: it is
//! written beside the old one and put in its place.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use etcetera::app_strategy::{AppStrategy, AppStrategyArgs, choose_app_strategy};

use super::setting::{Setting, SettingError, Source};
use super::text;
use crate::client::atomic_file;

/// The longest file that is read, in bytes: ours have a hundred.
const MAX_FILE: u64 = 64 * 1024;

/// What it is called.
const FILE: &str = "client.toml";

/// A file of settings, which may not be there yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsFile(PathBuf);

impl SettingsFile {
    /// The settings file of this user; `None` where the system has no place for it.
    pub fn in_default_folder() -> Option<Self> {
        let ours = AppStrategyArgs { app_name: "nim".into(), ..AppStrategyArgs::default() };
        Some(Self(choose_app_strategy(ours).ok()?.config_dir().join(FILE)))
    }

    /// The file of this path.
    pub fn at(path: &Path) -> Self {
        Self(std::path::absolute(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Its text; nothing if there is no such file.
    pub fn text(&self) -> Result<Option<String>, SettingError> {
        let about = match fs::metadata(&self.0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about => about.map_err(|error| self.unreadable(&error))?,
        };
        if !about.is_file() {
            let what = if about.is_dir() { "it is a folder" } else { "it is no file" };
            return Err(self.fault(format!("{what}; the settings are to stand in a file")));
        }
        let mut bytes = Vec::new();
        let file = fs::File::open(&self.0).map_err(|error| self.unreadable(&error))?;
        file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(|error| self.unreadable(&error))?;
        if bytes.len() as u64 > MAX_FILE {
            return Err(self.fault(format!("it is too large: settings have at most {MAX_FILE} bytes")));
        }
        String::from_utf8(bytes).map(Some).map_err(|bad| {
            let right = String::from_utf8_lossy(&bad.as_bytes()[..bad.utf8_error().valid_up_to()]);
            self.wrong((text::line(&right, right.len()), "this is no text in UTF-8".into()))
        })
    }

    /// Writes a setting. All else in the file stays as it stands.
    pub fn set(&self, setting: &Setting) -> Result<(), SettingError> {
        let text = self.text()?.unwrap_or_default();
        self.write(&text::with(&text, setting).map_err(|wrong| self.wrong(wrong))?)
    }

    /// Removes what stands for a key, also for one that is none; whether it stood there.
    pub fn unset(&self, key: &str) -> Result<bool, SettingError> {
        let text = self.text()?.unwrap_or_default();
        match text::without(&text, key).map_err(|wrong| self.wrong(wrong))? {
            Some(text) => self.write(&text).map(|()| true),
            None => Ok(false),
        }
    }

    fn write(&self, text: &str) -> Result<(), SettingError> {
        let unwritable = |error: io::Error| self.fault(format!("it cannot be written: {error}"));
        if self.0.exists() {
            return atomic_file::write(&self.0, text, true).map_err(unwritable);
        }
        self.0.parent().map_or(Ok(()), atomic_file::private_folder).map_err(unwritable)?;
        atomic_file::write_private(&self.0, text.as_bytes()).map_err(unwritable)
    }

    fn unreadable(&self, error: &io::Error) -> SettingError {
        self.fault(format!("it cannot be read: {error}"))
    }

    fn fault(&self, why: String) -> SettingError {
        SettingError { at: Source::File(self.0.clone()), why }
    }

    fn wrong(&self, (line, why): text::Wrong) -> SettingError {
        SettingError { at: Source::Line(self.0.clone(), line), why }
    }
}
