//! The keys of an etcd in memory with all their versions. Knows no time and no clients.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;

use crate::cluster::engine::{
    Change, Changed, Compare, EngineError, Key, KeyValue, LeaseId, MAX_ANSWER, MAX_OPERATIONS, MAX_VALUE,
    Operation, Page, Range, Revision, Txn, TxnReply,
};

/// All keys, as of every revision that is kept.
#[derive(Debug, Clone)]
pub(super) struct Store {
    revision: Revision,
    /// The oldest revision that can be read.
    oldest: Revision,
    keys: BTreeMap<Key, Vec<Version>>,
    /// All changes since the oldest revision.
    history: VecDeque<Changed>,
    /// The running leases with their keys.
    leases: BTreeMap<LeaseId, BTreeSet<Key>>,
    /// The bytes of all values that were read.
    bytes_read: Cell<usize>,
}

/// A key from a revision on.
#[derive(Debug, Clone)]
struct Version {
    from: Revision,
    /// `None` if it was deleted.
    live: Option<Live>,
}

#[derive(Debug, Clone)]
struct Live {
    value: Bytes,
    created: Revision,
    lease: Option<LeaseId>,
}

impl Default for Store {
    fn default() -> Self {
        // An empty etcd has this revision.
        let (revision, oldest) = (Revision(1), Revision(0));
        let (keys, history, leases) = (BTreeMap::new(), VecDeque::new(), BTreeMap::new());
        Self { revision, oldest, keys, history, leases, bytes_read: Cell::default() }
    }
}

impl Store {
    pub(super) fn revision(&self) -> Revision {
        self.revision
    }

    /// The bytes of all values that were read, also of those whose keys alone were asked for: etcd reads them, too.
    pub(super) fn bytes_read(&self) -> usize {
        self.bytes_read.get()
    }

    pub(super) fn txn(&mut self, txn: &Txn) -> Result<TxnReply, EngineError> {
        let held = txn.compares.iter().all(|compare| self.holds(compare));
        check(txn)?;
        self.check_leases(if held { &txn.then } else { &txn.otherwise })?;
        let (at, mut changes, mut found) = (self.revision.next(), Vec::new(), Vec::new());
        for operation in if held { &txn.then } else { &txn.otherwise } {
            match operation {
                Operation::Put { key, value, lease } => {
                    changes.push(self.put(at, key.clone(), value.clone(), *lease));
                }
                Operation::Delete(key) => changes.extend(self.delete(at, key)),
                Operation::DeleteRange(from, to) => {
                    let keys: Vec<Key> = self
                        .keys
                        .range(from.clone()..to.clone().max(from.clone()))
                        .map(|(key, _)| key.clone())
                        .collect();
                    changes.extend(keys.iter().filter_map(|key| self.delete(at, key)));
                }
                Operation::Get(range) => found.push(self.range_as_of(range, at)?.found),
            }
        }
        self.note(at, changes);
        Ok(TxnReply { held, revision: self.revision, found })
    }

    pub(super) fn range(&self, range: &Range) -> Result<Page, EngineError> {
        self.range_as_of(range, self.revision)
    }

    /// All changes of keys with this prefix from a revision on.
    pub(super) fn since(&self, prefix: &Key, from: Revision) -> Result<Vec<Changed>, EngineError> {
        if from < self.oldest {
            return Err(EngineError::Compacted);
        }
        let since = self.history.iter().filter(|changed| changed.revision >= from);
        Ok(since.filter_map(|changed| among(changed, prefix)).collect())
    }

    /// Forgets what was before this revision.
    pub(super) fn compact(&mut self, to: Revision) {
        self.oldest = self.oldest.max(to.min(self.revision));
        let oldest = self.oldest;
        self.history.retain(|changed| changed.revision >= oldest);
        self.keys.retain(|_, versions| {
            let kept = versions.iter().rposition(|version| version.from <= oldest).unwrap_or(0);
            versions.drain(..kept);
            versions.iter().any(|version| version.live.is_some() || version.from > oldest)
        });
    }

    pub(super) fn grant(&mut self, lease: LeaseId) {
        self.leases.insert(lease, BTreeSet::new());
    }

    pub(super) fn has_lease(&self, lease: LeaseId) -> bool {
        self.leases.contains_key(&lease)
    }

    /// Ends a lease and deletes its keys.
    pub(super) fn end(&mut self, lease: LeaseId) -> Result<(), EngineError> {
        let keys = self.leases.remove(&lease).ok_or(EngineError::NoSuchLease)?;
        let at = self.revision.next();
        let changes = keys.iter().filter_map(|key| self.delete(at, key)).collect();
        self.note(at, changes);
        Ok(())
    }

    fn note(&mut self, revision: Revision, changes: Vec<Change>) {
        if !changes.is_empty() {
            self.revision = revision;
            self.history.push_back(Changed { revision, changes });
        }
    }

