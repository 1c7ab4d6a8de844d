//! Where a connection is: in the hall, in a seat, or among those who watch.

use std::sync::Arc;

use tokio::time::Instant;

use crate::game::any::Board;
use crate::lobby::{Departure, LobbyRequest, PlayerId, Who};
use crate::server::connection::Connection;
use crate::server::lobby::{LobbyHandle, Refused};
use crate::wire::Room;

/// Where a connection is, which decides what it may ask.
pub(super) enum Location {
    Hall,
    Lobby(Seat),
    Gallery(Gallery),
}

/// A connection's seat in a lobby. When this is dropped the connection is lost, and the seat is not: it is
/// kept for the owner of the ticket.
#[derive(Debug)]
pub(super) struct Seat {
    lobby: Arc<LobbyHandle>,
    player: PlayerId,
    connection: Arc<Connection>,
    /// Nothing is to be told when this is dropped.
    done: bool,
}

/// A connection that watches a lobby. When this is dropped the connection is lost.
#[derive(Debug)]
pub(super) struct Gallery {
    lobby: Arc<LobbyHandle>,
    connection: Arc<Connection>,
}

impl Location {
    /// The lobby, and the room there in which the connection hears what is said.
    pub(super) fn lobby(&self) -> Option<(&Arc<LobbyHandle>, Room)> {
        match self {
            Self::Hall => None,
            Self::Lobby(seat) => Some((&seat.lobby, Room::Players)),
            Self::Gallery(gallery) => Some((&gallery.lobby, Room::Watchers)),
        }
    }

    /// The number of the lobby's next move; 0 in the hall.
    pub(super) fn turn(&self) -> u32 {
        self.lobby().map_or(0, |(lobby, _)| lobby.turn())
    }

    /// Whether something happens in a lobby when it is left: it is not closed, and the seat is still theirs.
    pub(super) fn is_held(&self) -> bool {
        match self {
            Self::Hall => false,
            Self::Lobby(seat) => seat.lobby.is_open() && seat.lobby.has_seat(seat.player),
            Self::Gallery(gallery) => gallery.lobby.is_open(),
        }
    }

    /// Asks for something by a frame that had arrived at this instant; `None` in the hall.
    pub(super) fn ask(&self, request: LobbyRequest, arrived: Instant) -> Option<Result<(), Refused>> {
        match self {
            Self::Hall => None,
            Self::Lobby(seat) => Some(seat.lobby.ask((seat.player, &seat.connection), request, arrived)),
            Self::Gallery(gallery) => Some(gallery.lobby.ask_as(Who::Watcher, request)),
        }
    }

    /// The board for which a hint may be given, and its turn; `None` in the hall.
    pub(super) fn board_for_hint(&self) -> Option<Result<(Board, u32), Refused>> {
        match self {
            Self::Hall => None,
            Self::Lobby(seat) => Some(seat.lobby.board_for_hint(Who::Player(seat.player))),
            Self::Gallery(gallery) => Some(gallery.lobby.board_for_hint(Who::Watcher)),
        }
    }

    /// Nothing has been heard over the connection since then; or something again.
    pub(super) fn note_silence(&self, heard: Option<Instant>) {
        if let Self::Lobby(seat) = self {
            seat.lobby.note_silence(seat.player, &seat.connection, heard);
        }
    }

    /// Leaves on purpose, and is outside as soon as that is recorded.
    pub(super) fn leave(self) {
        match self {
            Self::Hall => {}
            Self::Lobby(mut seat) => {
                seat.done = true;
                seat.lobby.leave(seat.player, &seat.connection);
            }
            Self::Gallery(gallery) => gallery.lobby.unwatch(&gallery.connection, Departure::Quit),
        }
    }

    /// Stays seated while the server stops: nobody is to be told that this player went.
    pub(super) fn stay(self) {
        if let Self::Lobby(mut seat) = self {
            seat.done = true;
        }
    }
}

impl Seat {
    pub(super) fn new(lobby: Arc<LobbyHandle>, player: PlayerId, connection: Arc<Connection>) -> Self {
        Self { lobby, player, connection, done: false }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if !self.done {
            self.lobby.lose(self.player, &self.connection);
        }
    }
}

impl Gallery {
    pub(super) fn new(lobby: Arc<LobbyHandle>, connection: Arc<Connection>) -> Self {
        Self { lobby, connection }
    }
}

impl Drop for Gallery {
    /// Nothing happens if they have left already.
    fn drop(&mut self) {
        self.lobby.unwatch(&self.connection, Departure::Lost);
    }
}
