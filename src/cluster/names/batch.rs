//! Carrying out claims, takings and releases: some in one transaction, one transaction after the other.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;

use super::pending::Batch;
use crate::cluster::engine::{Compare, Engine, Key, Operation, Revision, Txn, TxnReply};
use crate::cluster::keys;
use crate::cluster::node::{Membership, Sequence, WriteError};

/// The names that this node has in etcd.
#[derive(Debug)]
pub(super) struct OwnNames {
    sequence: Sequence,
    /// This node's keys, and when each was set. Another node may have taken one since.
    own: BTreeMap<Key, Revision>,
}

impl OwnNames {
    pub(super) fn new(engine: Arc<dyn Engine>, membership: Membership) -> Self {
        let key = keys::named(membership.epoch());
        Self { sequence: Sequence::new(engine, membership, key), own: BTreeMap::new() }
    }

    /// Carries a batch out, and answers its claims. After an error it is to be called again with what is left.
    pub(super) async fn carry_out(&mut self, batch: &mut Batch) -> Result<(), WriteError> {
        // What this node never had, it need not give up.
        batch.changes.retain(|key, is_taken| *is_taken || self.own.contains_key(key));
        loop {
            let wanted = batch.wanted();
            if wanted.is_empty() {
                return Ok(());
            }
            let reply = self.sequence.run(self.transaction(batch, &wanted)).await?;
            if reply.held {
                self.note_done(wanted, reply.revision);
                batch.claims.drain(..).for_each(|claim| claim.answer(true));
                return Ok(());
            }
            self.note_found(batch, &wanted, &reply);
        }
    }

    /// The transaction of a batch, by what this node knows of its own names. It holds only if that is right, and if
    /// nobody else has a name that is claimed.
    fn transaction(&self, batch: &Batch, wanted: &BTreeMap<Key, bool>) -> Txn {
        let claimed = batch.claims.iter().flat_map(|claim| claim.keys.iter());
        let mut compares: BTreeMap<&Key, Compare> =
            claimed.map(|key| (key, Compare::Absent(key.clone()))).collect();
        let mut then = Vec::new();
        for (key, is_taken) in wanted {
            let own = self.own.get(key);
            if let Some(set) = own
                && (!is_taken || compares.contains_key(key))
            {
                compares.insert(key, Compare::ChangedAt(key.clone(), *set));
            }
            if *is_taken {
                let lease = Some(self.sequence.membership().lease());
                then.push(Operation::Put { key: key.clone(), value: self.value(), lease });
            } else if own.is_some() {
                then.push(Operation::Delete(key.clone()));
            }
        }
        let otherwise = wanted.keys().cloned().map(Operation::get).collect();
        Txn { compares: compares.into_values().collect(), then, otherwise }
    }

    fn note_done(&mut self, wanted: BTreeMap<Key, bool>, at: Revision) {
        for (key, is_taken) in wanted {
            if is_taken {
                self.own.insert(key, at);
            } else {
                self.own.remove(&key);
            }
        }
    }

    /// Notes whose the keys are, and refuses the claims of those that others have.
    fn note_found(&mut self, batch: &mut Batch, wanted: &BTreeMap<Key, bool>, reply: &TxnReply) {
        let mut others = Vec::new();
        for (number, key) in wanted.keys().enumerate() {
            match reply.found_key(number) {
                Some(found) if found.value == self.value() => {
                    self.own.insert(key.clone(), found.changed);
                    continue;
                }
                Some(_) => others.push(key),
                None => {}
            }
            self.own.remove(key);
        }
        let refused = batch.claims.extract_if(.., |claim| claim.keys.iter().any(|key| others.contains(&key)));
        refused.for_each(|claim| claim.answer(false));
    }

    fn value(&self) -> Bytes {
        self.sequence.membership().epoch().0.0.to_be_bytes().to_vec().into()
    }
}

impl Batch {
    /// Which keys this node is to have after the batch, and which it is not to have.
    fn wanted(&self) -> BTreeMap<Key, bool> {
        let claimed = self.claims.iter().flat_map(|claim| claim.keys.iter()).map(|key| (key.clone(), true));
        self.changes.iter().map(|(key, is_taken)| (key.clone(), *is_taken)).chain(claimed).collect()
    }
}
