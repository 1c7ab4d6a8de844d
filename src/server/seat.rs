//! A connection's seat at a lobby. When this is dropped the connection is lost, and the seat is not: it is kept for
//! whoever comes back with the ticket.

use std::sync::Arc;

use tokio::time::Instant;

use super::app::App;
use super::connection::Connection;
use super::lobby::{LobbyHandle, Refused};
use crate::game::any::Board;
use crate::lobby::{Departure, PlayerId, Request, Who};

/// The right to speak for one player of one lobby.
#[derive(Debug)]
pub(super) struct Seat {
    app: Arc<App>,
    lobby: Arc<LobbyHandle>,
    player: PlayerId,
    connection: Arc<Connection>,
    /// Nothing is to be told when this is dropped.
    done: bool,
}

impl Seat {
    pub(super) fn new(
        app: Arc<App>,
        lobby: Arc<LobbyHandle>,
        player: PlayerId,
        connection: Arc<Connection>,
    ) -> Self {
        Self { app, lobby, player, connection, done: false }
    }

    /// Asks for something by a frame that had arrived at this instant.
    pub(super) fn ask(&self, request: Request, arrived: Instant) -> Result<(), Refused> {
        self.lobby.ask(&self.app, (self.player, &self.connection), request, arrived)
    }

    pub(super) fn board_for_hint(&self) -> Result<(Board, u32), Refused> {
        self.lobby.board_for_hint(Who::Player(self.player))
    }

    pub(super) fn lobby(&self) -> &Arc<LobbyHandle> {
        &self.lobby
    }

    /// Whether it is still this player's, in a lobby that is not closed.
    pub(super) fn is_held(&self) -> bool {
        self.lobby.is_open() && self.lobby.has_seat(self.player)
    }

    /// Nothing has been heard over the connection since then; or something again.
    pub(super) fn note_silence(&self, heard: Option<Instant>) {
        self.lobby.note_silence(&self.app, self.player, &self.connection, heard);
    }

    /// Leaves on purpose, and is outside as soon as that is recorded.
    pub(super) fn leave(mut self) {
        self.done = true;
        self.lobby.leave(&self.app, self.player, &self.connection);
    }

    /// Stays seated while the server stops: nobody is to be told that this player went.
    pub(super) fn stay(mut self) {
        self.done = true;
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if !self.done {
            self.lobby.lose(&self.app, self.player, &self.connection);
        }
    }
}

/// A connection's place among those who watch a lobby. When this is dropped the connection is lost.
#[derive(Debug)]
pub(super) struct Gallery {
    app: Arc<App>,
    lobby: Arc<LobbyHandle>,
    connection: Arc<Connection>,
}

impl Gallery {
    pub(super) fn new(app: Arc<App>, lobby: Arc<LobbyHandle>, connection: Arc<Connection>) -> Self {
        Self { app, lobby, connection }
    }

    pub(super) fn ask(&self, request: Request) -> Result<(), Refused> {
        self.lobby.ask_as(&self.app, Who::Watcher, request)
    }

    /// Leaves on purpose, and is outside as soon as that is recorded.
    pub(super) fn leave(self) {
        self.lobby.unwatch(&self.app, &self.connection, Departure::Quit);
    }

    pub(super) fn board_for_hint(&self) -> Result<(Board, u32), Refused> {
        self.lobby.board_for_hint(Who::Watcher)
    }

    pub(super) fn lobby(&self) -> &Arc<LobbyHandle> {
        &self.lobby
    }
}

impl Drop for Gallery {
    /// Nothing happens if they have left already.
    fn drop(&mut self) {
        self.lobby.unwatch(&self.app, &self.connection, Departure::Lost);
    }
}
