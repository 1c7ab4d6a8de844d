//! Untrusted text for display: visible characters on one line, of bounded length.

use std::fmt;
use std::str::FromStr;

use crate::visible::visible;

/// The maximum length of a host's name in bytes: less than the 63 of a DNS label.
pub const MAX_NAME: usize = 48;
/// The maximum length of a program's version in bytes.
pub const MAX_VERSION: usize = 24;

/// A text of at least one character and at most `MAX` bytes, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShortLabel<const MAX: usize>(Box<str>);

/// The name of a host.
pub type HostName = ShortLabel<MAX_NAME>;
/// The version of a host's program.
pub type Version = ShortLabel<MAX_VERSION>;

/// The error for a text without a visible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a host's name needs at least one visible character")]
pub struct Invisible;

impl<const MAX: usize> ShortLabel<MAX> {
    /// Keeps the visible part of a text, truncated to `MAX` bytes.
    pub fn clean(text: &str) -> Result<Self, Invisible> {
        let line = visible(text).ok_or(Invisible)?;
        Ok(Self(line[..line.floor_char_boundary(MAX)].trim_end().into()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> FromStr for ShortLabel<MAX> {
    type Err = Invisible;

    fn from_str(text: &str) -> Result<Self, Invisible> {
        Self::clean(text)
    }
}

impl<const MAX: usize> fmt::Display for ShortLabel<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cleaned(text: &str) -> String {
        HostName::clean(text).unwrap().to_string()
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        assert_eq!(cleaned(&"x".repeat(99)), "x".repeat(MAX_NAME));
        assert_eq!(cleaned(&"李".repeat(99)), "李".repeat(MAX_NAME / 3));
    }

    proptest::proptest! {
        #[test]
        fn cleaning_a_clean_name_changes_nothing(text in ".*") {
            if let Ok(name) = HostName::clean(&text) {
                proptest::prop_assert!(name.as_str().len() <= MAX_NAME);
                proptest::prop_assert_eq!(HostName::clean(name.as_str()), Ok(name));
            }
        }
    }
}
