//! A guard before an engine that notices when etcd goes back to an earlier state, as after it was restored from a
//! snapshot while nodes were running. From then on it refuses everything.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::error::EngineError;
use super::interface::{Answer, Engine, EngineMaker, Lease, Watch};
use super::key::{Key, LeaseId, Revision};
use super::range::{Page, Range};
use super::transaction::{Txn, TxnReply};

/// What one life of a node has seen of etcd.
#[derive(Debug, Default)]
struct Seen {
    /// The newest revision.
    newest: AtomicU64,
    went_back: AtomicBool,
}

/// An engine behind the guard.
#[derive(Debug)]
struct Forward {
    engine: Arc<dyn Engine>,
    seen: Arc<Seen>,
}

/// Puts the guard before all engines of one life of a node.
pub fn only_forward(maker: EngineMaker) -> EngineMaker {
    let seen = Arc::<Seen>::default();
    Arc::new(move || Arc::new(Forward { engine: maker(), seen: Arc::clone(&seen) }))
}

impl Seen {
    fn check(&self) -> Result<u64, EngineError> {
        if self.went_back.load(Ordering::Acquire) {
            return Err(EngineError::WentBack);
        }
        Ok(self.newest.load(Ordering::Acquire))
    }

    /// Notes the revision of an answer to a question that was asked when `before` was the newest one.
    fn note(&self, before: u64, answered: Revision) -> Result<(), EngineError> {
        if answered.0 < before {
            if !self.went_back.swap(true, Ordering::AcqRel) {
                tracing::error!("{}", EngineError::WentBack);
            }
            return Err(EngineError::WentBack);
        }
        self.newest.fetch_max(answered.0, Ordering::AcqRel);
        Ok(())
    }
}

impl Engine for Forward {
    fn txn(&self, txn: Txn) -> Answer<'_, TxnReply> {
        Box::pin(async move {
            let before = self.seen.check()?;
            let reply = self.engine.txn(txn).await?;
            self.seen.note(before, reply.revision).map(|()| reply)
        })
    }

    fn range(&self, range: Range) -> Answer<'_, Page> {
        Box::pin(async move {
            let before = self.seen.check()?;
            let page = self.engine.range(range).await?;
            self.seen.note(before, page.revision).map(|()| page)
        })
    }

    fn count(&self, from: Key, to: Key) -> Answer<'_, u64> {
        self.engine.count(from, to)
    }

    fn watch(&self, prefix: Key, from: Revision) -> Answer<'_, Watch> {
        self.engine.watch(prefix, from)
    }

    fn grant(&self, ttl: Duration) -> Answer<'_, Lease> {
        self.engine.grant(ttl)
    }

    fn keep_alive(&self, lease: LeaseId) -> Answer<'_, ()> {
        Box::pin(async move {
            self.seen.check()?;
            self.engine.keep_alive(lease).await
        })
    }

    fn revoke(&self, lease: LeaseId) -> Answer<'_, ()> {
        self.engine.revoke(lease)
    }

    fn whole_key(&self, key: &Key) -> String {
        self.engine.whole_key(key)
    }
}
