//! What is agreed when a lobby is opened, and shown to everyone who comes.

use serde::{Deserialize, Serialize};

use super::{AwayRule, Level};
use crate::game::Side;

/// The terms of a lobby. They do not change while it lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    /// The side of whoever opened the lobby, in its first game.
    pub opener: Side,
    /// When the bot takes an empty seat.
    pub bot: BotRule,
    /// Who may ask for the best move.
    pub hints: Hints,
    /// How strong the bot plays, if it comes or stands in.
    pub level: Level,
    /// What happens when somebody is away.
    pub away: AwayRule,
}

/// When the house's bot takes a seat that is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BotRule {
    /// Never: the lobby waits for a person.
    Never,
    /// This many milliseconds after the lobby began to wait; 0 is at once.
    After(u32),
}

/// Who may ask the server for the best move while a game goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Hints {
    /// Nobody.
    Nobody,
    /// A player whose opponent is a bot.
    AgainstBots,
    /// Both players.
    Everyone,
}
