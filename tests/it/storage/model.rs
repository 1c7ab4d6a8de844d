//! A model of storage, slow and obvious: a list of all recorded entries, searched for every answer.

use std::collections::BTreeMap;

use nim::lobby::{Checkpoint, Event};
use nim::server::storage::{
    Damage, Entry, GameCursor, LobbyId, LobbyMeta, Note, PastGame, Storage, StoredLobby,
};

/// All recorded entries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Model {
    pub(crate) entries: Vec<Entry>,
}

impl Model {
    pub(crate) fn record(&mut self, entries: &[Entry]) {
        self.entries.extend_from_slice(entries);
    }

    /// Records a batch both in a storage and here.
    pub(crate) fn record_in(&mut self, storage: &mut dyn Storage, entries: &[Entry]) {
        storage.record(entries).unwrap();
        self.record(entries);
    }

    /// The number of the next lobby.
    pub(crate) fn next(&self) -> LobbyId {
        LobbyId(self.entries.iter().map(|entry| entry.lobby.0).max().unwrap_or(0) + 1)
    }

    /// What is to be loaded: of each open lobby the last checkpoint, and what came after it.
    pub(crate) fn to_load(&self) -> Vec<StoredLobby> {
        let cut = |mut lobby: StoredLobby| {
            lobby.checkpoint = self.checkpoints(lobby.lobby).last().cloned();
            lobby.events.drain(..covered(&lobby));
            lobby
        };
        self.open().into_iter().map(cut).collect()
    }

    /// The same lobby with all its events instead of a checkpoint, which has to be one that was recorded.
    pub(crate) fn whole(&self, mut found: StoredLobby) -> StoredLobby {
        let covered = covered(&found);
        if let Some(checkpoint) = found.checkpoint.take() {
            assert!(self.checkpoints(found.lobby).any(|recorded| *recorded == checkpoint), "it was invented");
            let events = self.kept(found.lobby).map(|kept| kept.events).unwrap_or_default();
            found.events.splice(..0, events.into_iter().take(covered));
        }
        found
    }

    /// The checkpoints of a lobby, the oldest first.
    fn checkpoints(&self, id: LobbyId) -> impl DoubleEndedIterator<Item = &Checkpoint> {
        self.entries.iter().filter(move |entry| entry.lobby == id).filter_map(|entry| match &entry.note {
            Note::Checkpoint(checkpoint) => Some(&**checkpoint),
            _ => None,
        })
    }

    /// All open lobbies with all their events.
    pub(crate) fn open(&self) -> Vec<StoredLobby> {
        let mut ids: Vec<LobbyId> = self.entries.iter().map(|entry| entry.lobby).collect();
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| !self.is_closed(*id));
        ids.into_iter().filter_map(|id| self.kept(id)).collect()
    }

    pub(crate) fn is_closed(&self, id: LobbyId) -> bool {
        let is_end = |entry: &Entry| matches!(&entry.note, Note::Happened { event: Event::Closed, .. });
        self.entries.iter().any(|entry| entry.lobby == id && is_end(entry))
    }

    /// The entries of a lobby.
    pub(crate) fn kept(&self, id: LobbyId) -> Option<StoredLobby> {
        let mut kept: Option<StoredLobby> = None;
        for entry in self.entries.iter().filter(|entry| entry.lobby == id) {
            match (&entry.note, &mut kept) {
                (Note::Opened(meta), _) => {
                    let (lobby, opened, meta) = (entry.lobby, entry.wall, meta.clone());
                    let (events, owners) = (Vec::new(), Vec::new());
                    kept = Some(StoredLobby { lobby, opened, meta, checkpoint: None, events, owners });
                }
                (Note::Happened { frame, .. }, Some(kept)) => kept.events.push(frame.clone()),
                (Note::Seated(owner), Some(kept)) => {
                    kept.owners.retain(|other| other.player != owner.player);
                    kept.owners.push(owner.clone());
                    kept.owners.sort_by_key(|owner| owner.player);
                }
                (Note::Unseated(player), Some(kept)) => kept.owners.retain(|owner| owner.player != *player),
                (Note::Checkpoint(_), _) | (_, None) => {}
            }
        }
        kept
    }
}

impl Model {
    /// All games, the newest first.
    pub(crate) fn games(&self) -> Vec<PastGame> {
        let (mut games, mut metas) = (Vec::<PastGame>::new(), BTreeMap::new());
        for (place, entry) in (1..).zip(&self.entries) {
            match &entry.note {
                Note::Opened(meta) => drop(metas.insert(entry.lobby, meta.clone())),
                Note::Happened { event: Event::Started { game, .. }, players: Some(players), .. } => {
                    let LobbyMeta { code, variant, conditions, .. } = metas[&entry.lobby].clone();
                    games.push(PastGame {
                        lobby: entry.lobby,
                        game: *game,
                        place: GameCursor(place),
                        code,
                        variant,
                        conditions,
                        players: (**players).clone(),
                        started: entry.wall,
                        result: None,
                    });
                }
                Note::Happened { event: Event::Ended { result }, .. } => {
                    let mut of_lobby = games.iter_mut().rev().filter(|game| game.lobby == entry.lobby);
                    of_lobby.next().unwrap().result = Some(*result);
                }
                _ => {}
            }
        }
        games.reverse();
        games
    }
}

/// How many events its checkpoint covers.
fn covered(lobby: &StoredLobby) -> usize {
    lobby.checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.snapshot.events as usize)
}

/// The content of a storage: the lobbies, the damage, and the number of the next lobby.
pub(crate) fn loaded(storage: &mut dyn Storage) -> (Vec<Result<StoredLobby, Damage>>, LobbyId) {
    let mut found = Vec::new();
    let next = storage.load(&mut |lobby| found.push(lobby)).unwrap();
    (found, next.next)
}

/// The lobbies of an undamaged storage.
pub(crate) fn open_in(storage: &mut dyn Storage) -> Vec<StoredLobby> {
    loaded(storage).0.into_iter().map(|lobby| lobby.unwrap()).collect()
}
