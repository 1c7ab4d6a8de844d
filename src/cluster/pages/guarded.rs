//! Transactions of a node that change keys which nobody else changes meanwhile. An attempt that comes late
//! changes nothing any more.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cluster::engine::{Compare, Engine, EngineError, Key, Operation, Revision, Txn};
use crate::cluster::node::{Membership, WriteError};

/// The way of a node to the keys that it alone changes.
#[derive(Debug)]
pub(super) struct Guarded {
    engine: Arc<dyn Engine>,
    pub(super) membership: Membership,
    /// When each key was changed last, as far as known.
    changed: BTreeMap<Key, Revision>,
}

impl Guarded {
    pub(super) fn new(engine: Arc<dyn Engine>, membership: Membership) -> Self {
        Self { engine, membership, changed: BTreeMap::new() }
    }

    /// Notes when a key was changed last.
    pub(super) fn note(&mut self, key: Key, changed: Revision) {
        self.changed.insert(key, changed);
    }

    /// Forgets a key that this node changes no more.
    pub(super) fn forget(&mut self, key: &Key) {
        self.changed.remove(key);
    }

    /// Does all of this, while this node is a member and nobody else has changed the guarded keys. What an
    /// earlier attempt in doubt has changed is changed again.
    pub(super) async fn run(&mut self, guarded: &[Key], then: Vec<Operation>) -> Result<(), WriteError> {
        let otherwise: Vec<_> = guarded.iter().map(|key| Operation::get(key.clone())).collect();
        for _ in 0..2 {
            let unchanged = guarded.iter().map(|key| match self.changed.get(key) {
                Some(changed) => Compare::ChangedAt(key.clone(), *changed),
                None => Compare::Absent(key.clone()),
            });
            let txn = Txn { compares: unchanged.collect(), then: then.clone(), otherwise: otherwise.clone() };
            let reply = self.membership.write(&*self.engine, txn).await?;
            if reply.held {
                self.note_puts(guarded, &then, reply.revision);
                return Ok(());
            }
            for (number, key) in guarded.iter().enumerate() {
                match reply.found_key(number) {
                    Some(found) => self.note(key.clone(), found.changed),
                    None => self.forget(key),
                }
            }
        }
        Err(EngineError::NoAnswer("someone else writes the same keys".into()).into())
    }

    /// Notes which of the guarded keys were put.
    fn note_puts(&mut self, guarded: &[Key], done: &[Operation], at: Revision) {
        for operation in done {
            if let Operation::Put { key, .. } = operation
                && guarded.contains(key)
            {
                self.note(key.clone(), at);
            }
        }
    }
}
