//! A mistake on purpose: batches of logs are put in order by epoch, though an older node may take over from a newer one.

use std::sync::Arc;
use std::time::Duration;

use crate::cluster::engine::memory::MemoryClient;
use crate::cluster::engine::{
    Answer, Engine, EngineError, Key, Lease, LeaseId, Page, Range, Revision, Txn, TxnReply, Watch,
};
use crate::cluster::keys::{self, Epoch};

/// An engine that shows each batch as if it was recorded before those of all newer nodes.
#[derive(Debug)]
pub(super) struct ByEpoch(pub(super) Arc<MemoryClient>);

impl ByEpoch {
    /// The revision of the first batch of any node that is newer than this one; `None` without one.
    async fn first_of_newer(&self, than: Epoch) -> Result<Option<Revision>, EngineError> {
        let logs = Range { keys_only: true, ..Range::prefix(&Key::from(keys::LOGS), usize::MAX) };
        let found = self.0.range(logs).await?.found.into_iter();
        let newer = found.filter(|found| keys::epoch_of(&found.key).is_some_and(|epoch| epoch > than));
        Ok(newer.map(|found| found.created).min())
    }
}

impl Engine for ByEpoch {
    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            let mut page = self.0.range(range).await?;
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
            Ok(page)
        })
    }
    fn txn(&self, txn: Txn) -> Answer<'_, TxnReply> {
        self.0.txn(txn)
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
