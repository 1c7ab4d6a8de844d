//! Explanations for learners: a best move with its reason, all moves, the game tree, and a search step by
//! step. All values come from `search`, and all results are text.
//!
//! Reasons that fit every game are in `reason`. The theory of single games is in `nim`, `connect_four` and
//! `theory`. `explainer` puts them together.

pub mod branches;
mod connect_four;
mod explainer;
pub mod figure;
pub mod label;
pub mod levels;
mod nim;
pub mod nim_pattern;
mod picture;
mod reason;
mod review;
pub mod score;
pub mod solve;
mod theory;
pub mod trace;
pub mod tree;
pub mod words;
pub mod worksheet;

pub use crate::search::{Budget, Known, Stop, Verdict, WHOLE_GAME};
pub use review::{MoveReview, annotation, annotation_within, review};
pub use words::StudyError;

use crate::game::any::{Board, Move};
use explainer::Explainer;
pub use explainer::SOLVE_BUDGET;

/// A move to make, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// One of the best moves.
    pub mv: Move,
    /// The reason, as a clause after the move: `it leaves 5: one more than …`.
    pub words: String,
}

/// A best move with its reason. The same board always has the same hint.
///
/// `None` if the game is over, or if the search was stopped before it found a move.
pub fn hint(board: &Board, stop: &Stop) -> Option<Hint> {
    let explainer = Explainer::on(board, WHOLE_GAME, stop)?;
    let &mv = explainer.best().moves.first()?;
    Some(Hint { mv, words: explainer.reason_with_value(mv) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;
    use crate::search;

    fn board(variant: &str, position: &str) -> Board {
        variant.parse::<Variant>().unwrap().read_position(position).unwrap()
    }

    #[test]
    fn a_hint_is_one_of_the_best_moves_and_always_the_same() {
        let board = board("nim:3-4-5:misere", "3-4-5");
        let best = search::best(&board.position(), &Stop::new()).unwrap();
        let given = hint(&board, &Stop::new()).unwrap();
        assert!(best.moves.contains(&given.mv));
        assert_eq!(hint(&board, &Stop::new()), Some(given));
    }

    #[test]
    fn an_illegal_move_and_a_stopped_search_have_no_review() {
        let (one, three, stop) =
            (board("java-tech", "1"), board("java-tech", "9").read_move("3").unwrap(), Stop::new());
        assert_eq!((review(&one, three, &stop), annotation(&one, three, &stop)), (None, None));
        stop.raise();
        assert_eq!(annotation(&board("java-tech", "9"), three, &stop), None);
    }
}
