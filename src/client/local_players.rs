//! The players at this keyboard: usually one, two for a game between two people at one machine.
//!
//! Each has a connection and a seat of their own, like any client. Both receive all events; they are
//! taken from the first one's connection, and the second one's is listened to for its own answers only.

use std::time::Duration;

use super::model::MyLobby;
use super::{Connection, Failure, SavedSeat};
use crate::lobby::{Code, Offer, Text};
use crate::wire::{HallRequest, LobbyRequest, Ticket, ToClient};

/// The connections of the players at this keyboard.
#[derive(Debug)]
pub struct LocalPlayers {
    mine: Connection,
    theirs: Option<Theirs>,
}

/// The second player's connection.
#[derive(Debug)]
struct Theirs {
    connection: Connection,
    /// The ticket for their seat.
    ticket: Ticket,
    /// The seat to which they came back; `None` where they join the first player.
    back: Option<SavedSeat>,
}

impl LocalPlayers {
    /// One player.
    pub fn one(mine: Connection) -> Self {
        Self { mine, theirs: None }
    }

    /// A second player comes to the keyboard.
    #[must_use]
    pub fn with(self, connection: Connection) -> Self {
        Self { theirs: Some(Theirs { connection, ticket: Ticket::random(), back: None }), ..self }
    }

    /// A second player comes back to this seat, before the first one does.
    pub async fn with_returned(self, mut connection: Connection, seat: SavedSeat) -> Result<Self, Failure> {
        let code = Text::cut(&seat.code.to_string());
        connection.ask_hall(HallRequest::Return { code, ticket: seat.ticket, seen: 0 }).await?;
        loop {
            match connection.next().await? {
                ToClient::Entered { .. } => break,
                ToClient::Refused { refusal, .. } => return Err(Failure::SeatLost(refusal)),
                _ => {}
            }
        }
        Ok(Self { theirs: Some(Theirs { connection, ticket: seat.ticket, back: Some(seat) }), ..self })
    }

    /// The second player's ticket, and the seat to which they came back, if they did.
    pub(super) fn their_seat(&self) -> Option<(Ticket, Option<&SavedSeat>)> {
        self.theirs.as_ref().map(|theirs| (theirs.ticket, theirs.back.as_ref()))
    }

    /// Whether both players sit here.
    pub fn are_two(&self) -> bool {
        self.theirs.is_some()
    }

    /// The first player's connection.
    pub fn mine(&mut self) -> &mut Connection {
        &mut self.mine
    }

    /// For how long nothing has been heard over the first player's connection, and after how long it is taken
    /// for lost.
    pub fn silence(&self) -> (Duration, Duration) {
        self.mine.silence()
    }

    /// Whether it is measured how near the server is to the first player.
    pub fn are_measured(&self) -> bool {
        self.mine.is_measured()
    }

    /// How long the server's last answer to the first player took, where that is measured.
    pub fn round_trip(&self) -> Option<Duration> {
        self.mine.round_trip()
    }

    /// The first player speaks over this connection from now on, of which the same is measured.
    pub fn replace(&mut self, mut mine: Connection) {
        if self.mine.is_measured() {
            mine.measure();
        }
        self.mine = mine;
    }

    /// Has the second player join the first one's lobby, unless they are there already.
    pub async fn follow(&mut self, code: Code) -> Result<(), Failure> {
        if let Some(Theirs { connection, ticket, back: None }) = &mut self.theirs {
            let (code, seat) = (Text::cut(&code.to_string()), ticket.hash());
            connection.ask_hall(HallRequest::Join { code, password: None, seat }).await?;
        }
        Ok(())
    }

    /// What the server says next to the first player, or answers to the second.
    ///
    /// Cancel safe.
    pub async fn next(&mut self) -> Result<ToClient, Failure> {
        let Some(theirs) = &mut self.theirs else { return self.mine.next().await };
        loop {
            tokio::select! {
                message = self.mine.next() => return message,
                message = theirs.connection.next() => {
                    if let answer @ (ToClient::Refused { .. } | ToClient::Hint { .. }) = message? {
                        return Ok(answer);
                    }
                }
            }
        }
    }

    /// Asks `mine`, the lobby that they sit in, in the name of the player whose move it is. Another game is
    /// wanted by both, and it is the first player who leaves. Returns the request's number, which a refusal
    /// repeats.
    pub async fn ask(&mut self, request: LobbyRequest, mine: Option<&MyLobby>) -> Result<u32, Failure> {
        let their_move = mine.is_some_and(|mine| mine.lobby.to_move().is_some() && !mine.is_to_move());
        let in_turn =
            matches!(request, LobbyRequest::Play { .. } | LobbyRequest::Resign | LobbyRequest::Hint);
        // The player who made the last move takes it back.
        let by_mover = request == LobbyRequest::Offer(Offer::Takeback) && !their_move;
        if let Some(theirs) = &mut self.theirs {
            if request == LobbyRequest::Again {
                theirs.connection.ask_lobby(request.clone()).await?;
            } else if (in_turn && their_move) || by_mover {
                return theirs.connection.ask_lobby(request).await;
            }
        }
        self.mine.ask_lobby(request).await
    }

    /// Accepts what one of both has offered: they agreed before they typed. `mine` says that it was the first
    /// player.
    pub async fn agree(&mut self, mine: bool, turn: u32, offer: Offer) -> Result<(), Failure> {
        let accept = LobbyRequest::Answer { turn, offer, accept: true };
        match &mut self.theirs {
            Some(theirs) if mine => theirs.connection.ask_lobby(accept).await?,
            _ => self.mine.ask_lobby(accept).await?,
        };
        Ok(())
    }
}
