//! Whether the files that are written are still those in the folder: somebody may remove, replace or cut off what a server has
//! open, and the system goes on taking what is written there. It knows files and the pages of SQLite, and nothing of lobbies.
//!
//! Every look costs a handful of system calls, so that there can be one after every batch.

use std::fmt;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Result};

use super::folder::{Folder, beside};
use super::log::{FRAME, FRAME_HEADER, HEADER, PAGE, SALT};

/// The files of a journal that is open, as they were when it was looked at them last.
#[derive(Debug)]
pub(super) struct Presence {
    /// The journal, what SQLite keeps beside it, and the lock.
    files: Vec<(PathBuf, Identity)>,
    journal: PathBuf,
    /// The file beside the journal, to read what was written there.
    log: File,
    /// The bytes that the journal had.
    length: u64,
    /// The last frame that was written.
    last: Option<Written>,
}

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
    header: [u8; FRAME_HEADER],
}

impl Presence {
    /// The files of a journal that has just been opened, and over which a transaction has been begun, so that all are there.
    pub(super) fn of(folder: &Folder, connection: &Connection) -> io::Result<Self> {
        let journal = folder.journal();
        let [log, index] = beside(&journal);
        let mut files = Vec::new();
        for path in [&journal, &log, &index, &folder.lock()] {
            files.push((path.clone(), Identity::of(&path.metadata()?)));
        }
        let length = journal.metadata()?.len();
        let mut presence = Self { files, journal, log: File::open(log)?, length, last: None };
        presence.note(frames(connection).map_err(io::Error::other)?)?;
        Ok(presence)
    }

    /// Looks whether all that was written over this connection is in the files of the folder, and notes how far it is written.
    pub(super) fn look(&mut self, connection: &Connection) -> Result<Option<Loss>> {
        let gone = self.files.iter().find(|(path, known)| Identity::at(path).as_ref() != Some(known));
        if let Some((path, _)) = gone {
            return Ok(Some(Loss::Gone(path.clone())));
        }
        if self.is_journal_cut(connection)? {
            return Ok(Some(Loss::Spoiled(self.journal.clone())));
        }
        let count = frames(connection)?;
        let is_written = self.is_log_whole(count) && self.note(count).is_ok();
        let [log, _] = beside(&self.journal);
        Ok((!is_written).then_some(Loss::Spoiled(log)))
    }

    /// Whether the file that is in the journal's place is the one that was opened.
    pub(super) fn is_in_place(&self) -> bool {
        self.is_there(&self.journal)
    }

    /// Whether this file is the one that was opened.
    pub(super) fn is_there(&self, path: &Path) -> bool {
        self.files
            .iter()
            .any(|(known, identity)| known == path && Identity::at(path).as_ref() == Some(identity))
    }

    /// A journal becomes shorter when pages are given back, but never shorter than those that there are.
    fn is_journal_cut(&mut self, connection: &Connection) -> Result<bool> {
        let length = self.journal.metadata().map_or(0, |journal| journal.len());
        let is_shorter = length < self.length;
        if is_shorter {
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
    fn is_log_whole(&mut self, count: u64) -> bool {
        let whole = || -> io::Result<bool> {
            let salt = self.salt()?;
            let is_long_enough = count == 0 || self.log.metadata()?.len() >= end_of(count);
            let is_last_there = match self.last {
                // Once all of it is in the journal SQLite begins the file anew, with another salt.
                Some(last) if last.count <= count && last.header[SALT] == salt => {
                    self.frame(last.count)? == last.header
                }
                _ => true,
            };
            Ok(is_long_enough && is_last_there && (count == 0 || self.frame(count)?[SALT] == salt))
        };
        whole().unwrap_or(false)
    }

    fn note(&mut self, count: u64) -> io::Result<()> {
        self.last = if count == 0 { None } else { Some(Written { count, header: self.frame(count)? }) };
        Ok(())
    }

    /// What stands in front of the file and in each of its frames.
    fn salt(&self) -> io::Result<[u8; 8]> {
        let mut salt = [0; 8];
        // A file that was never written to is empty.
        if self.log.metadata()?.len() > 0 {
            read_at(&self.log, 16, &mut salt)?;
        }
        Ok(salt)
    }

    fn frame(&self, number: u64) -> io::Result<[u8; FRAME_HEADER]> {
        let mut header = [0; FRAME_HEADER];
        read_at(&self.log, end_of(number) - FRAME as u64, &mut header)?;
        Ok(header)
    }
}

/// Where the frame of this number ends, counted from 1.
const fn end_of(number: u64) -> u64 {
    HEADER as u64 + number * FRAME as u64
}

fn read_at(mut file: &File, place: u64, bytes: &mut [u8]) -> io::Result<()> {
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

/// By what a file is known again, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Identity {
    #[cfg(unix)]
    inode: (u64, u64),
}

impl Identity {
    /// That of the file at this place, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|file| Self::of(&file))
    }

    #[cfg(unix)]
    fn of(file: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { inode: (file.dev(), file.ino()) }
    }

    /// Elsewhere a file that is open cannot be removed.
    #[cfg(not(unix))]
    fn of(_file: &Metadata) -> Self {
        Self {}
    }
}
