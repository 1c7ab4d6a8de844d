//! One setting: its key, its value, and where it was found.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::client::theme::Theme;
use crate::game::notation::shown;
use crate::lobby::{Level, Name};

/// What can be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// What to be called.
    Name,
    /// How strong the bot plays.
    Level,
    /// The colours of the screen.
    Theme,
    /// Whether anything on the screen moves by itself.
    Animation,
    /// Whether the screen is drawn with the signs of ASCII alone.
    Ascii,
    /// Whether there is one line at a time instead of the screen.
    Plain,
}

/// A word that is no key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no setting has this name; there are name, level, theme, animation, ascii and plain")]
pub struct BadKey;

impl Key {
    /// All of them, in the order in which they are listed.
    pub const ALL: [Self; 6] =
        [Self::Name, Self::Level, Self::Theme, Self::Animation, Self::Ascii, Self::Plain];

    /// Its word, its variable of the environment, what it is about, and how it stands in a file, for instance.
    const fn row(self) -> [&'static str; 4] {
        match self {
            Self::Name => ["name", "NIM_NAME", "what to be called", "name = \"anna\""],
            Self::Level => ["level", "NIM_LEVEL", "how strong the bot plays", "level = \"easy\""],
            Self::Theme => ["theme", "NIM_THEME", "the colours of the screen", "theme = \"strong\""],
            Self::Animation => [
                "animation",
                "NIM_ANIMATION",
                "whether anything on the screen moves by itself",
                "animation = false",
            ],
            Self::Ascii => [
                "ascii",
                "NIM_ASCII",
                "whether the screen is drawn with the signs of ASCII alone",
                "ascii = true",
            ],
            Self::Plain => [
                "plain",
                "NIM_PLAIN",
                "whether there is one line at a time instead of the screen",
                "plain = true",
            ],
        }
    }

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        self.row()[0]
    }

    /// The variable of the environment for it.
    pub const fn variable(self) -> &'static str {
        self.row()[1]
    }

    /// What it is about.
    pub const fn about(self) -> &'static str {
        self.row()[2]
    }

    /// How it stands in a file, for instance.
    pub const fn example(self) -> &'static str {
        self.row()[3]
    }

    /// Whether it is one of true and false.
    pub(super) const fn is_switch(self) -> bool {
        matches!(self, Self::Animation | Self::Ascii | Self::Plain)
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Key {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        Self::ALL.into_iter().find(|key| key.as_str() == text).ok_or(BadKey)
    }
}

/// What was chosen for a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// What it is a setting of.
    pub key: Key,
    text: String,
}

/// Where a setting comes from, or where something is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A variable of the environment, by its name.
    Variable(&'static str),
    /// A line of a file, counted from 1.
    Line(PathBuf, usize),
    /// A file as a whole.
    File(PathBuf),
}

/// Something that is no setting, or none that can be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct SettingError {
    /// Where it stands.
    pub at: Source,
    /// What is wrong with it, and what would be right.
    pub why: String,
}

impl Setting {
    /// Reads what a person types for a key.
    pub fn read(key: Key, text: &str) -> Result<Self, String> {
        let read = match key {
            Key::Name => Name::clean(text).map(|name| name.to_string()).map_err(|bad| bad.to_string()),
            Key::Level => text.parse().map(Level::as_str).map(str::to_owned).map_err(|bad| bad.to_string()),
            Key::Theme => text.parse().map(Theme::as_str).map(str::to_owned).map_err(|bad| bad.to_string()),
            Key::Animation | Key::Ascii | Key::Plain => yes_or_no(text).map(|yes| yes.to_string()),
        };
        let wrong = |why| format!("{} cannot be {:?}: {why}", key.as_str(), shown(text));
        read.map(|text| Self { key, text }).map_err(wrong)
    }

    /// As it is typed, and read again.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::Line(path, line) => write!(f, "{}, line {line}", path.display()),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Reads whether something is wanted.
fn yes_or_no(text: &str) -> Result<bool, String> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err("write true or false".into()),
    }
}
