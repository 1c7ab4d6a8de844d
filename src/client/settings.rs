//! The settings of a person: a name, the bot's level, how the screen looks.
//!
//! A setting comes from an environment variable, or else from the settings file. Command line flags override
//! both, and are not known here.

pub mod file;
mod setting;
mod text;

use std::str::FromStr;

pub use file::SettingsFile;
pub use setting::{BadKey, Key, Setting, SettingError, Source};

use crate::lobby::{Level, Name};

/// The most faults of a file that are reported.
const MAX_FAULTS: usize = 5;

/// All that was found, each with its place. What goes before the other stands before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(Vec<(Setting, Source)>);

impl Settings {
    /// What stands in the environment, which `variable` gives, and in the file, if there is one; and all that
    /// is wrong there. A variable that is empty says nothing.
    pub fn gather(
        variable: impl Fn(&str) -> Option<String>,
        file: Option<&SettingsFile>,
    ) -> (Self, Vec<SettingError>) {
        let (mut found, mut faults) = (Vec::new(), Vec::new());
        for key in Key::ALL {
            let Some(text) = variable(key.variable()).filter(|text| !text.is_empty()) else { continue };
            let source = Source::Variable(key.variable());
            match Setting::read(key, &text) {
                Ok(setting) => found.push((setting, source)),
                Err(why) => faults.push(SettingError { at: source, why }),
            }
        }
        if let Some(file) = file {
            let (settings, wrong) = in_file(file);
            found.extend(settings);
            faults.extend(wrong);
        }
        (Self(found), faults)
    }

    /// What holds of a key, and where it stands; nothing if that is nowhere.
    pub fn found(&self, key: Key) -> Option<&(Setting, Source)> {
        self.0.iter().find(|(setting, _)| setting.key == key)
    }

    /// What was chosen for a key, as the type of its values.
    pub fn get<T: FromStr>(&self, key: Key) -> Option<T> {
        self.found(key)?.0.as_str().parse().ok()
    }

    /// What to be called.
    pub fn name(&self) -> Option<Name> {
        Name::clean(self.found(Key::Name)?.0.as_str()).ok()
    }

    /// How strong the bot plays.
    pub fn level(&self) -> Option<Level> {
        self.get(Key::Level)
    }
}

/// What stands in a file, and what is wrong there; of much that is wrong only the first.
fn in_file(file: &SettingsFile) -> (Vec<(Setting, Source)>, Vec<SettingError>) {
    let text = match file.text() {
        Ok(text) => text.unwrap_or_default(),
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let (settings, wrong) = text::read(&text);
    let at = |line| Source::Line(file.path().to_owned(), line);
    let more = wrong.len().saturating_sub(MAX_FAULTS);
    let mut faults: Vec<SettingError> =
        wrong.into_iter().take(MAX_FAULTS).map(|(line, why)| SettingError { at: at(line), why }).collect();
    if more > 0 {
        let why = format!("{more} more of its lines are wrong");
        faults.push(SettingError { at: Source::File(file.path().to_owned()), why });
    }
    (settings.into_iter().map(|(setting, line)| (setting, at(line))).collect(), faults)
}
