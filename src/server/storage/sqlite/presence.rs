//! Whether the files that are written are still those in the folder: somebody may remove, replace or cut off what a server has
//! open, and the system goes on taking what is written there. It knows files and the pages of SQLite, and nothing of lobbies.
//!
//! Every look costs a handful of system calls, so that there can be one after every batch.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use rusqlite::{Connection, Result};

use super::folder::{Folder, Identity, beside};
use super::log::{FRAME, HEADER, OWN_SALT, PAGE, SALT};

/// The files of a journal that is open, as they were when it was looked at them last.
#[derive(Debug)]
pub(super) struct Presence {
    /// The journal, what SQLite keeps beside it, and the lock.
    files: [(PathBuf, Identity); 4],
    /// The file beside the journal, to read what was written there.
    log: File,
    /// The bytes that the journal had.
    length: u64,
    /// The last frame that was written.
    last: Option<Written>,
}

/// The places of these two among the files.
const JOURNAL: usize = 0;
const LOG: usize = 1;

/// What happened to a journal's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Loss {
    /// A file is not in its place any more: it was removed, or another one has its name.
    Gone(PathBuf),
    /// A file is shorter than what was written there, or something else stands there.
    Spoiled(PathBuf),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gone(file) => write!(f, "{} was removed or replaced by another program", file.display()),
            Self::Spoiled(file) => {
                write!(f, "{} was cut off or written over by another program", file.display())
            }
        }
    }
}

/// A frame in the file beside the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Written {
    /// How many there are up to this one.
    count: u64,
    /// What stands in front of the file, and of each of its frames.
    salt: [u8; SALT.end - SALT.start],
    /// A checksum of all of it.
    crc: u32,
}

impl Presence {
    /// The files of a journal that has just been opened, and over which a transaction has been begun, so that all are there.
    pub(super) fn of(folder: &Folder, connection: &Connection) -> io::Result<Self> {
        let journal = folder.journal();
        let length = journal.metadata()?.len();
        let [log, index] = beside(&journal);
        let known = |path: PathBuf| path.metadata().map(|file| (path, Identity::of(&file)));
        let open_log = File::open(&log)?;
        let files = [known(journal)?, known(log)?, known(index)?, known(folder.lock())?];
        let count = frames(connection).map_err(io::Error::other)?;
        let mut presence = Self { files, log: open_log, length, last: None };
        presence.last = if count == 0 { None } else { Some(presence.frame(count)?) };
        Ok(presence)
    }

    /// Looks whether all that was written over this connection is in the files of the folder, and notes how far it is written.
    pub(super) fn look(&mut self, connection: &Connection) -> Result<Option<Loss>> {
        let lengths = match self.lengths() {
            Ok(lengths) => lengths,
            Err(gone) => return Ok(Some(gone)),
        };
        if self.is_journal_cut(lengths[JOURNAL], connection)? {
            return Ok(Some(self.spoiled(JOURNAL)));
        }
        let count = frames(connection)?;
        let is_whole = self.is_log_whole(lengths[LOG], count).unwrap_or(false);
        Ok((!is_whole).then(|| self.spoiled(LOG)))
    }

    /// Whether the file that is in the journal's place is the one that was opened.
    pub(super) fn is_in_place(&self) -> bool {
        let (path, known) = &self.files[JOURNAL];
        Identity::at(path) == Some(*known)
    }

    /// How long the files are, if each of them is in its place.
    fn lengths(&self) -> std::result::Result<[u64; 4], Loss> {
        let mut lengths = [0; 4];
        for ((path, known), length) in self.files.iter().zip(&mut lengths) {
            match path.metadata() {
                Ok(there) if Identity::of(&there) == *known => *length = there.len(),
                _ => return Err(Loss::Gone(path.clone())),
            }
        }
        Ok(lengths)
    }

    fn spoiled(&self, file: usize) -> Loss {
        Loss::Spoiled(self.files[file].0.clone())
    }

    /// A journal becomes shorter when pages are given back, but never shorter than those that there are.
    fn is_journal_cut(&mut self, length: u64, connection: &Connection) -> Result<bool> {
        if length < self.length {
            let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
            if length < pages.cast_unsigned() * PAGE as u64 {
                return Ok(true);
            }
        }
        self.length = length;
        Ok(false)
    }

    /// Whether so many frames stand beside the journal, the one among them that was the last when it was looked at them last.
    /// What is cut off in between is filled with zeroes by the next write, which the length alone would hide.
    fn is_log_whole(&mut self, length: u64, count: u64) -> io::Result<bool> {
        if count == 0 {
            self.last = None;
            return Ok(true);
        }
        let mut salt = [0; SALT.end - SALT.start];
        read_at(&self.log, OWN_SALT as u64, &mut salt)?;
        let newest = self.frame(count)?;
        let is_last_there = match self.last {
            Some(last) if last.count == count && last.salt == salt => newest == last,
            // Once all of it is in the journal SQLite begins the file anew, with another salt.
            Some(last) if last.count < count && last.salt == salt => self.frame(last.count)? == last,
            _ => true,
        };
        let is_whole = length >= end_of(count) && newest.salt == salt && is_last_there;
        if is_whole {
            self.last = Some(newest);
        }
        Ok(is_whole)
    }

    fn frame(&self, count: u64) -> io::Result<Written> {
        let mut frame = [0; FRAME];
        read_at(&self.log, end_of(count) - FRAME as u64, &mut frame)?;
        let mut salt = [0; SALT.end - SALT.start];
        salt.copy_from_slice(&frame[SALT]);
        Ok(Written { count, salt, crc: crc32fast::hash(&frame) })
    }
}

/// Where the frame of this number ends, counted from 1.
const fn end_of(number: u64) -> u64 {
    HEADER as u64 + number * FRAME as u64
}

#[cfg(unix)]
fn read_at(file: &File, place: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, place)
}

#[cfg(not(unix))]
fn read_at(mut file: &File, place: u64, bytes: &mut [u8]) -> io::Result<()> {
    use std::io::{Read, Seek, SeekFrom};
    file.seek(SeekFrom::Start(place))?;
    file.read_exact(bytes)
}

/// How many frames stand beside the journal. It only asks, and moves nothing.
fn frames(connection: &Connection) -> Result<u64> {
    let mut ask = connection.prepare_cached("PRAGMA wal_checkpoint(NOOP)")?;
    let count: i64 = ask.query_row([], |row| row.get(1))?;
    // Less than none is what SQLite says of a database that has no such file.
    Ok(u64::try_from(count).unwrap_or_default())
}
