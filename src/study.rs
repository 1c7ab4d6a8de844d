//! What a teacher says: a good move, with the reason for it in words. It finds no moves itself, and knows nobody
//! whom it teaches: values in, text out.
//!
//! [`reason`](self) for any game is in `reason.rs`; what a game's own theory says is in the file of that game.

mod nim;
mod reason;

use crate::game::any::{Board, Move, Position, Variant};
use crate::search::{self, Best, Stop};

/// A move to make, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// One of the best moves.
    pub mv: Move,
    /// The reason, as a part of a sentence that follows the move: `it leaves 5: one more than …`.
    pub words: String,
}

/// A best move with its reason; the same one whenever it is asked for.
///
/// `None` if the game is over, or if it was stopped before it had found a move.
pub fn hint(board: &Board, stop: &Stop) -> Option<Hint> {
    let best = search::best(&board.position(), stop)?;
    let &mv = best.moves.first()?;
    Some(Hint { mv, words: words(board, &best, mv) })
}

// With a single game in the closed set, there are no others.
#[allow(unreachable_patterns)]
fn words(board: &Board, best: &Best<Move>, mv: Move) -> String {
    let known = match (board.variant(), board.position(), mv) {
        (Variant::Nim(variant), Position::Nim(before), Move::Nim(take)) => {
            nim::reason(&variant, &before, take)
        }
        _ => None,
    };
    known.unwrap_or_else(|| reason::of(&board.position(), best))
}
