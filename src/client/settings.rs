//! A person's settings: the name, the bot's level, the look of the screen.
//!
//! A setting comes from an environment variable, or else from the settings file. Command line flags override
//! both, and are handled elsewhere.

pub mod file;
mod setting;
mod text;

use std::str::FromStr;

pub use file::SettingsFile;
pub use setting::{BadKey, Key, Setting, SettingError, SettingSource};

use crate::lobby::{Level, Name};

/// The most errors of a file that are reported.
const MAX_ERRORS: usize = 5;

/// All settings with their sources, highest precedence first, and the keys of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    found: Vec<(Setting, SettingSource)>,
    keys: Vec<KeyBinding>,
}

/// A line of the table `keys`, which gives an action of the screen another key. It is not checked here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyBinding {
    /// The name of the action.
    pub action: String,
    /// The key.
    pub key: String,
    /// Where it stands.
    pub at: SettingSource,
}

impl Settings {
    /// Reads the settings of the environment, by the function `variable`, and of the file, if there is one.
    /// Returns them and all errors. An empty variable counts as unset.
    pub fn gather(
        variable: impl Fn(&str) -> Option<String>,
        file: Option<&SettingsFile>,
    ) -> (Self, Vec<SettingError>) {
        let (mut found, mut errors) = (Vec::new(), Vec::new());
        for key in Key::ALL {
            let Some(text) = variable(key.variable()).filter(|text| !text.is_empty()) else { continue };
            let source = SettingSource::Variable(key.variable());
            match Setting::read(key, &text) {
                Ok(setting) => found.push((setting, source)),
                Err(why) => errors.push(SettingError { at: source, why }),
            }
        }
        let mut keys = Vec::new();
        if let Some(file) = file {
            let (of_file, wrong) = in_file(file);
            found.extend(of_file.found);
            keys = of_file.keys;
            errors.extend(wrong);
        }
        (Self { found, keys }, errors)
    }

    /// The effective setting of a key and its source; `None` if it is not set.
    pub fn found(&self, key: Key) -> Option<&(Setting, SettingSource)> {
        self.found.iter().find(|(setting, _)| setting.key == key)
    }

    /// The value of a key, parsed.
    pub fn get<T: FromStr>(&self, key: Key) -> Option<T> {
        self.found(key)?.0.as_str().parse().ok()
    }

    /// The keys of the file.
    pub fn keys(&self) -> &[KeyBinding] {
        &self.keys
    }

    /// The player's name.
    pub fn name(&self) -> Option<Name> {
        Name::clean(self.found(Key::Name)?.0.as_str()).ok()
    }

    /// The bot's level.
    pub fn level(&self) -> Option<Level> {
        self.get(Key::Level)
    }
}

/// Reads the settings of a file. Reports at most `MAX_ERRORS` errors, and how many more there are.
fn in_file(file: &SettingsFile) -> (Settings, Vec<SettingError>) {
    let text = match file.text() {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => return (Settings::default(), vec![error]),
    };
    let text::Found { settings, keys, wrong } = text::read(&text);
    let at = |line| SettingSource::Line(file.path().to_owned(), line);
    let more = wrong.len().saturating_sub(MAX_ERRORS);
    let mut errors: Vec<SettingError> =
        wrong.into_iter().take(MAX_ERRORS).map(|(line, why)| SettingError { at: at(line), why }).collect();
    if more > 0 {
        let why = format!("{more} more of its lines are wrong");
        errors.push(SettingError { at: SettingSource::File(file.path().to_owned()), why });
    }
    let found = settings.into_iter().map(|(setting, line)| (setting, at(line))).collect();
    let keys = keys.into_iter().map(|(action, key, line)| KeyBinding { action, key, at: at(line) }).collect();
    (Settings { found, keys }, errors)
}
