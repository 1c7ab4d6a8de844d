//! Tic-tac-toe: nine squares. A move puts a stone on a free square, and three in a row win.

use serde::{Deserialize, Serialize};

use super::notation::{BadText, number, parse_single_variant, read_stone_letter, stone_letter};
use super::{BySide, Game, Illegal, Outcome, Rules, Side, Why};

/// The number of squares.
pub const SQUARES: u8 = 9;

/// All nine squares as bits; the lowest bit is square 0.
const FULL: u16 = (1 << SQUARES) - 1;

/// The three rows, the three columns and the two diagonals, as bits.
const LINES: [u16; 8] = [
    0b111_000_000,
    0b000_111_000,
    0b000_000_111,
    0b100_100_100,
    0b010_010_010,
    0b001_001_001,
    0b100_010_001,
    0b001_010_100,
];

/// The image of every set of squares under each of the eight symmetries of the board.
static IMAGES: [[u16; 1 << SQUARES]; 8] = {
    let mut images = [[0; 1 << SQUARES]; 8];
    let mut symmetry = 0;
    while symmetry < images.len() {
        let mut squares = 0;
        while squares < 1 << SQUARES {
            images[symmetry][squares] = image(symmetry, squares);
            squares += 1;
        }
        symmetry += 1;
    }
    images
};

/// The image of a set of squares under a symmetry. Bit 0 of `symmetry` exchanges rows and columns, bit 1
/// reverses the rows, and bit 2 reverses the columns.
const fn image(symmetry: usize, squares: usize) -> u16 {
    let (mut image, mut square) = (0, 0);
    while square < SQUARES as usize {
        let (row, column) = (square / 3, square % 3);
        let (row, column) = if symmetry & 1 == 0 { (row, column) } else { (column, row) };
        let row = if symmetry & 2 == 0 { row } else { 2 - row };
        let column = if symmetry & 4 == 0 { column } else { 2 - column };
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

    /// The square's bit; 0 for a square that is not on the board.
    fn bit(self) -> u16 {
        1_u16.checked_shl(self.0.into()).unwrap_or(0) & FULL
    }
}

/// A position: the stones of each side. The side to move follows from their number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TicTacToe {
    /// Each side's stones as bits.
    stones: BySide<u16>,
}

fn has_three(stones: u16) -> bool {
    LINES.iter().any(|line| stones & line == *line)
}

impl TicTacToe {
    /// The side whose stone is on `square`; `None` if it is free.
    pub fn stone(&self, square: Square) -> Option<Side> {
        self.stones.find(|stones| stones & square.bit() != 0)
    }

    /// The free squares that would complete three in a row for `side`.
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
    pub fn is_in_three(self, square: Square) -> bool {
        let in_three =
            |stones: &u16| LINES.iter().any(|line| line & square.bit() != 0 && stones & line == *line);
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

    /// The smallest of the eight images.
    fn canonical(&self) -> Self {
        let image = |image: &[u16; 1 << SQUARES]| self.stones.map(|&stones| image[usize::from(stones)]);
        let least = IMAGES.iter().map(image).min_by_key(|stones| (stones.first, stones.second));
        least.map_or(*self, |stones| Self { stones })
    }
}

/// The name by which the game is chosen.
const NAME: &str = "tic-tac-toe";

/// The number of squares in a row, and in a column.
const WIDTH: u8 = 3;

/// The only variant of tic-tac-toe.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct TicTacToeVariant;

impl Rules for TicTacToeVariant {
    type Position = TicTacToe;

    fn name(&self) -> &'static str {
        NAME
    }

    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>> {
        parse_single_variant(Self, NAME, name, parameters)
    }

    fn forms() -> &'static [(&'static str, &'static str)] {
        &[(NAME, "3 rows of 3 squares, three in a row wins")]
    }

    fn rules(&self) -> String {
        "Nine squares, 1 to 9 from the top left, also a1 to c3 with the column's letter and the row's number from the \
         top; a move puts a stone on a free one, x for the first player and o for the second. The player who first \
         has three in a row, horizontally, vertically or diagonally, wins, and a full board is a draw."
            .into()
    }

    fn summary(&self) -> String {
        "3 rows of 3 squares; put a stone on a free one.".into()
    }

    fn goal(&self) -> &'static str {
        "Three in a row wins."
    }

    fn start(&self) -> TicTacToe {
        TicTacToe::default()
    }

    /// The rows from the top, `x` for the first side's stones and `o` for the second's: `x.o/.x./...`.
    fn write_position(&self, position: &TicTacToe) -> String {
        let square = |square| position.stone(square).map_or('.', stone_letter).to_string();
        rows(square, "", "/")
    }

    fn read_position(&self, text: &str) -> Result<TicTacToe, BadText> {
        read_squares(&text.trim().to_lowercase())
            .and_then(|stones| contradiction(stones).map_or(Ok(TicTacToe { stones }), Err))
            .map_err(|complaint| BadText::about(text.trim(), complaint))
    }

    /// The rows from the top: stones as letters, three in a row in upper case, free squares as numbers.
    fn draw(&self, position: &TicTacToe) -> String {
        rows(|square| draw_square(*position, square), " ", "\n")
    }

    fn write_move(&self, _position: &TicTacToe, mv: Square) -> String {
        write_square(mv)
    }

    /// Parses `5`, `b2` and `square 5`.
    fn read_move(&self, position: &TicTacToe, text: &str) -> Result<Square, BadText> {
        let lower = text.trim().to_lowercase();
        let typed = lower.strip_prefix("square ").unwrap_or(&lower).trim();
        read_square(typed).ok_or_else(|| self.not_a_move(position, &lower))
    }

    fn prompt(&self, position: &TicTacToe) -> String {
        let free: Vec<String> = position.moves().map(write_square).collect();
        match free.as_slice() {
            [] => "nothing, the game is over".into(),
            [only] => format!("square {only}"),
            [some, ..] => format!("a free square, such as {some}"),
        }
    }

    fn why(&self, position: &TicTacToe) -> Why {
        match position.winner() {
            Some(side) => Why::by(side, "made three in a row"),
            None => Why::Board("the board is full"),
        }
    }
}

