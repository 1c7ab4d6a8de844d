//! What the notations of all games share: how a text that cannot be read is reported, and how numbers
//! and names are read. Each game's own notation is in the game's file.

/// A text that is not a variant, a position or a move: which part is wrong, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadText(pub String);

impl BadText {
    /// The complaint with the part that it is about in front: `java-tech:0: a pile has …`.
    #[must_use]
    pub fn about(part: &str, complaint: impl std::fmt::Display) -> Self {
        Self(format!("{}: {complaint}", shown(part)))
    }
}

/// The most characters of a wrong text that are repeated to the one who typed it.
const MAX_SHOWN: usize = 40;

/// A text from outside, fit to be repeated in a message: printable and not too long.
pub fn shown(text: &str) -> String {
    let clean = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    if text.chars().count() <= MAX_SHOWN {
        return text.chars().map(clean).collect();
    }
    text.chars().take(MAX_SHOWN).map(clean).chain("…".chars()).collect()
}

/// A whole number from `least` to `most`, written in decimal digits.
///
/// `None` for anything else: signs, spaces, a value out of range, an empty text.
pub fn number(text: &str, least: u64, most: u64) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|n| (least..=most).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_digits_within_its_range() {
        assert_eq!(number("17", 1, 20), Some(17));
        for bad in ["", "0", "21", "+3", "-3", "3 ", "٣", "1e3", "99999999999999999999"] {
            assert_eq!(number(bad, 1, 20), None, "{bad}");
        }
    }

    #[test]
    fn a_long_or_unprintable_text_is_not_repeated_whole() {
        assert_eq!(shown("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), MAX_SHOWN + 1);
    }
}
