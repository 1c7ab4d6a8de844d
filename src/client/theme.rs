//! The colour themes of the screen, by name. What they look like is decided where the screen is drawn.

use std::str::FromStr;

/// The colours. Whether the terminal's own ground is dark or light is not known, so nothing is drawn in a
/// colour that can be read on one of them alone. The colours of both themes can be distinguished with colour
/// blindness; the signs do without any.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// Orange against blue, after the palette of Okabe and Ito, and as dark as they are bright, for terminals
    /// with 256 colours.
    #[default]
    Calm,
    /// The strongest contrast there is: that of the terminal's own letters, which are bold, underlined or
    /// reversed.
    Strong,
    /// None at all.
    Bare,
}

/// A word that is no theme.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no theme has this name; there are calm and strong")]
pub struct BadTheme;

impl Theme {
    /// The themes to choose from; without colours there is only one.
    pub const CHOICES: [Self; 2] = [Self::Calm, Self::Strong];

    /// The word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Calm => "calm",
            Self::Strong => "strong",
            Self::Bare => "bare",
        }
    }

    /// What it looks like.
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

    /// Reads a theme that can be chosen, as a person types it; capitals and surrounding blanks do not matter.
    fn from_str(text: &str) -> Result<Self, BadTheme> {
        let word = text.trim();
        Self::CHOICES.into_iter().find(|theme| word.eq_ignore_ascii_case(theme.as_str())).ok_or(BadTheme)
    }
}
