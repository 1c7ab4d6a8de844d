//! How much was recorded since lobbies last wrote checkpoints: that bounds what a start reads.

use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Notify;

/// How often in a round lobbies write checkpoints.
const STEPS: usize = 512;

/// Counts what was recorded since some lobbies last wrote checkpoints.
#[derive(Debug)]
pub(in crate::server) struct CheckpointCounter {
    /// After this number some lobbies do it again.
    step: usize,
    since: AtomicUsize,
    due: Notify,
}

impl CheckpointCounter {
    /// A counter for rounds of this number of entries.
    pub(super) fn new(round: usize) -> Self {
        Self { step: round / STEPS, since: AtomicUsize::new(0), due: Notify::new() }
    }

    /// Counts entries that were recorded, or events that a start had to read.
    pub(in crate::server) fn add(&self, count: usize) {
        if self.since.fetch_add(count, Ordering::Relaxed).saturating_add(count) >= self.step {
            self.due.notify_one();
        }
    }

    /// Returns when some lobbies are to write checkpoints: the number of entries since it last returned.
    pub(in crate::server) async fn due(&self) -> usize {
        self.due.notified().await;
        self.since.swap(0, Ordering::Relaxed)
    }
}
