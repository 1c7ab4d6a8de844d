//! Storage in memory for tests. It fails on demand, and says what a server that takes over would find.

use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::engine::{Archive, GameCursor, OwnSeats, PastGame, Storage};
use super::entry::{
    Bounds, Damage, Entry, Loaded, LobbyId, LobbyMeta, Note, Pruned, StorageError, StoredLobby, WallTime,
};
use crate::wire::TokenHash;

/// The recorded entries, which all clones share. It is empty when it is opened.
#[derive(Debug, Clone, Default)]
pub(in crate::server) struct FakeStorage(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    entries: Vec<Entry>,
    /// Why nothing can be recorded or confirmed.
    error: Option<StorageError>,
    /// How often it was confirmed.
    confirmed: usize,
    /// Whether the program fails in it.
    panics: bool,
}

impl FakeStorage {
    /// It fails with this error from now on; `None`: it works again.
    pub(in crate::server) fn fails_with(&self, for_players: Option<&'static str>) {
        let error = |for_players| StorageError::new(for_players, "a test wants it to fail");
        self.0.lock().error = for_players.map(error);
    }

    /// The program fails in it from now on.
    pub(in crate::server) fn panics(&self) {
        self.0.lock().panics = true;
    }

    /// How many entries were recorded.
    pub(in crate::server) fn count(&self) -> usize {
        self.0.lock().entries.len()
    }

    /// How often it was confirmed.
    pub(in crate::server) fn confirmed(&self) -> usize {
        self.0.lock().confirmed
    }

    /// The numbers of the events that were recorded, in this order.
    pub(in crate::server) fn events(&self) -> Vec<u32> {
        let state = self.0.lock();
        let numbers = state.entries.iter().filter_map(|entry| match entry.note {
            Note::Happened { number, .. } => Some(number),
            _ => None,
        });
        numbers.collect()
    }

    /// All lobbies as they were recorded, also those that are closed.
    pub(in crate::server) fn lobbies(&self) -> Vec<StoredLobby> {
        let mut lobbies: Vec<StoredLobby> = Vec::new();
        for Entry { lobby, wall, note } in self.0.lock().entries.clone() {
            if let Note::Opened(meta) = note {
                let (checkpoint, events, owners) = (None, Vec::new(), Vec::new());
                lobbies.push(StoredLobby { lobby, opened: wall, meta, checkpoint, events, owners });
            } else if let Some(stored) = lobbies.iter_mut().find(|stored| stored.lobby == lobby) {
                match note {
                    Note::Happened { frame, .. } => stored.events.push(frame),
                    Note::Seated(owner) => stored.owners.push(owner),
                    Note::Unseated(player) => stored.owners.retain(|owner| owner.player != player),
                    Note::Opened(_) | Note::Checkpoint(_) => {}
                }
            }
        }
        lobbies
    }

    fn fault(&self) -> Result<(), StorageError> {
        let State { error, panics, .. } = &*self.0.lock();
        assert!(!panics, "a test wants it to fail");
        error.clone().map_or(Ok(()), Err)
    }
}

impl Storage for FakeStorage {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        self.fault()?;
        self.0.lock().entries.extend_from_slice(entries);
        Ok(())
    }

    fn confirm(&mut self) -> Result<(), StorageError> {
        self.fault()?;
        self.0.lock().confirmed += 1;
        Ok(())
    }

    fn load(&mut self, _: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<Loaded, StorageError> {
        Ok(Loaded { next: LobbyId(1), events: 0 })
    }

    fn prune(&mut self, _: &Bounds) -> Result<Pruned, StorageError> {
        Ok(Pruned { is_done: true, ..Pruned::default() })
    }

    fn check_writable(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        Ok(Box::new(NoGames))
    }
}

/// An archive without games.
#[derive(Debug)]
struct NoGames;

impl Archive for NoGames {
    fn seats_of(&mut self, _: &[TokenHash]) -> Result<OwnSeats, StorageError> {
        Ok(OwnSeats::default())
    }

    fn games(
        &mut self,
        _: GameCursor,
        _: Option<&OwnSeats>,
        _: usize,
        _: &mut dyn FnMut(PastGame) -> ControlFlow<Option<GameCursor>>,
    ) -> Result<Option<GameCursor>, StorageError> {
        Ok(None)
    }

    fn lobby_meta(&mut self, _: LobbyId) -> Result<Option<(WallTime, LobbyMeta)>, StorageError> {
        Ok(None)
    }

    fn events(&mut self, _: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
        Ok(None)
    }
}
