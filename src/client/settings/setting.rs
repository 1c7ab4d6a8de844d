//! One setting: its key, its value, its source, and the errors about it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::alike::{did_you_mean, most_like};
use crate::client::theme::Theme;
use crate::game::notation::shown;
use crate::lobby::{Level, Name};

/// The key of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// The player's name.
    Name,
    /// The bot's level.
    Level,
    /// The colours of the screen.
    Theme,
    /// Whether anything on the screen moves by itself.
    Animation,
    /// Whether the screen uses only ASCII characters.
    Ascii,
    /// Whether the line face is used instead of the screen.
    Plain,
    /// Whether the terminal's bell rings when another player does something.
    Bell,
    /// Whether the window's title says whose turn it is.
    Title,
}

/// The error for a word that is not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no setting has this name; there are {}{}", all_names(), did_you_mean(self.meant))]
pub struct BadKey {
    /// The setting that may be meant.
    pub meant: Option<&'static str>,
}

/// The names of all keys, as a part of a sentence.
fn all_names() -> String {
    let [names @ .., last] = Key::ALL.map(Key::as_str);
    format!("{} and {last}", names.join(", "))
}

impl Key {
    /// All keys, in the order in which they are listed.
    pub const ALL: [Self; 8] = [
        Self::Name,
        Self::Level,
        Self::Theme,
        Self::Animation,
        Self::Ascii,
        Self::Plain,
        Self::Bell,
        Self::Title,
    ];

    /// The word, the environment variable, a description, and an example line of a file.
    const fn row(self) -> [&'static str; 4] {
        match self {
            Self::Name => ["name", "NIM_NAME", "your name", "name = \"anna\""],
            Self::Level => ["level", "NIM_LEVEL", "how strong the bot plays", "level = \"easy\""],
            Self::Theme => ["theme", "NIM_THEME", "the colours of the screen", "theme = \"strong\""],
            Self::Animation => [
                "animation",
                "NIM_ANIMATION",
                "whether anything on the screen moves by itself",
                "animation = false",
            ],
            Self::Ascii => {
                ["ascii", "NIM_ASCII", "whether the screen uses only ASCII characters", "ascii = true"]
            }
            Self::Plain => {
                ["plain", "NIM_PLAIN", "whether to show plain lines instead of the screen", "plain = true"]
            }
            Self::Bell => {
                ["bell", "NIM_BELL", "whether the bell rings for what another player does", "bell = false"]
            }
            Self::Title => {
                ["title", "NIM_TITLE", "whether the window's title says whose turn it is", "title = false"]
            }
        }
    }

    /// The word in a file.
    pub const fn as_str(self) -> &'static str {
        self.row()[0]
    }

    /// The environment variable.
    pub const fn variable(self) -> &'static str {
        self.row()[1]
    }

    /// A description.
    pub const fn about(self) -> &'static str {
        self.row()[2]
    }

    /// An example line of a file.
    pub const fn example(self) -> &'static str {
        self.row()[3]
    }

    /// Whether its value is true or false.
    pub(super) const fn is_switch(self) -> bool {
        matches!(self, Self::Animation | Self::Ascii | Self::Plain | Self::Bell | Self::Title)
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
        let found = Self::ALL.into_iter().find(|key| key.as_str() == text);
        found.ok_or_else(|| BadKey { meant: most_like(text, Self::ALL.map(Self::as_str)) })
    }
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: Key,
    text: String,
}

/// The source of a setting or of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    /// An environment variable, by its name.
    Variable(&'static str),
    /// A line of a file, counted from 1.
    Line(PathBuf, usize),
    /// A file as a whole.
    File(PathBuf),
}

/// An invalid setting or settings file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {why}")]
pub struct SettingError {
    /// Where the error is.
    pub at: SettingSource,
    /// What is wrong, and what would be right.
    pub why: String,
}

impl Setting {
    /// Reads a value that a person typed for a key.
    pub fn read(key: Key, text: &str) -> Result<Self, String> {
        let read = match key {
            Key::Name => Name::clean(text).map(|name| name.to_string()).map_err(|bad| bad.to_string()),
            Key::Level => text.parse().map(Level::as_str).map(str::to_owned).map_err(|bad| bad.to_string()),
            Key::Theme => text.parse().map(Theme::as_str).map(str::to_owned).map_err(|bad| bad.to_string()),
            Key::Animation | Key::Ascii | Key::Plain | Key::Bell | Key::Title => {
                yes_or_no(text).map(|yes| yes.to_string())
            }
        };
        let wrong = |why| format!("{} cannot be {:?}: {why}", key.as_str(), shown(text));
        read.map(|text| Self { key, text }).map_err(wrong)
    }

    /// The value as it is typed.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for SettingSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => f.write_str(name),
            Self::Line(path, line) => write!(f, "{}, line {line}", path.display()),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

/// Reads a true or false value.
fn yes_or_no(text: &str) -> Result<bool, String> {
    match text.trim().to_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err("write true or false".into()),
    }
}
