//! Mistakes that are made on purpose, for simulations that must find them.

use std::sync::Arc;
use std::time::Duration;

use super::engine::memory::MemoryClient;
use super::engine::{
    Answer, Engine, EngineError, Key, Lease, LeaseId, Page, Range, Revision, Txn, TxnReply, Watch,
};
use super::keys::{self, Epoch};

/// A mistake that is made on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mistake {
    None,
    /// An append compares nothing.
    NoFence,
    /// Batches are put in order by epoch and number, though an older node may take over from a newer one.
    OrderByEpoch,
    /// Events are told before they are recorded.
    ToldBefore,
}

/// An engine that makes a mistake: without a fence it makes no comparisons, and in the order of epochs it shows each batch as
/// if it was recorded before those of all newer nodes.
#[derive(Debug)]
pub(super) struct Mistaken(pub(super) Arc<MemoryClient>, pub(super) Mistake);

impl Mistaken {
    /// The revision of the first batch of any node that is newer than this one; `None` without one.
    async fn first_of_newer(&self, than: Epoch) -> Result<Option<Revision>, EngineError> {
        let logs = Range { keys_only: true, ..Range::prefix(&Key::from(keys::LOGS), usize::MAX) };
        let found = self.0.range(logs).await?.found.into_iter();
        let newer = found.filter(|found| keys::epoch_of(&found.key).is_some_and(|epoch| epoch > than));
        Ok(newer.map(|found| found.created).min())
    }

    /// Shows the batches of a log as if they were recorded before those of newer nodes.
    async fn put_before_newer(&self, page: &mut Page) -> Result<(), EngineError> {
        let first = page.found.first().and_then(|found| keys::epoch_of(&found.key));
        let newer = match first {
            Some(epoch) => self.first_of_newer(epoch).await?,
            None => None,
        };
        if let Some(newer) = newer {
            for found in &mut page.found {
                found.created = found.created.min(Revision(newer.0 - 1));
                found.changed = found.created;
            }
        }
        Ok(())
    }
}

impl Engine for Mistaken {
    fn txn(&self, txn: Txn) -> Answer<'_, TxnReply> {
        let compares = if self.1 == Mistake::NoFence { Vec::new() } else { txn.compares };
        self.0.txn(Txn { compares, ..txn })
    }
    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            let mut page = self.0.range(range).await?;
            if self.1 == Mistake::OrderByEpoch {
                self.put_before_newer(&mut page).await?;
            }
            Ok(page)
        })
    }
    fn count(&self, from: Key, to: Key) -> Answer<'_, u64> {
        self.0.count(from, to)
    }
    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        self.0.watch(prefix, from)
    }
    fn grant(&self, ttl: Duration) -> Answer<'_, Lease> {
        self.0.grant(ttl)
    }
    fn keep_alive(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.0.keep_alive(lease)
    }
    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.0.revoke(lease)
    }
    fn whole_key(&self, key: &Key) -> String {
        self.0.whole_key(key)
    }
}
