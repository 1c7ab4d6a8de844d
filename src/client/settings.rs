//! What a person likes and does not want to type each time: what to be called, how strong the bot plays, how the screen looks. A
//! setting stands in the environment, or else in a file. What is typed goes before both, and is not known here.

pub mod file;
mod key;
mod text;

use std::fmt;
use std::path::PathBuf;

pub use file::SettingsFile;
pub use key::{BadKey, Key};

use crate::client::theme::Theme;
use crate::game::notation::shown;
use crate::lobby::{Level, Name};

/// The most faults of a file that are told of: a file with more is no file of settings.
const MOST_FAULTS: usize = 5;

/// What was chosen for one of the keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Setting {
    /// What to be called.
    Name(Name),
    /// How strong the bot plays.
    Level(Level),
    /// The colours of the screen.
    Theme(Theme),
    /// Whether anything on the screen moves by itself.
    Animation(bool),
    /// Whether the screen is drawn with the signs of ASCII alone.
    Ascii(bool),
    /// Whether there is one line at a time instead of the screen.
    Plain(bool),
}

/// Where a setting comes from, or where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A variable of the environment, by its name.
    Variable(&'static str),
    /// A line of a file, counted from 1.
    Line(PathBuf, usize),
    /// A file as a whole.
    File(PathBuf),
}

/// Something that is no setting, or none that can be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {why}")]
pub struct Fault {
    /// Where it stands.
    pub place: Place,
    /// What is wrong with it, and what would be right.
    pub why: String,
}

/// All that was found, each with its place. What goes before the other stands before it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings(Vec<(Setting, Place)>);

impl Setting {
    /// Reads what a person types for a key.
    pub fn read(key: Key, text: &str) -> Result<Self, String> {
        let wrong = |why: &dyn fmt::Display| format!("{} cannot be {:?}: {why}", key.as_str(), shown(text));
        match key {
            Key::Name => Name::clean(text).map(Self::Name).map_err(|bad| wrong(&bad)),
            Key::Level => text.parse().map(Self::Level).map_err(|bad| wrong(&bad)),
            Key::Theme => text.parse().map(Self::Theme).map_err(|bad| wrong(&bad)),
            Key::Animation => yes_or_no(text).map(Self::Animation).map_err(|bad| wrong(&bad)),
            Key::Ascii => yes_or_no(text).map(Self::Ascii).map_err(|bad| wrong(&bad)),
            Key::Plain => yes_or_no(text).map(Self::Plain).map_err(|bad| wrong(&bad)),
        }
    }

    /// What it is a setting of.
    pub fn key(&self) -> Key {
        match self {
            Self::Name(_) => Key::Name,
            Self::Level(_) => Key::Level,
            Self::Theme(_) => Key::Theme,
            Self::Animation(_) => Key::Animation,
            Self::Ascii(_) => Key::Ascii,
            Self::Plain(_) => Key::Plain,
        }
    }
}

impl fmt::Display for Setting {
    /// As it is typed, and read again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.pad(name.as_str()),
            Self::Level(level) => f.pad(level.as_str()),
            Self::Theme(theme) => f.pad(theme.as_str()),
            Self::Animation(yes) | Self::Ascii(yes) | Self::Plain(yes) => {
                f.pad(if *yes { "true" } else { "false" })
            }
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::Line(path, line) => write!(f, "{}, line {line}", path.display()),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

impl Settings {
    /// What stands in the environment, which `variable` gives, and in the file, if there is one; and all that is wrong there. A
    /// variable that is empty says nothing.
    pub fn gather(
        variable: impl Fn(&str) -> Option<String>,
        file: Option<&SettingsFile>,
    ) -> (Self, Vec<Fault>) {
        let (mut found, mut faults) = (Vec::new(), Vec::new());
        for key in Key::ALL {
            let Some(text) = variable(key.variable()).filter(|text| !text.is_empty()) else { continue };
            let place = Place::Variable(key.variable());
            match Setting::read(key, &text) {
                Ok(setting) => found.push((setting, place)),
                Err(why) => faults.push(Fault { place, why }),
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
    pub fn get(&self, key: Key) -> Option<&(Setting, Place)> {
        self.0.iter().find(|(setting, _)| setting.key() == key)
    }

    fn pick<'a, T>(&'a self, pick: impl Fn(&'a Setting) -> Option<T>) -> Option<T> {
        self.0.iter().find_map(|(setting, _)| pick(setting))
    }

    /// What to be called.
    pub fn name(&self) -> Option<&Name> {
        self.pick(|setting| if let Setting::Name(name) = setting { Some(name) } else { None })
    }

    /// How strong the bot plays.
    pub fn level(&self) -> Option<Level> {
        self.pick(|setting| if let Setting::Level(level) = setting { Some(*level) } else { None })
    }

    /// The colours of the screen.
    pub fn theme(&self) -> Option<Theme> {
        self.pick(|setting| if let Setting::Theme(theme) = setting { Some(*theme) } else { None })
    }

    /// Whether anything on the screen moves by itself.
    pub fn animation(&self) -> Option<bool> {
        self.pick(|setting| if let Setting::Animation(yes) = setting { Some(*yes) } else { None })
    }

    /// Whether the screen is drawn with the signs of ASCII alone.
    pub fn ascii(&self) -> Option<bool> {
        self.pick(|setting| if let Setting::Ascii(yes) = setting { Some(*yes) } else { None })
    }

    /// Whether there is one line at a time instead of the screen.
    pub fn plain(&self) -> Option<bool> {
        self.pick(|setting| if let Setting::Plain(yes) = setting { Some(*yes) } else { None })
    }
}

/// What stands in a file, and what is wrong there; of much that is wrong only the first.
fn in_file(file: &SettingsFile) -> (Vec<(Setting, Place)>, Vec<Fault>) {
    let text = match file.text() {
        Ok(text) => text.unwrap_or_default(),
        Err(fault) => return (Vec::new(), vec![fault]),
    };
    let (settings, wrong) = text::read(&text);
    let at = |line| Place::Line(file.path().to_owned(), line);
    let more = wrong.len().saturating_sub(MOST_FAULTS);
    let mut faults: Vec<Fault> =
        wrong.into_iter().take(MOST_FAULTS).map(|(line, why)| Fault { place: at(line), why }).collect();
    if more > 0 {
        let why = format!("{more} more of its lines are wrong");
        faults.push(Fault { place: Place::File(file.path().to_owned()), why });
    }
    (settings.into_iter().map(|(setting, line)| (setting, at(line))).collect(), faults)
}

/// Reads whether something is wanted.
fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err("write true or false"),
    }
}
