//! What a node knows of its own membership. All who record or tell anything have a clone of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::cluster::engine::{Compare, Key, Lease, LeaseId};
use crate::cluster::format::Format;
use crate::cluster::keys::Epoch;

/// What is told without being recorded is told only so long before the lease ends at the earliest: the time
/// that a frame may take from the decision to the socket.
pub const TELLING_MARGIN: Duration = Duration::from_millis(500);

/// This node is no member any more, or the others take it for dead. What it holds belongs to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the other nodes have taken over from this one, since etcd did not hear of it in time; it starts anew as a new member"
)]
pub struct FencedOff;

/// A node's membership, from joining on. Clones are the same one.
#[derive(Debug, Clone)]
pub struct Membership(Arc<State>);

#[derive(Debug)]
struct State {
    epoch: Epoch,
    key: Key,
    lease: Lease,
    /// When the last request was made by which etcd has kept the lease alive.
    kept_alive: Mutex<Instant>,
    is_fenced_off: watch::Sender<bool>,
    /// The number of the format that is written.
    format: AtomicU8,
}

impl Membership {
    pub(super) fn new(epoch: Epoch, key: Key, lease: Lease, granted: Instant, format: Format) -> Self {
        let (kept_alive, is_fenced_off) = (Mutex::new(granted), watch::Sender::new(false));
        let format = AtomicU8::new(format.number());
        Self(Arc::new(State { epoch, key, lease, kept_alive, is_fenced_off, format }))
    }

    /// The node's epoch.
    pub fn epoch(&self) -> Epoch {
        self.0.epoch
    }

    /// The node's key.
    pub fn key(&self) -> &Key {
        &self.0.key
    }

    /// The format in which this node writes: all living nodes can read it.
    pub fn format(&self) -> Format {
        Format::known(self.0.format.load(Ordering::Relaxed)).unwrap_or(Format::FIRST)
    }

    /// Notes that all nodes write this format by now, or a newer one.
    pub(super) fn note_format(&self, format: Format) {
        self.0.format.fetch_max(format.number(), Ordering::Relaxed);
    }

    /// The lease with which the node's key ends, and all others that are to end with the membership.
    pub fn lease(&self) -> LeaseId {
        self.0.lease.id
    }

    /// The fence: the comparison that every transaction of this node makes. It fails from the moment on at
    /// which others may take over.
    pub fn fence(&self) -> Compare {
        Compare::CreatedAt(self.0.key.clone(), self.0.epoch.0)
    }

    /// Whether this node is still a member, as far as it knows.
    pub fn check(&self) -> Result<(), FencedOff> {
        if *self.0.is_fenced_off.borrow() { Err(FencedOff) } else { Ok(()) }
    }

    /// Notes for good that the node is no member any more.
    pub fn fence_off(&self) {
        self.0.is_fenced_off.send_replace(true);
    }

    /// Returns once the node is no member any more.
    pub async fn fenced_off(&self) {
        // The sender lives as long as this membership.
        let _ = self.0.is_fenced_off.subscribe().wait_for(|is_off| *is_off).await;
    }

    /// Whether the node is certainly a member now and for the time of [`TELLING_MARGIN`], so that something
    /// may be told without being recorded. Where it is not, an empty batch is recorded first.
    pub fn is_certain(&self) -> bool {
        let until = *self.0.kept_alive.lock() + self.0.lease.ttl.saturating_sub(TELLING_MARGIN);
        self.check().is_ok() && Instant::now() < until
    }

    /// Notes that etcd has kept the lease alive, at a request that was made then.
    pub(super) fn note_kept_alive(&self, asked: Instant) {
        let mut kept_alive = self.0.kept_alive.lock();
        *kept_alive = asked.max(*kept_alive);
    }
}
