//! What players offer each other in a game, and the answers: a draw, to take a move back, a pause.

use serde::{Deserialize, Serialize};

use super::{Cause, Event, Events, GameResult, Lobby, Phase, Refusal};
use crate::game::{BySide, Outcome, Side};

/// Something that needs both players. The order of the variants is the protocol's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// To end the game as a draw.
    Draw,
    /// To take back the last move of whoever offers it, and what was answered to it.
    Takeback,
    /// To let the game rest, clocks and all, until either of both goes on.
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
    /// The one that nobody has answered yet.
    pub open: Option<OpenOffer>,
    /// What each side has offered in this turn: a bit for each offer, the lowest one for the first of them.
    pub made: BySide<u8>,
}

impl Offers {
    fn has_made(self, side: Side, offer: Offer) -> bool {
        self.made[side] & offer.bit() != 0
    }
}

impl Lobby {
    /// The offer that waits for an answer.
    pub fn offer(&self) -> Option<OpenOffer> {
        self.offers.open
    }

    /// How many moves go back if this side takes its last one back; `None` if there is none, or it is not known any more.
    fn moves_to_take_back(&self, side: Side) -> Option<u8> {
        let count = if self.board().turn() == side { 2 } else { 1 };
        (self.course.past().len() >= usize::from(count)).then_some(count)
    }

    /// Whether this side can make this offer now.
    pub fn may_offer(&self, side: Side, offer: Offer) -> Result<(), Refusal> {
        self.decide_offer(side, offer).map(drop)
    }

    pub(super) fn decide_offer(&self, side: Side, offer: Offer) -> Result<Events, Refusal> {
        if self.phase != Phase::Playing {
            return Err(Refusal::NoGame);
        }
        if self.paused {
            return Err(Refusal::Paused);
        }
        match self.offers.open {
            // Both want the same.
            Some(open) if open.side != side && open.offer == offer => {
                return self.decide_answer(side, (self.turn, offer), true);
            }
            Some(open) if open.side != side => return Err(Refusal::AnswerFirst),
            _ if self.offers.has_made(side, offer) => return Err(Refusal::OfferedAlready),
            // A new offer takes the place of one's own: the other player may be away, and not answer for long.
            _ => {}
        }
        if offer == Offer::Takeback && self.moves_to_take_back(side).is_none() {
            return Err(Refusal::NothingToTakeBack);
        }
        Ok(Events::from_iter([Event::Offered { side, offer }]))
    }

    /// An answer names what it answers, so that it is no answer to anything that was offered since.
    pub(super) fn decide_answer(
        &self,
        side: Side,
        (turn, offer): (u32, Offer),
        accept: bool,
    ) -> Result<Events, Refusal> {
        let is_meant = |open: &OpenOffer| open.side != side && open.offer == offer && turn == self.turn;
        let open = self.offers.open.filter(is_meant).ok_or(Refusal::NoOffer)?;
        if !accept {
            return Ok(Events::from_iter([Event::Declined { side }]));
        }
        let event = match open.offer {
            Offer::Draw => {
                Event::Ended { result: GameResult { outcome: Outcome::Draw, cause: Cause::Agreed } }
            }
            Offer::Pause => Event::Paused,
            Offer::Takeback => {
                let moves = self.moves_to_take_back(open.side).ok_or(Refusal::NothingToTakeBack)?;
                Event::TakenBack { moves }
            }
        };
        Ok(Events::from_iter([event]))
    }

    pub(super) fn decide_resume(&self, side: Side) -> Result<Events, Refusal> {
        if self.paused { Ok(Events::from_iter([Event::Resumed { side }])) } else { Err(Refusal::NotPaused) }
    }

    /// Whether an offer of this side can have been made now.
    pub(super) fn can_be_offered(&self, side: Side, offer: Offer) -> bool {
        self.phase == Phase::Playing
            && !self.paused
            && self.offers.open.is_none_or(|open| open.side == side)
            && !self.offers.has_made(side, offer)
    }

    pub(super) fn note_offer(&mut self, side: Side, offer: Offer) {
        self.offers.open = Some(OpenOffer { side, offer });
        self.offers.made[side] |= offer.bit();
    }
}
