//! Requests, answers and errors of this crate in those of the crate that speaks with etcd. Puts the namespace
//! before every key, and takes it away.

use std::error::Error as _;
use std::fmt::Write as _;

use bytes::Bytes;
use etcd_client as etcd;

use crate::cluster::engine::{
    Change, Changed, Compare, EngineError, Key, KeyValue, LeaseId, Operation, Page, Range, Revision, Txn,
    TxnReply,
};

/// What stands before all keys of a cluster.
#[derive(Debug, Clone)]
pub(super) struct Namespace(pub(super) String);

impl Namespace {
    pub(super) fn key(&self, key: &Key) -> Vec<u8> {
        [self.0.as_bytes(), key.bytes()].concat()
    }

    fn stripped(&self, key: &[u8]) -> Key {
        Key::of(key.get(self.0.len()..).unwrap_or_default().to_vec())
    }

    pub(super) fn txn(&self, txn: &Txn) -> etcd::Txn {
        let compares: Vec<_> = txn.compares.iter().map(|compare| self.compare(compare)).collect();
        let branch = |operations: &[Operation]| -> Vec<etcd::TxnOp> {
            operations.iter().map(|operation| self.operation(operation)).collect()
        };
        etcd::Txn::new().when(compares).and_then(branch(&txn.then)).or_else(branch(&txn.otherwise))
    }

    fn compare(&self, compare: &Compare) -> etcd::Compare {
        use etcd::CompareOp::{Equal, Greater};
        let key = self.key(compare.key());
        match compare {
            Compare::CreatedAt(_, revision) => etcd::Compare::create_revision(key, Equal, signed(*revision)),
            Compare::ChangedAt(_, revision) => etcd::Compare::mod_revision(key, Equal, signed(*revision)),
            Compare::Exists(_) => etcd::Compare::create_revision(key, Greater, 0),
            Compare::Absent(_) => etcd::Compare::create_revision(key, Equal, 0),
        }
    }

    fn operation(&self, operation: &Operation) -> etcd::TxnOp {
        match operation {
            Operation::Put { key, value, lease } => {
                let options = lease.map(|lease| etcd::PutOptions::new().with_lease(lease.0));
                etcd::TxnOp::put(self.key(key), &value[..], options)
            }
            Operation::Delete(key) => etcd::TxnOp::delete(self.key(key), None),
            Operation::DeleteRange(from, to) => {
                let options = etcd::DeleteOptions::new().with_range(self.key(to));
                etcd::TxnOp::delete(self.key(from), Some(options))
            }
            Operation::Get(range) => etcd::TxnOp::get(self.key(&range.from), Some(self.range(range))),
        }
    }

    /// The options for reading a range; its first key goes with the request.
    pub(super) fn range(&self, range: &Range) -> etcd::GetOptions {
        let limit = i64::try_from(range.limit).unwrap_or(i64::MAX);
        let mut options = etcd::GetOptions::new().with_range(self.key(&range.to)).with_limit(limit);
        if range.created_after > Revision::default() {
            options = options.with_min_create_revision(signed(range.created_after.next()));
        }
        if range.keys_only {
            options = options.with_keys_only();
        }
        range.at.map_or(options.clone(), |at| options.with_revision(signed(at)))
    }

    /// The options for counting the keys before this one.
    pub(super) fn count(&self, to: &Key) -> etcd::GetOptions {
        etcd::GetOptions::new().with_range(self.key(to)).with_count_only()
    }

    pub(super) fn reply(&self, reply: &etcd::TxnResponse) -> TxnReply {
        let found = reply.op_responses().into_iter().filter_map(|response| match response {
            etcd::TxnOpResponse::Get(get) => Some(self.found(&get)),
            _ => None,
        });
        TxnReply { held: reply.succeeded(), revision: revision_of(reply.header()), found: found.collect() }
    }

    pub(super) fn page(&self, get: &etcd::GetResponse) -> Page {
        Page { found: self.found(get), has_more: get.more(), revision: revision_of(get.header()) }
    }

    fn found(&self, get: &etcd::GetResponse) -> Vec<KeyValue> {
        get.kvs().iter().map(|found| self.key_value(found)).collect()
    }

    fn key_value(&self, found: &etcd::KeyValue) -> KeyValue {
        KeyValue {
            key: self.stripped(found.key()),
            value: Bytes::copy_from_slice(found.value()),
            created: unsigned(found.create_revision()),
            changed: unsigned(found.mod_revision()),
            lease: (found.lease() != 0).then_some(LeaseId(found.lease())),
        }
    }

