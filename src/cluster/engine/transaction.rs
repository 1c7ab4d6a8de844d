//! Transactions: what is compared, and what is done if all comparisons hold, or else.

use bytes::Bytes;

use super::key::{Key, LeaseId, Revision};
use super::range::{KeyValue, Range};

/// The most comparisons, and the most operations of a branch: etcd's `--max-txn-ops` is 128.
pub const MAX_OPERATIONS: usize = 128;

/// The most bytes that all puts of a transaction may take together: etcd 3.4 refuses 1.6 MB.
pub const MAX_VALUE: usize = 1_500_000;

/// A comparison with a key as it is before the transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compare {
    /// The key was created at this revision, and exists since then.
    CreatedAt(Key, Revision),
    /// The key was last changed at this revision, and exists.
    ChangedAt(Key, Revision),
    /// The key exists.
    Exists(Key),
    /// The key does not exist.
    Absent(Key),
}

impl Compare {
    /// The key that is compared.
    pub fn key(&self) -> &Key {
        match self {
            Self::CreatedAt(key, _) | Self::ChangedAt(key, _) | Self::Exists(key) | Self::Absent(key) => key,
        }
    }
}

/// An operation of a transaction. No branch may change a key twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Sets a key, until the lease ends if there is one. The key loses the lease that it had.
    Put {
        /// Which key.
        key: Key,
        /// Its new value.
        value: Bytes,
        /// How long it lives.
        lease: Option<LeaseId>,
    },
    /// Deletes a key. It need not exist.
    Delete(Key),
    /// Deletes all keys from the first up to but not including the second.
    DeleteRange(Key, Key),
    /// Reads, as the operations before it in the same branch have left it.
    Get(Range),
}

impl Operation {
    /// Sets a key for good.
    pub fn put(key: Key, value: impl Into<Bytes>) -> Self {
        Self::Put { key, value: value.into(), lease: None }
    }

    /// Reads one key.
    pub fn get(key: Key) -> Self {
        Self::Get(Range::key(key))
    }
}

/// A transaction: all of it happens at one revision, or nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Txn {
    /// All of these are to hold.
    pub compares: Vec<Compare>,
    /// What is done if they hold.
    pub then: Vec<Operation>,
    /// What is done if one of them does not.
    pub otherwise: Vec<Operation>,
}

/// What a transaction did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TxnReply {
    /// Whether all comparisons held.
    pub held: bool,
    /// The engine's revision after it; that of its changes if it made any.
    pub revision: Revision,
    /// What each [`Operation::Get`] of its branch found, in order.
    pub found: Vec<Vec<KeyValue>>,
}

impl TxnReply {
    /// What the read of one key found, counted from 0 among all reads of the branch.
    pub fn found_key(&self, number: usize) -> Option<&KeyValue> {
        self.found.get(number)?.first()
    }
}
