//! Reasons for good moves in the smaller games, by the board: remainders and parities, threes and threats,
//! blocked stones. It chooses no moves.

use crate::game::Game;
use crate::game::even_or_odd::{EvenOrOdd, Tokens};
use crate::game::sliding::{Slide, Sliding, SlidingGame};
use crate::game::tic_tac_toe::{Square, TicTacToe};
use crate::search::closed::even_or_odd::{MODULUS, verdict};
use crate::search::{Known, Verdict};

/// Why `mv` wins in Even or Odd, or why all moves draw, as a clause after the move; `None` if it loses or
/// is illegal.
pub(super) fn even_or_odd(before: &EvenOrOdd, mv: Tokens) -> Option<String> {
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

/// Why leaving this middle to a side with this heap wins.
fn leaving(middle: u64, heap: u64) -> String {
    let parity = parity(heap);
    match (middle, middle % MODULUS) {
        (0, _) => "it takes the rest and makes your heap even".into(),
        (1, _) => "it leaves 1, which makes the other side's heap odd".into(),
        (0..MODULUS, _) => {
            format!("it leaves {middle} to a player with an {parity} heap, who loses: {}", answers(middle))
        }
        (_, rest) => format!(
            "it leaves {middle} ({}) to a player with an {parity} heap, who loses: {}",
            multiple(rest),
            answers(middle)
        ),
    }
}

/// `even` or `odd`.
pub(super) fn parity(number: u64) -> &'static str {
    if number.is_multiple_of(2) { "even" } else { "odd" }
}

/// Which reply answers each move from a number that loses, so that the next number loses, too.
fn answers(middle: u64) -> String {
    let two = answer_to_two(middle);
    format!("answer 1 with 3, 2 with {two} and 3 with 1")
}

/// The same as a sentence below the numbers.
pub(super) fn answers_in_words(middle: u64) -> String {
    if middle == 1 {
        return "The last token makes that heap odd.".into();
    }
    let two = answer_to_two(middle);
    format!("Answer 1 with 3, 2 with {two} and 3 with 1: it moves from such a number again.")
}

/// How a move of two tokens from a number that loses is answered. Moves of 1 and 3 make 4 with their answer.
fn answer_to_two(middle: u64) -> u64 {
    if middle.is_multiple_of(4) { 1 } else { 3 }
}

/// The remainder of a number, in words.
fn multiple(rest: u64) -> String {
    match rest {
        0 => format!("a multiple of {MODULUS}"),
        1 => format!("one more than a multiple of {MODULUS}"),
        rest => format!("{rest} more than a multiple of {MODULUS}"),
    }
}

/// The reason for a move that any other would be worse than: it stops three in a row.
const ONLY_BLOCK: &str = "it is the only square that blocks";

/// Why `square`, one of the best moves of tic-tac-toe, is good, as a clause after the move; `None` if the
/// board shows no reason.
pub(super) fn tic_tac_toe(before: TicTacToe, square: Square, known: Option<Known>) -> Option<String> {
    let me = before.turn();
    if before.threats(me).any(|threat| threat == square) {
        return Some("it makes three in a row".into());
    }
    let known = known?;
    let verdict = known.verdict();
    // A side that can win at once need not block.
    let must_block = before.threats(me).next().is_none();
    let blocks = must_block && before.threats(!me).eq([square]) && verdict > Verdict::Loss;
    let after = before.play(square).ok()?;
    let forks = after.threats(me).count() > 1 && verdict == Verdict::Win;
    match (blocks, forks) {
        (true, true) => Some("it blocks, and makes two threats at once (a fork)".into()),
        (true, false) => Some(ONLY_BLOCK.into()),
        (false, true) => Some("it makes two threats at once (a fork)".into()),
        (false, false) => None,
    }
}

/// Why `slide` is good, as a clause after the move; `None` if its value alone says as much. `known` returns
/// the value of a move.
pub(super) fn sliding<G: SlidingGame>(
    before: &Sliding<G>,
    slide: Slide,
    known: impl Fn(Slide) -> Option<Known>,
) -> Option<String> {
    if before.play(slide).ok()?.outcome().is_some() {
        return Some("it leaves no move: the other side is shut in".into());
    }
    let others = before.moves().filter(|&other| other != slide);
    let loss = |other| known(other).filter(|known| known.verdict() == Verdict::Loss)?.plies();
    let losses = others.map(loss).collect::<Option<Vec<u32>>>()?;
    known(slide).filter(|known| known.verdict() == Verdict::Draw)?;
    Some(escaping(losses.len(), losses.iter().copied().max()?))
}

/// The reason for the only move that draws: all `others` lose within `plies`.
fn escaping(others: usize, plies: u32) -> String {
    let lose = if others == 1 { "the other move loses" } else { "the others lose" };
    match plies {
        0..=3 => format!("it draws; {lose} to the very next move"),
        _ => format!("it draws; {lose} within {plies} moves"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Outcome, for_each_reachable};
    use crate::search::{Stop, WHOLE_GAME, children, memo};

    /// Whether the side to move can win with this very move.
    fn can_win_now(position: TicTacToe) -> bool {
        children(&position).any(|(_, next)| next.outcome() == Some(Outcome::Win(position.turn())))
    }

    /// Whether a reason is true, by playing out the move.
    fn is_true(words: &str, before: TicTacToe, square: Square) -> bool {
        let after = before.play(square).unwrap();
        let three = after.outcome() == Some(Outcome::Win(before.turn()));
        let blocks = children(&before).all(|(other, next)| can_win_now(next) == (other != square));
        let forks = children(&after).all(|(_, next)| can_win_now(next)) && !can_win_now(after);
        match words {
            "it makes three in a row" => three,
            words if words.starts_with(ONLY_BLOCK) => !three && blocks,
            "it makes two threats at once (a fork)" => !three && forks,
            _ => words == "it blocks, and makes two threats at once (a fork)" && blocks && forks,
        }
    }

    #[test]
    fn every_move_from_a_losing_number_of_even_or_odd_has_the_answer_that_is_said() {
        use crate::game::Rules;
        use crate::game::even_or_odd::EvenOrOddVariant;
        let start = EvenOrOddVariant::parse("even-or-odd", &["41"]).unwrap().unwrap().start();
        for_each_reachable(&start, 100_000, |position| {
            if position.middle() < 2 || verdict(position) != Verdict::Loss {
                return;
            }
            for mv in position.moves() {
                let answer = if mv.0 == 2 { answer_to_two(position.middle()) } else { 4 - u64::from(mv.0) };
                let answer = Tokens(answer.try_into().unwrap());
                let after = position.play(mv).unwrap().play(answer).unwrap();
                assert_eq!(verdict(&after), Verdict::Loss, "{position:?} {mv:?} {answer:?}");
            }
        });
    }

    #[test]
    fn the_reason_for_a_move_is_true() {
        let start = TicTacToe::default();
        let table = memo::solve(&start, WHOLE_GAME, &Stop::new()).unwrap();
        for_each_reachable(&start, 10_000, |position| {
            for (mv, next) in children(position) {
                let value = table.value(&next).unwrap().for_mover();
                if value.verdict() > Verdict::Loss {
                    let words = tic_tac_toe(*position, mv, Some(Known::Value(value)));
                    assert!(words.is_none_or(|words| is_true(&words, *position, mv)), "{position:?} {mv:?}");
                }
            }
        });
    }
}
