//! How a search is told to stop. It does not know who tells it, or why.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that can be raised once, from any thread. All clones are the same flag.
///
/// Every search looks at it at every position, and then answers with what it has or not at all.
#[derive(Debug, Clone, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A flag that is not raised.
    pub fn new() -> Self {
        Self::default()
    }

    /// Tells every search that was given this flag to stop.
    pub fn raise(&self) {
        // Nothing else is handed over with the flag, so no ordering is needed.
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the flag has been raised.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
