//! Where a connection is that is not in the hall: in a seat of a lobby, or among those who watch there.

use std::sync::Arc;

use crate::lobby::Who;
use crate::server::connection::Connection;
use crate::server::lobby::LobbyHandle;
use crate::wire::ChatRoom;

/// A connection's place in a lobby. When this is dropped the connection is lost, and a seat is not: it is
/// kept for the owner of the ticket.
#[derive(Debug)]
pub(super) struct Location {
    pub(super) lobby: Arc<LobbyHandle>,
    /// The player, or that it watches.
    pub(super) who: Who,
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
            self.lobby.on_disconnect(self.who, &self.connection);
        }
    }
}
