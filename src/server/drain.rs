//! Whether the server drains: no new games begin, and it stops when the last has ended. A restart does not keep
//! that.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Whether the server drains.
#[derive(Debug, Default)]
pub(super) struct Drain {
    is_on: AtomicBool,
    changed: Notify,
}

impl Drain {
    /// Whether no new games begin.
    pub(super) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Acquire)
    }

    /// Begins to drain, or takes that back.
    pub(super) fn set(&self, is_on: bool) {
        self.is_on.store(is_on, Ordering::Release);
        self.changed.notify_one();
    }

    /// Waits until the server drains. One task at a time may wait.
    pub(super) async fn begun(&self) {
        while !self.is_on() {
            self.changed.notified().await;
        }
    }
}
