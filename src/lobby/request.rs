//! What is asked of a lobby.
//!
//! The order of the variants of [`LobbyRequest`] is the protocol's: new ones go to the end.

use serde::{Deserialize, Serialize};

use super::absence::ConnectionLoss;
use super::event::Departure;
use super::moment::Moment;
use super::name::Name;
use super::offer::Offer;
use super::player::{Kind, PlayerId};
use super::text::Text;
use crate::game::any::Move;

/// The most bytes of a line of chat: two lines on a screen.
pub const MAX_CHAT: usize = 200;

/// Who asks.
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

/// What a client in a lobby, or a bot, may ask for. This is also what travels over the network.
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
    /// To go back to the hall. It loses a game that is going on, and gives the seat up.
    Leave,
    /// To wait for the other player, who is away, whatever was agreed.
    Wait,
    /// To be given the game, since the other player has been away for too long.
    Claim,
    /// To offer something to the other player.
    Offer(Offer),
    /// To answer what the other player offered.
    Answer {
        /// The turn in which it was offered, so that nobody accepts another offer by mistake.
        turn: u32,
        /// What was offered.
        offer: Offer,
        /// Whether it is accepted.
        accept: bool,
    },
    /// To continue a paused game.
    Resume,
    /// To say something to those in the same room.
    Say {
        /// The line.
        words: Text<MAX_CHAT>,
    },
    /// To learn what a move of the finished game was worth.
    Review {
        /// The move's number in the game, from 1.
        number: u32,
    },
    /// To wait no more for the other player, so that what was agreed applies again.
    WaitNoMore,
}

/// All that a lobby can be asked: by those in it, or by the server on their behalf.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// What those in the lobby ask for themselves.
    Ask(LobbyRequest),
    /// To sit down in a free seat.
    Sit {
        /// The newcomer's name.
        name: Name,
        /// Person or bot.
        kind: Kind,
    },
    /// To sit down in both seats, for two people at one keyboard.
    SitForTwo {
        /// The newcomer's name.
        name: Name,
        /// The other person's.
        guest: Name,
    },
    /// To be away: the connection is lost, not the seat.
    Lose {
        /// How it was lost.
        loss: ConnectionLoss,
        /// Since when: it closed, or the player was last heard.
        since: Moment,
    },
    /// To be back.
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
        /// How they go.
        how: Departure,
    },
}

impl From<LobbyRequest> for Request {
    fn from(request: LobbyRequest) -> Self {
        Self::Ask(request)
    }
}
