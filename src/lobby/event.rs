//! The events of a lobby. The same type is the server's decision, the record, the broadcast to everybody in
//! the lobby, and the update of a client's copy. Who is present is no event; see [`Notice`](super::Notice).
//!
//! The order of the variants is the protocol's: new ones go to the end.

use arrayvec::ArrayVec;
use serde::{Deserialize, Serialize};

use super::absence::Hand;
use super::offer::Offer;
use super::origin::Origin;
use super::player::{Player, PlayerId};
use crate::game::any::Move;
use crate::game::{BySide, Outcome, Side};

/// The events that one request causes, in order: three at most (a game ended, a player left, the lobby
/// closed).
pub type Events = ArrayVec<Event, 3>;

/// An event: something that happened in a lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::VariantNames)]
#[strum(serialize_all = "snake_case")]
pub enum Event {
    /// Somebody sat down.
    Sat {
        /// On this side.
        side: Side,
        /// Who it is.
        player: Player,
    },
    /// A game started, with the board where the lobby's games begin.
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
        /// Whether the player made it, or the bot that stands in.
        hand: Hand,
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
    /// The server's bot plays for a player who is away, until that player plays again.
    StoodIn {
        /// The player on this side.
        side: Side,
    },
    /// That player plays again: they are back.
    PlaysAgain {
        /// The player on this side.
        side: Side,
    },
    /// A player offers something.
    Offered {
        /// The player on this side.
        side: Side,
        /// What.
        offer: Offer,
    },
    /// A player declined the other one's offer.
    Declined {
        /// The player on this side.
        side: Side,
    },
    /// Moves were taken back, by agreement.
    TakenBack {
        /// How many: one or two.
        moves: u8,
    },
    /// The game is paused, by agreement.
    Paused,
    /// The paused game continues.
    Resumed {
        /// The player on this side resumed it.
        side: Side,
    },
    /// The clock stops: nobody is present to play, or to watch two bots.
    ClockStopped,
    /// The clock runs again: somebody is present.
    ClockStarted,
    /// The server was down, and the lobby's time stood still. Everybody is away until they come back.
    Restarted,
    /// The lobby's games begin in a position of another game. It precedes every other event.
    Placed {
        /// Which.
        origin: Origin,
    },
}

impl Event {
    /// Returns the event that ends a game like this.
    pub(super) const fn ended(outcome: Outcome, cause: Cause) -> Self {
        Self::Ended { result: GameResult { outcome, cause } }
    }

    /// Whether a turn or a phase begins with this event.
    pub(super) fn begins_turn_or_phase(&self) -> bool {
        matches!(
            self,
            Self::Started { .. }
                | Self::Moved { .. }
                | Self::Ended { .. }
                | Self::Left { .. }
                | Self::Sat { .. }
                | Self::TakenBack { .. }
                | Self::Resumed { .. }
                | Self::Restarted
        )
    }
}

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct GameResult {
    /// Who won.
    pub outcome: Outcome,
    /// What ended it.
    pub cause: Cause,
}

/// What ended a game.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, strum::EnumString,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The last move, by the rules.
    Rules,
    /// The loser gave up.
    Resigned,
    /// The loser left.
    Left,
    /// A position of the game came up for the third time with the same side to move, which is a draw.
    Repetition,
    /// The loser was away for longer than was agreed, and the winner claimed the game.
    Forfeited,
    /// Everybody was away, and nobody came back in time.
    Abandoned,
    /// Both agreed on a draw.
    Agreed,
    /// The loser's time ran out.
    Time,
}

/// How a player went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Departure {
    /// On purpose.
    Quit,
    /// The connection broke.
    Lost,
}

/// The score of a match: the games that are over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatchScore {
    /// The wins of the player on each side. They move with the players when these change sides.
    pub won: BySide<u32>,
    /// How many were draws.
    pub drawn: u32,
}

impl MatchScore {
    pub(super) fn count(&mut self, result: GameResult) {
        let count = match result.outcome {
            Outcome::Win(side) => &mut self.won[side],
            Outcome::Draw => &mut self.drawn,
        };
        *count = count.saturating_add(1);
    }

    #[must_use]
    pub(super) fn swapped(self) -> Self {
        Self { won: self.won.swapped(), ..self }
    }

    /// How many games are over.
    pub fn games(&self) -> u32 {
        self.won.first.saturating_add(self.won.second).saturating_add(self.drawn)
    }

    /// The result of a match of this many games, if it is decided: a player who cannot be caught has won it.
    pub fn decision(&self, best_of: u32) -> Option<Outcome> {
        let half_points = |side: Side| u64::from(self.won[side]) * 2 + u64::from(self.drawn);
        let winner = Side::BOTH.into_iter().find(|&side| half_points(side) > u64::from(best_of));
        match winner {
            _ if best_of == 0 => None,
            Some(side) => Some(Outcome::Win(side)),
            None => (self.games() >= best_of).then_some(Outcome::Draw),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_is_decided_once_nobody_can_catch_up() {
        let score = |first, second, drawn| MatchScore { won: BySide { first, second }, drawn };
        for (best_of, so_far, decision) in [
            (0, score(9, 0, 0), None),
            (1, score(0, 0, 1), Some(Outcome::Draw)),
            (3, score(1, 1, 0), None),
            (3, score(0, 2, 0), Some(Outcome::Win(Side::Second))),
            (3, score(1, 0, 1), None),
            (3, score(1, 0, 2), Some(Outcome::Win(Side::First))),
            (3, score(0, 0, 3), Some(Outcome::Draw)),
            (5, score(2, 0, 2), Some(Outcome::Win(Side::First))),
        ] {
            assert_eq!(so_far.decision(best_of), decision, "best of {best_of}: {so_far:?}");
        }
    }
}
