//! Whether what stands beside a journal that nobody has open is all that was written there. It is looked at before SQLite does, which
//! takes what it finds for all that there ever was.

use std::fs::File;
use std::io;

use super::folder::{Folder, beside};
use super::index::Index;
use super::log::Log;
use super::trouble::of_file;
use crate::server::storage::StorageError;

/// What stands beside a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Beside {
    /// Whether there is a log.
    pub(super) has_log: bool,
    /// What SQLite noted of the log while it was written.
    pub(super) index: Option<Index>,
    /// What is wrong if SQLite does not find all that is there.
    pub(super) damage: Option<&'static str>,
    /// What is to be said if something that was told is missing, or may be.
    pub(super) gap: Option<&'static str>,
}

impl Beside {
    /// What stands beside the journal of this folder.
    pub(super) fn of(folder: &Folder) -> Result<Self, StorageError> {
        let [log, index] = beside(&folder.journal());
        let index = Index::read(&index);
        let file = match File::open(&log) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            file => Some(file.map_err(|error| of_file(&log, &error))?),
        };
        let read =
            file.as_ref().map(|file| Ok((file.metadata()?.len(), Log::read(file, index)?))).transpose();
        let found = read.map_err(|error: io::Error| of_file(&log, &error))?;
        Ok(Self {
            has_log: found.is_some(),
            index,
            damage: found.as_ref().and_then(|(_, log)| log.is_damaged().then_some(DAMAGED)),
            gap: match found {
                Some((length, log)) => gap(length, &log, index),
                None => index.is_some_and(|index| index.last > index.moved).then_some(REMOVED),
            },
        })
    }

    /// All that is wrong.
    pub(super) fn faults(&self) -> impl Iterator<Item = &'static str> {
        self.damage.into_iter().chain(self.gap)
    }
}

/// What stands beside a journal that somebody may be writing meanwhile: what seems to be wrong is so if it is still there after
/// another look, and another one.
pub(super) fn steady(folder: &Folder) -> Result<Beside, StorageError> {
    let mut beside = Beside::of(folder)?;
    for _ in 0..2 {
        if beside.faults().next().is_none() {
            break;
        }
        beside = Beside::of(folder)?;
    }
    Ok(beside)
}

/// What is missing in a log of this length.
fn gap(length: u64, log: &Log, index: Option<Index>) -> Option<&'static str> {
    let is_short = |index: Index| {
        let ended = if log.salt == Some(index.salt) { log.ended() } else { 0 };
        index.last > index.moved.max(ended)
    };
    match index {
        Some(index) if is_short(index) => Some(CUT_OFF),
        _ if log.is_doubtful => Some(TORN),
        _ if log.salt.is_none() && length > 0 => Some(UNREADABLE),
        _ => None,
    }
}

const DAMAGED: &str =
    "a byte of journal.sqlite-wal is wrong, and SQLite would forget all that was written behind it";
const REMOVED: &str =
    "journal.sqlite-wal was removed, and what was recorded last was there alone: it is lost";
const CUT_OFF: &str =
    "journal.sqlite-wal was cut off or replaced, and what was recorded last is lost with the rest of it";
const TORN: &str = "the end of journal.sqlite-wal is not whole: if the power did not go while it was written, what was recorded last is lost";
const UNREADABLE: &str = "journal.sqlite-wal cannot be read: what was recorded last may be lost with it";

/// What is to be said where the journal says that it was in use, and has no log.
pub(super) const ALONE: &str = "journal.sqlite-wal is missing, which belongs to a journal that no server has closed: unless a tool of SQLite \
                                has put all of it into the journal, what was recorded last is lost";
