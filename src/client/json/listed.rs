//! The JSON objects of lists: records of games, and hosts on this network.

use serde::{Deserialize, Serialize};

use super::part::JsonEnding;
use crate::client::nearby::Neighbour;
use crate::client::records::GameSummary;
use crate::lobby::{Code, Level, PlayedBy};
use crate::number::saturating;

/// A recorded game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedGame {
    /// Its name on the server, or the file's.
    pub game: String,
    /// The code of its lobby.
    pub code: Code,
    /// The variant.
    pub variant: String,
    /// When it began, in UTC.
    pub started: String,
    /// Who had the first move.
    pub first: PlayedBy,
    /// The other player.
    pub second: PlayedBy,
    /// The level of the bot, if one played.
    pub level: Level,
    /// The result; `None` during the game.
    pub result: Option<JsonEnding>,
    /// Whether it was played from a seat of this person.
    pub mine: bool,
}

impl From<&GameSummary> for ListedGame {
    fn from(found: &GameSummary) -> Self {
        let result = found.result.map(|result| JsonEnding {
            winner: result.outcome.winner(),
            cause: result.cause,
            words: found.ending(None),
        });
        Self {
            game: found.name.clone(),
            code: found.code,
            variant: found.variant.clone(),
            started: found.started.to_string(),
            first: found.players.first.clone(),
            second: found.players.second.clone(),
            level: found.level,
            result,
            mine: found.mine,
        }
    }
}

/// A host that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundHost {
    /// Its name.
    pub name: String,
    /// Where to connect.
    pub address: String,
    /// The round trip in microseconds; `None` if it accepts no connection.
    pub round_trip_micros: Option<u32>,
    /// The number of lobbies that anybody may join.
    pub open_lobbies: u16,
    /// The version of its program.
    pub version: String,
}

impl From<&Neighbour> for FoundHost {
    fn from(Neighbour { host, address, round_trip }: &Neighbour) -> Self {
        Self {
            name: host.name.to_string(),
            address: address.to_string(),
            round_trip_micros: round_trip.map(|time| saturating(time.as_micros())),
            open_lobbies: host.open_lobbies,
            version: host.version.to_string(),
        }
    }
}
