//! Whether the server is to stop by itself: once the last game has ended, and no new ones begin, or as soon as others have
//! its lobbies. A restart does not keep that.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::{Notify, watch};

/// Whether the server drains, or leaves the others.
#[derive(Debug, Default)]
pub(super) struct Drain {
    is_on: watch::Sender<bool>,
    leaves: AtomicBool,
    changed: Notify,
}

impl Drain {
    /// Whether no new games begin.
    pub(super) fn is_on(&self) -> bool {
        *self.is_on.borrow()
    }

    /// Watches whether no new games begin.
    pub(super) fn watch(&self) -> watch::Receiver<bool> {
        self.is_on.subscribe()
    }

    /// Begins to drain, or takes that back.
    pub(super) fn set(&self, is_on: bool) {
        self.is_on.send_replace(is_on);
        self.changed.notify_one();
    }

    /// Whether this server, one of several, gives its lobbies to the others and stops then.
    pub(super) fn leaves(&self) -> bool {
        self.leaves.load(Ordering::Acquire)
    }

    /// Begins to leave, which cannot be taken back.
    pub(super) fn leave(&self) {
        self.leaves.store(true, Ordering::Release);
        self.changed.notify_one();
    }

    /// Waits until the server drains or leaves. One task at a time may wait.
    pub(super) async fn begun(&self) {
        while !self.is_on() && !self.leaves() {
            self.changed.notified().await;
        }
    }
}
