//! Where a connection is that is not in the hall: in a seat of a lobby, or among those who watch there.

use std::sync::Arc;

use tokio::time::Instant;

use crate::game::any::Board;
use crate::lobby::{LobbyRequest, Refusal, Who};
use crate::server::connection::Connection;
use crate::server::lobby::LobbyHandle;
use crate::wire::ChatRoom;

/// A connection's place in a lobby. When this is dropped the connection is lost, and a seat is not: it is
/// kept for the owner of the ticket.
#[derive(Debug)]
pub(super) struct Location {
    pub(super) lobby: Arc<LobbyHandle>,
    /// The player, or that it watches.
    who: Who,
    connection: Arc<Connection>,
    /// Nothing is to be told when this is dropped.
    done: bool,
}

impl Location {
    pub(super) fn new(lobby: Arc<LobbyHandle>, who: Who, connection: &Arc<Connection>) -> Self {
        Self { lobby, who, connection: Arc::clone(connection), done: false }
    }

    /// The room in which the connection hears what is said.
    pub(super) fn room(&self) -> ChatRoom {
        if self.who == Who::Watcher { ChatRoom::Watchers } else { ChatRoom::Players }
    }

    /// Whether something happens in the lobby when it is left.
    pub(super) fn is_held(&self) -> bool {
        self.lobby.is_left_by(self.who)
    }

    /// Asks for something by a frame that had arrived at this instant.
    pub(super) fn ask(&self, request: LobbyRequest, arrived: Instant) -> Result<(), Refusal> {
        self.lobby.ask((self.who, &self.connection), request, arrived)
    }

    /// The board for which a hint may be given, and its turn.
    pub(super) fn board_for_hint(&self) -> Result<(Board, u32), Refusal> {
        self.lobby.board_for_hint(self.who)
    }

    /// Nothing has been heard over the connection since then; or something again.
    pub(super) fn note_silence(&self, heard: Option<Instant>) {
        if let Who::Player(player) = self.who {
            self.lobby.note_silence(player, &self.connection, heard);
        }
    }

    /// Leaves on purpose, and is outside as soon as that is recorded.
    pub(super) fn leave(mut self) {
        self.done = true;
        self.lobby.leave(self.who, &self.connection);
    }

    /// Stays while the server stops: nobody is to be told that somebody went.
    pub(super) fn stay(mut self) {
        self.done = true;
    }
}

impl Drop for Location {
    fn drop(&mut self) {
        if !self.done {
            self.lobby.lose(self.who, &self.connection);
        }
    }
}
