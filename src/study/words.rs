//! Words and numbers that all explanations share, and refusals.

use serde::Serialize;

use crate::game::any::Board;
use crate::search::{Known, Verdict};

/// Why a result is not shown, as a sentence that says what to try instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StudyError(pub String);

impl StudyError {
    /// The game is over on this board.
    pub(super) fn over(board: &Board) -> Self {
        Self(format!("the game is over in {}: choose a position with --at", board.write_position()))
    }

    /// The stop flag was raised.
    pub(super) fn stopped() -> Self {
        Self("the search was stopped before it finished".into())
    }
}

/// The value of a move in words. The moves include the move itself.
pub(super) fn value_text(known: Option<Known>) -> String {
    known.map_or_else(|| "not known".into(), |known| verdict(known.verdict()).to_owned() + &length(known))
}

/// ` in 5 moves`; empty for a draw or an unknown length.
pub(super) fn length(known: Known) -> String {
    known.plies().map_or_else(String::new, |plies| format!(" in {}", count_moves(plies)))
}

/// The word for a result.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Win => "win",
        Verdict::Draw => "draw",
        Verdict::Loss => "loss",
    }
}

/// `1 move`, `5 moves`: moves of either side.
pub fn count_moves(count: u32) -> String {
    format!("{count} {}", if count == 1 { "move" } else { "moves" })
}

/// `won`, `drawn`, `lost`: for the side to move.
pub fn participle(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Win => "won",
        Verdict::Draw => "drawn",
        Verdict::Loss => "lost",
    }
}

/// The name of a move inside a sentence: `2 to 5` instead of `from 2 to 5`.
pub(super) fn bare(name: &str) -> &str {
    name.strip_prefix("from ").unwrap_or(name)
}

/// A number with what it counts: `1 cutoff`, `2,000 cutoffs`.
pub(super) fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(&number.to_string()), if number == 1 { one } else { many })
}

/// A text, escaped for XML and HTML.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A value as a line of JSON.
pub(super) fn json_line(value: &impl Serialize) -> String {
    // Strings, numbers and booleans always serialize.
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

/// Digits in groups of three: `489,396`.
pub fn thousands(digits: &str) -> String {
    let mut grouped = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_escaped() {
        assert_eq!(escaped("<a & \"b\">"), "&lt;a &amp; &quot;b&quot;&gt;");
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        for (digits, grouped) in
            [("7", "7"), ("489396", "489,396"), ("1000", "1,000"), ("12345678", "12,345,678")]
        {
            assert_eq!(thousands(digits), grouped);
        }
    }
}
