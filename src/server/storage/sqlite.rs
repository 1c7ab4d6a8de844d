//! The journal in a folder, kept by SQLite in WAL mode: one file that other tools can open too. `proto/JOURNAL.md` is its page.
//!
//! A batch of entries is one transaction. Every row that a lobby is made of carries a checksum. Pages that are damaged are
//! noticed when the journal is opened: it is put away then, and all that can be read and verified goes into a new one.
//!
//! Reading order: [`schema`] is the tables and [`row`] the checksum; [`recording`] writes and [`loading`] reads, and [`reading`] beside them; [`opening`]
//! is everything that can be wrong with a file, and [`salvage`] what is saved of it; [`folder`] is the files, [`presence`] looks
//! whether they are still there, and [`renewal`] is what is done if not.

mod anew;
mod backup;
mod beside;
mod blaming;
mod checking;
mod checkpoints;
mod closing;
mod folder;
mod frame;
mod gathering;
mod gleaning;
mod image;
mod index;
mod loading;
mod log;
mod migration;
mod opening;
mod presence;
mod pruning;
mod reading;
mod recording;
mod renewal;
mod replaying;
mod row;
mod salvage;
mod scan;
mod schema;
mod sum;
mod summary;
mod survey;
mod trouble;
mod versions;
mod visiting;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result, TransactionBehavior};

use super::{Archive, Bounds, Damage, Entry, LobbyId, Storage, StorageError, StoredLobby, WallTime};
pub use backup::backup;
pub use checking::{MAX_FINDINGS, Report, check};
use checkpoints::Checkpoints;
use folder::Held;
use presence::{Care, Presence};
use pruning::Rest;
use reading::Reader;
use recording::Recorder;

/// The bytes in front of a frame's body: its length.
const HEADER: usize = 4;

/// How firm a batch is when it has been recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// It survives the end of the process, in whatever way.
    Process,
    /// It has been synced to the disk, and survives the end of the power.
    Power,
}

/// A journal that is open, and its folder held, so that no other server takes it.
#[derive(Debug)]
pub struct Sqlite {
    /// What is looked at after every batch.
    presence: Presence,
    /// Gone before the connection is closed, which has the last word.
    checkpoints: Checkpoints,
    /// Closed before the folder is given up.
    connection: Connection,
    folder: PathBuf,
    durability: Durability,
    held: Held,
    /// So many entries of the batch that is tried again are written already, and were not where they belong.
    ahead: usize,
    /// How long the last change took to be committed.
    synced_in: Duration,
    /// What is left of a lobby of which a piece was forgotten.
    rest: Option<Rest>,
    /// Why nothing can be recorded any more until the next start, if so.
    spoiled: Option<StorageError>,
}

impl Sqlite {
    /// Opens the journal in this folder, or begins one; also says what a host has to know: a journal that was migrated, one
    /// that was damaged and what has been saved of it, lobbies that are set aside.
    ///
    /// Refuses a folder that another process holds, one that cannot be written, a database of another program, and a journal
    /// of a newer version, which stays as it is.
    pub fn open(folder: &Path, durability: Durability) -> Result<(Self, Vec<String>), StorageError> {
        opening::open(folder, durability, &schema::LAYOUT)
    }

    /// What `work` does to the journal, as a whole or not at all.
    fn change<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T, StorageError> {
        let change = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            let began = Instant::now();
            transaction.commit()?;
            self.synced_in = began.elapsed();
            Ok(done)
        };
        change().map_err(|error| trouble::of_engine(&self.folder, &error))
    }
}

impl Drop for Sqlite {
    /// Where everything is as it has to be, SQLite puts all of it into the journal now and removes what is beside it.
    fn drop(&mut self) {
        let is_there = self.spoiled.is_none() && matches!(self.look(Care::All), Ok(Ok(_)));
        if !is_there || closing::note_closed(&self.connection).is_err() {
            self.leave_as_it_is();
        }
    }
}

impl Storage for Sqlite {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        if self.ahead > 0 {
            self.secure(Care::All)?;
        }
        let fresh = entries.get(self.ahead..).unwrap_or_default();
        self.change(|connection| {
            let mut recorder = Recorder::on(connection)?;
            fresh.iter().try_for_each(|entry| recorder.record(entry))
        })?;
        self.ahead = entries.len();
        self.secure(Care::Most)?;
        self.ahead = 0;
        Ok(())
    }

    fn synced_in(&self) -> Duration {
        self.synced_in
    }

    fn try_out(&mut self) -> Result<(), StorageError> {
        // It is written although it is as it was.
        self.change(|connection| {
            let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            connection.pragma_update(None, "user_version", version)
        })?;
        self.secure(Care::All)
    }

    fn prove(&mut self) -> Result<(), StorageError> {
        self.secure(Care::All)?;
        self.checkpoints.finish(&self.connection);
        self.read_back()
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError> {
        loading::load(&self.connection, each).map_err(|error| trouble::of_engine(&self.folder, &error))
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError> {
        self.change(|connection| recording::set_aside(connection, damage, WallTime::now()))
    }

    fn aside(&mut self) -> Result<Vec<Damage>, StorageError> {
        loading::aside(&self.connection).map_err(|error| trouble::of_engine(&self.folder, &error))
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError> {
        let mut rest = self.rest.take();
        let pruned = self.change(|connection| pruning::prune(connection, bounds, &mut rest))?;
        self.rest = rest;
        let given_back = pruning::give_back(&self.connection);
        given_back.map_err(|error| trouble::of_engine(&self.folder, &error))?;
        self.secure(Care::Most)?;
        Ok(pruned)
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        Reader::of(&self.folder).map(|reader| Box::new(reader) as Box<dyn Archive>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::{Code, Conditions};
    use crate::server::storage::{Note, Opening};

    fn opened(lobby: u64) -> Entry {
        let code = Code::from_bits(u16::try_from(lobby).unwrap(), 0);
        let (conditions, opener) = (Conditions::default(), [127, 0, 0, 1].into());
        let opening = Opening { code, variant: "tic-tac-toe".into(), conditions, lock: None, opener };
        Entry { lobby: LobbyId(lobby), wall: WallTime(lobby), note: Note::Opened(opening) }
    }

    #[test]
    fn a_full_disk_is_named_and_the_same_batch_recorded_once_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        let limit = |journal: &Sqlite, pages: u32| {
            journal.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(())).unwrap();
        };
        limit(&journal, 30);
        let batches: Vec<Vec<Entry>> =
            (1..100).map(|first| (first * 50..first * 50 + 50).map(opened).collect()).collect();
        let full = batches.iter().position(|batch| match journal.record(batch) {
            Ok(()) => false,
            Err(trouble) => {
                let sentence = format!("the disk of {} is full: make room there", folder.path().display());
                assert!(trouble.cause.starts_with(&sentence), "{trouble}");
                true
            }
        });
        let full = full.unwrap();
        let count = |journal: &mut Sqlite| {
            let mut count = 0;
            journal.load(&mut |_| count += 1).unwrap();
            count
        };
        assert_eq!(count(&mut journal), full * 50);
        limit(&journal, 3_000);
        journal.record(&batches[full]).unwrap();
        assert_eq!(count(&mut journal), full * 50 + 50);
    }

    #[test]
    fn what_is_written_beside_the_journal_stays_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        for first in 0..1_000 {
            journal.record(&(first * 10 + 1..first * 10 + 11).map(opened).collect::<Vec<_>>()).unwrap();
        }
        let beside = folder.path().join("journal.sqlite-wal").metadata().unwrap().len();
        assert!((1..20_000_000).contains(&beside), "{beside} bytes");
    }
}
