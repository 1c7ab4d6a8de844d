//! Chat: sending lines, filtering received ones, and muting people.

use super::event::{SendStatus, SessionEvent};
use super::state::Session;
use crate::client::Action;
use crate::client::model::MyLobby;
use crate::game::notation::printable;
use crate::lobby::{Name, Text};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{ChatLine, LobbyRequest};

/// The result of muting or unmuting somebody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MuteOutcome {
    /// It changed something. The value says whether somebody of this name is known.
    Changed(bool),
    /// It was so already.
    Unchanged,
    /// It is the client's own name, which cannot be muted.
    OwnName,
}

impl Session {
    /// Returns the event for the lines that are new and not muted. A line of the client's own has arrived at the server.
    pub(super) fn new_lines(&mut self, lines: Vec<ChatLine>, before: Option<&MyLobby>) -> SessionEvent {
        let known = before.map(|mine| mine.chat.as_slice()).unwrap_or_default();
        if let Some((_, words)) = &self.said {
            // As the server tells them.
            let words: String = printable(words.as_str().trim()).collect();
            if lines.iter().any(|line| line.words.as_str() == words && self.is_own(&line.name)) {
                self.said = None;
            }
        }
        let new = lines.into_iter().filter(|line| !known.contains(line) && !self.muted.contains(&line.name));
        SessionEvent::Said(new.collect())
    }

    /// Mutes or unmutes a name.
    pub fn mute(&mut self, name: &Name, muted: bool) -> MuteOutcome {
        if muted && self.is_own(name) {
            return MuteOutcome::OwnName;
        }
        if self.muted.contains(name) == muted {
            return MuteOutcome::Unchanged;
        }
        self.muted.retain(|known| known != name);
        if muted {
            self.muted.push(name.clone());
        }
        MuteOutcome::Changed(self.model.lobby().is_some_and(|mine| mine.knows(name)))
    }

    /// Whether this is the client's own name in its lobby.
    fn is_own(&self, name: &Name) -> bool {
        let Some(mine) = self.model.lobby() else { return self.model.name() == name };
        let seat = mine.side().and_then(|side| mine.lobby.seats()[side].as_ref());
        seat.map_or(self.model.name(), |player| &player.name) == name
    }

    /// Sends a line of chat to the people in the same room.
    pub(super) fn say(&mut self, words: Text<MAX_CHAT>) -> SendStatus {
        if let Some(reconnecting) = &mut self.reconnecting {
            return reconnecting.queue(Action::Say(words), self.model.lobby());
        }
        let id = self.connection.ask_lobby(LobbyRequest::Say { words: words.clone() });
        self.said = Some((id, words));
        SendStatus::Now
    }
}
