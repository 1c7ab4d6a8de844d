//! The open lobbies of which the archive has the beginning, so that their games can be read before they are closed: which
//! of the events that this node records come next in its archive.

use std::collections::BTreeMap;

use crate::lobby::Event;
use crate::server::storage::sqlite::LastEvent;
use crate::server::storage::{Entry, LobbyId, Note};

/// The lobbies that are in the archive without their ends.
#[derive(Debug, Default)]
pub(super) struct OpenLobbies {
    last: BTreeMap<LobbyId, Last>,
    /// What the changes since the last call of [`keep`](Self::keep) have replaced.
    replaced: Vec<(LobbyId, Option<Last>)>,
}

/// The last event that the archive has of a lobby.
#[derive(Debug, Clone, Copy)]
struct Last {
    event: LastEvent,
    /// Whether it is known to be of the lobby's present history, so that it can be followed by what this node records.
    /// What was there when this node joined may have been played before etcd was restored from a backup.
    is_present: bool,
}

impl OpenLobbies {
    /// Those that were in the archive when this node joined.
    pub(super) fn found(lobbies: BTreeMap<LobbyId, LastEvent>) -> Self {
        let last = lobbies.into_iter().map(|(lobby, event)| (lobby, Last { event, is_present: false }));
        Self { last: last.collect(), replaced: Vec::new() }
    }

    /// The last event of a lobby.
    pub(super) fn last(&self, lobby: LobbyId) -> Option<LastEvent> {
        self.last.get(&lobby).map(|last| last.event)
    }

    /// Whether an entry that this node has recorded comes next in the archive. Notes it then. `is_there` tells whether
    /// something is there of a lobby that is opened. Once an event is missing, since another node had the lobby
    /// meanwhile for instance, none comes next before that was read from the pages of the lobby.
    pub(super) fn follows(&mut self, entry: &Entry, is_there: impl FnOnce() -> bool) -> bool {
        let (lobby, last) = (entry.lobby, self.last.get(&entry.lobby).copied());
        match &entry.note {
            Note::Opened(_) if last.is_some() || is_there() => false,
            Note::Opened(_) => {
                self.set(lobby, Some(LastEvent { number: 0, wall: entry.wall }));
                true
            }
            Note::Happened { number, event, .. } => {
                let is_next = last
                    .is_some_and(|last| last.is_present && *number == last.event.number.saturating_add(1));
                if is_next {
                    let event = Some(LastEvent { number: *number, wall: entry.wall })
                        .filter(|_| *event != Event::Closed);
                    self.set(lobby, event);
                }
                is_next
            }
            Note::Seated(_) | Note::Unseated(_) => last.is_some(),
            // No lobby is loaded from the archive.
            Note::Checkpoint(_) => false,
        }
    }

    /// Notes that all of these entries of a lobby are in the archive, and nothing else of it.
    pub(super) fn note(&mut self, entries: &[Entry]) {
        let Some(opening) = entries.first() else { return };
        let mut last = Some(LastEvent { number: 0, wall: opening.wall });
        for entry in entries {
            if let Note::Happened { number, event, .. } = &entry.note {
                last =
                    Some(LastEvent { number: *number, wall: entry.wall }).filter(|_| *event != Event::Closed);
            }
        }
        self.set(opening.lobby, last);
    }

    /// Notes that a lobby is in the archive with its end.
    pub(super) fn note_whole(&mut self, lobby: LobbyId) {
        self.set(lobby, None);
    }

    fn set(&mut self, lobby: LobbyId, event: Option<LastEvent>) {
        let replaced = match event {
            Some(event) => self.last.insert(lobby, Last { event, is_present: true }),
            None => self.last.remove(&lobby),
        };
        self.replaced.push((lobby, replaced));
    }

    /// What was noted is in the archive.
    pub(super) fn keep(&mut self) {
        self.replaced.clear();
    }

    /// What was noted since the last call of [`keep`](Self::keep) is not in the archive.
    pub(super) fn take_back(&mut self) {
        for (lobby, replaced) in self.replaced.drain(..).rev() {
            match replaced {
                Some(last) => self.last.insert(lobby, last),
                None => self.last.remove(&lobby),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::sample::{checkpoint, closing, event, opened, seated};
    use crate::server::storage::WallTime;

    #[test]
    fn a_lobby_is_followed_from_its_opening_to_its_end_and_past_no_event_that_is_missing() {
        let mut open = OpenLobbies::default();
        let mut follows = |entry: Entry| open.follows(&entry, || entry.lobby == LobbyId(9));
        assert!(follows(opened(1)) && follows(seated(1, 1, 1)) && follows(event(1, 1, 0)));
        assert!(!follows(checkpoint(1, 1)));
        assert!(!follows(event(2, 1, 0)), "its opening is missing");
        assert!(!follows(opened(9)) && !follows(event(9, 1, 0)), "it is there");
        assert!(follows(opened(3)) && !follows(event(3, 2, 0)), "an event is missing");
        assert!(follows(event(3, 1, 0)) && !follows(event(3, 1, 0)), "each comes once");
        assert!(follows(closing(1, 2)) && !follows(event(1, 3, 0)), "it is closed");
        assert_eq!(open.last.len(), 1);
    }

    #[test]
    fn a_lobby_that_was_found_is_followed_once_its_events_were_read_again() {
        let last = LastEvent { number: 1, wall: event(1, 1, 0).wall };
        let mut open = OpenLobbies::found(BTreeMap::from([(LobbyId(1), last)]));
        assert!(!open.follows(&event(1, 2, 0), || true), "it may have another history");
        open.note(&[opened(1), event(1, 2, 0)]);
        assert!(open.follows(&event(1, 3, 0), || true));
    }

    #[test]
    fn what_was_not_recorded_is_taken_back() {
        let mut open = OpenLobbies::default();
        open.note(&[opened(1), event(1, 1, 0)]);
        open.keep();
        for entry in [event(1, 2, 0), opened(2), event(2, 1, 0), closing(1, 3)] {
            assert!(open.follows(&entry, || false));
        }
        open.take_back();
        let wall = WallTime(1_001);
        assert_eq!(open.last(LobbyId(1)), Some(LastEvent { number: 1, wall }));
        assert_eq!(open.last(LobbyId(2)), None);
    }
}
