//! The names of the screen's colour themes. The colours themselves are in `tui`.

use std::str::FromStr;

/// A colour theme. The terminal's background may be dark or light, so every colour is readable on both. The
/// colours can be distinguished with colour blindness, and no sign depends on colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// Orange against blue, after the palette of Okabe and Ito, of medium brightness; needs 256 colours.
    #[default]
    Calm,
    /// The strongest contrast: the terminal's own two colours, with bold, underlined and reversed text.
    Strong,
    /// No colours.
    Bare,
}

/// The error for a word that is not a theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no theme has this name; there are calm and strong")]
pub struct BadTheme;

impl Theme {
    /// The themes to choose from; a screen without colours has no choice.
    pub const CHOICES: [Self; 2] = [Self::Calm, Self::Strong];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Strong => "strong",
            Self::Bare => "bare",
        }
    }

    /// A description.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Calm => "Orange against blue on dark or light, for terminals with 256 colours",
            Self::Strong => "The terminal's own two colours, with the strongest contrast",
            Self::Bare => "No colours",
        }
    }
}

impl FromStr for Theme {
    type Err = BadTheme;

    /// Reads the name of a theme to choose; case and surrounding spaces do not matter.
    fn from_str(text: &str) -> Result<Self, BadTheme> {
        let word = text.trim();
        Self::CHOICES.into_iter().find(|theme| word.eq_ignore_ascii_case(theme.as_str())).ok_or(BadTheme)
    }
}
