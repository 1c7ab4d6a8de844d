//! Why something is not shown: a sentence for the one who asked, that says what to try instead.

use crate::game::any::Board;

/// What was asked for is not shown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Refusal(pub String);

impl Refusal {
    /// The game is over on this board, and what was asked for needs a move.
    pub(super) fn over(board: &Board) -> Self {
        Self(format!("the game is over in {}: choose a position with --at", board.write_position()))
    }

    /// Whoever asked has had enough.
    pub(super) fn stopped() -> Self {
        Self("it was stopped before it came to an end".into())
    }
}
