//! Players who are away: since when, how they were lost, and what was agreed for that.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::moment::Moment;
use crate::game::Side;

/// A player who is away, and still has the seat.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Absence {
    /// When the connection closed, or when the player was last heard.
    pub since: Moment,
    /// How it is known.
    pub loss: ConnectionLoss,
    /// What the game does about it.
    pub cover: Cover,
}

/// How a player was lost. The order of the variants is the protocol's, here and below.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionLoss {
    /// The connection has closed.
    Closed,
    /// Nothing is heard over it.
    Silent,
}

/// What is done about an absence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cover {
    /// What was agreed, when its time comes.
    Agreed,
    /// The other player waits, whatever was agreed.
    Waited,
    /// The server's bot plays until the player is back.
    StandIn,
}

/// What is agreed for a player who is away when it is their turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwayRule {
    /// What happens.
    pub then: WhenAway,
    /// Milliseconds after the connection closed.
    pub closed_after: u32,
    /// Milliseconds after the player was last heard, if the connection has not closed.
    pub silent_after: u32,
    /// How many milliseconds a seat is kept while no game is going on, and a game while nobody is there
    /// to play it, or to watch two bots.
    pub kept_for: u32,
    /// How many milliseconds a paused game is kept while nobody is there.
    pub rests_for: u32,
}

impl AwayRule {
    /// How many milliseconds after a loss of this kind the rule applies.
    pub(super) fn patience(self, loss: ConnectionLoss) -> u32 {
        match loss {
            ConnectionLoss::Closed => self.closed_after,
            ConnectionLoss::Silent => self.silent_after,
        }
    }
}

impl Default for AwayRule {
    /// What is usual: a stand-in 10 seconds after the connection closed, or 40 seconds after the last
    /// word; seats are kept for a quarter of an hour, and games that rest for a week.
    fn default() -> Self {
        Self {
            then: WhenAway::StandIn,
            closed_after: 10_000,
            silent_after: 40_000,
            kept_for: 900_000,
            rests_for: 604_800_000,
        }
    }
}

/// What happens when the time of an absent player is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum WhenAway {
    /// The game waits.
    Wait,
    /// A bot plays until they are back; where the server has no bots, the game waits.
    StandIn,
    /// The other one may claim the game.
    Forfeit,
}

/// Whose hand makes a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Hand {
    /// The player's own.
    Own,
    /// That of the bot that stands in.
    StandIn,
}

/// What happens by itself when its time comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// A bot stands in for the player on this side.
    StandIn(Side),
    /// The seat of the player on this side is given up.
    Vacated(Side),
    /// The game is given up, and the lobby with it: nobody has come back, to play or to watch.
    Abandoned,
    /// The flag of the player on this side falls.
    Flag(Side),
}

impl Absence {
    /// The moment from which on the rule takes its course, if it were the player's turn all the time.
    pub(super) fn absence_deadline(self, rule: AwayRule, turn_began: Moment) -> Moment {
        self.since.max(turn_began) + Duration::from_millis(rule.patience(self.loss).into())
    }
}
