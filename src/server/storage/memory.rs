//! Storage in memory, for runs that are repeated with restarts but without a disk.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;

use super::archive::{Archive, GameCursor, GamePage, MAX_READ, OwnSeats, PastGame};
use super::engine::Storage;
use super::entry::{Bounds, Damage, Entry, LobbyId, Note, Opening, StorageError, StoredLobby, WallTime};
use crate::game::BySide;
use crate::lobby::{Event, Player, PlayerId};
use crate::wire::TokenHash;

/// What was recorded, until the last clone is dropped. All clones share the same memory, so that a test can
/// hand it to one server after the other.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Mutex<Shared>>);

#[derive(Debug, Default)]
struct Shared {
    lobbies: BTreeMap<LobbyId, Recorded>,
    /// The highest number of a lobby that was ever used.
    highest: u64,
    /// How many events were ever recorded.
    events: u64,
}

/// One lobby.
#[derive(Debug)]
struct Recorded {
    kept: StoredLobby,
    /// When it was closed or set aside.
    over: Option<WallTime>,
    aside: Option<Damage>,
    games: Vec<PastGame>,
    /// The last tickets of players who gave up their seats.
    former: Vec<(PlayerId, TokenHash)>,
}

impl Memory {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Storage for Memory {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        let mut shared = self.0.lock();
        for entry in entries {
            shared.record(entry);
        }
        Ok(())
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError> {
        let shared = self.0.lock();
        for lobby in shared.lobbies.values().filter(|lobby| lobby.over.is_none()) {
            each(Ok(lobby.kept.clone()));
        }
        Ok(LobbyId(shared.highest.saturating_add(1)))
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError> {
        if let Some(lobby) = self.0.lock().lobbies.get_mut(&damage.lobby) {
            (lobby.over, lobby.aside) = (Some(WallTime::now()), Some(damage.clone()));
        }
        Ok(())
    }

    fn aside(&mut self) -> Result<Vec<Damage>, StorageError> {
        Ok(self.0.lock().lobbies.values().filter_map(|lobby| lobby.aside.clone()).collect())
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError> {
        let mut shared = self.0.lock();
        let mut past: Vec<(WallTime, LobbyId)> =
            shared.lobbies.iter().filter_map(|(id, lobby)| Some((lobby.over?, *id))).collect();
        past.sort_unstable();
        let mut pruned = 0;
        for (over, id) in past {
            if over >= bounds.since && shared.bytes() <= bounds.bytes {
                break;
            }
            shared.lobbies.remove(&id);
            pruned += 1;
        }
        Ok(pruned)
    }

    fn try_out(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    fn prove(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    fn archive(&self) -> Result<Box<dyn Archive>, StorageError> {
        Ok(Box::new(self.clone()))
    }
}

impl Archive for Memory {
    fn seats_of(&mut self, hashes: &[TokenHash]) -> Result<OwnSeats, StorageError> {
        let shared = self.0.lock();
        let all = shared.sound().flat_map(|lobby| lobby.hashes().map(|seat| (lobby.kept.lobby, seat)));
        let own = all.filter(|(_, (_, hash))| hashes.contains(hash));
        Ok(own.map(|(lobby, (player, _))| (lobby, player)).collect())
    }

    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
    ) -> Result<GamePage, StorageError> {
        let shared = self.0.lock();
        let is_wanted = |game: &&PastGame| {
            game.place < before && own.is_none_or(|own| own.played(game.lobby, game.numbers()))
        };
        let games = shared.sound().flat_map(|lobby| &lobby.games);
        let mut games: Vec<PastGame> = games.filter(is_wanted).cloned().collect();
        games.sort_unstable_by_key(|game| Reverse(game.place));
        let rest = (games.len() > most).then(|| games[most - 1].place);
        games.truncate(most);
        Ok(GamePage { games, rest })
    }

    fn players(&mut self, lobby: LobbyId, game: u32) -> Result<Option<BySide<PlayerId>>, StorageError> {
        let shared = self.0.lock();
        let mut games = shared.sound().flat_map(|lobby| &lobby.games);
        let found = games.find(|past| (past.lobby, past.game) == (lobby, game));
        Ok(found.map(PastGame::numbers))
    }

    fn opening(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>, StorageError> {
        let shared = self.0.lock();
        let found = shared.sound().find(|known| known.kept.lobby == lobby);
        Ok(found.map(|lobby| (lobby.kept.opened, lobby.kept.opening.clone())))
    }

    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
        let events = self.0.lock().lobbies.get(&lobby).map(|lobby| lobby.kept.events.clone());
        Ok(Some(events.unwrap_or_default()).filter(|events| events.len() <= MAX_READ))
    }
}

impl Shared {
    /// The lobbies that are not set aside.
    fn sound(&self) -> impl Iterator<Item = &Recorded> {
        self.lobbies.values().filter(|lobby| lobby.aside.is_none())
    }

    fn record(&mut self, entry: &Entry) {
        let Entry { lobby: id, wall, note } = entry;
        if let Note::Opened(opening) = note {
            let (opening, events, owners) = (opening.clone(), Vec::new(), Vec::new());
            let kept = StoredLobby { lobby: *id, opened: *wall, opening, events, owners };
            let lobby = Recorded { kept, over: None, aside: None, games: Vec::new(), former: Vec::new() };
            self.lobbies.insert(*id, lobby);
            self.highest = self.highest.max(id.0);
        } else if let Some(lobby) = self.lobbies.get_mut(id) {
            self.events += u64::from(matches!(note, Note::Happened { .. }));
            lobby.record(*wall, GameCursor(self.events), note);
        }
    }

    fn bytes(&self) -> u64 {
        let frames = self.lobbies.values().flat_map(|lobby| &lobby.kept.events);
        frames.map(|frame| frame.len() as u64).sum()
    }
}

impl Recorded {
    fn record(&mut self, wall: WallTime, place: GameCursor, note: &Note) {
        match note {
            Note::Opened(_) => {}
            Note::Happened { event, frame, .. } => {
                self.kept.events.push(frame.clone());
                self.take(event, wall);
            }
            Note::GameStarted { game, players } => self.start(*game, players, wall, place),
            Note::Seated(owner) => {
                let owners = &mut self.kept.owners;
                owners.retain(|other| other.player != owner.player);
                owners.push(owner.clone());
                owners.sort_by_key(|owner| owner.player);
            }
            Note::Unseated(player) => self.unseat(|owner| owner == *player),
        }
    }

    fn take(&mut self, event: &Event, wall: WallTime) {
        match event {
            Event::Ended { result } => {
                if let Some(game) = self.games.last_mut() {
                    game.result = Some(*result);
                }
            }
            Event::Closed => {
                self.over = Some(wall);
                self.unseat(|_| true);
            }
            _ => {}
        }
    }

    fn start(&mut self, game: u32, players: &BySide<Player>, started: WallTime, place: GameCursor) {
        let Opening { code, variant, conditions, .. } = self.kept.opening.clone();
        let (lobby, players) = (self.kept.lobby, players.clone());
        let result = None;
        self.games.push(PastGame { lobby, game, place, code, variant, conditions, players, started, result });
    }

    fn unseat(&mut self, is_gone: impl Fn(PlayerId) -> bool) {
        for owner in self.kept.owners.extract_if(.., |owner| is_gone(owner.player)) {
            self.former.retain(|(former, _)| *former != owner.player);
            self.former.push((owner.player, owner.seat));
        }
    }

    /// All tickets that open records of this lobby, and the players whose they are or were.
    fn hashes(&self) -> impl Iterator<Item = (PlayerId, TokenHash)> {
        let owners = self.kept.owners.iter().map(|owner| (owner.player, owner.seat));
        owners.chain(self.former.iter().copied())
    }
}
