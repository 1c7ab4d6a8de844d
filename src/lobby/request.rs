//! What somebody may ask of a lobby.

use super::{Departure, Kind, Name, PlayerId};
use crate::game::any::Move;

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Somebody who has no seat here.
    Newcomer,
    /// A player of this lobby.
    Player(PlayerId),
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
}
