//! Text from the network that can be shown: visible characters on one line, of bounded length.

use std::fmt;
use std::str::FromStr;

use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory};

/// The most bytes of a host's name: two dozen letters of any script, and less than the 63 of a DNS label.
pub const MAX_NAME: usize = 48;
/// The most bytes of a program's version.
pub const MAX_VERSION: usize = 24;

/// The most combining marks of one letter: with more of them a line would run into the next.
const MAX_MARKS: usize = 2;

/// Characters that are drawn as nothing: Hangul and Khmer fillers, the empty Braille cell, the grapheme
/// joiner.
const BLANKS: [char; 8] =
    ['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}', '\u{17b4}', '\u{17b5}', '\u{2800}', '\u{34f}'];

/// A text of at least one character and at most `MAX` bytes, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label<const MAX: usize>(Box<str>);

/// The name of a host.
pub type HostName = Label<MAX_NAME>;
/// The version of a host's program.
pub type Version = Label<MAX_VERSION>;

/// The text has no visible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a host's name needs at least one visible character")]
pub struct Invisible;

impl<const MAX: usize> Label<MAX> {
    /// Keeps the visible part of a text, cut at `MAX` bytes.
    pub fn clean(text: &str) -> Result<Self, Invisible> {
        let visible: String = limit_marks(text.chars().filter_map(shown_as)).collect();
        let words: Vec<&str> = visible.split_whitespace().collect();
        let line = words.join(" ");
        let cut = line[..line.floor_char_boundary(MAX)].trim_end();
        let has_letter = cut.chars().any(|c| c.general_category_group() != GeneralCategoryGroup::Mark);
        if has_letter { Ok(Self(cut.into())) } else { Err(Invisible) }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The character as it is shown: a space for any blank, `None` for an invisible one.
fn shown_as(c: char) -> Option<char> {
    match c.general_category_group() {
        GeneralCategoryGroup::Separator => Some(' '),
        GeneralCategoryGroup::Other => c.is_whitespace().then_some(' '),
        _ if BLANKS.contains(&c) || ('\u{fe00}'..='\u{fe0f}').contains(&c) => None,
        _ => Some(c),
    }
}

fn limit_marks(text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
    let mut marks = 0;
    text.filter(move |c| {
        marks = if c.general_category_group() == GeneralCategoryGroup::Mark { marks + 1 } else { 0 };
        marks <= MAX_MARKS
    })
}

impl<const MAX: usize> FromStr for Label<MAX> {
    type Err = Invisible;

    fn from_str(text: &str) -> Result<Self, Invisible> {
        Self::clean(text)
    }
}

impl<const MAX: usize> fmt::Display for Label<MAX> {
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
    fn what_cannot_be_seen_is_dropped() {
        assert_eq!(cleaned("  anna's \t\u{a0} laptop\u{2028}! "), "anna's laptop !");
        assert_eq!(cleaned("lap\u{200b}\u{202e}top\u{7}\u{1b}[2J"), "laptop[2J");
        assert_eq!(cleaned("Zoë 李 🦦"), "Zoë 李 🦦");
        assert_eq!(cleaned("a\u{301}\u{301}\u{301}\u{301}b"), "a\u{301}\u{301}b");
    }

    #[test]
    fn a_name_of_nothing_visible_is_refused() {
        for text in ["", "   ", "\u{200b}", "\u{3164}", "\u{2800}\u{2800}", "\u{301}", "\u{0}"] {
            assert_eq!(HostName::clean(text), Err(Invisible), "{text:?}");
        }
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
