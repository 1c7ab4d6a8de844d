//! The interface of the engine.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::error::EngineError;
use super::key::{Key, LeaseId, Revision};
use super::range::{KeyValue, Page, Range};
use super::transaction::{Txn, TxnReply};

/// The answer of an engine, which comes in bounded time.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, EngineError>> + Send + 'a>>;

/// A key-value store with revisions, transactions, watches and leases. Every answer is linearizable: it
/// holds whatever was answered before to anybody.
pub trait Engine: fmt::Debug + Send + Sync {
    /// Runs a transaction once. After an error that [is in doubt](EngineError::is_in_doubt) it may have been
    /// run, or may still be.
    fn txn(&self, txn: Txn) -> Answer<'_, TxnReply>;

    /// Reads keys in their order. [`RangeReader`](super::RangeReader) reads all of them in pages.
    fn range(&self, range: Range) -> Answer<'_, Page>;

    /// How many keys there are from `from` up to but not including `to`, without reading them.
    fn count(&self, from: Key, to: Key) -> Answer<'_, u64>;

    /// Watches all keys with this prefix, and tells every change from this revision on. It survives the loss
    /// of connections, and ends with an error if a change could be missed.
    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch>;

    /// Grants a lease of about this time, in whole seconds, rounded up. The engine may grant a longer one.
    fn grant(&self, ttl: Duration) -> Answer<'_, Lease>;

    /// Lets a lease begin anew, with all the time that was granted.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoSuchLease`] if it has ended.
    fn keep_alive(&self, lease: LeaseId) -> Answer<'_, ()>;

    /// Ends a lease and deletes its keys at one revision.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoSuchLease`] if it has ended before.
    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()>;

    /// The key as `etcdctl` shows it, with the namespace before it: for sentences that tell a person what to do.
    fn whole_key(&self, key: &Key) -> String;
}

/// Makes a way to the engine, for the runtime on which it is called: each one has connections of its own.
pub type EngineMaker = Arc<dyn Fn() -> Arc<dyn Engine> + Send + Sync>;

/// A lease that was granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// Which one.
    pub id: LeaseId,
    /// How long it lasts without being kept alive.
    pub ttl: Duration,
}

/// A time in whole seconds, rounded up, and at least 1.
pub(super) fn whole_seconds(ttl: Duration) -> u64 {
    let seconds = ttl.as_secs() + u64::from(ttl.subsec_nanos() > 0);
    seconds.max(1)
}

/// A change of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It was set.
    Put(KeyValue),
    /// It was deleted, or its lease has ended.
    Deleted(Key),
}

/// All changes of one revision among the keys that are watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The revision.
    pub revision: Revision,
    /// The changes, in the order of the operations that made them.
    pub changes: Vec<Change>,
}

/// The most revisions that wait for who watches.
const MAX_BEHIND: usize = 1_024;

/// The side of a watch that an engine fills. Where it is dropped, the watch ends.
pub type WatchSender = mpsc::Sender<Result<Changed, EngineError>>;

/// A running watch. Dropping it ends it.
#[derive(Debug)]
pub struct Watch(mpsc::Receiver<Result<Changed, EngineError>>);

impl Watch {
    /// The next revision at which a watched key was changed. Cancel safe.
    ///
    /// # Errors
    ///
    /// If a change could be missed from now on: read everything anew, then watch from there.
    pub async fn next(&mut self) -> Result<Changed, EngineError> {
        match self.0.recv().await {
            Some(next) => next,
            None => Err(EngineError::NoAnswer("the watch has ended".into())),
        }
    }
}

/// A watch, and the side that an engine fills.
pub fn watch_channel() -> (WatchSender, Watch) {
    let (sender, receiver) = mpsc::channel(MAX_BEHIND);
    (sender, Watch(receiver))
}
