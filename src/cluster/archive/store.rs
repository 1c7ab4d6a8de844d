//! A node's SQLite as an archive. What takes long happens on threads for that, one call after the other.

use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::open_lobbies::OpenLobbies;
use crate::server::storage::sqlite::{Durability, Written};
use crate::server::storage::{Archive, Entry, LobbyId, Sqlite, Storage, StorageError};
use crate::server::{History, Pruner};

/// The most entries of own lobbies that wait: some seconds of play. What comes then is read from the pages
/// of the lobby later.
const MAX_WAITING: usize = 50_000;

/// How many pieces are pruned in one go, each of which takes some milliseconds.
const PIECES: usize = 10;

/// A node's archive, from the start of the program to its end: it outlives memberships. Clones are the same one.
#[derive(Debug, Clone)]
pub struct ArchiveStore(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Held for as long as SQLite takes.
    recording: Mutex<Recording>,
    /// What is to be recorded of own lobbies. Held for a moment.
    waiting: Mutex<Vec<Entry>>,
    /// Whether the caller does what takes long, as in a simulation, where everything happens on one thread.
    is_inline: bool,
}

#[derive(Debug)]
struct Recording {
    sqlite: Sqlite,
    pruner: Pruner,
    /// `None` until it is read from SQLite.
    open: Option<OpenLobbies>,
}

impl ArchiveStore {
    /// Opens or creates the archive in this folder, which belongs to one node of one cluster. Also returns sentences
    /// for the host.
    ///
    /// # Errors
    ///
    /// As [`Sqlite::open`].
    pub fn open(
        folder: &Path,
        durability: Durability,
        history: History,
    ) -> Result<(Self, Vec<String>), StorageError> {
        let (sqlite, news) = Sqlite::open(folder, durability)?;
        Ok((Self::on(sqlite, history, false), news))
    }

    /// The same for a simulation: everything happens on the thread of the caller.
    ///
    /// # Errors
    ///
    /// As [`Sqlite::open`].
    pub fn open_inline(folder: &Path, history: History) -> Result<Self, StorageError> {
        let (sqlite, _) = Sqlite::open(folder, Durability::Process)?;
        Ok(Self::on(sqlite, history, true))
    }

    fn on(sqlite: Sqlite, history: History, is_inline: bool) -> Self {
        let recording = Recording { sqlite, pruner: Pruner::new(history), open: None };
        let (recording, waiting) = (Mutex::new(recording), Mutex::default());
        Self(Arc::new(Inner { recording, waiting, is_inline }))
    }

    /// A reader of all that is recorded here, as the record service needs it. Waits while something is recorded.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened once more.
    pub fn reader(&self) -> Result<Box<dyn Archive>, StorageError> {
        self.0.recording.lock().sqlite.archive()
    }

    /// A number above those of all lobbies that are recorded here. New lobbies need such numbers, even if etcd was wiped
    /// and counts from 1 again. Waits while something is recorded.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn next_number(&self) -> Result<LobbyId, StorageError> {
        self.0.recording.lock().sqlite.next_lobby()
    }

    /// Notes what this node has recorded in its log, in this order, so that the games of its open lobbies can be read
    /// soon. Takes a moment. What is lost of it, by a crash for instance, is recorded once a game has ended in the lobby or
    /// it is closed.
    pub fn record_own(&self, entries: &[Entry]) {
        let mut waiting = self.0.waiting.lock();
        if waiting.len().saturating_add(entries.len()) <= MAX_WAITING {
            waiting.extend_from_slice(entries);
        }
    }

    /// Finds out which lobbies are here without their ends. To be called when the node has joined, before anything of
    /// this life is recorded. Takes some seconds where very much was recorded since the first of them was opened.
    pub(super) async fn find_open(&self) -> Result<(), StorageError> {
        self.on_a_thread(|recording| {
            recording.open = None;
            recording.with_open().map(drop)
        })
        .await
    }

    /// Records what waits of own lobbies. If that fails, they are read from their pages later.
    pub(super) async fn record_waiting(&self) -> Result<(), StorageError> {
        let waiting = mem::take(&mut *self.0.waiting.lock());
        if waiting.is_empty() {
            return Ok(());
        }
        self.on_a_thread(move |recording| recording.record_own(waiting)).await
    }

    /// The numbers of the last events that are here of these lobbies, if they are here without their ends.
    pub(super) async fn last_events(&self, lobbies: Vec<LobbyId>) -> Result<Vec<Option<u32>>, StorageError> {
        self.on_a_thread(move |recording| {
            let (_, open) = recording.with_open()?;
            Ok(lobbies.into_iter().map(|lobby| open.last(lobby).map(|last| last.number)).collect())
        })
        .await
    }

    /// Records what is not here of these lobbies, each with its opening first, and its events from any one on. They
    /// survive a power failure then. Returns what became of each.
    pub(super) async fn record(&self, lobbies: Vec<Vec<Entry>>) -> Result<Vec<Written>, StorageError> {
        if lobbies.is_empty() {
            return Ok(Vec::new());
        }
        self.on_a_thread(move |recording| recording.record(&lobbies)).await
    }

    /// Prunes, if it is time.
    pub(super) async fn prune(&self) -> Result<(), StorageError> {
        self.on_a_thread(|recording| {
            let Recording { sqlite, pruner, .. } = recording;
            for _ in 0..PIECES {
                if pruner.pause() > Duration::ZERO {
                    break;
                }
                pruner.prune(sqlite);
            }
            Ok(())
        })
        .await
    }

    async fn on_a_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Recording) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        if self.0.is_inline {
            return work(&mut self.0.recording.lock());
        }
        let inner = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || work(&mut inner.recording.lock())).await;
        done.unwrap_or_else(|failed| Err(StorageError::of_host(format!("the archive has failed: {failed}"))))
    }
}

impl Recording {
    /// SQLite, and the lobbies that are there without their ends.
    fn with_open(&mut self) -> Result<(&mut Sqlite, &mut OpenLobbies), StorageError> {
        let open = match &mut self.open {
            Some(open) => open,
            none => none.insert(OpenLobbies::found(self.sqlite.last_events()?)),
        };
        Ok((&mut self.sqlite, open))
    }

    fn record_own(&mut self, waiting: Vec<Entry>) -> Result<(), StorageError> {
        let (sqlite, open) = self.with_open()?;
        // Where it cannot be told, the lobby is read from its pages later.
        let is_there = |lobby| sqlite.has_lobby(lobby).unwrap_or(true);
        let follows = |entry: &Entry| open.follows(entry, || is_there(entry.lobby));
        let entries: Vec<Entry> = waiting.into_iter().filter(follows).collect();
        let recorded = if entries.is_empty() { Ok(()) } else { sqlite.record(&entries) };
        match recorded {
            Ok(()) => open.keep(),
            Err(_) => open.take_back(),
        }
        recorded
    }

    fn record(&mut self, lobbies: &[Vec<Entry>]) -> Result<Vec<Written>, StorageError> {
        let (sqlite, open) = self.with_open()?;
        let recorded = sqlite.record_whole(lobbies, &|lobby| open.last(lobby));
        match &recorded {
            Ok(written) => {
                for (entries, written) in lobbies.iter().zip(written) {
                    match (written, entries.first()) {
                        (Written::Done, _) => open.note(entries),
                        (Written::Whole, Some(opening)) => open.note_whole(opening.lobby),
                        _ => {}
                    }
                }
                open.keep();
            }
            Err(error) if error.is_full() => drop(self.pruner.make_room(&mut self.sqlite)),
            Err(_) => {}
        }
        recorded
    }
}
