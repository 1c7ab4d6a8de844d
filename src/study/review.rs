//! The value of a position before and after a move, and a better move if there is one.

use super::Stop;
use super::explainer::{Explainer, listing_budget};
use super::words::value_text;
use crate::game::any::{Board, Move};
use crate::search::{Budget, Known, Verdict, WHOLE_GAME};

/// The values before and after a move, for the side that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveReview {
    /// The value before it; `None` if it is not known.
    pub before: Option<Known>,
    /// The value after it.
    pub after: Option<Known>,
    /// The same as a clause after the move: `turned a win in 5 moves into a loss in 8 moves; take 2 …`.
    pub words: String,
}

/// Reviews a move on this board; `None` if the move is illegal, or if the search was stopped.
pub fn review(board: &Board, mv: Move, stop: &Stop) -> Option<MoveReview> {
    let explainer = Explainer::on(board, WHOLE_GAME, stop)?;
    let best = *explainer.best().moves.first()?;
    board.play(mv).ok()?;
    let (before, after) = (explainer.known(best), explainer.known(mv));
    Some(MoveReview { before, after, words: cost(before, after, &board.write_move(best)) })
}

/// The cost of a move with these values before and after it, in words. `best` is the best move.
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
            let change =
                if before.verdict() == Verdict::Win { "delayed the win" } else { "hastened the loss" };
            format!("{change}: {} became {}; {better} was better", named(before), named(after))
        }
        Some(better) => format!("turned {} into {}; {better} was better", named(before), named(after)),
        None if before.verdict() == Verdict::Loss => {
            format!("kept {}; no move was better", named(before))
        }
        None => format!("kept {}", named(before)),
    }
}

fn named(known: Known) -> String {
    format!("a {}", value_text(Some(known)))
}

/// The line of [`moves`](super::branches::moves) for this move, and a second line for a better move if
/// there is one.
///
/// `None` if the move is illegal, or if the search was stopped.
pub fn annotation(board: &Board, mv: Move, stop: &Stop) -> Option<String> {
    annotation_within(board, mv, listing_budget(&board.position()), stop)
}

/// The same within a budget: what it does not prove has no value.
pub fn annotation_within(board: &Board, mv: Move, budget: Budget, stop: &Stop) -> Option<String> {
    let explainer = Explainer::on(board, budget, stop)?;
    let best = *explainer.best().moves.first()?;
    board.play(mv).ok()?;
    let line = |mv: Move| format!("{}; {}", value_text(explainer.known(mv)), explainer.reason(mv));
    let made = format!("{}: {}", board.write_move(mv), line(mv));
    let words = match (explainer.known(best), explainer.known(mv)) {
        (Some(before), Some(after)) if better(before, after) => {
            format!("{made}\n{} was better: {}", board.write_move(best), line(best))
        }
        _ => made,
    };
    // After a stop the values may be missing.
    (!stop.is_raised()).then_some(words)
}
