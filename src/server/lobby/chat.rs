//! The chat of a lobby: the last lines of each room, for new and returning members.

use std::collections::VecDeque;

use crate::lobby::{Moment, Name, Text};
use crate::wire::limits::{MAX_CHAT, MAX_CHAT_LINES};
use crate::wire::{ChatLine, ChatRoom, List, ToClient};

/// The rooms of one lobby. Players do not receive the chat of watchers, so that nobody suggests a move, nor
/// watchers that of players, so that the players have privacy.
#[derive(Debug, Default)]
pub(super) struct Chat {
    players: Lines,
    watchers: Lines,
}

#[derive(Debug, Default)]
struct Lines {
    last: VecDeque<ChatLine>,
    count: u32,
}

impl Chat {
    fn room(&mut self, room: ChatRoom) -> &mut Lines {
        match room {
            ChatRoom::Players => &mut self.players,
            ChatRoom::Watchers => &mut self.watchers,
        }
    }

    /// Adds a line, and returns its message. The oldest line is dropped once there are [`MAX_CHAT_LINES`].
    pub(super) fn add(&mut self, room: ChatRoom, name: Name, at: Moment, words: Text<MAX_CHAT>) -> ToClient {
        let lines = self.room(room);
        lines.count = lines.count.saturating_add(1);
        let line = ChatLine { number: lines.count, room, name, at, words };
        if lines.last.len() == MAX_CHAT_LINES {
            lines.last.pop_front();
        }
        lines.last.push_back(line.clone());
        ToClient::Said(List::first_of([line]))
    }

    /// Clears a room.
    pub(super) fn forget(&mut self, room: ChatRoom) {
        self.room(room).last.clear();
    }

    /// The last lines of a room, if there are any.
    pub(super) fn recent(&mut self, room: ChatRoom) -> Option<ToClient> {
        let lines = &self.room(room).last;
        (!lines.is_empty()).then(|| ToClient::Said(List::first_of(lines.iter().cloned())))
    }
}
