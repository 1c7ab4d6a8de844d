//! What the notations of all games share: how a text that cannot be read is reported, how numbers and sides
//! are read and written, and how a heap is drawn. Each game's own notation is in the game's file.

use super::Side;

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

/// The word for a side behind a position: whose turn it is.
pub fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// Reads what [`side_word`] writes.
pub fn read_side(word: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| side_word(side) == word)
}

/// The letter for a side's stone on a board.
pub fn stone_letter(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}

/// Reads what [`stone_letter`] writes.
pub fn read_stone_letter(letter: char) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| stone_letter(side) == letter)
}

/// What there is to choose from, as words: `1`, `1 or 2`, `1, 2 or 3`.
pub fn alternatives(choices: &[String]) -> String {
    match choices {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}

/// The largest heap that is drawn stick by stick: it still fits on a line of 80 columns. Larger ones are a number.
const MAX_DRAWN: u64 = 50;

/// A heap on one line: the number in `width` columns, so that it is what a screen reader says first; then the sticks
/// in fives.
pub fn draw_heap(count: u64, width: usize) -> String {
    if count == 0 || count > MAX_DRAWN {
        return format!("{count:>width$}");
    }
    let mut line = format!("{count:>width$}  ");
    for stick in 0..count {
        if stick % 5 == 0 {
            line.push(' ');
        }
        line.push('|');
    }
    line
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
