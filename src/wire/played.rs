//! The list of games that have records: names, filters and entries.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::limits::{MAX_NAME_BYTES, MAX_TICKETS};
use super::secret::Ticket;
use crate::game::BySide;
use crate::game::any::MAX_VARIANT_TEXT;
use crate::game::notation::number;
use crate::lobby::{Code, GameResult, Level, List, PlayedBy, Text};

/// The name of a game, unique among all of a server: the number of its lobby and its own number there. Unlike
/// codes, these are never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GameName {
    /// The lobby's number on the server, from 1.
    pub lobby: u64,
    /// The game's number in its lobby, from 1.
    pub game: u32,
}

/// The error for a text that is no name of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write the name of a game as it stands in the list, as in 17/2")]
pub struct BadGameName;

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/{}", self.lobby, self.game))
    }
}

impl FromStr for GameName {
    type Err = BadGameName;

    fn from_str(text: &str) -> Result<Self, BadGameName> {
        let (lobby, game) = text.split_once('/').ok_or(BadGameName)?;
        let game = number(game, 1, u32::MAX.into()).and_then(|game| u32::try_from(game).ok());
        Ok(Self { lobby: number(lobby, 1, u64::MAX).ok_or(BadGameName)?, game: game.ok_or(BadGameName)? })
    }
}

/// A filter for the list of games. An empty field does not restrict it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct GamesWish {
    /// Tickets of seats that they have or had: those games are listed besides the public ones.
    pub tickets: List<Ticket, MAX_TICKETS>,
    /// Only those that they played, from a seat by one of these tickets.
    pub mine: bool,
    /// Only those that somebody of this name played.
    pub with: Option<Text<MAX_NAME_BYTES>>,
    /// Only those of this variant, or of all variants of the game with this name.
    pub game: Option<Text<MAX_VARIANT_TEXT>>,
    /// Only those of a lobby with this code.
    pub code: Option<Text<{ Code::MAX_TEXT }>>,
    /// Only those that began then or later, in milliseconds since 1970 began in UTC; 0 if it does not matter.
    pub since: u64,
    /// Only those before this place, which the message before named.
    pub before: Option<u64>,
}

/// A game in the list of records.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayedGame {
    /// Its name.
    pub name: GameName,
    /// The code that its lobby had.
    pub code: Code,
    /// What was played, as text.
    pub variant: Text<MAX_VARIANT_TEXT>,
    /// Who sat where.
    pub players: BySide<PlayedBy>,
    /// The level of its bot, if one played.
    pub level: Level,
    /// When it began, in milliseconds since 1970 began in UTC.
    pub started: u64,
    /// How it ended; `None` if it goes on.
    pub result: Option<GameResult>,
    /// Whether the client that asked played it.
    pub mine: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_name_is_read_as_it_is_written_and_nothing_else_is() {
        for name in [GameName { lobby: 17, game: 2 }, GameName { lobby: u64::MAX, game: u32::MAX }] {
            assert_eq!(name.to_string().parse(), Ok(name));
        }
        for text in
            ["", "17", "17/", "/2", "0/1", "17/0", "17/2/3", "+17/2", "17/4294967296", "brave-otter/1"]
        {
            assert_eq!(text.parse::<GameName>(), Err(BadGameName), "{text}");
        }
    }
}
