//! What somebody may ask of a lobby.

use super::{Departure, Kind, Loss, Moment, Name, Offer, PlayerId};
use crate::game::any::Move;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Somebody who has no seat here.
    Newcomer,
    /// A player of this lobby.
    Player(PlayerId),
    /// The bot that stands in for a player.
    StandIn(PlayerId),
    /// Somebody who watches.
    Watcher,
}

/// What they ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// To sit down in an open seat.
    Sit {
        /// The newcomer's name.
        name: Name,
        /// Person or bot.
        kind: Kind,
    },
    /// To make a move.
    Play {
        /// The turn that the move answers.
        turn: u32,
        /// The move.
        mv: Move,
    },
    /// To give the present game up.
    Resign,
    /// To play another game, with the sides swapped.
    Again,
    /// To go. A game that is going on is lost by it.
    Leave(Departure),
    /// To be away: the connection is lost, not the seat.
    Lose {
        /// How it was lost.
        loss: Loss,
        /// Since when: it closed, or the player was last heard.
        since: Moment,
    },
    /// To be back.
    Return,
    /// To wait for the other player, who is away, whatever was agreed.
    Wait,
    /// To be given the game, since the other player has been away for too long.
    Claim,
    /// To agree on something with the other player.
    Offer(Offer),
    /// To answer what the other player offered.
    Answer {
        /// The turn in which it was offered.
        turn: u32,
        /// What was offered.
        offer: Offer,
        /// Whether it is accepted.
        accept: bool,
    },
    /// To go on with a game that rests.
    Resume,
    /// To watch.
    Watch {
        /// The newcomer's name.
        name: Name,
    },
    /// To watch no more.
    Unwatch {
        /// The watcher's name.
        name: Name,
        /// How they go.
        how: Departure,
    },
    /// To wait no more for the other player, so that what was agreed takes its course.
    WaitNoMore,
}
