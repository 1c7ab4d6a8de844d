//! The reserve: a file beside the journal that is given up when the disk is full, so that closings and
//! pruning can still be recorded.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;

use super::error::is_out_of_room;
use super::files::{Folder, open_private};

/// Its size: twice what SQLite writes beside the journal before it moves that into the journal.
pub(super) const RESERVE: u64 = 32 << 20;

/// How much more room there has to be when it is made.
const SLACK: u64 = 2 << 20;

/// The same when it was given up before: the disk should not be full again in a moment.
const SLACK_AFTERWARDS: u64 = 8 << 20;

/// A file of random bytes takes its size also on disks that compress.
const BLOCK: usize = 64 * 1024;

/// The reserve of a journal.
#[derive(Debug)]
pub(super) struct Reserve {
    path: PathBuf,
    state: State,
    slack: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Kept,
    /// It was given up, or there was no room for it.
    Missing,
    /// There is none, for another reason than a lack of room: nobody wants it, or single files have a limit.
    Impossible,
}

impl Reserve {
    /// No reserve in this folder, until it is begun with.
    pub(super) fn none(folder: &Folder) -> Self {
        Self { path: folder.reserve(), state: State::Impossible, slack: SLACK }
    }

    /// Makes it, if there is room.
    pub(super) fn begin(&mut self) {
        let is_there = fs::metadata(&self.path).is_ok_and(|file| file.len() == RESERVE);
        self.state = if is_there { State::Kept } else { State::Missing };
        self.make();
    }

    /// Removes it, if it is there.
    pub(super) fn give_up(&mut self) {
        if self.state == State::Kept {
            (self.state, self.slack) = (State::Missing, SLACK_AFTERWARDS);
            // If it is gone already, its room is free.
            let _ = fs::remove_file(&self.path);
        }
    }

    pub(super) fn is_given_up(&self) -> bool {
        self.state == State::Missing
    }

    /// Whether there is no room for it. If it is missing, this tries to make it.
    pub(super) fn is_missing(&mut self) -> bool {
        self.make();
        self.state == State::Missing
    }

    fn make(&mut self) {
        if self.state == State::Missing {
            self.state = match self.write() {
                Ok(()) => State::Kept,
                Err(error) if is_out_of_room(&error) => State::Missing,
                Err(_) => State::Impossible,
            };
            if self.state != State::Kept {
                let _ = fs::remove_file(&self.path);
            }
        }
    }

    fn write(&self) -> io::Result<()> {
        let mut file = open_private(&self.path, OpenOptions::new().create(true).truncate(true))?;
        let mut block = vec![0; BLOCK];
        fastrand::fill(&mut block);
        for _ in 0..(RESERVE + self.slack) / BLOCK as u64 {
            file.write_all(&block)?;
        }
        file.set_len(RESERVE)?;
        // Some file systems find out only now.
        file.sync_all()
    }
}
