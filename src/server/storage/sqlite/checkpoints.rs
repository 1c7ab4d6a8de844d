//! What puts the log that stands beside a journal into the journal, on a thread and over a connection of its own: whoever records
//! does not wait for it. It knows pages, and nothing of what is on them.
//!
//! Such a checkpoint is SQLite's PASSIVE one, which waits for nobody either. But SQLite begins the log anew only when all of it is in
//! the journal and nobody reads it, and whoever always writes is always a little ahead. So where the log has become too long,
//! whoever writes puts the little that is left into the journal.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Result};

use super::folder::Folder;
use super::frame::FRAME;
use super::opening::{WAL_KEPT, connect, synchronise};
use super::trouble::of_engine;
use super::{Durability, StorageError};
use crate::system::Said;

/// So many frames of the log, 4 MB, are put into the journal together.
const MANY: u64 = 1_000;

/// As many frames as the file beside the journal keeps room for: where there are more, whoever writes lends a hand, each time that
/// [`MANY`] have been added. There may be more of them for as long as somebody reads a state that is as old.
const MOST: u64 = WAL_KEPT.cast_unsigned() / FRAME as u64;

/// How far the log is written, and how far it is in the journal too, in frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) written: u64,
    pub(super) moved: u64,
}

/// What moves the log.
#[derive(Debug)]
pub(super) struct Checkpoints {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// From so many frames on whoever writes lends a hand.
    limit: u64,
}

#[derive(Debug)]
struct Shared {
    wish: Mutex<Wish>,
    wished: Condvar,
    /// Held for as long as a checkpoint takes.
    mover: Mutex<Mover>,
}

/// What the thread is to do.
#[derive(Debug, Default)]
struct Wish {
    go: bool,
    end: bool,
}

/// The connection, and what came of its last checkpoint.
#[derive(Debug)]
struct Mover {
    connection: Connection,
    folder: Folder,
    /// The bytes of the journal since then: it may have become shorter, where pages were given back. More than any, once it was cut off
    /// in between.
    length: u64,
    trouble: Option<StorageError>,
}

impl Checkpoints {
    /// Those of the journal in this folder.
    pub(super) fn of(folder: &Path, durability: Durability) -> Result<Self, StorageError> {
        let mover = Mover::of(folder, durability).map_err(|error| of_engine(folder, &error))?;
        let shared =
            Arc::new(Shared { wish: Mutex::default(), wished: Condvar::new(), mover: Mutex::new(mover) });
        let of_the_thread = Arc::clone(&shared);
        let thread = thread::Builder::new().name("checkpoints".into()).spawn(move || of_the_thread.run());
        let thread = thread
            .map_err(|error| StorageError::of_host(format!("no thread can be started: {}", Said(&error))))?;
        Ok(Self { shared, thread: Some(thread), limit: MOST })
    }

    /// Sees to it that the log does not become too long, which is so far after what was just written over this connection.
    pub(super) fn keep_up(&mut self, progress: Progress, writer: &Connection) -> Result<()> {
        let Progress { written, moved } = progress;
        if written.saturating_sub(moved) >= MANY {
            self.shared.wish(|wish| wish.go = true);
        }
        if written < MOST {
            self.limit = MOST;
        } else if written >= self.limit {
            // Not while the thread is at it, which SQLite would refuse.
            lock(&self.shared.mover).go_over(Some(writer))?;
            self.limit = written + MANY;
        }
        Ok(())
    }

    /// Puts all of the log into the journal that can be put there now. What cannot stays where it is. Nothing of the kind goes on
    /// afterwards, until something is written.
    pub(super) fn finish(&self, writer: &Connection) {
        let mut wish = lock(&self.shared.wish);
        wish.go = false;
        let mut mover = lock(&self.shared.mover);
        drop(wish);
        let _ = mover.go_over(Some(writer));
    }

    /// The bytes that the journal had after the last checkpoint. None is going on when this is known.
    pub(super) fn length(&self) -> u64 {
        lock(&self.shared.mover).length
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.shared.wish(|wish| wish.end = true);
        if let Some(thread) = self.thread.take() {
            // Whatever went wrong there, all that it would have moved is still in the log.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn wish(&self, change: impl FnOnce(&mut Wish)) {
        change(&mut lock(&self.wish));
        self.wished.notify_one();
    }

    fn run(&self) {
        loop {
            let rests = |wish: &mut Wish| !wish.go && !wish.end;
            let wish = self.wished.wait_while(lock(&self.wish), rests);
            let mut wish = wish.unwrap_or_else(PoisonError::into_inner);
            if wish.end {
                return;
            }
            wish.go = false;
            // Who holds the one has to come by the other, so that nobody finds a wish granted that has not been begun.
            let mut mover = lock(&self.mover);
            drop(wish);
            mover.go();
        }
    }
}

impl Mover {
    fn of(folder: &Path, durability: Durability) -> Result<Self> {
        let folder = Folder::at(folder);
        let connection = connect(&folder.journal())?;
        synchronise(&connection, durability)?;
        // That is for whoever writes, who knows whether the files are still the same.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        let mut mover = Self { connection, folder, length: 0, trouble: None };
        mover.length = mover.measure();
        Ok(mover)
    }

    /// Puts into the journal what can be put there. What goes wrong is told once: the log just becomes longer meanwhile, until whoever
    /// writes meets the same trouble.
    fn go(&mut self) {
        let trouble = self.go_over(None).err().map(|error| of_engine(self.folder.path(), &error));
        if let Some(trouble) = trouble.as_ref().filter(|trouble| self.trouble.as_ref() != Some(*trouble)) {
            tracing::warn!(%trouble, "what is beside the journal could not be put into it");
        }
        self.trouble = trouble;
    }

    /// The same over this connection, or else over its own.
    fn go_over(&mut self, connection: Option<&Connection>) -> Result<()> {
        let is_cut = self.measure() < self.length;
        // As much as is possible without waiting for anybody.
        let mut checkpoint =
            connection.unwrap_or(&self.connection).prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?;
        let done = checkpoint.query_row([], |_| Ok(()));
        drop(checkpoint);
        self.length = if is_cut { u64::MAX } else { self.measure() };
        done
    }

    fn measure(&self) -> u64 {
        self.folder.journal().metadata().map_or(0, |file| file.len())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