    fn holds(&self, compare: &Compare) -> bool {
        let key = self.get(compare.key(), self.revision);
        match compare {
            Compare::CreatedAt(_, revision) => key.is_some_and(|key| key.created == *revision),
            Compare::ChangedAt(_, revision) => key.is_some_and(|key| key.changed == *revision),
            Compare::Exists(_) => key.is_some(),
            Compare::Absent(_) => key.is_none(),
        }
    }

    fn check_leases(&self, operations: &[Operation]) -> Result<(), EngineError> {
        let mut leases = operations.iter().filter_map(|operation| match operation {
            Operation::Put { lease, .. } => *lease,
            _ => None,
        });
        if leases.all(|lease| self.has_lease(lease)) { Ok(()) } else { Err(EngineError::NoSuchLease) }
    }

    /// A key as of a revision.
    fn get(&self, key: &Key, at: Revision) -> Option<KeyValue> {
        let version = self.keys.get(key)?.iter().rev().find(|version| version.from <= at)?;
        let Live { value, created, lease } = version.live.clone()?;
        Some(KeyValue { key: key.clone(), value, created, changed: version.from, lease })
    }

    fn put(&mut self, at: Revision, key: Key, value: Bytes, lease: Option<LeaseId>) -> Change {
        let old = self.get(&key, at);
        let created = old.as_ref().map_or(at, |old| old.created);
        self.unlink(old.as_ref());
        if let Some(keys) = lease.and_then(|lease| self.leases.get_mut(&lease)) {
            keys.insert(key.clone());
        }
        let live = Live { value: value.clone(), created, lease };
        self.keys.entry(key.clone()).or_default().push(Version { from: at, live: Some(live) });
        Change::Put(KeyValue { key, value, created, changed: at, lease })
    }

    fn delete(&mut self, at: Revision, key: &Key) -> Option<Change> {
        let old = self.get(key, at)?;
        self.unlink(Some(&old));
        self.keys.entry(key.clone()).or_default().push(Version { from: at, live: None });
        Some(Change::Deleted(key.clone()))
    }

    fn unlink(&mut self, old: Option<&KeyValue>) {
        if let Some(KeyValue { key, lease: Some(lease), .. }) = old
            && let Some(keys) = self.leases.get_mut(lease)
        {
            keys.remove(key);
        }
    }

    fn range_as_of(&self, range: &Range, latest: Revision) -> Result<Page, EngineError> {
        let at = range.at.unwrap_or(latest);
        if at > self.revision.max(latest) {
            return Err(EngineError::Refused("the revision is in the future".into()));
        }
        if at < self.oldest {
            return Err(EngineError::Compacted);
        }
        let to = range.to.clone().max(range.from.clone());
        let all = self.keys.range(range.from.clone()..to).filter_map(|(key, _)| self.get(key, at));
        let all = all.filter(|found| found.created > range.created_after);
        let mut found: Vec<KeyValue> = all.take(range.limit.saturating_add(1)).collect();
        let has_more = found.len() > range.limit;
        found.truncate(range.limit);
        let bytes = found.iter().map(|found| found.value.len()).sum::<usize>();
        self.bytes_read.set(self.bytes_read.get() + bytes);
        if range.keys_only {
            for found in &mut found {
                found.value.clear();
            }
        }
        if found.iter().map(|found| found.value.len()).sum::<usize>() > MAX_ANSWER {
            return Err(EngineError::Refused("the answer would be too large".into()));
        }
        Ok(Page { found, has_more, revision: self.revision })
    }
}

/// The changes among keys with this prefix, if there are any.
fn among(changed: &Changed, prefix: &Key) -> Option<Changed> {
    let is_among = |change: &&Change| {
        let (Change::Put(KeyValue { key, .. }) | Change::Deleted(key)) = change;
        key.bytes().starts_with(prefix.bytes())
    };
    let those: Vec<Change> = changed.changes.iter().filter(is_among).cloned().collect();
    (!those.is_empty()).then_some(Changed { revision: changed.revision, changes: those })
}

/// Refuses what etcd refuses: too much, or a key that is changed twice.
fn check(txn: &Txn) -> Result<(), EngineError> {
    let refused = |why: &str| Err(EngineError::Refused(why.into()));
    if [txn.compares.len(), txn.then.len(), txn.otherwise.len()].iter().any(|count| *count > MAX_OPERATIONS) {
        return refused("too many operations in a transaction");
    }
    for branch in [&txn.then, &txn.otherwise] {
        let (mut put, mut bytes) = (BTreeSet::new(), 0);
        for operation in branch {
            if let Operation::Put { key, value, .. } = operation {
                bytes += value.len();
                if !put.insert(key) {
                    return refused("a key is changed twice in a transaction");
                }
            }
        }
        let deletes_a_put = branch.iter().any(|operation| match operation {
            Operation::Delete(key) => put.contains(key),
            Operation::DeleteRange(from, to) => put.iter().any(|key| *key >= from && *key < to),
            _ => false,
        });
        if deletes_a_put {
            return refused("a key is changed twice in a transaction");
        }
        if bytes > MAX_VALUE {
            return refused("the request is too large");
        }
    }
    Ok(())
}
