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
pub struct Fault {
    /// Where it stands.
    pub at: Source,
    /// What is wrong with it, and what would be right.
    pub why: String,
}

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
fn yes_or_no(text: &str) -> Result<bool, &'static str> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err("write true or false"),
    }
}
