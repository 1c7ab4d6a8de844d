//! Why a move in Even or Odd wins, by the remainder of the middle and the parity of the heaps. It does not choose the
//! move, and has nothing to say of one that does not win.

use crate::game::Game;
use crate::game::even_or_odd::{EvenOrOdd, Tokens};
use crate::search::Verdict;
use crate::search::closed::even_or_odd::{MODULUS, verdict};

/// Why `mv` wins, as a part of a sentence that follows it, or why all moves draw; `None` if it loses or is not legal.
pub(super) fn reason(before: &EvenOrOdd, mv: Tokens) -> Option<String> {
    let after = before.play(mv).ok()?;
    match verdict(&after) {
        Verdict::Draw => Some(
            "it draws, as every move does: an even number of tokens leaves both heaps even or both odd"
                .into(),
        ),
        Verdict::Loss => Some(leaving(after.middle(), after.heaps()[after.turn()])),
        Verdict::Win => None,
    }
}

/// Why it wins to leave this much in the middle to a side with this heap.
fn leaving(middle: u64, heap: u64) -> String {
    let parity = if heap.is_multiple_of(2) { "even" } else { "odd" };
    match (middle, middle % MODULUS) {
        (0, _) => "it takes the rest and makes your heap even".into(),
        (1, _) => "it leaves 1, which makes the other side's heap odd".into(),
        (0..MODULUS, _) => {
            format!("it leaves {middle} to a side with an {parity} heap, so every reply can be answered")
        }
        (_, rest) => format!(
            "it leaves {middle}, {}, to a side with an {parity} heap, so every reply can be answered",
            multiple(rest)
        ),
    }
}

/// A number by what it has over a multiple.
fn multiple(rest: u64) -> String {
    match rest {
        0 => format!("a multiple of {MODULUS}"),
        1 => format!("one more than a multiple of {MODULUS}"),
        rest => format!("{rest} more than a multiple of {MODULUS}"),
    }
}
