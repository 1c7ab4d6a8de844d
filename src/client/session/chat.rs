//! What is said in the client's room: by it, and by those whom it wants to hear.

use super::{SendStatus, Session, SessionEvent};
use crate::client::Failure;
use crate::client::model::{Known, MyLobby};
use crate::client::words::chat;
use crate::lobby::{Name, Text};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{ChatLine, LobbyRequest};

impl Session {
    /// What of these lines is new, and not of somebody whom the client does not want to hear.
    pub(super) fn hear(&self, lines: Vec<ChatLine>, before: Option<&MyLobby>) -> SessionEvent {
        let known = before.and_then(|mine| mine.chat.last()).map_or(0, |line| line.number);
        let new = lines.into_iter().filter(|line| line.number > known && !self.muted.contains(&line.name));
        SessionEvent::Said(new.collect())
    }

    /// Hears nobody of this name any more, or again. Returns whether that is new.
    pub fn mute(&mut self, name: &Name, muted: bool) -> bool {
        let known = self.muted.contains(name);
        self.muted.retain(|known| known != name);
        if muted {
            self.muted.push(name.clone());
        }
        known != muted
    }

    /// The same for a person, who is told what comes of it, and cannot mute themselves.
    pub fn mute_aloud(&mut self, name: &Name, muted: bool) -> String {
        if muted && self.is_own(name) {
            return chat::own_name(name);
        }
        let known = self.model.lobby().map_or(Known::No, |mine| mine.knows(name));
        let is_new = self.mute(name, muted);
        chat::muted(name, muted, is_new, known)
    }

    /// Whether this is the name of whoever sits at this keyboard, as they are called where they are.
    fn is_own(&self, name: &Name) -> bool {
        let Some(mine) = self.model.lobby() else { return self.model.name() == name };
        let seat = mine.side().and_then(|side| mine.lobby.seats()[side].as_ref());
        seat.map_or(self.model.name(), |player| &player.name) == name
    }

    /// Says something to those in the same room.
    pub(super) async fn say(&mut self, words: Text<MAX_CHAT>) -> Result<SendStatus, Failure> {
        if self.is_lost() {
            return Ok(SendStatus::Never);
        }
        let id = self.players.mine().ask_lobby(LobbyRequest::Say { words: words.clone() }).await?;
        self.said = Some((id, words));
        Ok(SendStatus::Now)
    }
}
