//! What stands in a field of the objects that go out and has fields of its own.

use serde::{Deserialize, Serialize};

use super::vocabulary::{Cause, Hand, Kind, Level, Outcome, Presence, Side, State};
use crate::game::BySide;
use crate::lobby::{self, Checksum, Code, Name, Text};

/// Somebody in a seat that the field's name tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sitter {
    /// What they are called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
    /// Whether they are there.
    pub presence: Presence,
}

/// A player of a lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The side on which they sit.
    pub side: Side,
    /// What they are called.
    pub name: Name,
    /// Person or bot.
    pub kind: Kind,
}

/// A move that was made before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The move as it is typed.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whose turn it was.
    pub side: Side,
    /// Whether the player made it, or the bot that stood in.
    pub hand: Hand,
}

impl From<lobby::Made> for Made {
    fn from(made: lobby::Made) -> Self {
        Self { mv: made.text, side: made.side.into(), hand: made.hand.into() }
    }
}

/// The games of a match that are over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Score {
    /// How many the player on each side has won.
    pub won: BySide<u32>,
    /// How many were draws.
    pub drawn: u32,
    /// Whether the match of so many games is decided.
    pub decided: bool,
}

/// How a game has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// The side that has won; `None` for a draw.
    pub winner: Option<Side>,
    /// What ended it.
    pub cause: Cause,
    /// The same in a sentence for people.
    pub words: String,
}

/// What a position is worth for a player.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worth {
    /// How it comes out.
    pub outcome: Outcome,
    /// Within how many moves of both; `None` if it is not known, and for a draw.
    pub moves: Option<u32>,
}

/// A seat to which a script can come back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptSeat {
    /// The lobby's code.
    pub code: Code,
    /// The server's address; `None` for a game at this keyboard.
    pub server: Option<String>,
    /// What the script is called there.
    pub name: Name,
    /// What is played.
    pub variant: String,
    /// Who sits opposite, a bot with its mark; `None` if nobody did.
    pub opponent: Option<String>,
    /// For how many milliseconds the lobby has not been heard of.
    pub unheard: u64,
    /// Whether another window of this machine has it, which ends if it is taken over.
    pub held: bool,
    /// The command that comes back to it, for people.
    pub command: String,
}

/// Where a lobby's games come from that do not begin as their variant does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The checksum of the record of the game that they go on from.
    pub record: String,
    /// How many moves of it had been made.
    pub moves: u32,
    /// The position after them.
    pub position: String,
}

impl From<&lobby::Origin> for Origin {
    fn from(origin: &lobby::Origin) -> Self {
        let lobby::Origin { record, moves, position } = origin;
        Self { record: record.to_string(), moves: *moves, position: position.to_string() }
    }
}

impl Origin {
    /// The same with its texts read; `None` where one means nothing.
    pub(super) fn read(&self) -> Option<lobby::Origin> {
        let record: Checksum = self.record.parse().ok()?;
        let position = Text::try_from(self.position.clone()).ok()?;
        Some(lobby::Origin { record, moves: self.moves, position })
    }
}

/// A lobby as it is shown in the hall.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// Its code.
    pub code: Code,
    /// What is played; `None` if this program does not know the game.
    pub variant: Option<String>,
    /// In which position games begin, if not in the variant's first one.
    pub position: Option<String>,
    /// What it is doing.
    pub state: State,
    /// How strong a bot plays there, if one comes.
    pub level: Level,
    /// How much time players have, as it is typed.
    pub clock: String,
    /// How many games a match has; 0 if people play as long as they like.
    pub best_of: u8,
    /// How many watch.
    pub watchers: u32,
    /// Whether others may watch.
    pub watched: bool,
    /// Whether whoever joins or watches is asked for a password.
    pub locked: bool,
    /// Who sits where.
    pub seats: BySide<Option<Sitter>>,
}
