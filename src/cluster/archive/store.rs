//! A node's SQLite as an archive. What takes long happens on threads for that, one call after the other.

use std::collections::BTreeSet;
use std::mem;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::own_lobbies::OwnLobbies;
use crate::server::storage::sqlite::Durability;
use crate::server::storage::{Archive, Damage, Entry, LobbyId, Sqlite, Storage, StorageError};
use crate::server::{History, Pruner};

/// The most entries of own lobbies that wait: some seconds of play. What comes then is left to the archive.
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
    /// Held for a moment.
    waiting: Mutex<Waiting>,
}

#[derive(Debug)]
struct Recording {
    sqlite: Sqlite,
    pruner: Pruner,
    own: OwnLobbies,
}

/// What is to be recorded of own lobbies.
#[derive(Debug, Default)]
struct Waiting {
    entries: Vec<Entry>,
    /// Lobbies of which something did not fit.
    incomplete: BTreeSet<LobbyId>,
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
        let recording = Recording { sqlite, pruner: Pruner::new(history), own: OwnLobbies::default() };
        let (recording, waiting) = (Mutex::new(recording), Mutex::default());
        Ok((Self(Arc::new(Inner { recording, waiting })), news))
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
    /// soon. Takes a moment. What is lost of it, by a crash for instance, is recorded once the lobby is closed.
    pub fn record_own(&self, entries: &[Entry]) {
        let mut waiting = self.0.waiting.lock();
        if waiting.entries.len().saturating_add(entries.len()) > MAX_WAITING {
            waiting.incomplete.extend(entries.iter().map(|entry| entry.lobby));
        } else {
            waiting.entries.extend_from_slice(entries);
        }
    }

    /// Records what waits of own lobbies. If that fails, they are left to the archive.
    pub(super) async fn record_waiting(&self) -> Result<(), StorageError> {
        let waiting = mem::take(&mut *self.0.waiting.lock());
        if waiting.entries.is_empty() && waiting.incomplete.is_empty() {
            return Ok(());
        }
        self.on_a_thread(move |recording| recording.record_own(waiting)).await
    }

    /// Records these closed lobbies, each with all its entries, unless they are there. They survive a power failure
    /// then. Returns those that were not recorded, since another lobby is there under their number.
    pub(super) async fn record_closed(&self, lobbies: Vec<Vec<Entry>>) -> Result<Vec<Damage>, StorageError> {
        self.on_a_thread(move |recording| recording.record_closed(&lobbies)).await
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
        let inner = Arc::clone(&self.0);
        let done = tokio::task::spawn_blocking(move || work(&mut inner.recording.lock())).await;
        done.unwrap_or_else(|failed| Err(StorageError::of_host(format!("the archive has failed: {failed}"))))
    }
}

impl Recording {
    fn record_own(&mut self, waiting: Waiting) -> Result<(), StorageError> {
        let Self { sqlite, own, .. } = self;
        // Where it cannot be told, the lobby is left to the archive.
        let is_there = |lobby| sqlite.has_lobby(lobby).unwrap_or(true);
        let entries: Vec<Entry> = waiting
            .entries
            .into_iter()
            .filter(|entry| own.follows(entry, || is_there(entry.lobby)))
            .collect();
        waiting.incomplete.into_iter().for_each(|lobby| own.give_up(lobby));
        if entries.is_empty() {
            return Ok(());
        }
        let recorded = sqlite.record(&entries);
        if recorded.is_err() {
            for entry in &entries {
                own.give_up(entry.lobby);
            }
        }
        recorded
    }

    fn record_closed(&mut self, lobbies: &[Vec<Entry>]) -> Result<Vec<Damage>, StorageError> {
        let Self { sqlite, pruner, own } = self;
        let recorded = sqlite.record_whole(lobbies);
        match &recorded {
            Ok(_) => lobbies
                .iter()
                .filter_map(|entries| entries.first())
                .for_each(|entry| own.give_up(entry.lobby)),
            Err(error) if error.is_full() => drop(pruner.make_room(sqlite)),
            Err(_) => {}
        }
        recorded
    }
}
