//! Whether the files that are written are still those in the folder: somebody may remove, replace or cut off what a server has
//! open, and the system goes on taking what is written there. It knows files and the pages of SQLite, and nothing of lobbies.
//!
//! Every look costs a handful of system calls, so that there can be one after every batch. It minds that another connection puts what is
//! beside the journal into it meanwhile.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result};

use super::checkpoints::Progress;
use super::folder::{Folder, Identity, beside};
use super::frame::{FRAME, PAGE, SALT, Salt};
use super::log::{HEADER, OWN_SALT};

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
    /// When it was looked at all files.
    looked: Instant,
}

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Care {
    /// What a batch is recorded in: the journal and its log; the others now and then. SQLite makes the index anew for whoever opens the
    /// journal next, and without the lock's file the folder is still locked: nothing is lost with them.
    Most,
    /// Everything.
    All,
}

/// How often it is looked at all files.
const NOW_AND_THEN: Duration = Duration::from_millis(100);

/// The places of these two among the files, and how many are looked at every time.
const JOURNAL: usize = 0;
const LOG: usize = 1;
const MOST: usize = 2;

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
    salt: Salt,
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
        let count = progress(connection).map_err(io::Error::other)?.written;
        let mut presence = Self { files, log: open_log, length, last: None, looked: Instant::now() };
        presence.last = if count == 0 { None } else { Some(presence.frame(count)?) };
        Ok(presence)
    }

    /// Looks whether all that was written over this connection is in the files of the folder, and how far it is written. `left` says
    /// how long the last checkpoint left the journal, and waits for one that goes on.
    pub(super) fn look(
        &mut self,
        connection: &Connection,
        care: Care,
        left: impl FnOnce() -> u64,
    ) -> Result<std::result::Result<Progress, Loss>> {
        let lengths = match self.lengths(care) {
            Ok(lengths) => lengths,
            Err(gone) => return Ok(Err(gone)),
        };
        if self.is_journal_cut(lengths[JOURNAL], connection, left)? {
            return Ok(Err(self.spoiled(JOURNAL)));
        }
        let progress = progress(connection)?;
        let is_whole = self.is_log_whole(lengths[LOG], progress.written).unwrap_or(false);
        Ok(if is_whole { Ok(progress) } else { Err(self.spoiled(LOG)) })
    }

    /// Whether the file that is in the journal's place is the one that was opened.
    pub(super) fn is_in_place(&self) -> bool {
        let (path, known) = &self.files[JOURNAL];
        Identity::at(path) == Some(*known)
    }

    /// How long the journal and its log are, if each file is in its place.
    fn lengths(&mut self, care: Care) -> std::result::Result<[u64; MOST], Loss> {
        let (now, mut lengths) = (Instant::now(), [0; MOST]);
        let is_time = care == Care::All || now.duration_since(self.looked) >= NOW_AND_THEN;
        for (place, (path, known)) in
            self.files.iter().enumerate().take(if is_time { usize::MAX } else { MOST })
        {
            match path.metadata() {
                Ok(there) if Identity::of(&there) == *known => {
                    if let Some(length) = lengths.get_mut(place) {
                        *length = there.len();
                    }
                }
                _ => return Err(Loss::Gone(path.clone())),
            }
        }
        if is_time {
            self.looked = now;
        }
        Ok(lengths)
    }

    fn spoiled(&self, file: usize) -> Loss {
        Loss::Spoiled(self.files[file].0.clone())
    }

    /// A journal becomes shorter when pages are given back, but never shorter than those that there are; or than those that there were
    /// when a checkpoint began, if pages have come meanwhile, which are in the log then.
    fn is_journal_cut(
        &mut self,
        length: u64,
        connection: &Connection,
        left: impl FnOnce() -> u64,
    ) -> Result<bool> {
        if length < self.length {
            let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.get(0))?;
            let (whole, left) = (pages.cast_unsigned() * PAGE as u64, left());
            let now = self.files[JOURNAL].0.metadata().map_or(0, |file| file.len());
            if length < whole && now < left {
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
        let newest = self.frame(count)?;
        let is_last_there = match self.last {
            Some(last) if last.count == count && last.salt == newest.salt => newest == last,
            // Once all of it is in the journal SQLite begins the file anew, with another salt.
            Some(last) if last.count < count && last.salt == newest.salt => self.frame(last.count)? == last,
            _ => self.own_salt()? == newest.salt,
        };
        let is_whole = length >= end_of(count) && is_last_there;
        if is_whole {
            self.last = Some(newest);
        }
        Ok(is_whole)
    }

    /// What every frame has that was written since the file was begun anew.
    fn own_salt(&self) -> io::Result<Salt> {
        let mut salt = Salt::default();
        read_at(&self.log, OWN_SALT as u64, &mut salt)?;
        Ok(salt)
    }

    fn frame(&self, count: u64) -> io::Result<Written> {
        let mut frame = [0; FRAME];
        read_at(&self.log, end_of(count) - FRAME as u64, &mut frame)?;
        let mut salt = Salt::default();
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

/// How far the log is written. It only asks, and moves nothing.
fn progress(connection: &Connection) -> Result<Progress> {
    let mut ask = connection.prepare_cached("PRAGMA wal_checkpoint(NOOP)")?;
    // Less than none is what SQLite says of a database that has no log.
    let count = |count: i64| u64::try_from(count).unwrap_or_default();
    ask.query_row([], |row| Ok(Progress { written: count(row.get(1)?), moved: count(row.get(2)?) }))
}
