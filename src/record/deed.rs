//! What can happen in one game. It is what a lobby's events say of a game, without the players' numbers, which mean
//! something in their lobby alone.

use super::Span;
use crate::game::Side;
use crate::game::any::Move;
use crate::lobby::{Hand, Loss, Offer};

/// Something that happened, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    /// What happened.
    pub deed: Deed,
    /// How long after the turn had begun, as [`Deed::begins_turn`] has it: of a move, the time it took.
    pub after: Span,
}

/// Something that happened in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// The side whose turn it was moved.
    Moved {
        /// The move.
        mv: Move,
        /// Whether the player made it, or the bot that stood in.
        hand: Hand,
    },
    /// This side offered something.
    Offered(Side, Offer),
    /// This side declined what the other one offered.
    Declined(Side),
    /// So many moves were taken back, by agreement: one or two.
    TakenBack(u8),
    /// The game rested, by agreement.
    Paused,
    /// This side went on with the game.
    Resumed(Side),
    /// This side was away.
    Away {
        /// The side.
        side: Side,
        /// For how long already, when it was noticed.
        since: Span,
        /// How it was noticed.
        loss: Loss,
    },
    /// This side was back.
    Back(Side),
    /// A bot stood in for this side.
    StoodIn(Side),
    /// The other side was away, and this one waited, whatever was agreed.
    Waited(Side),
    /// This side waited no more, so that what was agreed took its course.
    WaitedNoMore(Side),
    /// The host's program stopped, and was started again: both sides are away, and the turn has some free time.
    Restarted,
    /// The game ended, though the rules of the game had not ended it.
    Ended(Ending),
}

/// What ended a game that no move ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// This side gave up.
    Resigned(Side),
    /// This side left.
    Left(Side),
    /// The other side was away for too long, and this one claimed the game.
    Claimed(Side),
    /// This side's time was up.
    Time(Side),
    /// Both agreed on a draw.
    Agreed,
    /// Nobody was there any more, and nobody came back.
    Abandoned,
}

impl Deed {
    /// Whether the time of what follows counts from here: a turn begins, or the game goes on after a rest.
    pub fn begins_turn(&self) -> bool {
        matches!(self, Self::Moved { .. } | Self::TakenBack(_) | Self::Resumed(_))
    }

    /// Whether it is the answer to an offer that was accepted.
    pub(super) fn accepts(&self) -> bool {
        matches!(self, Self::TakenBack(_) | Self::Paused | Self::Ended(Ending::Agreed))
    }
}
