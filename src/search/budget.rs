//! What a search may spend. It is counted in nodes and plies, never in time, so that the same question
//! always gets the same answer. Whoever has no more time raises the [`Stop`] flag.

use super::Stop;

/// The bounds of one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most nodes: positions that are entered. Where all moves of a position are paid for at once, they count too.
    pub nodes: u64,
    /// The most plies (single moves) from the root down; it bounds the stack of the recursion too.
    pub plies: u32,
}

impl Budget {
    /// No bound at all: for games that are known to be small.
    pub const UNBOUNDED: Self = Self { nodes: u64::MAX, plies: u32::MAX };
}

/// Why a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GaveUp {
    /// The game is larger than the budget.
    TooLarge,
    /// The stop flag was raised.
    Stopped,
}

/// What is left of a budget's nodes while a search runs.
#[derive(Debug)]
pub(super) struct Purse<'a> {
    given: u64,
    left: u64,
    stop: &'a Stop,
}

impl<'a> Purse<'a> {
    pub(super) fn new(budget: Budget, stop: &'a Stop) -> Self {
        Self { given: budget.nodes, left: budget.nodes, stop }
    }

    /// How many nodes have been paid for.
    pub(super) fn spent(&self) -> u64 {
        self.given - self.left
    }

    /// Pays for `nodes` nodes, unless there are too few left or the search is to stop.
    pub(super) fn spend(&mut self, nodes: u64) -> Result<(), GaveUp> {
        if self.stop.is_raised() {
            return Err(GaveUp::Stopped);
        }
        self.left = self.left.checked_sub(nodes).ok_or(GaveUp::TooLarge)?;
        self.stop.note(nodes);
        Ok(())
    }
}
