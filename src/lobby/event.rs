//! What happens in a lobby. The one type that is the server's decision, the word to everybody in the
//! lobby, and what a client's own copy is brought up to date with.
//!
//! The order of the variants is the protocol's: new ones go to the end.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::{Player, PlayerId};
use crate::game::any::Move;
use crate::game::{Outcome, Side};

/// The events that one request can bring about, in order: three at most (a game ended, a player left, the lobby closed).
pub type Events = ArrayVec<Event, 3>;

/// Something that has happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// Somebody sat down.
    Sat {
        /// On this side.
        side: Side,
        /// Who it is.
        player: Player,
    },
    /// A game started, with the board at its variant's start.
    Started {
        /// Its number in this lobby, from 1.
        game: u32,
        /// Whether the players changed sides for it.
        swap: bool,
    },
    /// A move was made.
    Moved {
        /// The turn that it answers.
        turn: u32,
        /// Who made it.
        player: PlayerId,
        /// The move.
        mv: Move,
    },
    /// The game ended.
    Ended {
        /// How.
        result: GameResult,
    },
    /// A player would like another game.
    AgainWanted {
        /// The player on this side.
        side: Side,
    },
    /// A player is gone; the seat is empty.
    Left {
        /// The seat that they had.
        side: Side,
        /// How they went.
        how: Departure,
    },
    /// No person is left, and the lobby with it.
    Closed,
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won.
    pub outcome: Outcome,
    /// By what.
    pub cause: Cause,
}

/// What ended a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cause {
    /// The last move, by the rules.
    Rules,
    /// The loser gave up.
    Resigned,
    /// The loser left.
    Left,
    /// A position of the game came up for the third time with the same side to move, which is a draw.
    Repetition,
}

/// How a player went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Departure {
    /// On purpose.
    Quit,
    /// The connection broke.
    Lost,
}
