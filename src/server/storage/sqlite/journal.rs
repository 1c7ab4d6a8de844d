//! The journal in a folder: the storage engine of a server.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Result, TransactionBehavior};

use super::connect::Durability;
use super::error::of_engine;
use super::files::{Folder, FolderLock};
use super::loading;
use super::open_file;
use super::pruning::{Unfinished, prune, release_pages};
use super::reading::Reader;
use super::recording::Recorder;
use crate::server::storage::{Archive, Bounds, Damage, Entry, Loaded, Storage, StorageError, StoredLobby};

/// An open journal. Its folder is locked, so that no other server uses it.
#[derive(Debug)]
pub struct Sqlite {
    /// Closed before the folder is unlocked.
    connection: Connection,
    _lock: FolderLock,
    folder: Folder,
    /// How long the last commit took.
    synced_in: Duration,
    unfinished: Option<Unfinished>,
}

impl Sqlite {
    /// Opens or creates the journal in this folder. Also returns sentences for the host, such as what was
    /// lost if the journal was damaged.
    ///
    /// # Errors
    ///
    /// If another process uses the folder, if it cannot be written, or if the file is of another program or
    /// of a later version of the journal; that file stays as it is.
    pub fn open(folder: &Path, durability: Durability) -> Result<(Self, Vec<String>), StorageError> {
        let (connection, lock, news) = open_file::open(folder, durability)?;
        let (folder, synced_in) = (Folder::at(folder), Duration::ZERO);
        Ok((Self { connection, _lock: lock, folder, synced_in, unfinished: None }, news))
    }

    /// Runs `work` in a transaction.
    fn change<T>(&mut self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T, StorageError> {
        let change = || {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            let began = Instant::now();
            transaction.commit()?;
            self.synced_in = began.elapsed();
            Ok(done)
        };
        change().map_err(|error| of_engine(self.folder.path(), &error))
    }

    fn engine(&self, error: &rusqlite::Error) -> StorageError {
        of_engine(self.folder.path(), error)
    }
}

impl Storage for Sqlite {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        self.change(|connection| {
            let mut recorder = Recorder::new(connection)?;
            entries.iter().try_for_each(|entry| recorder.record(entry))
        })
    }

    fn synced_in(&self) -> Duration {
        self.synced_in
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<Loaded, StorageError> {
        loading::load(&self.connection, each).map_err(|error| self.engine(&error))
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError> {
        let mut unfinished = self.unfinished.take();
        let pruned = self.change(|connection| prune(connection, bounds, &mut unfinished))?;
        self.unfinished = unfinished;
        release_pages(&self.connection).map_err(|error| self.engine(&error))?;
        Ok(pruned)
    }

    fn check_writable(&mut self) -> Result<(), StorageError> {
        // This writes a page although the version stays the same.
        self.change(|connection| {
            let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
            connection.pragma_update(None, "user_version", version)
        })
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        Reader::open(self.folder.path()).map(|reader| Box::new(reader) as Box<dyn Archive>)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lobby::{Code, Conditions};
    use crate::server::storage::{LobbyId, LobbyMeta, Note, WallTime};

    fn opened(lobby: u64) -> Entry {
        let code = Code::from_bits(u16::try_from(lobby).unwrap(), 0);
        let (conditions, opener) = (Conditions::default(), [127, 0, 0, 1].into());
        let meta = LobbyMeta { code, variant: "tic-tac-toe".into(), conditions, password: None, opener };
        Entry { lobby: LobbyId(lobby), wall: WallTime(lobby), note: Note::Opened(meta) }
    }

    #[test]
    fn a_full_disk_is_named_and_the_same_batch_is_recorded_once_there_is_room() {
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
            Err(error) => {
                let sentence = format!("the disk of {} is full: make room there", folder.path().display());
                assert!(error.cause.starts_with(&sentence), "{error}");
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
    fn the_file_beside_the_journal_stays_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        for first in 0..1_000 {
            journal.record(&(first * 10 + 1..first * 10 + 11).map(opened).collect::<Vec<_>>()).unwrap();
        }
        let beside = folder.path().join("journal.sqlite-wal").metadata().unwrap().len();
        assert!((1..20_000_000).contains(&beside), "{beside} bytes");
    }
}
