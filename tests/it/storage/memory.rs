//! Storage in memory, for servers that are started again without a disk: the [model](super::model) as an
//! engine.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use nim::game::BySide;
use nim::lobby::PlayerId;
use nim::server::storage::{
    Archive, Bounds, Damage, Entry, GameCursor, GamePage, LobbyId, Note, Opening, OwnSeats, PastGame,
    Storage, StorageError, StoredLobby, WallTime,
};
use nim::wire::TokenHash;
use parking_lot::Mutex;

use super::model::Model;

/// What was recorded, until the last clone is dropped. All clones share the same memory, so that a test can
/// hand it to one server after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Memory(Arc<Mutex<Model>>);

impl Storage for Memory {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        self.0.lock().record(entries);
        Ok(())
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError> {
        let model = self.0.lock();
        model.open().into_iter().for_each(|lobby| each(Ok(lobby)));
        Ok(model.next())
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError> {
        self.0.lock().set_aside(damage);
        Ok(())
    }

    fn aside(&mut self) -> Result<Vec<Damage>, StorageError> {
        Ok(self.0.lock().aside.values().cloned().collect())
    }

    /// Memory is never short.
    fn prune(&mut self, _: &Bounds) -> Result<u64, StorageError> {
        Ok(0)
    }

    fn try_out(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        Ok(Box::new(self.clone()))
    }
}

impl Archive for Memory {
    fn seats_of(&mut self, hashes: &[TokenHash]) -> Result<OwnSeats, StorageError> {
        let model = self.0.lock();
        let seats = model.entries.iter().filter_map(|entry| match &entry.note {
            Note::Seated(owner) if !model.aside.contains_key(&entry.lobby) => {
                Some(((entry.lobby, owner.player), owner.seat))
            }
            _ => None,
        });
        // Of each player the last ticket is known.
        let seats: BTreeMap<(LobbyId, PlayerId), TokenHash> = seats.collect();
        Ok(seats.into_iter().filter(|(_, seat)| hashes.contains(seat)).map(|(player, _)| player).collect())
    }

    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
    ) -> Result<GamePage, StorageError> {
        let model = self.0.lock();
        let is_wanted = |game: &PastGame| {
            game.place < before
                && !model.aside.contains_key(&game.lobby)
                && own.is_none_or(|own| own.played(game.lobby, game.numbers()))
        };
        let mut games = model.games();
        games.retain(is_wanted);
        let rest = (games.len() > most).then(|| games[most - 1].place);
        games.truncate(most);
        Ok(GamePage { games, rest })
    }

    fn players(&mut self, lobby: LobbyId, game: u32) -> Result<Option<BySide<PlayerId>>, StorageError> {
        let games = self.0.lock().games();
        Ok(games.iter().find(|past| (past.lobby, past.game) == (lobby, game)).map(PastGame::numbers))
    }

    fn opening(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>, StorageError> {
        let model = self.0.lock();
        let kept = model.kept(lobby).filter(|_| !model.aside.contains_key(&lobby));
        Ok(kept.map(|kept| (kept.opened, kept.opening)))
    }

    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
        Ok(Some(self.0.lock().kept(lobby).map(|kept| kept.events).unwrap_or_default()))
    }
}
