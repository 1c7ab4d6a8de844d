//! Which of the lobbies that are open at this node are recorded event by event, so that their games can be read before
//! they are closed: those that this node has had from their first event on.

use std::collections::BTreeMap;

use crate::lobby::Event;
use crate::server::storage::{Entry, LobbyId, Note};

/// The lobbies of which all is recorded so far, each with the number of its last event.
#[derive(Debug, Default)]
pub(super) struct OwnLobbies(BTreeMap<LobbyId, u32>);

impl OwnLobbies {
    /// Whether an entry is to be recorded. `is_there` tells whether something is recorded of a lobby that is opened.
    /// Once an event is missing, since another node had the lobby meanwhile, the rest is left to the archive.
    pub(super) fn follows(&mut self, entry: &Entry, is_there: impl FnOnce() -> bool) -> bool {
        let lobby = entry.lobby;
        match &entry.note {
            Note::Opened(_) if is_there() => false,
            Note::Opened(_) => {
                self.0.insert(lobby, 0);
                true
            }
            Note::Happened { number, event, .. } => {
                let Some(last) = self.0.get_mut(&lobby) else { return false };
                let is_next = *number == last.saturating_add(1);
                *last = *number;
                if !is_next || *event == Event::Closed {
                    self.0.remove(&lobby);
                }
                is_next
            }
            Note::Seated(_) | Note::Unseated(_) => self.0.contains_key(&lobby),
            // No lobby is loaded from the archive.
            Note::Checkpoint(_) => false,
        }
    }

    /// Something of this lobby was not recorded.
    pub(super) fn give_up(&mut self, lobby: LobbyId) {
        self.0.remove(&lobby);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::sample::{checkpoint, closing, event, opened, seated};

    #[test]
    fn a_lobby_is_followed_from_its_opening_to_its_end_or_to_the_first_event_that_is_missing() {
        let mut own = OwnLobbies::default();
        let mut follows = |entry: Entry| own.follows(&entry, || entry.lobby == LobbyId(9));
        assert!(follows(opened(1)) && follows(seated(1, 1, 1)) && follows(event(1, 1, 0)));
        assert!(!follows(checkpoint(1, 1)));
        assert!(!follows(event(2, 1, 0)), "its opening is missing");
        assert!(!follows(opened(9)) && !follows(event(9, 1, 0)), "it is there");
        assert!(follows(opened(3)) && !follows(event(3, 2, 0)), "an event is missing");
        assert!(!follows(event(3, 1, 0)) && !follows(seated(3, 1, 1)));
        assert!(follows(closing(1, 2)) && !follows(event(1, 3, 0)), "it is closed");
        assert!(own.0.is_empty());
    }
}
