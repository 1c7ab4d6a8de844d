//! What a move of a game that is over was worth.

use serde::{Deserialize, Serialize};

use super::limits::MAX_SENTENCE;
use crate::game::any::Move;
use crate::lobby::Text;

/// What a move was worth, for whoever made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// The move's number in the game, from 1.
    pub number: u32,
    /// How many moves the game has.
    pub count: u32,
    /// The move.
    pub mv: Move,
    /// What the position was worth before it.
    pub before: Worth,
    /// What it was worth behind it.
    pub after: Worth,
    /// The same in a sentence, with a better move where there was one.
    pub words: Text<MAX_SENTENCE>,
}

/// What a position is worth for a player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Worth {
    /// Nobody knows in time.
    Unknown,
    /// The player wins against every reply.
    Win {
        /// Within so many moves of both, if it is known.
        moves: Option<u32>,
    },
    /// The other one does.
    Loss {
        /// Within so many moves of both, if it is known.
        moves: Option<u32>,
    },
    /// Neither does.
    Draw,
}
