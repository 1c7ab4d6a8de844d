//! Tic-tac-toe: nine squares, a move puts a stone on a free one, three in a row win.
//!
//! This file is the position and its moves; [`variant`] is how they are typed, written and drawn.

mod variant;

pub use variant::TicTacToeVariant;

use serde::{Deserialize, Serialize};

use super::{BySide, Game, Illegal, Outcome, Side};

/// The number of squares.
pub const SQUARES: u8 = 9;

/// All nine squares as bits, the lowest for square 0.
const FULL: u16 = (1 << SQUARES) - 1;

/// The three rows, the three columns and the two diagonals, as bits.
const ROWS: [u16; 8] = [
    0b111_000_000,
    0b000_111_000,
    0b000_000_111,
    0b100_100_100,
    0b010_010_010,
    0b001_001_001,
    0b100_010_001,
    0b001_010_100,
];

/// What becomes of any set of squares when the board is turned or looked at in a mirror, in each of the eight ways.
static IMAGES: [[u16; 1 << SQUARES]; 8] = {
    let mut images = [[0; 1 << SQUARES]; 8];
    let mut way = 0;
    while way < images.len() {
        let mut squares = 0;
        while squares < 1 << SQUARES {
            images[way][squares] = image(way, squares);
            squares += 1;
        }
        way += 1;
    }
    images
};

/// These squares, in one of the eight ways: its bits say whether rows and columns change places, whether the rows come
/// from below, and the columns from the right.
const fn image(way: usize, squares: usize) -> u16 {
    let (mut image, mut square) = (0, 0);
    while square < SQUARES as usize {
        let (row, column) = (square / 3, square % 3);
        let (row, column) = if way & 1 == 0 { (row, column) } else { (column, row) };
        let row = if way & 2 == 0 { row } else { 2 - row };
        let column = if way & 4 == 0 { column } else { 2 - column };
        if squares & (1 << square) != 0 {
            image |= 1 << (3 * row + column);
        }
        square += 1;
    }
    image
}

/// A square, counted from 0 at the top left, row by row to the right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Square(pub u8);

impl Square {
    /// The nine squares, from the top left row by row.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..SQUARES).map(Self)
    }

    /// Its bit; none for a square that is not on the board.
    fn bit(self) -> u16 {
        1_u16.checked_shl(self.0.into()).unwrap_or(0) & FULL
    }
}

/// A position: whose stone is where. Whose turn it is follows from the number of stones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TicTacToe {
    /// Each side's stones as bits.
    stones: BySide<u16>,
}

fn has_three(stones: u16) -> bool {
    ROWS.iter().any(|row| stones & row == *row)
}

impl TicTacToe {
    /// Whose stone is on `square`, if there is one.
    pub fn stone(&self, square: Square) -> Option<Side> {
        self.stones.find(|stones| stones & square.bit() != 0)
    }

    /// The free squares on which `side` would have three in a row.
    pub fn threats(&self, side: Side) -> impl Iterator<Item = Square> + '_ {
        self.free().filter(move |square| has_three(self.stones[side] | square.bit()))
    }

    fn free(&self) -> impl Iterator<Item = Square> + '_ {
        Square::all().filter(|square| self.taken() & square.bit() == 0)
    }

    fn taken(self) -> u16 {
        self.stones.first | self.stones.second
    }

    fn winner(self) -> Option<Side> {
        self.stones.find(|&stones| has_three(stones))
    }

    /// Whether a stone on `square` is one of three in a row.
    fn is_in_three(self, square: Square) -> bool {
        let in_three = |stones: &u16| ROWS.iter().any(|row| row & square.bit() != 0 && stones & row == *row);
        self.stones.find(in_three).is_some()
    }
}

impl Game for TicTacToe {
    type Move = Square;

    fn turn(&self) -> Side {
        if self.taken().count_ones().is_multiple_of(2) { Side::First } else { Side::Second }
    }

    fn outcome(&self) -> Option<Outcome> {
        match self.winner() {
            Some(side) => Some(Outcome::Win(side)),
            None => (self.taken() == FULL).then_some(Outcome::Draw),
        }
    }

