//! Where a lobby's games begin that do not begin as their variant does: a position of some game that was
//! played before.
//!
//! The lobby knows that game by the checksum of its record alone: it is not the lobby's to look into.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::text::Text;
use crate::game::any::{Board, Variant};
use crate::game::notation::{BadText, shown};

/// The most bytes of a position's text: sixteen piles of 10^18 and whose turn it is.
pub const MAX_POSITION_TEXT: usize = 400;

/// The checksum of a record's text, by which others name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Checksum(pub u32);

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

impl FromStr for Checksum {
    type Err = BadChecksum;

    /// Reads eight digits, as they are written.
    fn from_str(text: &str) -> Result<Self, BadChecksum> {
        let checksum = u32::from_str_radix(text, 16).map(Self).map_err(|_| BadChecksum)?;
        if checksum.to_string() == text { Ok(checksum) } else { Err(BadChecksum) }
    }
}

/// The text is no checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a checksum is eight digits of 0 to 9 and a to f")]
pub struct BadChecksum;

/// Where games come from that go on from another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The record of that game.
    pub record: Checksum,
    /// How many moves of it had been made.
    pub moves: u32,
    /// The position after them, as text.
    pub position: Text<MAX_POSITION_TEXT>,
}

impl Origin {
    /// That games go on from this board.
    pub fn of(record: Checksum, moves: u32, board: &Board) -> Self {
        Self { record, moves, position: Text::cut(&board.write_position()) }
    }

    /// The board on which games of this variant begin, which come from such an origin if they have one.
    pub fn start_of(variant: &Variant, origin: Option<&Self>) -> Board {
        origin.and_then(|origin| origin.start(variant).ok()).unwrap_or_else(|| variant.start())
    }

    /// The board on which games of this variant begin. Refuses what is no position of it, and one in
    /// which the game is over.
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
