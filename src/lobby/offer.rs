//! The offers of players in a game: a draw, a takeback, a pause.

use serde::{Deserialize, Serialize};

use crate::game::{BySide, Side};

/// A proposal that needs the other player's consent. The order of the variants is the protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// To end the game as a draw.
    Draw,
    /// To take back the last move of the player who offers, and the answer to it.
    Takeback,
    /// To pause the game and its clocks until one of the players resumes it.
    Pause,
}

impl Offer {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Draw, Self::Takeback, Self::Pause];

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// An offer that nobody has answered yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenOffer {
    /// Who made it.
    pub side: Side,
    /// What is offered.
    pub offer: Offer,
}

/// The offers of the present turn: the open one, and which each side has made already.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offers {
    /// The open offer.
    pub open: Option<OpenOffer>,
    /// The offers that each side has made in this turn: a bit for each variant of [`Offer`], from the lowest.
    pub made: BySide<u8>,
}

impl Offers {
    pub(super) fn note(&mut self, side: Side, offer: Offer) {
        self.open = Some(OpenOffer { side, offer });
        self.made[side] |= offer.bit();
    }

    pub(super) fn has_made(self, side: Side, offer: Offer) -> bool {
        self.made[side] & offer.bit() != 0
    }
}
