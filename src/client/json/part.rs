//! The JSON objects inside events and requests: players, conditions, results, listings.

use serde::{Deserialize, Serialize};

use super::words::JsonOutcome;
use crate::game::{BySide, Side};
use crate::lobby::{self, BotRule, Cause, Checksum, Code, Hints, Kind, Level, Name, Text, WhenAway};
use crate::wire::{LobbyState, Sitter};

/// A player of a lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonPlayer {
    /// The side on which they sit.
    pub side: Side,
    /// Their name.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
}

/// The player whom an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonWho {
    /// The player.
    pub who: JsonPlayer,
}

/// The conditions of a lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JsonConditions {
    /// Who may ask for hints.
    pub hints: Hints,
    /// The level of the bot, if it joins.
    pub level: Level,
    /// The level of a stand-in.
    pub stand_in_level: Level,
    /// Milliseconds until the bot takes an empty seat; `None` if it never does.
    pub bot_after: Option<u32>,
    /// What happens on the turn of a player who is away.
    pub when_away: WhenAway,
    /// After how many milliseconds, if the connection was closed.
    pub away_after: u32,
    /// After how many milliseconds, if the connection is silent.
    pub silent_after: u32,
    /// The clock, as it is typed.
    pub clock: String,
    /// The number of games of a match; 0 for no limit.
    pub best_of: u8,
    /// Whether the lobby is listed, rather than found by its code alone.
    pub listed: bool,
}

impl From<&lobby::Conditions> for JsonConditions {
    fn from(agreed: &lobby::Conditions) -> Self {
        Self {
            hints: agreed.hints,
            level: agreed.level,
            stand_in_level: agreed.away.level,
            bot_after: match agreed.bot {
                BotRule::Never | BotRule::PeopleOnly => None,
                BotRule::Both => Some(0),
                BotRule::After(milliseconds) => Some(milliseconds),
            },
            when_away: agreed.away.then,
            away_after: agreed.away.closed_after,
            silent_after: agreed.away.silent_after,
            clock: agreed.clock.to_string(),
            best_of: agreed.best_of,
            listed: agreed.listed,
        }
    }
}

/// The games of a match that are over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonScore {
    /// The number of games that the player on each side has won.
    pub won: BySide<u32>,
    /// The number of draws.
    pub drawn: u32,
    /// Whether the match is decided.
    pub decided: bool,
}

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonEnding {
    /// The winning side; `None` for a draw.
    pub winner: Option<Side>,
    /// What ended it.
    pub cause: Cause,
    /// The same as a sentence for people.
    pub words: String,
}

/// The value of a position for a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonValue {
    /// The result with perfect play.
    pub outcome: JsonOutcome,
    /// In how many moves of both sides; `None` if that is not known, and for a draw.
    pub moves: Option<u32>,
}

/// A seat that a script can take up again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptSeat {
    /// The lobby's code.
    pub code: Code,
    /// The server's address; `None` for a game at this keyboard.
    pub server: Option<String>,
    /// The script's name there.
    pub name: Name,
    /// The variant.
    pub variant: String,
    /// The opponent, a bot with its mark; `None` if there was none.
    pub opponent: Option<String>,
    /// Milliseconds since the last message from the lobby.
    pub unheard: u64,
    /// Milliseconds since something last happened in the game.
    pub quiet: u64,
    /// Whether another window of this machine has it; that window ends if the seat is taken over.
    pub held: bool,
    /// The command that comes back to it, for people.
    pub command: String,
}

/// The position of a record from which a lobby's games start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonOrigin {
    /// The checksum of the record.
    pub record: String,
    /// The number of moves before the position.
    pub moves: u32,
    /// The position.
    pub position: String,
}

impl From<&lobby::Origin> for JsonOrigin {
    fn from(origin: &lobby::Origin) -> Self {
        let lobby::Origin { record, moves, position } = origin;
        Self { record: record.to_string(), moves: *moves, position: position.to_string() }
    }
}

impl JsonOrigin {
    /// Reads the texts; `None` if one is invalid.
    pub(super) fn read(&self) -> Option<lobby::Origin> {
        let record: Checksum = self.record.parse().ok()?;
        let position = Text::try_from(self.position.clone()).ok()?;
        Some(lobby::Origin { record, moves: self.moves, position })
    }
}

/// A lobby in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonListing {
    /// Its code.
    pub code: Code,
    /// The variant; `None` if this program does not know the game.
    pub variant: Option<String>,
    /// The first position of its games; `None` for that of the variant.
    pub position: Option<String>,
    /// What it is doing.
    pub state: LobbyState,
    /// The level of the bot, if one joins.
    pub level: Level,
    /// The clock, as it is typed.
    pub clock: String,
    /// The number of games of a match; 0 for no limit.
    pub best_of: u8,
    /// The number of watchers.
    pub watchers: u32,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether joining and watching need a password.
    pub locked: bool,
    /// The seats.
    pub seats: BySide<Option<Sitter>>,
}
