//! Changing keys as a member: a transaction under the fence.

use super::membership::{FencedOff, Membership};
use crate::cluster::engine::{Engine, EngineError, Operation, Txn, TxnReply};

/// Why a member could not change anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WriteError {
    /// etcd does not do what was asked. It may be [in doubt](EngineError::is_in_doubt).
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// This node is no member any more.
    #[error(transparent)]
    FencedOff(#[from] FencedOff),
}

impl Membership {
    /// Runs a transaction if this node is a member. The reply is that of the transaction itself: if it did not
    /// hold, one of its own comparisons did not.
    ///
    /// # Errors
    ///
    /// If this node is no member any more, which is then noted, or etcd does not answer.
    pub async fn write(&self, engine: &dyn Engine, mut txn: Txn) -> Result<TxnReply, WriteError> {
        self.check()?;
        txn.compares.insert(0, self.fence());
        txn.otherwise.insert(0, Operation::get(self.key().clone()));
        let mut reply = match engine.txn(txn).await {
            // All that this node holds was under the lease.
            Err(EngineError::NoSuchLease) => return Err(self.lost()),
            reply => reply?,
        };
        if !reply.held {
            let is_member = reply.found_key(0).is_some_and(|node| node.created == self.epoch().0);
            if !is_member {
                return Err(self.lost());
            }
            reply.found.remove(0);
        }
        Ok(reply)
    }

    fn lost(&self) -> WriteError {
        self.fence_off();
        FencedOff.into()
    }
}
