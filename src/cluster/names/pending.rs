//! What is to be claimed, taken and released. Only the last wish for each name is kept, so that while etcd does not
//! answer no more waits than there are names.

use std::collections::{BTreeMap, VecDeque};

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};

use crate::cluster::engine::{Key, MAX_OPERATIONS};
use crate::cluster::keys;
use crate::cluster::node::Sequence;
use crate::lobby::Name;

/// The most keys of one transaction, and the most that are claimed in it: the others are taken or released.
const MAX_KEYS: usize = MAX_OPERATIONS - Sequence::ADDED;
const MAX_CLAIMED: usize = 96;

/// The keys of a name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NameKeys {
    folded: Key,
    look: Key,
}

impl NameKeys {
    pub(super) fn of(name: &Name) -> Self {
        Self { folded: keys::name(&name.folded()), look: keys::name(&name.look()) }
    }

    /// One key or two.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Key> {
        let other = (self.look != self.folded).then_some(&self.look);
        std::iter::once(&self.folded).chain(other)
    }
}

/// A claim, and who waits for the answer.
#[derive(Debug)]
pub(super) struct Claim {
    pub(super) keys: NameKeys,
    answer: oneshot::Sender<bool>,
}

impl Claim {
    pub(super) fn answer(self, has_it: bool) {
        // Nobody may wait for it any more.
        let _ = self.answer.send(has_it);
    }
}

/// What one transaction does.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) claims: Vec<Claim>,
    /// The keys that are taken, with `true`, or released.
    pub(super) changes: BTreeMap<Key, bool>,
}

/// What waits.
#[derive(Debug, Default)]
pub(super) struct Pending {
    waiting: Mutex<Waiting>,
    has_some: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    /// The first that was asked for first.
    order: VecDeque<NameKeys>,
    claims: BTreeMap<NameKeys, oneshot::Sender<bool>>,
    changes: BTreeMap<Key, bool>,
}

impl Pending {
    /// Claims a name. The answer does not come if another wish for it follows.
    pub(super) fn claim(&self, name: NameKeys) -> oneshot::Receiver<bool> {
        let (answer, receiver) = oneshot::channel();
        let mut waiting = self.waiting.lock();
        // If it is still this node's, the claim finds it to be so.
        for key in name.iter() {
            waiting.changes.remove(key);
        }
        if waiting.claims.insert(name.clone(), answer).is_none() {
            waiting.order.push_back(name);
        }
        // While etcd is silent many may come and go.
        let Waiting { order, claims, .. } = &mut *waiting;
        if order.len() > MAX_CLAIMED + 2 * claims.len() {
            order.retain(|name| claims.contains_key(name));
        }
        drop(waiting);
        self.has_some.notify_one();
        receiver
    }

    /// Takes or releases a name.
    pub(super) fn change(&self, name: &NameKeys, is_taken: bool) {
        let mut waiting = self.waiting.lock();
        waiting.claims.remove(name);
        waiting.changes.extend(name.iter().map(|key| (key.clone(), is_taken)));
        drop(waiting);
        self.has_some.notify_one();
    }

    /// Waits for something to do, and takes as much as fits into a transaction. Cancel safe.
    pub(super) async fn next(&self) -> Batch {
        loop {
            let batch = self.waiting.lock().take();
            if !batch.claims.is_empty() || !batch.changes.is_empty() {
                return batch;
            }
            self.has_some.notified().await;
        }
    }
}

impl Waiting {
    fn take(&mut self) -> Batch {
        let (mut claims, mut count) = (Vec::new(), 0);
        while count < MAX_CLAIMED
            && let Some(keys) = self.order.pop_front()
        {
            // A later wish may have replaced it.
            if let Some(answer) = self.claims.remove(&keys) {
                count += keys.iter().count();
                claims.push(Claim { keys, answer });
            }
        }
        let changes = std::iter::from_fn(|| self.changes.pop_first()).take(MAX_KEYS - count).collect();
        Batch { claims, changes }
    }
}
