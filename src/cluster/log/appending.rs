//! Appending to a node's own log. A batch is in flight alone, and in doubt the very same segments are tried
//! again: the types allow nothing else.

use std::sync::Arc;
use std::vec;

use bytes::Bytes;

use super::reading::start_of;
use super::segment::Batch;
use crate::cluster::engine::{Compare, Engine, EngineError, Operation, Revision, Txn, TxnReply};
use crate::cluster::keys::{self, Seq};
use crate::cluster::node::{FencedOff, Membership};

/// The log of this node, between two batches.
#[derive(Debug)]
pub struct Log {
    engine: Arc<dyn Engine>,
    membership: Membership,
    next: Seq,
    /// The comparison that etcd has what this node recorded last; `None` before that.
    last: Option<Compare>,
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
    /// How many bytes all of them have.
    bytes: usize,
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
    /// How many bytes its segments have.
    pub bytes: usize,
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
    /// It is to be tried at once.
    Again,
    FencedOff,
}

impl Log {
    /// The log of a node that has just joined. There is one for each epoch.
    pub fn new(engine: Arc<dyn Engine>, membership: Membership) -> Self {
        Self { engine, membership, next: Seq::default(), last: None }
    }

    /// Whose log it is.
    pub fn membership(&self) -> &Membership {
        &self.membership
    }

    /// Begins to append a batch.
    pub fn append(self, batch: Batch) -> Appending {
        let bytes = batch.segments().map(Bytes::len).sum();
        let Batch { first: present, rest } = batch;
        Appending { first: self.next, log: self, present, rest: rest.into_iter(), bytes, was_tried: false }
    }

    /// Asks etcd whether this node is still a member, as an append without entries would. Returns a revision at
    /// which it was, if so: what was decided before the call may be told without being recorded, and all that this
    /// node has recorded until then is known to it.
    pub async fn confirm(&self) -> Result<Option<Revision>, EngineError> {
        if self.membership.check().is_err() {
            return Ok(None);
        }
        let compares = [self.membership.fence()].into_iter().chain(self.last.clone()).collect();
        let reply = self.engine.txn(Txn { compares, otherwise: self.look(), ..Txn::default() }).await?;
        let is_member = reply.held || matches!(self.why_not(&reply), WhyNot::Deleted(_));
        if !is_member {
            self.membership.fence_off();
        }
        Ok(is_member.then_some(reply.revision))
    }
}

/// Why a comparison did not hold.
enum WhyNot {
    /// This node is no member any more.
    NoMember,
    /// What it recorded last was deleted, since it is in pages: this is to be compared from now on.
    Deleted(Compare),
    /// etcd has forgotten what it recorded last.
    Forgotten,
    /// For none of these.
    Unclear,
}

impl Log {
    /// The number of the segment that was recorded last.
    fn last(&self) -> Option<Seq> {
        self.next.0.checked_sub(1).map(Seq)
    }

    /// Reads what says why a comparison did not hold.
    fn look(&self) -> Vec<Operation> {
        let epoch = self.membership.epoch();
        let last = self.last().map(|last| Operation::get(keys::segment(epoch, last)));
        [self.membership.key().clone(), keys::start(epoch)]
            .map(Operation::get)
            .into_iter()
            .chain(last)
            .collect()
    }

    /// Why a comparison did not hold, by what was read then.
    fn why_not(&self, reply: &TxnReply) -> WhyNot {
        let epoch = self.membership.epoch();
        if reply.found_key(0).is_none_or(|node| node.created != epoch.0) {
            return WhyNot::NoMember;
        }
        let Some((last, compared)) = self.last().zip(self.last.as_ref()) else { return WhyNot::Unclear };
        let key = keys::segment(epoch, last);
        let was_recorded = |created| *compared == Compare::CreatedAt(key.clone(), created);
        if reply.found_key(2).is_some_and(|found| was_recorded(found.created)) {
            return WhyNot::Unclear;
        }
        // What is deleted was in pages by then.
        let start =
            reply.found_key(1).filter(|found| start_of(&found.value).is_some_and(|start| start > last));
        match start.map(|start| Compare::ChangedAt(start.key.clone(), start.changed)) {
            Some(start) if start == *compared => WhyNot::Unclear,
            Some(start) => WhyNot::Deleted(start),
            None => {
                tracing::error!("{}", EngineError::WentBack);
                WhyNot::Forgotten
            }
        }
    }

    /// Appends the next segment, if it is not there.
    async fn try_segment(&mut self, segment: &Bytes) -> Step {
        let epoch = self.membership.epoch();
        let key = keys::segment(epoch, self.next);
        let txn = Txn {
            compares: [self.membership.fence(), Compare::Absent(key.clone())]
                .into_iter()
                .chain(self.last.clone())
                .collect(),
            then: vec![Operation::put(key.clone(), segment.clone())],
            otherwise: self.look().into_iter().chain([Operation::get(key.clone())]).collect(),
        };
        let reply = match self.engine.txn(txn).await {
            Ok(reply) => reply,
            Err(error) if error.is_of_another() => return Step::FencedOff,
            Err(error) => return Step::Waiting(error),
        };
        if reply.held {
            return Step::Recorded(reply.revision);
        }
        match reply.found_key(self.look().len()) {
            // An earlier attempt has recorded it, while this node was a member.
            Some(found) if found.value == segment => Step::Recorded(found.created),
            Some(_) => {
                tracing::error!(%key, "someone else has written to the log of this node");
                Step::FencedOff
            }
            None => match self.why_not(&reply) {
                WhyNot::Deleted(start) => {
                    self.last = Some(start);
                    Step::Again
                }
                WhyNot::Unclear => {
                    Step::Waiting(EngineError::NoAnswer("its answer contradicts itself".into()))
                }
                WhyNot::NoMember | WhyNot::Forgotten => Step::FencedOff,
            },
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
                Step::Again => continue,
                Step::Waiting(error) => return Outcome::Waiting(self, error),
                Step::FencedOff => {
                    self.log.membership.fence_off();
                    return Outcome::FencedOff(FencedOff);
                }
            };
            let last = self.log.next;
            self.log.next = last.next();
            let key = keys::segment(self.log.membership.epoch(), last);
            self.log.last = Some(Compare::CreatedAt(key, revision));
            let Some(next) = self.rest.next() else {
                let Self { log, first, bytes, .. } = self;
                return Outcome::Recorded(log, Recorded { revision, first, last, bytes });
            };
            self.present = next;
        }
    }
}
