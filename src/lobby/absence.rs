//! The absence of a player: its start, its kind, and the rule that the lobby's conditions set for it.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::level::Level;
use super::moment::Moment;
use crate::game::Side;

/// A player who is away, and still has the seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// When the connection closed, or when the player was last heard.
    pub since: Moment,
    /// How the connection was lost.
    pub loss: ConnectionLoss,
    /// Whether the other player waits, instead of applying the agreed rule.
    pub waited: bool,
}

/// How a player's connection was lost. The order of the variants is the protocol's, here and below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionLoss {
    /// The connection has closed.
    Closed,
    /// The connection is open, but nothing arrives.
    Silent,
}

/// What the lobby does about an absence at present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cover {
    /// The agreed rule applies at its deadline.
    Agreed,
    /// The other player waits instead.
    Waited,
    /// The server's bot plays until the player is back.
    StandIn,
}

/// The agreed rule for a player who is away on their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwayRule {
    /// What happens.
    pub then: WhenAway,
    /// How strong a stand-in plays.
    pub level: Level,
    /// Milliseconds after the connection closed.
    pub closed_after: u32,
    /// Milliseconds after the player was last heard, if the connection has not closed.
    pub silent_after: u32,
    /// How many milliseconds a seat is kept while no game is going on, and a game while nobody is present to
    /// play it or to watch two bots.
    pub kept_for: u32,
    /// How many milliseconds a paused game is kept while nobody is present.
    pub rests_for: u32,
}

impl AwayRule {
    /// How many milliseconds after the shorter of the two losses the rule applies.
    pub(super) fn shortest_patience(self) -> u32 {
        self.closed_after.min(self.silent_after)
    }

    /// How many milliseconds after a loss of this kind the rule applies.
    pub(super) fn patience(self, loss: ConnectionLoss) -> u32 {
        match loss {
            ConnectionLoss::Closed => self.closed_after,
            ConnectionLoss::Silent => self.silent_after,
        }
    }
}

impl Default for AwayRule {
    /// The weakest stand-in, 10 seconds after the connection closed or 40 seconds after the player was last
    /// heard; seats are kept for 15 minutes, paused games for a week.
    fn default() -> Self {
        Self {
            then: WhenAway::StandIn,
            level: Level::WEAKEST,
            closed_after: 10_000,
            silent_after: 40_000,
            kept_for: 900_000,
            rests_for: 604_800_000,
        }
    }
}

/// What happens at the deadline of an absent player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum WhenAway {
    /// The game waits.
    Wait,
    /// A bot plays until they are back; where the server has no bots, the game waits.
    StandIn,
    /// The opponent may claim the game.
    Forfeit,
}

/// Who makes a player's move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hand {
    /// The player.
    Own,
    /// The bot that stands in for the player.
    StandIn,
}

/// What happens without a request, at its deadline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// A bot stands in for the player on this side.
    StandIn(Side),
    /// The seat of the player on this side is given up.
    Vacated(Side),
    /// The game ends and the lobby closes, since nobody came back to play or to watch.
    Abandoned,
    /// The flag of the player on this side falls.
    Flag(Side),
}

impl Absence {
    /// When the rule applies, if it stays this player's turn.
    pub(super) fn absence_deadline(self, rule: AwayRule, turn_began: Moment) -> Moment {
        self.since.max(turn_began) + Duration::from_millis(rule.patience(self.loss).into())
    }
}
