//! When the lobbies write checkpoints: the number of events since the last time bounds what a start reads.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// Counts what was recorded since all open lobbies last wrote checkpoints.
#[derive(Debug)]
pub(in crate::server) struct CheckpointCounter {
    /// After this number they do it again.
    after: usize,
    since: AtomicUsize,
    due: Notify,
}

impl CheckpointCounter {
    pub(super) fn new(after: usize) -> Self {
        Self { after, since: AtomicUsize::new(0), due: Notify::new() }
    }

    /// Counts entries that were recorded, or events that a start had to read.
    pub(in crate::server) fn add(&self, count: usize) {
        if self.since.fetch_add(count, Ordering::Relaxed).saturating_add(count) >= self.after {
            self.since.store(0, Ordering::Relaxed);
            self.due.notify_one();
        }
    }

    /// Returns when it is time.
    pub(in crate::server) async fn due(&self) {
        self.due.notified().await;
    }
}
