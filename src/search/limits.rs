//! The budget of a search, and the flag that stops it. A budget counts nodes and plies, never time, so that
//! the same question always gets the same answer. To limit the time, raise the [`Stop`] flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag that can be raised once, from any thread. All clones are the same flag.
///
/// Searches check it at every position. A stopped search answers with what it has, or not at all.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    raised: AtomicBool,
    nodes: AtomicU64,
}

// Relaxed: no other data is published with the flag or the count.
impl Stop {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
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
    pub fn note(&self, nodes: u64) {
        self.0.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// The nodes searched so far by all searches that were given this flag.
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }
}

/// The limits of one search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The limit of nodes: positions entered. Where all moves of a position are counted at once, they count
    /// too.
    pub nodes: u64,
    /// The limit of plies (single moves) below the root. It also bounds the stack of the recursion.
    pub plies: u32,
}

impl Budget {
    /// No limit: for games that are known to be small.
    pub const UNBOUNDED: Self = Self { nodes: u64::MAX, plies: u32::MAX };
}

/// Why a search ended without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GaveUp {
    /// The game is larger than the budget.
    TooLarge,
    /// A move can lead back to an earlier position, so that play need not end, and only games that end are
    /// searched here.
    Endless,
    /// The stop flag was raised.
    Stopped,
}

/// Counts the nodes of a running search.
#[derive(Debug)]
pub(super) struct Meter<'a> {
    limit: u64,
    left: u64,
    stop: &'a Stop,
}

impl<'a> Meter<'a> {
    pub(super) fn new(budget: Budget, stop: &'a Stop) -> Self {
        Self { limit: budget.nodes, left: budget.nodes, stop }
    }

    /// The nodes counted so far.
    pub(super) fn spent(&self) -> u64 {
        self.limit - self.left
    }

    /// Counts `nodes` nodes, unless too few are left or the search is stopped.
    pub(super) fn spend(&mut self, nodes: u64) -> Result<(), GaveUp> {
        if self.stop.is_raised() {
            return Err(GaveUp::Stopped);
        }
        self.left = self.left.checked_sub(nodes).ok_or(GaveUp::TooLarge)?;
        self.stop.note(nodes);
        Ok(())
    }
}

/// The budget to solve a whole game: enough for three piles of 15, about 20 milliseconds. Connect Four is
/// too large for it and has its own solver, for which it is about half a second.
///
/// Lengths and replies count only within it. The depth bounds the stack of the recursion.
pub const WHOLE_GAME: Budget = Budget { nodes: 200_000, plies: 500 };

/// The budget to look ahead in a larger game: about as much again as it takes to find that it is larger.
pub const LOOKAHEAD: Budget = Budget { nodes: 200_000, plies: 100 };