/// The error for a text that is not three rows of three squares.
const FORM: &str = "write the three rows with x, o and a dot for a free square, as in \"x.o/.x./...\"";

/// All squares as text, with `between` between the squares of a row and `after` between rows.
fn rows(square: impl Fn(Square) -> String, between: &str, after: &str) -> String {
    let row = |row: u8| (0..WIDTH).map(|column| square(Square(row * WIDTH + column))).collect::<Vec<_>>();
    (0..WIDTH).map(|at| row(at).join(between)).collect::<Vec<_>>().join(after)
}

fn draw_square(position: TicTacToe, square: Square) -> String {
    match position.stone(square).map(stone_letter) {
        Some(letter) if position.is_in_three(square) => letter.to_ascii_uppercase().to_string(),
        Some(letter) => letter.to_string(),
        None => write_square(square),
    }
}

/// Parses each side's stones, as bits, from a text in lower case.
fn read_squares(text: &str) -> Result<BySide<u16>, String> {
    let rows: Vec<&str> = text.split('/').collect();
    let width = usize::from(WIDTH);
    if rows.len() != width || rows.iter().any(|row| row.chars().count() != width) {
        return Err(FORM.into());
    }
    let mut stones = BySide::default();
    for (square, letter) in Square::all().zip(rows.concat().chars()) {
        match read_stone_letter(letter) {
            Some(side) => stones[side] |= square.bit(),
            None if letter == '.' => {}
            None => return Err(FORM.into()),
        }
    }
    Ok(stones)
}

/// The reason why no game leads to these stones; `None` if one does.
///
/// There are no other reasons: two threes of the same side share the last stone.
fn contradiction(stones: BySide<u16>) -> Option<String> {
    let (x, o) = (stones.first.count_ones(), stones.second.count_ones());
    let xs_turn = x == o;
    match (has_three(stones.first), has_three(stones.second)) {
        _ if !xs_turn && x != o + 1 => {
            Some(format!("{x} x and {o} o cannot be: x starts, so there are as many x as o or one more"))
        }
        (true, true) => Some("both sides have three in a row, but the first three end the game".into()),
        (true, false) if xs_turn => Some("x has three in a row, so o cannot have moved again".into()),
        (false, true) if !xs_turn => Some("o has three in a row, so x cannot have moved again".into()),
        _ => None,
    }
}

/// `5` for the square in the middle.
fn write_square(square: Square) -> String {
    (u16::from(square.0) + 1).to_string()
}

/// Parses `5` and `b2`, in lower case.
fn read_square(text: &str) -> Option<Square> {
    let square = match text.as_bytes() {
        [column @ b'a'..=b'c', row @ b'1'..=b'3'] => (row - b'1') * WIDTH + (column - b'a'),
        // Any number is accepted here: the rules explain which squares there are.
        _ => u8::try_from(number(text, 1, u8::MAX.into())? - 1).ok()?,
    };
    Some(Square(square))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::for_each_reachable;

    const GAME: TicTacToeVariant = TicTacToeVariant;

    #[test]
    fn exactly_the_positions_that_can_arise_are_read() {
        let mut reachable = HashSet::new();
        for_each_reachable(&GAME.start(), 10_000, |position| {
            reachable.insert(GAME.write_position(position));
        });
        let mut read = 0;
        for number in 0..3_usize.pow(9) {
            let letter =
                |square: Square| [".", "x", "o"][number / 3_usize.pow(square.0.into()) % 3].to_owned();
            let text = rows(letter, "", "/");
            let position = GAME.read_position(&text);
            assert_eq!(position.is_ok(), reachable.contains(&text), "{text} {position:?}");
            read += usize::from(position.is_ok());
        }
        assert_eq!(read, 5_478);
    }
}
