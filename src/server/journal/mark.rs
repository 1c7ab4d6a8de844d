//! How far the journal has come, and how far it has to have come for something to be told.

use std::sync::atomic::{AtomicU64, Ordering};

/// How far the journal has to have come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) struct Mark(u64);

impl Mark {
    /// The next one.
    pub(super) fn step(&mut self) {
        self.0 += 1;
    }
}

/// How far the journal has come.
#[derive(Debug, Default)]
pub(in crate::server) struct Recorded(AtomicU64);

impl Recorded {
    /// Whether it has come so far.
    pub(in crate::server) fn has(&self, mark: Mark) -> bool {
        self.0.load(Ordering::Acquire) >= mark.0
    }

    pub(super) fn reach(&self, mark: Mark) {
        self.0.store(mark.0, Ordering::Release);
    }
}
