//! A position of Connect Four: its moves and its outcome.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::board::{Bitboard, CELLS, COLUMNS, column};
use crate::game::{Game, Illegal, Outcome, Side};

/// A position: the stones on the board. The side to move follows from their number. The order of the moves
/// is kept for the position's text; equality and hash ignore it.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectFour {
    board: Bitboard,
    pub(super) played: Played,
}

impl PartialEq for ConnectFour {
    fn eq(&self, other: &Self) -> bool {
        self.board == other.board
    }
}

impl Eq for ConnectFour {}

impl Hash for ConnectFour {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.board.hash(hasher);
    }
}

/// A move: a stone is dropped into this column, counted from 0 at the left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Column(pub u8);

impl Column {
    /// The seven columns from left to right.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..COLUMNS).map(Self)
    }
}

impl ConnectFour {
    /// Where the stones are.
    pub fn board(&self) -> Bitboard {
        self.board
    }

    /// Whose stone lies in this [cell](super::board::cell), if one does.
    pub fn stone(&self, cell: u64) -> Option<Side> {
        // The stones of the side to move are those of the mover, also after the end.
        match (self.board.taken() & cell != 0, self.board.mover() & cell != 0) {
            (false, _) => None,
            (true, true) => Some(self.turn()),
            (true, false) => Some(!self.turn()),
        }
    }

    /// The number of stones on the board, 0 to 42.
    pub fn stones(&self) -> u32 {
        self.board.stones()
    }

    /// The position with left and right exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self { board: self.board.mirrored(), played: self.played.mirrored() }
    }

    /// The cells into which a stone may be dropped; none if the game is over.
    fn landings(&self) -> u64 {
        if self.board.last_mover_has_four() { 0 } else { self.board.landings() }
    }
}

impl Game for ConnectFour {
    type Move = Column;

    fn turn(&self) -> Side {
        if self.stones().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.board.last_mover_has_four() {
            return Some(Outcome::Win(!self.turn()));
        }
        (self.stones() == CELLS).then_some(Outcome::Draw)
    }

    fn moves(&self) -> impl Iterator<Item = Column> + '_ {
        let landings = self.landings();
        Column::all().filter(move |mv| landings & column(mv.0) != 0)
    }

    fn move_count(&self) -> u64 {
        self.landings().count_ones().into()
    }

    fn play(&self, mv: Column) -> Result<Self, Illegal> {
        if mv.0 >= COLUMNS {
            return Err(Illegal(format!("there is no such column: they are 1 to {COLUMNS}")));
        }
        match self.landings() & column(mv.0) {
            0 if self.outcome().is_some() => Err(Illegal("the game is over".into())),
            0 => Err(Illegal(format!("column {} is full", mv.0 + 1))),
            cell => Ok(Self { board: self.board.after(cell), played: self.played.push(mv, self.stones()) }),
        }
    }

    /// The position or its mirror image, whichever has the smaller key.
    fn canonical(&self) -> Self {
        let mirrored = self.mirrored();
        if self.board.key() <= mirrored.board.key() { *self } else { mirrored }
    }
}

/// The number of bits for a column, stored as 1 to 7; 0 means none.
const BITS: u32 = 3;

/// The columns in the order played, the first in the lowest bits. All 42 moves fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Played(u128);

impl Played {
    /// Appends a column. `stones` is the number of stones before the move.
    fn push(self, column: Column, stones: u32) -> Self {
        Self(self.0 | u128::from(column.0 + 1) << (BITS * stones))
    }

    /// The columns in the order played.
    pub(super) fn columns(self) -> impl Iterator<Item = Column> {
        let digits =
            std::iter::successors(Some(self.0), |rest| Some(rest >> BITS)).take_while(|&rest| rest != 0);
        digits.filter_map(|rest| Some(Column(u8::try_from(rest & 0b111).ok()?.checked_sub(1)?)))
    }

    /// The same game with left and right exchanged.
    #[must_use]
    fn mirrored(self) -> Self {
        let mirror = |column: Column| Column(COLUMNS - 1 - column.0);
        (0..)
            .zip(self.columns())
            .fold(Self::default(), |played, (stones, column)| played.push(mirror(column), stones))
    }
}
