//! What is to be claimed, taken and released. Only the last wish for each name is kept, so that while etcd does not
//! answer no more waits than there are names.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::iter;
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

/// How long names that are to be taken wait: nobody waits for that, and when a node has died, whose players all have names,
/// etcd has more urgent things to do.
const TAKE_AFTER: Duration = Duration::from_secs(1);

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
        iter::once(&self.folded).chain(other)
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
    released: BTreeSet<Key>,
    taken: BTreeSet<Key>,
    /// When the names are due that are to be taken, if there are any.
    take_at: Option<Instant>,
}

impl Pending {
    /// Claims a name. The answer does not come if another wish for it follows.
    pub(super) fn claim(&self, name: NameKeys) -> oneshot::Receiver<bool> {
        let (answer, receiver) = oneshot::channel();
        let mut waiting = self.waiting.lock();
        // If it is still this node's, the claim finds it to be so.
        for key in name.iter() {
            waiting.released.remove(key);
            waiting.taken.remove(key);
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
        let Waiting { released, taken, .. } = &mut *waiting;
        let (present, other) = if is_taken { (taken, released) } else { (released, taken) };
        for key in name.iter() {
            other.remove(key);
            present.insert(key.clone());
        }
        if is_taken {
            waiting.take_at.get_or_insert_with(|| Instant::now() + TAKE_AFTER);
        }
        drop(waiting);
        self.has_some.notify_one();
    }

    /// Waits for something to do, and takes as much as fits into a transaction. Cancel safe.
    pub(super) async fn next(&self) -> Batch {
        loop {
            let (batch, take_at) = self.waiting.lock().take();
            if !batch.claims.is_empty() || !batch.changes.is_empty() {
                return batch;
            }
            let has_some = self.has_some.notified();
            match take_at {
                // It does not matter which of both it was.
                Some(due) => drop(timeout_at(due, has_some).await),
                None => has_some.await,
            }
        }
    }
}

impl Waiting {
    /// What is due, as much as fits, and when the rest is due that nobody waits for.
    fn take(&mut self) -> (Batch, Option<Instant>) {
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
        let is_due = self.take_at.is_some_and(|due| due <= Instant::now());
        let released = iter::from_fn(|| self.released.pop_first()).map(|key| (key, false));
        let taken = iter::from_fn(|| is_due.then(|| self.taken.pop_first())?).map(|key| (key, true));
        let changes = released.chain(taken).take(MAX_KEYS - count).collect();
        self.take_at = self.take_at.filter(|_| !self.taken.is_empty());
        (Batch { claims, changes }, self.take_at)
    }
}
