//! What is to be claimed, taken and released. Only the last wish for each name is kept, so that while etcd does not
//! answer no more waits than there are names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout_at};

use crate::cluster::engine::{Key, MAX_OPERATIONS};
use crate::cluster::keys;
use crate::cluster::node::Sequence;
use crate::lobby::Name;

/// The most keys of one transaction, and the most that are claimed in it: the others are taken or released.
const MAX_KEYS: usize = MAX_OPERATIONS - Sequence::ADDED;
const MAX_CLAIMED: usize = 96;

/// How long names wait that are to be taken later: most of those who have one return to their seats within this time.
pub(super) const LATER: Duration = Duration::from_secs(1);

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
    /// The keys that are to be taken later, and when, if there are any.
    later: BTreeSet<Key>,
    later_at: Option<Instant>,
}

impl Pending {
    /// Claims a name. The answer does not come if another wish for it follows.
    pub(super) fn claim(&self, name: NameKeys) -> oneshot::Receiver<bool> {
        let (answer, receiver) = oneshot::channel();
        let mut waiting = self.waiting.lock();
        // If it is still this node's, the claim finds it to be so.
        for key in name.iter() {
            waiting.changes.remove(key);
            waiting.later.remove(key);
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
        for key in name.iter() {
            // What was to be taken later was not taken so far.
            if !waiting.later.remove(key) || is_taken {
                waiting.changes.insert(key.clone(), is_taken);
            }
        }
        drop(waiting);
        self.has_some.notify_one();
    }

    /// Takes a name [later](LATER).
    pub(super) fn take_later(&self, name: &NameKeys) {
        let mut waiting = self.waiting.lock();
        let Waiting { changes, later, .. } = &mut *waiting;
        later.extend(name.iter().filter(|key| changes.get(*key) != Some(&true)).cloned());
        waiting.later_at.get_or_insert_with(|| Instant::now() + LATER);
        drop(waiting);
        self.has_some.notify_one();
    }

    /// Waits for something to do, and takes as much as fits into a transaction. Cancel safe.
    pub(super) async fn next(&self) -> Batch {
        loop {
            let (batch, later_at) = self.waiting.lock().take();
            if !batch.claims.is_empty() || !batch.changes.is_empty() {
                return batch;
            }
            let has_some = self.has_some.notified();
            match later_at {
                // Whichever of both it was, it looks again.
                Some(due) => drop(timeout_at(due, has_some).await),
                None => has_some.await,
            }
        }
    }
}

impl Waiting {
    /// What is to be done, and when the rest is due.
    fn take(&mut self) -> (Batch, Option<Instant>) {
        if self.later_at.take_if(|due| *due <= Instant::now()).is_some() {
            self.changes.extend(mem::take(&mut self.later).into_iter().map(|key| (key, true)));
        }
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
        (Batch { claims, changes }, self.later_at)
    }
}
