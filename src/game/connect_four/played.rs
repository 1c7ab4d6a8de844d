//! The columns of a game in the order played, as bits. It knows no board.

use super::Column;
use super::board::COLUMNS;

/// How many bits a column takes: it is written as 1 to 7, so that 0 is none.
const BITS: u32 = 3;

/// The columns that were played, the first one in the lowest bits; all 42 of them fit. Nothing if it is not known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Played(u128);

impl Played {
    /// The same with a stone more on a board with so many stones. What was not known before is not known behind it.
    pub(super) fn and(self, column: Column, stones: u32) -> Self {
        let known = stones == 0 || self.0 != 0;
        if known { Self(self.0 | u128::from(column.0 + 1) << (BITS * stones)) } else { self }
    }

    /// The columns, if they are known; none if there is no stone.
    pub(super) fn columns(self) -> impl Iterator<Item = Column> {
        let digits =
            std::iter::successors(Some(self.0), |rest| Some(rest >> BITS)).take_while(|&rest| rest != 0);
        digits.filter_map(|rest| Some(Column(u8::try_from(rest & 0b111).ok()?.checked_sub(1)?)))
    }

    /// The same game with left and right exchanged.
    #[must_use]
    pub(super) fn mirrored(self) -> Self {
        let mirror = |column: Column| Column(COLUMNS - 1 - column.0);
        (0..)
            .zip(self.columns())
            .fold(Self::default(), |played, (stones, column)| played.and(mirror(column), stones))
    }
}
