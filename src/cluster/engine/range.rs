//! What is read of the engine: ranges of keys, and the keys with their values.

use bytes::Bytes;

use super::key::{Key, LeaseId, Revision};

/// A key that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub key: Key,
    /// Its value.
    pub value: Bytes,
    /// The revision since which it exists.
    pub created: Revision,
    /// The revision of its last change.
    pub changed: Revision,
    /// The lease with which it ends.
    pub lease: Option<LeaseId>,
}

/// Which keys are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    /// The first key.
    pub from: Key,
    /// The first key that is not read any more.
    pub to: Key,
    /// The most keys that are read, from 1.
    pub limit: usize,
    /// The revision as of which they are read; `None` for the latest.
    pub at: Option<Revision>,
    /// Only keys that were created after this revision are read.
    pub created_after: Revision,
    /// Whether values are left out.
    pub keys_only: bool,
}

impl Range {
    /// This key alone.
    pub fn key(key: Key) -> Self {
        let next = key.next();
        Self::new((key, next), 1)
    }

    /// The first `limit` keys with this prefix.
    pub fn prefix(prefix: &Key, limit: usize) -> Self {
        Self::new((prefix.clone(), prefix.behind_prefix()), limit)
    }

    /// The first `limit` keys from the first of these up to but not including the second.
    pub fn new((from, to): (Key, Key), limit: usize) -> Self {
        Self { from, to, limit, at: None, created_after: Revision::default(), keys_only: false }
    }

    /// The same as of this revision.
    #[must_use]
    pub fn at(mut self, revision: Revision) -> Self {
        self.at = Some(revision);
        self
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The keys in their order.
    pub found: Vec<KeyValue>,
    /// Whether the limit left some out.
    pub has_more: bool,
    /// The engine's revision when it read.
    pub revision: Revision,
}
