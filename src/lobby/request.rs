//! The requests to a lobby.
//!
//! The order of the variants of [`LobbyRequest`] is the protocol's: new ones go to the end.

use serde::{Deserialize, Serialize};

use super::absence::ConnectionLoss;
use super::event::Departure;
use super::moment::Moment;
use super::name::{MAX_NAME_BYTES, Name};
use super::offer::Offer;
use super::player::{Kind, PlayerId};
use super::text::Text;
use crate::game::any::Move;

/// The most bytes of a line of chat: two lines on a screen.
pub const MAX_CHAT: usize = 200;

/// The sender of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// A client without a seat here.
    Newcomer,
    /// A player of this lobby.
    Player(PlayerId),
    /// The bot that stands in for a player.
    StandIn(PlayerId),
    /// A watcher.
    Watcher,
}

/// A request of a client in a lobby, or of a bot. The wire carries this type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LobbyRequest {
    /// To make a move.
    Play {
        /// The turn that the move answers.
        turn: u32,
        /// The move.
        mv: Move,
    },
    /// To give up the present game.
    Resign,
    /// To play another game, with the sides swapped.
    Again,
    /// To get the best move.
    Hint,
    /// To go back to the hall. It loses a running game and gives up the seat.
    Leave,
    /// To wait for the absent opponent, instead of applying the agreed rule.
    Wait,
    /// To win the game, since the opponent has been away for too long.
    Claim,
    /// To offer something to the other player.
    Offer(Offer),
    /// To answer what the other player offered.
    Answer {
        /// The turn in which it was offered, so that nobody accepts another offer by mistake.
        turn: u32,
        /// The offer.
        offer: Offer,
        /// Whether it is accepted.
        accept: bool,
    },
    /// To continue a paused game.
    Resume,
    /// To send a line of chat to everybody in the same room.
    Say {
        /// The line.
        words: Text<MAX_CHAT>,
    },
    /// To get the evaluation of a move of the finished game.
    Review {
        /// The move's number in the game, from 1.
        number: u32,
    },
    /// To stop waiting for the opponent, so that the agreed rule applies again.
    WaitNoMore,
    /// To kick a watcher, whose address may not watch here any more. Only the person who opened the lobby can.
    Kick {
        /// The watcher's name, as it was typed.
        name: Text<MAX_NAME_BYTES>,
    },
}

/// Every request to a lobby: of its players and watchers, or of the server on their behalf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// A request of a client in the lobby, or of a bot.
    Ask(LobbyRequest),
    /// To sit down in a free seat.
    Sit {
        /// The newcomer's name.
        name: Name,
        /// Person, bot or program.
        kind: Kind,
    },
    /// To sit down in both seats, for two people at one keyboard.
    SitForTwo {
        /// The newcomer's name.
        name: Name,
        /// The other person's.
        guest: Name,
    },
    /// To mark the player as away: the connection is lost, the seat is kept.
    Disconnect {
        /// How it was lost.
        loss: ConnectionLoss,
        /// When the connection closed, or when the player was last heard.
        since: Moment,
    },
    /// To mark the player as back.
    Return,
    /// To watch.
    Watch {
        /// The newcomer's name.
        name: Name,
    },
    /// To stop watching.
    Unwatch {
        /// The watcher's name.
        name: Name,
        /// How the watcher leaves.
        how: Departure,
    },
}

impl From<LobbyRequest> for Request {
    fn from(request: LobbyRequest) -> Self {
        Self::Ask(request)
    }
}
