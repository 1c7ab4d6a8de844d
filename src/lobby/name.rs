//! The name of a player: it can be shown on any terminal, and looks different from the program's own words.

use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::look;
use crate::visible::visible;

/// The most characters of a name: it leaves room for the game beside it on a line of 80 columns.
pub const MAX_NAME_CHARS: usize = 24;

/// The most bytes of a requested name, before it is cleaned: room for every character at its widest, and for
/// some that will be dropped.
pub const MAX_NAME_BYTES: usize = 256;

/// A name without control or invisible characters, trimmed, of 1 to [`MAX_NAME_CHARS`] characters.
///
/// The program's marks cannot be forged: a name has no brackets, as in `[bot, …]` and `(you)`, and no
/// `stand-in`. No word of it mixes scripts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(Box<str>);

/// The error for a text that cannot be a name. The order of the variants is the protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum NameFault {
    /// It has no visible character.
    #[error("a name needs at least one visible character")]
    Empty,
    /// It is too long.
    #[error("a name has at most {MAX_NAME_CHARS} characters")]
    TooLong,
    /// It has a bracket, or a sign that looks like one.
    #[error("a name may not contain brackets or signs that look like them: leave them out")]
    Bracket,
    /// A word mixes scripts.
    #[error(
        "a word of a name is in one script, not half Latin and half Cyrillic: write it with one alphabet"
    )]
    MixedScripts,
    /// It has a mark by which the program shows who plays.
    #[error("a name does not have the word stand-in, by which bots are marked: leave it out")]
    StandIn,
}

impl Name {
    /// Makes a name of typed text: drops invisible characters and folds blanks into single spaces.
    pub fn clean(text: &str) -> Result<Self, NameFault> {
        let name = visible(text).ok_or(NameFault::Empty)?;
        if name.chars().count() > MAX_NAME_CHARS {
            return Err(NameFault::TooLong);
        }
        if look::has_bracket(&name) {
            return Err(NameFault::Bracket);
        }
        if look::mixes_scripts(&name) {
            return Err(NameFault::MixedScripts);
        }
        if look::has_stand_in(&name) {
            return Err(NameFault::StandIn);
        }
        Ok(Self(name.into()))
    }

    /// The name of the server's bot: its algorithm.
    #[must_use]
    pub fn bot() -> Self {
        Self("minimax".into())
    }

    /// The name of a second bot beside the first.
    #[must_use]
    pub fn other_bot() -> Self {
        Self("maximin".into())
    }

    /// The name of a player without a known one.
    #[must_use]
    pub fn anyone() -> Self {
        Self("player".into())
    }

    /// The name with a number appended, as in `anna-2`, to distinguish it from one that looks alike.
    #[must_use]
    pub fn numbered(&self, number: u32) -> Self {
        let suffix = format!("-{number}");
        let room = MAX_NAME_CHARS.saturating_sub(suffix.len());
        let Some((end, _)) = self.0.char_indices().nth(room) else {
            return Self(format!("{}{suffix}", self.0).into());
        };
        // A name that is cut may be none: `wide outdoor stand-ings` would end in `stand-in`.
        let cut = format!("{}{suffix}", self.0[..end].trim_end());
        Self::clean(&cut).unwrap_or_else(|_| Self::anyone().numbered(number))
    }

    /// The key by which names are compared: capitals and Unicode forms are folded. Connected people have
    /// different keys.
    pub fn folded(&self) -> String {
        self.0.nfkc().collect::<String>().to_lowercase()
    }

    /// The key by which names are compared as they look. Connected people have different ones.
    pub fn look(&self) -> String {
        look::look(&self.0)
    }

    /// The name as it is shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Name {
    type Error = NameFault;

    /// Accepts only clean text: no honest peer sends a name that needs cleaning.
    fn try_from(text: String) -> Result<Self, NameFault> {
        let name = Self::clean(&text)?;
        if *name.0 == *text { Ok(name) } else { Err(NameFault::Empty) }
    }
}

impl From<Name> for String {
    fn from(name: Name) -> Self {
        name.0.into()
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        Name::clean(text).unwrap().to_string()
    }

    #[test]
    fn what_cannot_be_seen_is_dropped() {
        assert_eq!(cleaned(" an\u{200b}\u{202e}\u{1b}na\u{7}\u{a0} bot"), "anna bot");
        for text in ["", "\u{200b}"] {
            assert_eq!(Name::clean(text), Err(NameFault::Empty), "{text:?}");
        }
    }

    #[test]
    fn a_name_that_could_pass_for_another_is_refused() {
        for (text, fault) in [
            ("minimax [bot, perfect]", NameFault::Bracket),
            ("minimax ［bot, perfect］", NameFault::Bracket),
            ("anna (you)", NameFault::Bracket),
            ("аnna", NameFault::MixedScripts),
            ("Yоu", NameFault::MixedScripts),
            ("stand-in for anna", NameFault::StandIn),
        ] {
            assert_eq!(Name::clean(text), Err(fault), "{text}");
        }
    }

    #[test]
    fn names_of_many_languages_are_names() {
        for text in ["Zoë", "O’Brien", "李", "田中さくら", "阿Q", "金철수", "Анна Петрова", "सीता", "سارة"]
        {
            assert_eq!(cleaned(text), text);
        }
    }

    #[test]
    fn a_name_has_a_bounded_length() {
        assert!(Name::clean(&"x".repeat(MAX_NAME_CHARS)).is_ok());
        assert_eq!(Name::clean(&"x".repeat(MAX_NAME_CHARS + 1)), Err(NameFault::TooLong));
    }

    #[test]
    fn names_are_alike_that_are_read_as_the_same_one() {
        let folded = |text: &str| Name::clean(text).unwrap().folded();
        assert_eq!(folded("Zoë"), "zoë");
        for alike in ["ZOË", "zoe\u{308}", "\u{ff3a}oë"] {
            assert_eq!(folded(alike), folded("zoë"), "{alike}");
        }
        assert_ne!(folded("zoe"), folded("zoë"));
    }

    #[test]
    fn a_numbered_name_is_still_a_name() {
        for text in [&"x".repeat(MAX_NAME_CHARS), "anna", "wide outdoor stand-ings"] {
            let numbered = Name::clean(text).unwrap().numbered(12).to_string();
            assert_eq!(Name::try_from(numbered.clone()).unwrap().as_str(), numbered);
        }
    }

    proptest::proptest! {
        #[test]
        fn cleaning_a_clean_name_changes_nothing(text in ".*") {
            if let Ok(name) = Name::clean(&text) {
                proptest::prop_assert_eq!(Name::clean(name.as_str()), Ok(name));
            }
        }

        #[test]
        fn a_name_with_any_number_is_a_name(text in "(\\PC|stand|in|-| ){1,8}", number in 2_u32..1_000_000) {
            if let Ok(name) = Name::clean(&text) {
                let numbered = name.numbered(number);
                proptest::prop_assert_eq!(Name::clean(numbered.as_str()), Ok(numbered));
            }
        }
    }
}
