//! What a session tells the face that shows it, and what was asked for.

use std::time::Duration;

use crate::client::model::Changes;
use crate::client::{Action, Failure};
use crate::game::any::Move;
use crate::lobby::{Event, Lobby, Text};
use crate::wire::limits::MAX_SENTENCE;
use crate::wire::{ChatLine, HallEvent, Refusal, Review};

/// What has become of an action.
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
    /// There is nothing to leave or to wait for: the session can end.
    Done,
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
        asked: Option<Action>,
        /// Why.
        refusal: Refusal,
    },
    /// The client has left its lobby.
    Outside,
    /// The client would leave, which cannot be recorded: the session ends, and its seat or game is kept.
    LeftUnrecorded,
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
    ReturnDeferred {
        /// Why not.
        refusal: Refusal,
        /// For how long it tries yet.
        left: Duration,
    },
    /// The client is back in its seat.
    Returned {
        /// A move that was typed is not made: its turn is over.
        late: bool,
        /// The client was told the lobby as it is now; otherwise all that it has missed.
        anew: bool,
    },
    /// The host cannot record anything any more, or it can again: the model's
    /// [`halted`](crate::client::Model::halted) says which.
    Halted,
    /// Nothing that anybody has to be told.
    Nothing,
}
