//! The same as a journal, in memory: for runs that are to be repeated, with restarts but without a disk.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use super::{
    Archive, Bounds, Damage, Entry, GameCursor, GamePage, LobbyId, MAX_READ, Note, Opening, OwnSeats, Owner,
    PastGame, Seal, Storage, StorageError, StoredLobby, WallTime,
};
use crate::game::BySide;
use crate::lobby::{Event, Player, PlayerId};

/// What was recorded, as long as anybody holds a clone of it: all clones are the same memory, so that one of them outlives the
/// server that was given another.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Mutex<Stories>>);

#[derive(Debug, Default)]
struct Stories {
    lobbies: BTreeMap<LobbyId, Story>,
    /// The highest number that was ever given.
    highest: u64,
    /// How many events there ever were.
    events: u64,
}

#[derive(Debug)]
struct Story {
    kept: StoredLobby,
    /// When it was closed or set aside.
    gone: Option<WallTime>,
    aside: Option<Damage>,
    /// Who sits where, and what was played.
    seats: BySide<Option<Player>>,
    games: Vec<PastGame>,
    /// The last tickets of those who had a seat.
    former: Vec<(PlayerId, Vec<Seal>)>,
}

impl Memory {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    fn stories(&self) -> MutexGuard<'_, Stories> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for Memory {
    fn record(&mut self, entries: &[Entry]) -> Result<(), StorageError> {
        let mut stories = self.stories();
        for entry in entries {
            stories.record(entry);
        }
        Ok(())
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<StoredLobby, Damage>)) -> Result<LobbyId, StorageError> {
        let stories = self.stories();
        for story in stories.lobbies.values().filter(|story| story.gone.is_none()) {
            each(Ok(story.kept.clone()));
        }
        Ok(LobbyId(stories.highest.saturating_add(1)))
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), StorageError> {
        if let Some(story) = self.stories().lobbies.get_mut(&damage.lobby) {
            (story.gone, story.aside) = (Some(WallTime::now()), Some(damage.clone()));
        }
        Ok(())
    }

    fn aside(&mut self) -> Result<Vec<Damage>, StorageError> {
        Ok(self.stories().lobbies.values().filter_map(|story| story.aside.clone()).collect())
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, StorageError> {
        let mut stories = self.stories();
        let mut past: Vec<(WallTime, LobbyId)> =
            stories.lobbies.iter().filter_map(|(lobby, story)| Some((story.gone?, *lobby))).collect();
        past.sort_unstable();
        let mut pruned = 0;
        for (gone, lobby) in past {
            if gone >= bounds.since && stories.bytes() <= bounds.bytes {
                break;
            }
            stories.lobbies.remove(&lobby);
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
    fn seats_of(&mut self, seals: &[Seal]) -> Result<OwnSeats, StorageError> {
        let stories = self.stories();
        let all = stories.sound().flat_map(|story| story.seals().map(|seat| (story.kept.lobby, seat)));
        let own = all.filter(|(_, (_, seal))| seals.contains(seal));
        Ok(own.map(|(lobby, (player, _))| (lobby, player)).collect())
    }

    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
    ) -> Result<GamePage, StorageError> {
        let stories = self.stories();
        let is_wanted = |game: &&PastGame| {
            game.place < before && own.is_none_or(|own| own.played(game.lobby, game.numbers()))
        };
        let games = stories.sound().flat_map(|story| &story.games);
        let mut games: Vec<PastGame> = games.filter(is_wanted).cloned().collect();
        games.sort_unstable_by_key(|game| Reverse(game.place));
        let rest = (games.len() > most).then(|| games[most - 1].place);
        games.truncate(most);
        Ok(GamePage { games, rest })
    }

    fn players(&mut self, lobby: LobbyId, game: u32) -> Result<Option<BySide<PlayerId>>, StorageError> {
        let stories = self.stories();
        let mut games = stories.sound().flat_map(|story| &story.games);
        let found = games.find(|past| (past.lobby, past.game) == (lobby, game));
        Ok(found.map(PastGame::numbers))
    }

    fn opening(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>, StorageError> {
        let stories = self.stories();
        let story = stories.sound().find(|story| story.kept.lobby == lobby);
        Ok(story.map(|story| (story.kept.opened, story.kept.opening.clone())))
    }

    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
        let events = self.stories().lobbies.get(&lobby).map(|story| story.kept.events.clone());
        Ok(Some(events.unwrap_or_default()).filter(|events| events.len() <= MAX_READ))
    }
}

impl Stories {
    /// Those that are not set aside.
    fn sound(&self) -> impl Iterator<Item = &Story> {
        self.lobbies.values().filter(|story| story.aside.is_none())
    }

    fn record(&mut self, entry: &Entry) {
        let Entry { lobby, wall, note } = entry;
        if let Note::Opened(opening) = note {
            let (opening, events, owners) = (opening.clone(), Vec::new(), Vec::new());
            let kept = StoredLobby { lobby: *lobby, opened: *wall, opening, events, owners };
            self.lobbies.insert(*lobby, Story::of(kept));
            self.highest = self.highest.max(lobby.0);
        } else if let Some(story) = self.lobbies.get_mut(lobby) {
            self.events += u64::from(matches!(note, Note::Happened { .. }));
            story.record(*wall, GameCursor(self.events), note);
        }
    }

    fn bytes(&self) -> u64 {
        let frames = self.lobbies.values().flat_map(|story| &story.kept.events);
        frames.map(|frame| frame.len() as u64).sum()
    }
}

impl Story {
    fn of(kept: StoredLobby) -> Self {
        let (seats, games, former) = (BySide::default(), Vec::new(), Vec::new());
        Self { kept, gone: None, aside: None, seats, games, former }
    }

    fn record(&mut self, wall: WallTime, place: GameCursor, note: &Note) {
        match note {
            Note::Opened(_) => {}
            Note::Happened { event, frame, .. } => {
                self.kept.events.push(frame.clone());
                self.note(wall, place, event);
            }
            Note::Seated(owner) => self.seat(owner),
            Note::Unseated(player) => self.unseat(*player),
        }
    }

    /// Keeps up who sits where and what is played.
    fn note(&mut self, wall: WallTime, place: GameCursor, event: &Event) {
        match event {
            Event::Sat { side, player } => {
                self.seats[*side] = Some(player.clone());
            }
            Event::Left { side, .. } => self.seats[*side] = None,
            Event::Started { game, swap } => self.start(*game, *swap, wall, place),
            Event::Ended { result } => {
                if let Some(game) = self.games.last_mut() {
                    game.result = Some(*result);
                }
            }
            Event::Closed => {
                self.gone = Some(wall);
                let owners: Vec<PlayerId> = self.kept.owners.iter().map(|owner| owner.player).collect();
                for player in owners {
                    self.unseat(player);
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, game: u32, swap: bool, started: WallTime, place: GameCursor) {
        if swap {
            self.seats = std::mem::take(&mut self.seats).swapped();
        }
        let BySide { first: Some(first), second: Some(second) } = self.seats.clone() else { return };
        let Opening { code, variant, conditions, .. } = self.kept.opening.clone();
        let (lobby, players) = (self.kept.lobby, BySide { first, second });
        self.games.push(PastGame {
            lobby,
            game,
            place,
            code,
            variant,
            conditions,
            players,
            started,
            result: None,
        });
    }

    /// Owners stand in the order of their numbers.
    fn seat(&mut self, owner: &Owner) {
        self.kept.owners.retain(|other| other.player != owner.player);
        self.kept.owners.push(owner.clone());
        self.kept.owners.sort_by_key(|owner| owner.player);
    }

    fn unseat(&mut self, player: PlayerId) {
        let Some(place) = self.kept.owners.iter().position(|owner| owner.player == player) else { return };
        let owner = self.kept.owners.remove(place);
        self.former.retain(|(former, _)| *former != player);
        self.former.push((player, owner.seals().collect()));
    }

    /// All tickets by which somebody has a seat here, or had one at last, and who they are.
    fn seals(&self) -> impl Iterator<Item = (PlayerId, Seal)> {
        let owners = self.kept.owners.iter();
        let owners = owners.flat_map(|owner| owner.seals().map(|seal| (owner.player, seal)));
        let former = self.former.iter();
        owners.chain(former.flat_map(|(player, seals)| seals.iter().map(|seal| (*player, *seal))))
    }
}
