//! Text of bounded length, so that the size of every message is bounded.

use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};

use crate::game::notation::printable;

/// A text of at most `MAX` bytes of UTF-8. A longer one does not decode.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Text<const MAX: usize>(Box<str>);

/// The error for a text that is too long; holds the limit in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this text is longer than {0} bytes")]
pub struct TooLong(pub usize);

impl<const MAX: usize> Text<MAX> {
    /// As much of `text` as fits, cut between characters.
    #[must_use]
    pub fn cut(text: &str) -> Self {
        Self(text[..text.floor_char_boundary(MAX)].into())
    }

    /// The text itself, with any characters. `Display` writes it without those that a terminal would obey.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> TryFrom<String> for Text<MAX> {
    type Error = TooLong;

    fn try_from(text: String) -> Result<Self, TooLong> {
        if text.len() <= MAX { Ok(Self(text.into())) } else { Err(TooLong(MAX)) }
    }
}

impl<const MAX: usize> From<Text<MAX>> for String {
    fn from(text: Text<MAX>) -> Self {
        text.0.into()
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    /// The text as it can be shown, without control characters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        printable(&self.0).try_for_each(|c| f.write_char(c))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_shown_without_what_commands_a_terminal() {
        let shown = |text: &str| Text::<20>::cut(text).to_string();
        assert_eq!(shown("Grüße, anna"), "Grüße, anna");
        assert!(!shown("\u{1b}[2Janna").contains('\u{1b}'));
    }
}
