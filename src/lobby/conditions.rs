//! The conditions of a lobby: agreed when it is opened, and shown to everybody who joins.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::absence::{AwayRule, ConnectionLoss, WhenAway};
use super::clock::ClockRule;
use super::level::Level;
use crate::game::Side;

/// The conditions of a lobby. They do not change while it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The opener's side in the first game.
    pub opener: Side,
    /// When the bot takes an empty seat.
    pub bot: BotRule,
    /// Who may ask for the best move.
    pub hints: Hints,
    /// How strong the bot plays, if it comes. A stand-in has the level of `away`.
    pub level: Level,
    /// The rule for absent players.
    pub away: AwayRule,
    /// How much time players have.
    pub clock: ClockRule,
    /// The number of games of a match; 0 for no match.
    pub best_of: u8,
    /// The watcher limit; 0 if nobody may watch.
    pub watchers: u16,
    /// Whether the lobby is in the list; otherwise only its code leads to it.
    pub listed: bool,
    /// Whether a password is needed to join or watch.
    pub locked: bool,
}

impl Conditions {
    /// Whether the clock ends each turn of a player who is lost in this way before the away rule applies.
    pub fn clock_is_faster(&self, loss: ConnectionLoss) -> bool {
        let wait = Duration::from_millis(self.away.patience(loss).into());
        let longest = self.clock.longest_turn();
        self.away.then != WhenAway::Wait && longest.is_some_and(|longest| longest < wait)
    }
}

impl Default for Conditions {
    /// The conditions where nothing was asked for.
    fn default() -> Self {
        Self {
            opener: Side::First,
            bot: BotRule::Never,
            hints: Hints::Nobody,
            level: Level::default(),
            away: AwayRule::default(),
            clock: ClockRule::None,
            best_of: 0,
            watchers: 0,
            listed: true,
            locked: false,
        }
    }
}

/// When the server's bot takes a free seat. The order is the protocol's and the journal's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BotRule {
    /// Never: the server has none.
    Never,
    /// This many milliseconds after the lobby began to wait; 0 is at once.
    After(u32),
    /// Bots take both seats at once, to be watched.
    Both,
    /// Never, and no program may join: the lobby waits for a person.
    PeopleOnly,
}

/// Who may ask the server for the best move while a game goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Hints {
    /// Nobody.
    Nobody,
    /// A player whose opponent is a bot.
    AgainstBots,
    /// Both players and watchers.
    #[value(alias = "everyone")]
    All,
    /// Watchers.
    #[value(alias = "spectators")]
    Watchers,
}

impl Hints {
    /// The level of a stand-in where none is named, with this level of the lobby's bot. Where the players may
    /// have no hints against each other it is the weakest, so that nobody gains by being away.
    pub fn stand_in_level(self, level: Level) -> Level {
        if self == Self::All { level } else { Level::WEAKEST }
    }
}
