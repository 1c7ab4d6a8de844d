//! What a session tells the face that shows it, and what was asked for.

use std::time::Duration;

use crate::client::{Failure, Wish};
use crate::game::any::Move;
use crate::lobby::{Code, Event, Lobby, Text};
use crate::wire::limits::MAX_SENTENCE;
use crate::wire::{ChatLine, HallEvent, Listing, LobbyRequest, Refusal, Review};

/// Something that was asked of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestKind {
    /// To be told of the lobbies.
    Look,
    /// To open a lobby.
    New,
    /// To join a lobby.
    Join,
    /// To join any open lobby of a game, or to open one.
    Quick,
    /// To be back in a seat.
    Return,
    /// Which games were played in a seat to which there is no way back.
    Past,
    /// To make a move.
    Play,
    /// To give the game up.
    Resign,
    /// To be told a good move.
    Hint,
    /// To play another game.
    Again,
    /// To wait for the other one, who is away.
    Wait,
    /// To wait no more.
    WaitNoMore,
    /// To be given the game of somebody who is away for too long.
    Claim,
    /// To agree on something.
    Offer,
    /// To answer an offer.
    Answer,
    /// To go on with a game that rests.
    Resume,
    /// To say something.
    Say,
    /// To be told what a move was worth.
    Review,
    /// To watch in a lobby.
    Watch,
    /// To go back to the hall.
    Leave,
    /// To go for good.
    Quit,
}

impl RequestKind {
    /// Whether it is to be in the lobby no more.
    pub fn is_leave(self) -> bool {
        matches!(self, Self::Leave | Self::Quit)
    }
}

/// What has become of a request to the lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendStatus {
    /// It is on its way.
    Now,
    /// It is a move, and goes out once the connection is back, if it is still for the same turn.
    Later,
    /// It is to leave, and goes out once the connection is back; or a move, instead of which that does.
    Leaving,
    /// It is not sent, since the connection is lost.
    Never,
}

/// What the server said, as a face has to show it. What it changes is known to the session by then.
#[derive(Debug)]
pub enum SessionEvent {
    /// The client has a seat in a lobby.
    Entered,
    /// Something happened in the lobby.
    Happened {
        /// What.
        event: Event,
        /// The lobby before it.
        before: Box<Lobby>,
    },
    /// The lobbies of the hall.
    Hall {
        /// As it was told.
        told: HallEvent,
        /// What of it was not known before.
        changes: Changes,
        /// Whether the client has asked for all of them and this is a part of the answer.
        looking: bool,
    },
    /// A good move.
    Hint {
        /// The turn for which it is given.
        turn: u32,
        /// The move.
        mv: Move,
        /// Why it is good.
        words: Text<MAX_SENTENCE>,
    },
    /// Somebody said something that is new to the client.
    Said(Vec<ChatLine>),
    /// What a move was worth.
    Reviewed(Review),
    /// A request was not granted.
    Refused {
        /// Which one; `None` if nothing was asked.
        asked: Option<RequestKind>,
        /// Why.
        refusal: Refusal,
    },
    /// The client has left its lobby.
    Outside,
    /// The connection is lost, and the client tries to come back by itself.
    Lost {
        /// How.
        failure: Failure,
        /// For how long it tries at least.
        patience: Duration,
        /// What it would come back to may be given up after that.
        limited: bool,
    },
    /// The server is reached again, and does not let the client come back yet, which tries on.
    Barred {
        /// Why not.
        refusal: Refusal,
        /// For how long it tries yet.
        left: Duration,
    },
    /// The client is back in its seat and knows all that it has missed, which was told before this.
    Returned {
        /// A move that was typed is not made: its turn is over.
        late: bool,
    },
    /// The client is back in its seat, and has been told the lobby as it is now.
    ReturnedAnew {
        /// A move that was typed is not made: its turn is over.
        late: bool,
    },
    /// The host cannot record anything any more, or it can again: the model's [`halted`](crate::client::Model::halted) says which.
    Halted,
    /// Nothing that anybody has to be told.
    Nothing,
}

/// What is new in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Lobbies that are new, or other than they were.
    pub listed: Vec<Listing>,
    /// Lobbies that were known and are gone.
    pub gone: Vec<Code>,
}

impl From<&Wish> for RequestKind {
    fn from(wish: &Wish) -> Self {
        match wish {
            Wish::Hall => Self::Look,
            Wish::New(_) => Self::New,
            Wish::Join(..) => Self::Join,
            Wish::Watch(..) => Self::Watch,
            Wish::Quick(_) => Self::Quick,
            Wish::Return(_) => Self::Return,
        }
    }
}

impl From<&LobbyRequest> for RequestKind {
    fn from(request: &LobbyRequest) -> Self {
        match request {
            LobbyRequest::Play { .. } => Self::Play,
            LobbyRequest::Resign => Self::Resign,
            LobbyRequest::Again => Self::Again,
            LobbyRequest::Hint => Self::Hint,
            LobbyRequest::Wait => Self::Wait,
            LobbyRequest::WaitNoMore => Self::WaitNoMore,
            LobbyRequest::Claim => Self::Claim,
            LobbyRequest::Leave => Self::Leave,
            LobbyRequest::Offer(_) => Self::Offer,
            LobbyRequest::Answer { .. } => Self::Answer,
            LobbyRequest::Resume => Self::Resume,
            LobbyRequest::Say { .. } => Self::Say,
            LobbyRequest::Review { .. } => Self::Review,
        }
    }
}
