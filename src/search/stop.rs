//! The line between a search that runs and whoever waits for it: it can be told to stop, and asked how far it has
//! come. It does not know who tells it, or why.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A flag that can be raised once, from any thread. All clones are the same flag.
///
/// Every search looks at it at every position, and then answers with what it has or not at all.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<Line>);

#[derive(Debug, Default)]
struct Line {
    raised: AtomicBool,
    nodes: AtomicU64,
}

// Nothing else is handed over with the flag or the count, so neither needs an order.
impl Stop {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells every search that was given this flag to stop.
    pub fn raise(&self) {
        self.0.raised.store(true, Ordering::Relaxed);
    }

    /// Whether the flag has been raised.
    pub fn is_raised(&self) -> bool {
        self.0.raised.load(Ordering::Relaxed)
    }

    /// Notes that so many nodes more have been searched.
    pub fn note(&self, nodes: u64) {
        self.0.nodes.fetch_add(nodes, Ordering::Relaxed);
    }

    /// How many nodes the searches that were given this flag have been through so far.
    pub fn nodes(&self) -> u64 {
        self.0.nodes.load(Ordering::Relaxed)
    }
}
