//! The journal in a folder: the storage engine of a server.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};
use std::{fs, mem};

use rusqlite::{Connection, TransactionBehavior};

use super::connect::Durability;
use super::error::{full, of_engine};
use super::files::{Folder, FolderLock};
use super::loading;
use super::open_file;
use super::pruning::{Pruning, prune, release_pages};
use super::reading::Reader;
use super::recording::Recorder;
use super::reserve::Reserve;
use super::schema::write_version;
use super::wal::WalCopier;
use super::whole::{self, LastEvent, Written};
use crate::number::saturating;
use crate::server::storage::{
    Archive, Bounds, Damage, Entry, Loaded, LobbyId, Pruned, Storage, StorageError, StoredLobby,
};

/// The number of `PRAGMA synchronous` with which each commit is synced.
const FULL: i32 = 2;

/// An open journal. Its folder is locked, so that no other server uses it.
#[derive(Debug)]
pub struct Sqlite {
    /// Ends first. The connection is then the last one, so that closing it removes the log: of two that are closed at
    /// the same moment, neither does. At last the folder is unlocked.
    _copier: WalCopier,
    connection: Connection,
    _lock: FolderLock,
    folder: Folder,
    /// How long the last commit took.
    synced_in: Duration,
    pruning: Pruning,
    reserve: Reserve,
}

impl Drop for Sqlite {
    fn drop(&mut self) {
        // The copier ends once nobody can wake it any more. Where this fails, it ends with the connection.
        let _ = WalCopier::release(&mut self.connection);
    }
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
        let opened = open_file::open(folder, durability);
        let (mut connection, lock, news) = match opened {
            // A server was ended on a full disk before it could give up its reserve.
            Err(error) if error.is_full() && fs::remove_file(Folder::at(folder).reserve()).is_ok() => {
                open_file::open(folder, durability)?
            }
            opened => opened?,
        };
        let (folder, synced_in, pruning) = (Folder::at(folder), Duration::ZERO, Pruning::default());
        let reserve = Reserve::none(&folder);
        let copier = WalCopier::start(&mut connection, &folder.journal())
            .map_err(|error| of_engine(folder.path(), &error))?;
        Ok((Self { connection, _copier: copier, _lock: lock, folder, synced_in, pruning, reserve }, news))
    }

    /// The same with a reserve for a full disk, as a server has it that others play on.
    #[must_use]
    pub fn with_reserve(mut self) -> Self {
        self.reserve.begin();
        self
    }

    /// Whether anything is there of the lobby with this number.
    pub fn has_lobby(&self, lobby: LobbyId) -> Result<bool, StorageError> {
        whole::has(&self.connection, lobby).map_err(|error| self.engine(&error))
    }

    /// A number above those of all lobbies that are here.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn next_lobby(&self) -> Result<LobbyId, StorageError> {
        whole::next(&self.connection).map_err(|error| self.engine(&error))
    }

    /// The lobbies whose ends are missing, each with the last event that is there. Takes some seconds where very much
    /// was recorded since the first of them was opened.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn last_events(&self) -> Result<BTreeMap<LobbyId, LastEvent>, StorageError> {
        whole::last_events(&self.connection).map_err(|error| self.engine(&error))
    }

    /// Records lobbies that were played elsewhere, each with its opening first and its events in their order, from any
    /// one on. What is there already is left as it is, up to the event that `last` has for the lobby; where it does not
    /// know the lobby, or the lobby has another history, all is recorded anew. All of them survive a power failure when
    /// it returns. Returns what became of each.
    ///
    /// # Errors
    ///
    /// None of them is recorded then.
    pub fn record_whole(
        &mut self,
        lobbies: &[Vec<Entry>],
        last: &impl Fn(LobbyId) -> Option<LastEvent>,
    ) -> Result<Vec<Written>, StorageError> {
        let synchronous = |journal: &Self| {
            journal.connection.pragma_query_value(None, "synchronous", |row| row.get::<_, i32>(0))
        };
        let usual = synchronous(self).map_err(|error| self.engine(&error))?;
        let set = |journal: &Self, value: i32| {
            let set = journal.connection.pragma_update(None, "synchronous", value);
            set.map_err(|error| journal.engine(&error))
        };
        set(self, FULL)?;
        let recorded = self.on_a_full_disk_twice(|journal| {
            journal.change(|connection| whole::record(connection, lobbies, last))
        });
        set(self, usual)?;
        for (entries, written) in lobbies.iter().zip(recorded.iter().flatten()) {
            if *written == Written::Done {
                self.pruning.note(entries);
            }
        }
        recorded
    }

    /// Runs `work` in a transaction.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StorageError> {
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

    /// Does this, and if the disk is full, makes room and does it again.
    fn on_a_full_disk_twice<T>(
        &mut self,
        work: impl Fn(&mut Self) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let mut done = work(self);
        if done.as_ref().is_err_and(StorageError::is_full) {
            self.reserve.give_up();
            // The file beside the journal takes room, too.
            self.shrink();
            done = work(self);
        }
        done
    }

    /// Moves all of the file beside the journal into the journal, and gives the room of both back to the
    /// disk. Where a reader is in the way, a later call does it.
    fn shrink(&self) {
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    fn engine(&self, error: &rusqlite::Error) -> StorageError {
        of_engine(self.folder.path(), error)
    }
}

