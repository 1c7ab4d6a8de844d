//! How far the journal has come, and who waits for it. It knows neither the journal nor connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

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

/// A receiver of events, which are sent once they are recorded.
pub(in crate::server) trait Recipient: Send + Sync {
    /// Sends a frame once `mark` is reached. If there is `more`, the frame goes out together with what is
    /// sent next, which has to be at once.
    fn send_once(&self, recorded: &Recorded, mark: CommitMark, frame: Bytes, more: bool);

    /// Sends what was held for marks that are reached now.
    fn release(&self, recorded: &Recorded);
}

/// A recipient that the journal keeps until it has released it.
pub(in crate::server) type SharedRecipient = Arc<dyn Recipient>;
