//! What the notations of all games share: errors for texts that cannot be read, numbers and sides, and the
//! drawing of a heap. The notation of each game is in its own file.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::side::Side;

/// A text that cannot be parsed as a variant, a position or a move: the part that is wrong, and what would
/// be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadText(pub String);

impl BadText {
    /// The complaint after the part that it is about: `java-tech:0: a pile has …`. An empty part is omitted.
    #[must_use]
    pub fn about(part: &str, complaint: impl std::fmt::Display) -> Self {
        Self(if part.is_empty() { complaint.to_string() } else { format!("{}: {complaint}", shown(part)) })
    }
}

/// Parses the `only` variant of the game `own`, which has no parameters. `None` if `name` is another game.
pub fn parse_single_variant<V>(
    only: V,
    own: &str,
    name: &str,
    parameters: &[&str],
) -> Option<Result<V, BadText>> {
    (name == own).then(|| match parameters {
        [] => Ok(only),
        [extra, ..] => Err(BadText::about(extra, format!("{own} takes no parameters"))),
    })
}

/// The maximum number of characters of a wrong text that a message repeats.
const MAX_SHOWN: usize = 40;

/// An untrusted text for use in a message: printable, and truncated if it is long.
pub fn shown(text: &str) -> String {
    let mut rest = printable(text);
    let start: String = rest.by_ref().take(MAX_SHOWN).collect();
    if rest.next().is_some() { start + "…" } else { start }
}

/// Replaces each character of an untrusted text that would control a terminal, reverse the line or be
/// invisible. All text from the network, from files and from the keyboard is filtered this way.
pub fn printable(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().map(|c| if is_printable(c) { c } else { char::REPLACEMENT_CHARACTER })
}

fn is_printable(c: char) -> bool {
    use GeneralCategory as Category;
    !matches!(
        c.general_category(),
        Category::Control
            | Category::Format
            | Category::LineSeparator
            | Category::ParagraphSeparator
            | Category::Surrogate
            | Category::PrivateUse
            | Category::Unassigned
    )
}

/// Parses a whole number from `least` to `most`, in decimal digits.
///
/// `None` for anything else: signs, spaces, a value out of range, an empty text.
pub fn number(text: &str, least: u64, most: u64) -> Option<u64> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok().filter(|n| (least..=most).contains(n))
}

/// The word for the side to move in the text of a position.
pub fn side_word(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

/// Parses what [`side_word`] returns.
pub fn read_side(word: &str) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| side_word(side) == word)
}

/// Splits the text of a position into `N` words and the side to move, which is optional. `None` for any
/// other number of words, or if the last one is not a side.
pub fn words_and_side<const N: usize>(text: &str) -> Option<([&str; N], Option<Side>)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (first, rest) = words.split_first_chunk()?;
    match rest {
        [] => Some((*first, None)),
        [side] => Some((*first, Some(read_side(side)?))),
        _ => None,
    }
}

/// The side to move in a position: the named side, or by default the first side with which it is reachable.
pub fn side_to_move(named: Option<Side>, is_reachable: impl Fn(Side) -> bool) -> Result<Side, String> {
    let mut sides = Side::BOTH.into_iter().filter(|&side| named.is_none_or(|named| named == side));
    sides
        .find(|&side| is_reachable(side))
        .ok_or_else(|| "this variant cannot reach that position with that side to move".into())
}

/// The letter of a side's stones in drawings and positions.
pub fn stone_letter(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}

/// Parses what [`stone_letter`] returns.
pub fn read_stone_letter(letter: char) -> Option<Side> {
    Side::BOTH.into_iter().find(|&side| stone_letter(side) == letter)
}

/// Joins items with commas, and with `or` or `and` before the last: `1`, `1 or 2`, `1, 2 or 3`.
pub fn in_words(items: impl Iterator<Item = impl ToString>, before_last: &str) -> String {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    match items.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} {before_last} {last}", front.join(", ")),
    }
}

/// The largest heap that is drawn stick by stick: it fits on a line of 80 columns.
const MAX_DRAWN: u64 = 50;

/// A heap on one line: the number in `width` columns, which a screen reader says first, then the sticks in
/// groups of five.
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
    fn a_heap_is_drawn_in_fives_unless_it_is_empty_or_too_long_for_a_line() {
        assert_eq!(draw_heap(7, 2), " 7   ||||| ||");
        assert_eq!(draw_heap(0, 1), "0");
        assert_eq!(draw_heap(MAX_DRAWN, 2).matches('|').count(), 50);
        assert_eq!([draw_heap(MAX_DRAWN + 1, 3), draw_heap(1_000, 3)], [" 51", "1000"]);
    }

    #[test]
    fn a_long_or_unprintable_text_is_not_repeated_whole() {
        assert_eq!(shown("a\u{1b}[2Jb"), "a\u{fffd}[2Jb");
        assert_eq!(shown(&"x".repeat(MAX_SHOWN)), "x".repeat(MAX_SHOWN));
        assert_eq!(shown(&"x".repeat(1000)).chars().count(), MAX_SHOWN + 1);
    }

    #[test]
    fn control_and_invisible_characters_are_marked_and_others_stay() {
        let marked = |text| printable(text).collect::<String>();
        assert_eq!(marked("\u{1b}[2J\r\n\u{9b}3J"), "\u{fffd}[2J\u{fffd}\u{fffd}\u{fffd}3J");
        assert_eq!(marked("a\u{202e}b\u{200b}c\u{2028}\u{e000}"), "a\u{fffd}b\u{fffd}c\u{fffd}\u{fffd}");
        assert_eq!(marked("Zoë 李 🦦, na\u{308}m"), "Zoë 李 🦦, na\u{308}m");
    }
}
