//! How far the journal has come. It knows neither the journal nor connections.

use std::sync::atomic::{AtomicU64, Ordering};

/// A point that the journal has to reach before something is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::server) struct CommitMark(u64);

impl CommitMark {
    /// Moves on to the next one.
    pub(in crate::server) fn step(&mut self) {
        self.0 += 1;
    }
}

/// How far the journal has come.
#[derive(Debug, Default)]
pub(in crate::server) struct Recorded(AtomicU64);

impl Recorded {
    /// Whether it has reached this mark.
    pub(in crate::server) fn has(&self, mark: CommitMark) -> bool {
        self.0.load(Ordering::Acquire) >= mark.0
    }

    /// Notes that it has.
    pub(in crate::server) fn reach(&self, mark: CommitMark) {
        self.0.store(mark.0, Ordering::Release);
    }
}
