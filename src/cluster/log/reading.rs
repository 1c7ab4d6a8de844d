//! Reading a sealed log, in pages, to its end. No segment is trusted whose checksum does not fit, and no log
//! with a missing segment.

use std::collections::VecDeque;

use super::segment::{BadSegment, MAX_SEGMENT, Segment, read_segment};
use crate::cluster::engine::{Engine, EngineError, Key, KeyValue, Range, RangeReader, Revision};
use crate::cluster::keys::{self, Epoch, Seq};
use crate::cluster::node::Sealed;
use crate::server::storage::Entry;

/// The most segments that are read together. A log has about 16 MiB, in few large segments or in tens of thousands of small
/// ones, and players wait meanwhile.
const MAX_TOGETHER: usize = 4_096;

/// Why a log cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// etcd does not do what was asked.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A segment is damaged or missing.
    #[error("the log {epoch} in etcd is damaged at segment {seq}: {why}")]
    Damaged {
        /// Whose log.
        epoch: Epoch,
        /// Which segment.
        seq: Seq,
        /// What is wrong, as the end of a sentence.
        why: String,
    },
}

/// Whose logs there are, of living nodes and of dead ones.
pub async fn logs(engine: &dyn Engine) -> Result<Vec<Epoch>, EngineError> {
    logs_at(engine, None).await
}

/// The same as of a revision.
pub(crate) async fn logs_at(engine: &dyn Engine, at: Option<Revision>) -> Result<Vec<Epoch>, EngineError> {
    let (mut epochs, mut range) = (Vec::new(), Range { at, ..Range::prefix(&Key::from(keys::LOGS), 1) });
    loop {
        let Some(found) = engine.range(range.clone()).await?.found.pop() else { return Ok(epochs) };
        range.from = match keys::epoch_of(&found.key) {
            Some(epoch) => {
                epochs.push(epoch);
                keys::log(epoch).behind_prefix()
            }
            None => found.key.next(),
        };
    }
}

/// A batch that was read.
#[derive(Debug, Clone)]
pub struct RecordedBatch {
    /// The revision of its last segment, which orders it among all batches of all nodes.
    pub revision: Revision,
    /// The number of its last segment.
    pub last: Seq,
    /// Its entries.
    pub entries: Vec<Entry>,
}

/// Reads a sealed log from the first segment that is kept.
#[derive(Debug)]
pub struct LogReader<'a> {
    reader: RangeReader<'a>,
    epoch: Epoch,
    /// The number that the next segment is to have.
    expected: Seq,
    /// Whether that is known. Else the first one that is found tells.
    is_begun: bool,
    /// The segments of the last page that were not returned yet.
    page: VecDeque<KeyValue>,
    /// The entries of a batch whose end was not read yet.
    begun: Vec<Entry>,
}

impl<'a> LogReader<'a> {
    /// A reader of this log.
    pub async fn open(engine: &'a dyn Engine, log: Sealed) -> Result<Self, ReadError> {
        Self::open_at(engine, log.epoch(), None).await
    }

    /// A reader of what was recorded in this log after that revision. Of a batch that was being recorded then it may
    /// leave out the beginning.
    pub async fn open_after(engine: &'a dyn Engine, log: Sealed, after: Revision) -> Result<Self, ReadError> {
        let mut this = Self::open(engine, log).await?;
        this.is_begun = after == Revision::default();
        this.reader = this.reader.created_after(after);
        Ok(this)
    }

    /// A reader of a log as it was at a revision, sealed or not; `None` for now.
    pub(crate) async fn open_at(
        engine: &'a dyn Engine,
        epoch: Epoch,
        at: Option<Revision>,
    ) -> Result<Self, ReadError> {
        let answer = engine.range(Range { at, ..Range::key(keys::start(epoch)) }).await?;
        let expected = answer.found.first().map_or(Ok(Seq::default()), |found| begins_at(epoch, found))?;
        let range = (keys::segment(epoch, expected), keys::log(epoch).behind_prefix());
        // The start and all segments are read as of one revision.
        let reader = RangeReader::new(engine, range, MAX_SEGMENT).keys_at_most(MAX_TOGETHER);
        let reader = reader.at(at.unwrap_or(answer.revision));
        Ok(Self { reader, epoch, expected, is_begun: true, page: VecDeque::new(), begun: Vec::new() })
    }

    /// The next batch; `None` after the last one. A batch without an end is left out: its node died, and has
    /// told nothing of it. After an error of etcd that is in doubt, it can be asked for again.
    pub async fn next(&mut self) -> Result<Option<RecordedBatch>, ReadError> {
        loop {
            let Some(found) = self.page.pop_front() else {
                match self.reader.next().await? {
                    Some(page) => self.page = page.into(),
                    None => return Ok(None),
                }
                continue;
            };
            if !self.is_begun {
                self.expected = keys::seq_of(self.epoch, &found.key).unwrap_or(self.expected);
                self.is_begun = true;
            }
            let Segment { entries, goes_on } = self.check(&found)?;
            self.begun.extend(entries);
            let last = self.expected;
            self.expected = last.next();
            if !goes_on {
                let entries = std::mem::take(&mut self.begun);
                return Ok(Some(RecordedBatch { revision: found.created, last, entries }));
            }
        }
    }

    /// The segment at this key, if it is the one that is to come next.
    fn check(&self, found: &KeyValue) -> Result<Segment, ReadError> {
        match keys::seq_of(self.epoch, &found.key) {
            Some(seq) if seq == self.expected && found.created != found.changed => {
                Err(self.damaged("it was overwritten"))
            }
            Some(seq) if seq == self.expected => {
                read_segment(&found.value).map_err(|BadSegment(why)| self.damaged(&why))
            }
            _ => Err(self.damaged(&format!("it is missing, and {} is there", found.key))),
        }
    }

    fn damaged(&self, why: &str) -> ReadError {
        ReadError::Damaged { epoch: self.epoch, seq: self.expected, why: why.into() }
    }
}

/// The number at which a log begins.
fn begins_at(epoch: Epoch, found: &KeyValue) -> Result<Seq, ReadError> {
    let why = || format!("{} does not say where it begins", found.key);
    start_of(&found.value).ok_or_else(|| ReadError::Damaged { epoch, seq: Seq::default(), why: why() })
}

/// The number that this value says.
pub(super) fn start_of(value: &[u8]) -> Option<Seq> {
    value.try_into().ok().map(|bytes| Seq(u64::from_be_bytes(bytes)))
}

/// The value that says where a log begins.
pub(crate) fn start_value(first: Seq) -> [u8; 8] {
    first.0.to_be_bytes()
}
