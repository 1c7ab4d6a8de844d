//! Appending to a node's own log. A batch is in flight alone, and in doubt the very same segments are tried
//! again: the types allow nothing else.

use std::sync::Arc;
use std::vec;

use bytes::Bytes;

use super::segment::Batch;
use crate::cluster::engine::{Compare, Engine, EngineError, Operation, Revision, Txn};
use crate::cluster::keys::{self, Seq};
use crate::cluster::node::{FencedOff, Membership};

/// The log of this node, between two batches.
#[derive(Debug)]
pub struct Log {
    engine: Arc<dyn Engine>,
    membership: Membership,
    next: Seq,
}

/// The log while a batch is appended.
#[derive(Debug)]
#[must_use = "the batch is not recorded yet"]
pub struct Appending {
    log: Log,
    first: Seq,
    /// The segment that is next, and those after it.
    present: Bytes,
    rest: vec::IntoIter<Bytes>,
    /// Whether a part may be recorded.
    was_tried: bool,
}

/// Where a batch was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// The revision of its last segment, which orders it among all batches of all nodes.
    pub revision: Revision,
    /// The number of its first segment.
    pub first: Seq,
    /// The number of its last segment.
    pub last: Seq,
}

/// What became of a batch.
#[derive(Debug)]
pub enum Outcome {
    /// It is recorded. It may be told, even if the node is fenced off by now.
    Recorded(Log, Recorded),
    /// It is not known to be recorded: go on. Nothing of it may be told.
    Waiting(Appending, EngineError),
    /// It was not recorded, and never will be.
    FencedOff(FencedOff),
}

/// What became of a segment.
enum Step {
    Recorded(Revision),
    Waiting(EngineError),
    FencedOff,
}

impl Log {
    /// The log of a node that has just joined. There is one for each epoch.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership) -> Self {
        Self { engine, membership, next: Seq::default() }
    }

    /// Whose log it is.
    pub fn membership(&self) -> &Membership {
        &self.membership
    }

    /// Begins to append a batch.
    pub fn append(self, batch: Batch) -> Appending {
        let Batch { first: present, rest } = batch;
        Appending { first: self.next, log: self, present, rest: rest.into_iter(), was_tried: false }
    }

    /// Asks etcd whether this node is still a member, as an append without entries would. Returns a revision at
    /// which it was, if so: what was decided before the call may be told without being recorded, and all that this
    /// node has recorded until then is known to it.
    pub async fn confirm(&self) -> Result<Option<Revision>, EngineError> {
        if self.membership.check().is_err() {
            return Ok(None);
        }
        let txn = Txn { compares: vec![self.membership.fence()], ..Txn::default() };
        let reply = self.engine.txn(txn).await?;
        if !reply.held {
            self.membership.fence_off();
        }
        Ok(reply.held.then_some(reply.revision))
    }
}

impl Log {
    /// Appends the next segment, if it is not there.
    async fn try_segment(&self, segment: &Bytes) -> Step {
        let (node, epoch) = (self.membership.key(), self.membership.epoch());
        let key = keys::segment(epoch, self.next);
        let txn = Txn {
            compares: vec![self.membership.fence(), Compare::Absent(key.clone())],
            then: vec![Operation::put(key.clone(), segment.clone())],
            otherwise: vec![Operation::get(key.clone()), Operation::get(node.clone())],
        };
        let reply = match self.engine.txn(txn).await {
            Ok(reply) => reply,
            Err(error) => return Step::Waiting(error),
        };
        if reply.held {
            return Step::Recorded(reply.revision);
        }
        match (reply.found_key(0), reply.found_key(1)) {
            // An earlier attempt has recorded it, while this node was a member.
            (Some(found), _) if found.value == segment => Step::Recorded(found.created),
            (Some(_), _) => {
                tracing::error!(%key, "someone else has written to the log of this node");
                Step::FencedOff
            }
            (None, Some(found)) if found.created == epoch.0 => {
                Step::Waiting(EngineError::NoAnswer("its answer contradicts itself".into()))
            }
            (None, _) => Step::FencedOff,
        }
    }
}

impl Appending {
    /// Appends what is left of the batch, as far as etcd answers.
    pub async fn go_on(mut self) -> Outcome {
        if !self.was_tried && self.log.membership.check().is_err() {
            return Outcome::FencedOff(FencedOff);
        }
        self.was_tried = true;
        loop {
            let revision = match self.log.try_segment(&self.present).await {
                Step::Recorded(revision) => revision,
                Step::Waiting(error) => return Outcome::Waiting(self, error),
                Step::FencedOff => {
                    self.log.membership.fence_off();
                    return Outcome::FencedOff(FencedOff);
                }
            };
            let last = self.log.next;
            self.log.next = last.next();
            match self.rest.next() {
                Some(next) => self.present = next,
                None => return Outcome::Recorded(self.log, Recorded { revision, first: self.first, last }),
            }
        }
    }
}