    fn moves(&self) -> impl Iterator<Item = Square> + '_ {
        let over = self.winner().is_some();
        self.free().filter(move |_| !over)
    }

    fn move_count(&self) -> u64 {
        match self.winner() {
            Some(_) => 0,
            None => (FULL & !self.taken()).count_ones().into(),
        }
    }

    fn play(&self, mv: Square) -> Result<Self, Illegal> {
        let objection = if mv.0 >= SQUARES {
            "there is no such square: they are 1 to 9"
        } else if self.winner().is_some() {
            "the game is over"
        } else if self.stone(mv).is_some() {
            "that square is taken"
        } else {
            let mut next = *self;
            next.stones[self.turn()] |= mv.bit();
            return Ok(next);
        };
        Err(Illegal(objection.into()))
    }

    /// The least of the eight images.
    fn twin(&self) -> Self {
        let image = |image: &[u16; 1 << SQUARES]| self.stones.map(|&stones| image[usize::from(stones)]);
        let least = IMAGES.iter().map(image).min_by_key(|stones| (stones.first, stones.second));
        least.map_or(*self, |stones| Self { stones })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::for_each_reachable;

    #[test]
    fn every_listed_move_is_legal_and_no_other() {
        assert!(for_each_reachable(&TicTacToe::default(), 10_000, |position| {
            let listed: Vec<Square> = position.moves().collect();
            assert_eq!(listed.len() as u64, position.move_count());
            for mv in (0..=u8::MAX).map(Square) {
                assert_eq!(position.play(mv).is_ok(), listed.contains(&mv), "{position:?} {mv:?}");
            }
        }));
    }

    /// The position after these squares, counted from 1 as a person does.
    fn after(squares: &[u8]) -> TicTacToe {
        let play = |position: TicTacToe, &square| position.play(Square(square - 1)).unwrap();
        squares.iter().fold(TicTacToe::default(), play)
    }

    #[test]
    fn three_in_a_row_win_for_either_side_and_a_full_board_is_a_draw() {
        assert_eq!(after(&[1, 4, 2, 5]).outcome(), None);
        assert_eq!(after(&[1, 4, 2, 5, 3]).outcome(), Some(Outcome::Win(Side::First)));
        assert_eq!(after(&[1, 3, 2, 5, 4, 7]).outcome(), Some(Outcome::Win(Side::Second)));
        assert_eq!(after(&[1, 2, 3, 5, 4, 6, 8, 7, 9]).outcome(), Some(Outcome::Draw));
        assert_eq!(after(&[1, 4, 2, 5, 7, 6]).outcome(), Some(Outcome::Win(Side::Second)));
    }

    #[test]
    fn a_full_board_with_three_in_a_row_is_won() {
        assert_eq!(after(&[1, 2, 3, 4, 5, 6, 8, 7, 9]).outcome(), Some(Outcome::Win(Side::First)));
    }

    #[test]
    fn a_threat_is_a_free_square_that_makes_three() {
        let fork = after(&[1, 5, 9, 2, 8]);
        assert_eq!(fork.threats(Side::First).collect::<Vec<_>>(), [Square(6)]);
        assert_eq!(fork.threats(Side::Second).collect::<Vec<_>>(), []);
        let position = after(&[1, 2, 9, 5, 7]);
        assert_eq!(position.threats(Side::First).collect::<Vec<_>>(), [Square(3), Square(7)]);
        assert_eq!(position.threats(Side::Second).collect::<Vec<_>>(), [Square(7)]);
    }

    #[test]
    fn a_refused_move_says_what_would_be_right() {
        let objection =
            |squares: &[u8], square: u8| after(squares).play(Square(square)).unwrap_err().to_string();
        assert_eq!(objection(&[], 9), "there is no such square: they are 1 to 9");
        assert_eq!(objection(&[5], 4), "that square is taken");
        assert_eq!(objection(&[1, 4, 2, 5, 3], 8), "the game is over");
    }
}
