//! The place of a connection that is not in the hall: a seat in a lobby, or among its watchers.

use std::sync::Arc;

use crate::lobby::Who;
use crate::server::connection::Connection;
use crate::server::lobby::LobbyHandle;
use crate::wire::ChatRoom;

/// A connection's place in a lobby. Dropping it means that the connection is lost; a seat is kept for the
/// owner of its ticket.
#[derive(Debug)]
pub(super) struct Location {
    pub(super) lobby: Arc<LobbyHandle>,
    /// A player or a watcher.
    pub(super) who: Who,
    connection: Arc<Connection>,
    /// Whether dropping this sends nothing.
    done: bool,
}

impl Location {
    pub(super) fn new(lobby: Arc<LobbyHandle>, who: Who, connection: &Arc<Connection>) -> Self {
        Self { lobby, who, connection: Arc::clone(connection), done: false }
    }

    /// The room whose chat the connection receives.
    pub(super) fn room(&self) -> ChatRoom {
        if self.who == Who::Watcher { ChatRoom::Watchers } else { ChatRoom::Players }
    }

    /// Whether the connection watched, and was kicked.
    pub(super) fn is_kicked(&self) -> bool {
        self.who == Who::Watcher && !self.lobby.is_watching(&self.connection)
    }

    /// Leaves on purpose. The client is in the hall as soon as that is recorded.
    pub(super) fn leave(mut self) {
        self.done = true;
        self.lobby.leave(self.who, &self.connection);
    }

    /// Stays while the server stops: no departure is broadcast.
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
