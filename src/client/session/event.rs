//! What a session reports to its face: events, and whether an action was sent.

use std::time::Duration;

use crate::client::model::Changes;
use crate::client::{Action, Failure};
use crate::game::any::Move;
use crate::lobby::{Event, Lobby, Notice, Text};
use crate::wire::limits::MAX_SENTENCE;
use crate::wire::{ChatLine, HallEvent, Refusal, Review};

/// Whether and when an action is sent to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendStatus {
    /// It was sent.
    Now,
    /// A move. It is sent once reconnected, if it is still for the same turn.
    Later,
    /// The client leaves once reconnected. A move made meanwhile is dropped and gets this status too.
    Leaving,
    /// It is dropped, since the connection is lost.
    Never,
    /// There is nothing to leave or to wait for: the session can end.
    Done,
}

/// Something for a face to show. The session's model has been updated already.
#[derive(Debug)]
pub enum SessionEvent {
    /// The client has entered a lobby.
    Entered,
    /// Something happened in the lobby.
    Happened {
        /// The event.
        event: Event,
        /// The lobby before the event.
        before: Box<Lobby>,
    },
    /// Who is present in the lobby has changed.
    Noticed(Notice),
    /// The client watched, and was kicked: it is about to be in the hall.
    Kicked,
    /// The list of lobbies, or changes of it.
    Hall {
        /// The server's message.
        told: HallEvent,
        /// The part of it that was not known before.
        changes: Changes,
        /// Whether this is part of the answer to a request for the whole list.
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
    /// New lines of chat.
    Said(Vec<ChatLine>),
    /// The review of a move.
    Reviewed(Review),
    /// A request was refused.
    Refused {
        /// The request; `None` if it is not known any more.
        asked: Option<Action>,
        /// Why.
        refusal: Refusal,
    },
    /// The client has left its lobby.
    Outside,
    /// Leaving cannot be recorded: the session ends, and its seat or game is kept.
    LeftUnrecorded,
    /// The connection is lost, and the client tries to reconnect.
    Lost {
        /// The reason.
        failure: Failure,
        /// How long it tries at least.
        patience: Duration,
        /// Whether the seat or watched game may be given up after that.
        limited: bool,
    },
    /// The server is reachable but refuses the return for now; the client keeps trying.
    RetryingReturn {
        /// The reason.
        refusal: Refusal,
        /// How much longer it tries.
        left: Duration,
    },
    /// The client is back in its seat.
    Returned {
        /// Whether a queued move was dropped because its turn is over.
        late: bool,
        /// Whether the server sent the whole lobby anew, rather than the missed events.
        anew: bool,
        /// The request that was not carried out, since the client still had this seat.
        replaced: Option<Action>,
        /// What has changed about the players' presence, if the client did not get the lobby anew.
        noticed: Vec<Notice>,
        /// Whether the loss was so short that it was not told, and the return is not worth telling either.
        quiet: bool,
    },
    /// The host can no longer record, or can again; [`Model::halted`](crate::client::Model::halted) says
    /// which.
    Halted,
    /// The host says something to everybody.
    HostSaid(String),
    /// Nothing to show.
    Nothing,
}