    /// The changes in a message of a watch, those of one revision together. All of them are in one message.
    pub(super) fn changes(&self, events: &[etcd::Event]) -> Vec<Changed> {
        let mut all: Vec<Changed> = Vec::new();
        for (event, found) in events.iter().filter_map(|event| Some((event, event.kv()?))) {
            let revision = unsigned(found.mod_revision());
            let change = match event.event_type() {
                etcd::EventType::Put => Change::Put(self.key_value(found)),
                etcd::EventType::Delete => Change::Deleted(self.stripped(found.key())),
            };
            match all.last_mut().filter(|last| last.revision == revision) {
                Some(last) => last.changes.push(change),
                None => all.push(Changed { revision, changes: vec![change] }),
            }
        }
        all
    }
}

fn revision_of(header: Option<&etcd::ResponseHeader>) -> Revision {
    unsigned(header.map_or(0, etcd::ResponseHeader::revision))
}

pub(super) fn signed(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}

fn unsigned(revision: i64) -> Revision {
    Revision(u64::try_from(revision).unwrap_or_default())
}

/// What an error of the crate means. Where it is not certain that nothing was done, it is in doubt.
pub(super) fn error(error: &etcd::Error) -> EngineError {
    match error {
        etcd::Error::LeaseKeepAliveError(said) if said.contains("not found") => EngineError::NoSuchLease,
        etcd::Error::GRpcStatus(status) => {
            let said = status.message();
            by_status(i32::from(status.code()), said, &with_causes(said, status.source()))
        }
        etcd::Error::InvalidArgs(_) | etcd::Error::InvalidUri(_) | etcd::Error::InvalidMetadataValue(_) => {
            EngineError::Refused(error.to_string())
        }
        etcd::Error::TransportError(error) => {
            EngineError::NotAllowed(with_causes(&error.to_string(), error.source()))
        }
        other => EngineError::NoAnswer(other.to_string()),
    }
}

/// What a status of gRPC means, by its code, and by the words where etcd has one code for several things.
fn by_status(code: i32, said: &str, full: &str) -> EngineError {
    const INVALID_ARGUMENT: i32 = 3;
    const NOT_FOUND: i32 = 5;
    const PERMISSION_DENIED: i32 = 7;
    const RESOURCE_EXHAUSTED: i32 = 8;
    const FAILED_PRECONDITION: i32 = 9;
    const OUT_OF_RANGE: i32 = 11;
    const UNAUTHENTICATED: i32 = 16;
    match code {
        OUT_OF_RANGE if said.contains("compacted") => EngineError::Compacted,
        NOT_FOUND if said.contains("lease") => EngineError::NoSuchLease,
        RESOURCE_EXHAUSTED if said.contains("space exceeded") => EngineError::Full,
        PERMISSION_DENIED | UNAUTHENTICATED | FAILED_PRECONDITION => EngineError::NotAllowed(full.into()),
        INVALID_ARGUMENT if said.contains("auth") || said.contains("user") => {
            EngineError::NotAllowed(full.into())
        }
        INVALID_ARGUMENT | NOT_FOUND | OUT_OF_RANGE => EngineError::Refused(full.into()),
        _ => EngineError::NoAnswer(full.into()),
    }
}

/// A message with the causes behind it, such as a certificate that does not fit.
fn with_causes(said: &str, mut cause: Option<&(dyn std::error::Error + 'static)>) -> String {
    let mut text = said.to_owned();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            // Writing to a string cannot fail.
            let _ = write!(text, ": {more}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_have_been_done_is_in_doubt_and_what_was_refused_is_not() {
        for (code, said, certain) in [
            (11, "etcdserver: mvcc: required revision has been compacted", Some(EngineError::Compacted)),
            (5, "etcdserver: requested lease not found", Some(EngineError::NoSuchLease)),
            (8, "etcdserver: mvcc: database space exceeded", Some(EngineError::Full)),
            (8, "etcdserver: too many requests", None),
            (14, "etcdserver: request timed out", None),
            (14, "etcdserver: leader changed", None),
            (14, "tcp connect error", None),
            (4, "Deadline expired before operation could complete", None),
            (13, "h2 protocol error", None),
        ] {
            let meant = by_status(code, said, said);
            assert_eq!(meant.is_in_doubt(), certain.is_none(), "{said}");
            assert!(certain.is_none_or(|certain| certain == meant), "{said}");
        }
        assert!(matches!(by_status(3, "etcdserver: request is too large", ""), EngineError::Refused(_)));
        let wrong = "etcdserver: authentication failed, invalid user ID or password";
        assert!(matches!(by_status(3, wrong, ""), EngineError::NotAllowed(_)));
    }
}
