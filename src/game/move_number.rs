//! Moves as numbers, for places that keep many of them.

use super::connect_four::Column;
use super::even_or_odd::Tokens;
use super::nim::{MAX_PILES, Take};
use super::sliding::Slide;
use super::tic_tac_toe::Square;

/// A move that is a number: small where moves of the game usually are few or small.
pub trait MoveNumber: Copy {
    /// The number of this move.
    fn number(self) -> u64;

    /// The move with this number, legal or not; `None` if no move has it.
    fn numbered(number: u64) -> Option<Self>;
}

/// Moves that are a small number themselves.
macro_rules! small {
    ($($name:ident),+) => {$(
        impl MoveNumber for $name {
            fn number(self) -> u64 {
                self.0.into()
            }

            fn numbered(number: u64) -> Option<Self> {
                number.try_into().ok().map($name)
            }
        }
    )+};
}

small!(Column, Tokens, Square);

/// The most piles that a game has.
const PILES: u64 = MAX_PILES as u64;

impl MoveNumber for Take {
    fn number(self) -> u64 {
        // A pile has at most 10^18 objects, so that sixteen times as many are less than 2^64.
        self.count.wrapping_mul(PILES).wrapping_add(self.pile.into())
    }

    fn numbered(number: u64) -> Option<Self> {
        let pile = u8::try_from(number % PILES).ok()?;
        Some(Self { pile, count: number / PILES })
    }
}

impl MoveNumber for Slide {
    fn number(self) -> u64 {
        u64::from(self.from) << 8 | u64::from(self.to)
    }

    fn numbered(number: u64) -> Option<Self> {
        let [from, to] = u16::try_from(number).ok()?.to_be_bytes();
        Some(Self { from, to })
    }
}
