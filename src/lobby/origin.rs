//! The origin of a lobby's games: a position of an earlier game, in place of the variant's start.
//!
//! The lobby knows only the checksum of that game's record, not the record.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::text::Text;
use crate::game::any::{Board, Variant};
use crate::game::notation::{BadText, shown};

/// The most bytes of a position's text: sixteen piles of 10^18 and whose turn it is.
pub const MAX_POSITION_TEXT: usize = 400;

/// The checksum of a record's text, which identifies the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Checksum(pub u32);

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for Checksum {
    type Err = BadChecksum;

    /// Reads eight hexadecimal digits in lower case.
    fn from_str(text: &str) -> Result<Self, BadChecksum> {
        let checksum = u32::from_str_radix(text, 16).map(Self).map_err(|_| BadChecksum)?;
        if checksum.to_string() == text { Ok(checksum) } else { Err(BadChecksum) }
    }
}

/// The error for a text that is no checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a checksum is eight digits of 0 to 9 and a to f")]
pub struct BadChecksum;

/// The position of another game from which a lobby's games continue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The record of that game.
    pub record: Checksum,
    /// The number of moves made in that game before the position.
    pub moves: u32,
    /// The position, as text.
    pub position: Text<MAX_POSITION_TEXT>,
}

impl Origin {
    /// The origin for games that continue from this board.
    pub fn of(record: Checksum, moves: u32, board: &Board) -> Self {
        Self { record, moves, position: Text::cut(&board.write_position()) }
    }

    /// The origin's board if there is one, else the variant's start.
    pub fn start_of(variant: &Variant, origin: Option<&Self>) -> Board {
        origin.and_then(|origin| origin.start(variant).ok()).unwrap_or_else(|| variant.start())
    }

    /// The board on which games of this variant begin. The error if the text is no position of the variant,
    /// or the game is over in it.
    pub fn start(&self, variant: &Variant) -> Result<Board, BadText> {
        let text = self.position.as_str();
        let board = variant.read_position(text)?;
        match board.finish() {
            Some(_) => Err(BadText(format!("{}: the game is over there, so none can begin", shown(text)))),
            None => Ok(board),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checksum_is_read_as_it_is_written_and_in_no_other_way() {
        for checksum in [0, 1, 0xdead_beef, u32::MAX].map(Checksum) {
            assert_eq!(checksum.to_string().parse::<Checksum>().unwrap(), checksum);
        }
        for text in ["", "1", "DEADBEEF", "+deadbee", "0deadbeef", "deadbee", " deadbee", "xdeadbee"] {
            assert!(text.parse::<Checksum>().is_err(), "{text:?}");
        }
    }
}