impl Storage for Sqlite {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        self.on_a_full_disk_twice(|journal| {
            journal.change(|connection| {
                let mut recorder = Recorder::new(connection)?;
                entries.iter().try_for_each(|entry| recorder.record(entry))
            })
        })?;
        self.pruning.note(entries);
        Ok(())
    }

    fn synced_in(&self) -> Duration {
        self.synced_in
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<Loaded, StorageError> {
        let pruning = &mut self.pruning;
        let mut noting = |lobby: Result<StoredLobby, Damage>| {
            if let Ok(StoredLobby { lobby, meta, checkpoint, events, .. }) = &lobby {
                let covered = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.events);
                pruning.note_open(*lobby, &meta.opener, covered.saturating_add(saturating(events.len())));
            }
            each(lobby);
        };
        loading::load(&self.connection, &mut noting).map_err(|error| of_engine(self.folder.path(), &error))
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<Pruned, StorageError> {
        let pruned = self.on_a_full_disk_twice(|journal| {
            let mut pruning = mem::take(&mut journal.pruning);
            let pruned = journal.change(|connection| prune(connection, bounds, &mut pruning));
            if pruned.is_err() {
                pruning.begin_again();
            }
            journal.pruning = pruning;
            pruned
        })?;
        release_pages(&self.connection).map_err(|error| self.engine(&error))?;
        if self.reserve.is_given_up() {
            self.shrink();
            // Of what else is free some more, since this is waited for.
            for _ in 0..4 {
                release_pages(&self.connection).map_err(|error| self.engine(&error))?;
                self.shrink();
            }
        }
        Ok(pruned)
    }

    fn shortage(&mut self) -> Option<StorageError> {
        self.reserve.is_missing().then(|| full(self.folder.path()))
    }

    fn check_writable(&mut self) -> Result<(), StorageError> {
        self.change(write_version)
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        Reader::open(self.folder.path()).map(|reader| Box::new(reader) as Box<dyn Archive>)
    }
}

#[cfg(test)]
mod tests {
    use super::super::wal;
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

    #[test]
    fn the_thread_copies_the_file_beside_the_journal_before_the_connection_that_records_would() {
        let folder = tempfile::tempdir().unwrap();
        let (mut journal, _) = Sqlite::open(folder.path(), Durability::Process).unwrap();
        let beside = folder.path().join("journal.sqlite-wal");
        let size = || beside.metadata().unwrap().len();
        let copied = |journal: &Sqlite| -> i64 {
            journal.connection.query_row("PRAGMA wal_checkpoint(NOOP)", [], |row| row.get(2)).unwrap()
        };
        let mut lobbies = 1..;
        // Less than what the connection that records would copy itself.
        while size() < 2 * 4_096 * u64::try_from(wal::PAGES).unwrap() {
            journal.record(&[opened(lobbies.next().unwrap())]).unwrap();
        }
        while copied(&journal) == 0 {
            std::thread::yield_now();
        }
    }
}
