//! The budget of a search, and the flag that stops it. A budget counts nodes and plies, not time, so that
//! searches are reproducible. To limit the time, raise the [`Stop`] flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How many nodes a search visits between two [pauses](Stop::with_pauses).
const NODES_BETWEEN_PAUSES: u64 = 512;

/// A flag that can be raised once, from any thread. All clones share it.
///
/// Searches check it often. A stopped search returns what it has found, or nothing.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    raised: AtomicBool,
    nodes: AtomicU64,
    /// What a search does between its nodes, if anything.
    pause: Option<fn()>,
}

// Relaxed: no other data is published with the flag or the count.
impl Stop {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// A flag that is not raised, for searches that call `pause` after every 512 nodes: 0.05 to 0.3 milliseconds.
    pub fn with_pauses(pause: fn()) -> Self {
        Self(Arc::new(StopState { pause: Some(pause), ..StopState::default() }))
    }

    /// Stops every search that was given this flag.
    pub fn raise(&self) {
        self.0.raised.store(true, Ordering::Relaxed);
    }

    /// Whether the flag has been raised.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::Relaxed)
    }

    /// Adds searched nodes to the count.
    pub fn add_nodes(&self, nodes: u64) {
        let before = self.0.nodes.fetch_add(nodes, Ordering::Relaxed);
        let is_due = before / NODES_BETWEEN_PAUSES != (before + nodes) / NODES_BETWEEN_PAUSES;
        if is_due && let Some(pause) = self.0.pause {
            pause();
        }
    }

    /// The nodes searched so far by all searches that were given this flag.
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }
}

/// The limits of one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The limit of nodes. A node is a position that the search enters; solvers count the moves there too.
    pub nodes: u64,
    /// The limit of plies (single moves) below the root. It also bounds the depth of the recursion.
    pub plies: u32,
}

impl Budget {
    /// No limits: for games that are known to be small.
    pub const UNBOUNDED: Self = Self { nodes: u64::MAX, plies: u32::MAX };
}

/// Why a search ended without a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GaveUp {
    /// The game is larger than the budget.
    TooLarge,
    /// Play can return to an earlier position, and this search needs a game that ends.
    Endless,
    /// The stop flag was raised.
    Stopped,
}

/// Counts the nodes of a running search, and checks its limits.
#[derive(Debug)]
pub(super) struct NodeCounter<'a> {
    limit: u64,
    left: u64,
    stop: &'a Stop,
}

impl<'a> NodeCounter<'a> {
    pub(super) fn new(budget: Budget, stop: &'a Stop) -> Self {
        Self { limit: budget.nodes, left: budget.nodes, stop }
    }

    /// The nodes counted so far.
    pub(super) fn spent(&self) -> u64 {
        self.limit - self.left
    }

    /// Counts `nodes` nodes. Fails if they exceed the limit, or if the search was stopped.
    pub(super) fn spend(&mut self, nodes: u64) -> Result<(), GaveUp> {
        if self.stop.is_raised() {
            return Err(GaveUp::Stopped);
        }
        self.left = self.left.checked_sub(nodes).ok_or(GaveUp::TooLarge)?;
        self.stop.add_nodes(nodes);
        Ok(())
    }
}

/// The budget for solving a whole game: about 20 milliseconds, enough for three piles of 15. Connect Four
/// is too large for it: its solver gets 30 times the nodes, which take one to two seconds.
///
/// Only games within it have exact lengths. The limit of plies bounds the depth of the recursion.
pub const WHOLE_GAME: Budget = Budget { nodes: 200_000, plies: 500 };

/// The budget for looking ahead in a larger game: about as much as the attempt to solve it.
pub const LOOKAHEAD: Budget = Budget { nodes: 200_000, plies: 100 };

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_pause_after_every_512_nodes() {
        static PAUSES: AtomicU64 = AtomicU64::new(0);
        let stop = Stop::with_pauses(|| {
            PAUSES.fetch_add(1, Ordering::Relaxed);
        });
        let pauses_after = |nodes: u64| {
            stop.add_nodes(nodes);
            PAUSES.load(Ordering::Relaxed)
        };
        assert_eq!([511, 1, 511, 1, 100].map(pauses_after), [0, 1, 1, 2, 2]);
        assert_eq!(stop.nodes(), 1_124);
    }
}
