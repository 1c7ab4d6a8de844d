//! The same as a journal, in memory: for runs that are to be repeated, with restarts but without a disk.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Bounds, Damage, Entry, Kept, LobbyId, Note, Owner, Storage, Trouble, WallTime};
use crate::lobby::{Event, PlayerId};

/// What was recorded, as long as anybody holds a clone of it: all clones are the same memory, so that one of them outlives the
/// server that was given another.
#[derive(Debug, Clone, Default)]
pub struct Memory(Arc<Mutex<Stories>>);

#[derive(Debug, Default)]
struct Stories {
    lobbies: BTreeMap<LobbyId, Story>,
    /// The highest number that was ever given.
    highest: u64,
}

#[derive(Debug)]
struct Story {
    kept: Kept,
    /// When it was closed or set aside.
    gone: Option<WallTime>,
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
    fn record(&mut self, entries: &[Entry]) -> Result<(), Trouble> {
        let mut stories = self.stories();
        for entry in entries {
            stories.record(entry);
        }
        Ok(())
    }

    fn load(&mut self, each: &mut dyn FnMut(Result<Kept, Damage>)) -> Result<LobbyId, Trouble> {
        let stories = self.stories();
        for story in stories.lobbies.values().filter(|story| story.gone.is_none()) {
            each(Ok(story.kept.clone()));
        }
        Ok(LobbyId(stories.highest.saturating_add(1)))
    }

    fn set_aside(&mut self, damage: &Damage) -> Result<(), Trouble> {
        if let Some(story) = self.stories().lobbies.get_mut(&damage.lobby) {
            story.gone = Some(WallTime::now());
        }
        Ok(())
    }

    fn prune(&mut self, bounds: &Bounds) -> Result<u64, Trouble> {
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
}

impl Stories {
    fn record(&mut self, entry: &Entry) {
        let Entry { lobby, wall, note } = entry;
        if let Note::Opened(opening) = note {
            let (opening, events, owners) = (opening.clone(), Vec::new(), Vec::new());
            let kept = Kept { lobby: *lobby, opened: *wall, opening, events, owners };
            self.lobbies.insert(*lobby, Story { kept, gone: None });
            self.highest = self.highest.max(lobby.0);
        } else if let Some(story) = self.lobbies.get_mut(lobby) {
            story.record(*wall, note);
        }
    }

    fn bytes(&self) -> u64 {
        let frames = self.lobbies.values().flat_map(|story| &story.kept.events);
        frames.map(|frame| frame.len() as u64).sum()
    }
}

impl Story {
    fn record(&mut self, wall: WallTime, note: &Note) {
        match note {
            Note::Opened(_) => {}
            Note::Happened { event, frame, .. } => {
                self.kept.events.push(frame.clone());
                if *event == Event::Closed {
                    self.gone = Some(wall);
                    self.kept.owners.clear();
                }
            }
            Note::Seated(owner) => self.seat(owner),
            Note::Unseated(player) => self.unseat(*player),
        }
    }

    /// Owners stand in the order of their numbers.
    fn seat(&mut self, owner: &Owner) {
        self.unseat(owner.player);
        self.kept.owners.push(owner.clone());
        self.kept.owners.sort_by_key(|owner| owner.player);
    }

    fn unseat(&mut self, player: PlayerId) {
        self.kept.owners.retain(|owner| owner.player != player);
    }
}
