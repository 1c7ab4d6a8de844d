//! The keys of settings: what they are called where, and what they are about.

use std::fmt;
use std::str::FromStr;

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
    /// All of them, in the order in which they are told.
    pub const ALL: [Self; 6] =
        [Self::Name, Self::Level, Self::Theme, Self::Animation, Self::Ascii, Self::Plain];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Level => "level",
            Self::Theme => "theme",
            Self::Animation => "animation",
            Self::Ascii => "ascii",
            Self::Plain => "plain",
        }
    }

    /// The variable of the environment for it.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Name => "NIM_NAME",
            Self::Level => "NIM_LEVEL",
            Self::Theme => "NIM_THEME",
            Self::Animation => "NIM_ANIMATION",
            Self::Ascii => "NIM_ASCII",
            Self::Plain => "NIM_PLAIN",
        }
    }

    /// What it is about.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Name => "what to be called",
            Self::Level => "how strong the bot plays",
            Self::Theme => "the colours of the screen",
            Self::Animation => "whether anything on the screen moves by itself",
            Self::Ascii => "whether the screen is drawn with the signs of ASCII alone",
            Self::Plain => "whether there is one line at a time instead of the screen",
        }
    }

    /// How it stands in a file, for instance.
    pub const fn example(self) -> &'static str {
        match self {
            Self::Name => "name = \"anna\"",
            Self::Level => "level = \"easy\"",
            Self::Theme => "theme = \"strong\"",
            Self::Animation => "animation = false",
            Self::Ascii => "ascii = true",
            Self::Plain => "plain = true",
        }
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
