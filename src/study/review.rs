//! What a move was worth, before and after it, and which move would have been better.

use super::Stop;
use super::lesson::{Lesson, patience};
use super::words::worth;
use crate::game::any::{Board, Move};
use crate::search::{Known, Verdict, WHOLE_GAME};

/// What a move was worth to the side that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The value before it; `None` if it is not known.
    pub before: Option<Known>,
    /// The value after it.
    pub after: Option<Known>,
    /// The same as a part of a sentence after the move: `turned a win in 5 plies into a loss in 8 plies;
    /// take 2 …`.
    pub words: String,
}

/// Reviews a move on this board; `None` if it is illegal there, or if it was stopped.
pub fn review(board: &Board, mv: Move, stop: &Stop) -> Option<Review> {
    let lesson = Lesson::on(board, WHOLE_GAME, stop)?;
    let best = *lesson.best().moves.first()?;
    board.play(mv).ok()?;
    let (before, after) = (lesson.known(best), lesson.known(mv));
    Some(Review { before, after, words: cost(before, after, &board.write_move(best)) })
}

/// What a move with these values before and after it cost. `best` is the best move.
pub(super) fn cost(before: Option<Known>, after: Option<Known>, best: &str) -> String {
    match (before, after) {
        (Some(before), Some(after)) => compared(before, after, better(before, after).then_some(best)),
        _ => "cannot be judged: the game is too large to search to its end".into(),
    }
}

/// Whether the first value is better than the second.
pub(super) fn better(best: Known, made: Known) -> bool {
    match (best, made) {
        (Known::Value(best), Known::Value(made)) => best > made,
        _ => best.verdict() > made.verdict(),
    }
}

fn compared(before: Known, after: Known, better: Option<&str>) -> String {
    match better {
        Some(better) if before.verdict() == after.verdict() => {
            let change = if before.verdict() == Verdict::Win { "put off" } else { "hastened" };
            format!("{change} the end: {} became {}; {better} was better", named(before), named(after))
        }
        Some(better) => format!("turned {} into {}; {better} was better", named(before), named(after)),
        None if before.verdict() == Verdict::Loss => {
            format!("could not help it: {} before, and nothing was better", named(before))
        }
        None => format!("kept {}", named(before)),
    }
}

fn named(known: Known) -> String {
    format!("a {}", worth(Some(known)))
}

/// The line of [`moves`](super::branches::moves) for this move, and below it that of a better one, if there
/// is one.
///
/// `None` if the move is illegal there, or if it was stopped.
pub fn annotation(board: &Board, mv: Move, stop: &Stop) -> Option<String> {
    let lesson = Lesson::on(board, patience(&board.position()), stop)?;
    let best = *lesson.best().moves.first()?;
    board.play(mv).ok()?;
    let told = |mv: Move| format!("{}; {}", worth(lesson.known(mv)), lesson.words(mv));
    let made = format!("{}: {}", board.write_move(mv), told(mv));
    let words = match (lesson.known(best), lesson.known(mv)) {
        (Some(before), Some(after)) if better(before, after) => {
            format!("{made}\n{} was better: {}", board.write_move(best), told(best))
        }
        _ => made,
    };
    // After a stop the words may be wrong.
    (!stop.is_raised()).then_some(words)
}
