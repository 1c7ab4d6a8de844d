//! Transactions of a member that run one after the other: once one of them has run, an earlier one whose answer was
//! lost changes nothing any more, however late it comes.

use std::sync::Arc;

use super::membership::Membership;
use super::writing::WriteError;
use crate::cluster::engine::{Compare, Engine, Key, Operation, Revision, Txn, TxnReply};

/// A sequence of transactions. Each sets a key of the sequence, and compares when that was last set.
#[derive(Debug)]
pub(crate) struct Sequence {
    engine: Arc<dyn Engine>,
    membership: Membership,
    key: Key,
    changed: Option<Revision>,
}

impl Sequence {
    /// How many comparisons and operations it adds to a branch, with those of the membership.
    pub(crate) const ADDED: usize = 2;

    /// A sequence with this key, which nobody else changes.
    pub(crate) fn new(engine: Arc<dyn Engine>, membership: Membership, key: Key) -> Self {
        Self { engine, membership, key, changed: None }
    }

    /// Whose it is.
    pub(crate) fn membership(&self) -> &Membership {
        &self.membership
    }

    /// Runs the next transaction. It does not hold if its own comparisons do not, or if an earlier one has run
    /// without an answer: then it is to be made again from what `otherwise` has found.
    pub(crate) async fn run(&mut self, mut txn: Txn) -> Result<TxnReply, WriteError> {
        txn.compares.push(match self.changed {
            Some(changed) => Compare::ChangedAt(self.key.clone(), changed),
            None => Compare::Absent(self.key.clone()),
        });
        let (key, lease) = (self.key.clone(), Some(self.membership.lease()));
        txn.then.push(Operation::Put { key, value: Vec::new().into(), lease });
        txn.otherwise.insert(0, Operation::get(self.key.clone()));
        let mut reply = self.membership.write(&*self.engine, txn).await?;
        if reply.held {
            self.changed = Some(reply.revision);
        } else {
            self.changed = reply.found_key(0).map(|found| found.changed);
            reply.found.remove(0);
        }
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::cluster::engine::Range;
    use crate::cluster::engine::memory::{DEADLINE, Fate, MemoryEtcd};
    use crate::cluster::keys::NodeName;
    use crate::cluster::node::{FencedOff, LEASE, Node};

    fn put(value: &'static str) -> Txn {
        Txn { then: vec![Operation::put("a".into(), value)], ..Txn::default() }
    }

    #[tokio::test(start_paused = true)]
    async fn a_transaction_that_comes_late_changes_nothing_once_another_has_run() {
        let etcd = MemoryEtcd::default();
        let (client, name) = (etcd.client(), "a".parse::<NodeName>().unwrap());
        let node = Node::join(client.clone(), &name, &crate::cluster::sample::about(), LEASE).await.unwrap();
        let mut sequence = Sequence::new(client.clone(), node.membership().clone(), "s".into());
        let value = async || client.range(Range::key("a".into())).await.unwrap().found[0].value.clone();
        for fate in [Fate::RunLater(DEADLINE * 2), Fate::Lost, Fate::Run] {
            assert!(sequence.run(put("0")).await.unwrap().held);
            client.lose_reply(fate);
            assert!(sequence.run(put("1")).await.is_err());
            if !sequence.run(put("2")).await.unwrap().held {
                assert_eq!(fate, Fate::Run);
                assert!(sequence.run(put("2")).await.unwrap().held);
            }
            tokio::time::sleep(Duration::from_secs(5)).await;
            assert_eq!(value().await, "2", "{fate:?}");
        }
        node.leave().await.unwrap();
        assert_eq!(sequence.run(put("3")).await, Err(FencedOff.into()));
    }
}
