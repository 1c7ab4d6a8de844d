//! Connect Four on 7 columns of 6 cells: the position, its moves and its end.
//!
//! [`board`] is where the stones are, as bits; [`face`] is how positions and moves are drawn, written and
//! read. Which positions are won is not known here: see `search::connect_four`.

pub mod board;
mod face;
mod order;
mod played;

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use self::board::{Board, CELLS, COLUMNS};
use self::played::Played;
use super::notation::{BadText, read_lone_variant};
use super::{Game, Illegal, Outcome, Rules, Side, Why};

/// A position: the stones on the board. Whose turn it is follows from their number. The order in which they were
/// dropped makes no other position of it, but its text tells it as long as it is known.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectFour {
    board: Board,
    played: Played,
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
    pub fn board(&self) -> Board {
        self.board
    }

    /// How many stones are on the board, 0 to 42.
    pub fn stones(&self) -> u32 {
        self.board.stones()
    }

    /// The position in which left and right are exchanged.
    #[must_use]
    pub fn mirrored(&self) -> Self {
        Self { board: self.board.mirrored(), played: self.played.mirrored() }
    }

    /// Whether a stone may be dropped into `column` if the game is not over.
    fn is_open(&self, column: Column) -> bool {
        column.0 < COLUMNS && self.board.landing(column.0) != 0
    }

    /// The columns that are not full, or none if the game is over.
    fn open_columns(&self) -> impl Iterator<Item = Column> + '_ {
        let going = !self.board.last_mover_has_four();
        Column::all().filter(move |&column| going && self.is_open(column))
    }

    /// Why a stone cannot be dropped into `column`, where it cannot.
    fn objection(&self, column: Column) -> Option<String> {
        if column.0 >= COLUMNS {
            Some(format!("there is no such column: they are 1 to {COLUMNS}"))
        } else if self.outcome().is_some() {
            Some("the game is over".into())
        } else if !self.is_open(column) {
            Some(format!("column {} is full", column.0 + 1))
        } else {
            None
        }
    }
}

impl From<Board> for ConnectFour {
    /// The position of a board of which nobody knows how it came about.
    fn from(board: Board) -> Self {
        Self { board, played: Played::default() }
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
        self.open_columns()
    }

    fn move_count(&self) -> u64 {
        self.open_columns().map(|_| 1).sum()
    }

    fn play(&self, mv: Column) -> Result<Self, Illegal> {
        match self.objection(mv) {
            Some(objection) => Err(Illegal(objection)),
            None => Ok(Self {
                board: self.board.after(self.board.landing(mv.0)),
                played: self.played.and(mv, self.stones()),
            }),
        }
    }

    /// The position or its mirror image, whichever has the smaller key.
    fn twin(&self) -> Self {
        let mirrored = self.mirrored();
        if self.board.key() <= mirrored.board.key() { *self } else { mirrored }
    }
}

/// Connect Four as it is sold: there is one board and one set of rules.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct ConnectFourVariant;

/// The name by which the game is chosen.
const NAME: &str = "connect-four";

impl Rules for ConnectFourVariant {
    type Position = ConnectFour;

    fn name(&self) -> &'static str {
        NAME
    }

    fn parse(name: &str, parameters: &[&str]) -> Option<Result<Self, BadText>> {
        read_lone_variant(Self, NAME, name, parameters)
    }

    fn forms() -> &'static [(&'static str, &'static str)] {
        &[(NAME, "7 columns of 6 cells, drop a stone, four in a row win")]
    }

    fn text(&self) -> String {
        NAME.into()
    }

    fn rules(&self) -> String {
        face::RULES.into()
    }

    fn start(&self) -> ConnectFour {
        ConnectFour::default()
    }

    fn write_position(&self, position: &ConnectFour) -> String {
        face::write_position(position)
    }

    fn read_position(&self, text: &str) -> Result<ConnectFour, BadText> {
        face::read_position(text)
    }

    fn draw(&self, position: &ConnectFour) -> String {
        face::draw(position)
    }

    fn write_move(&self, _position: &ConnectFour, mv: Column) -> String {
        face::write_move(mv)
    }

    fn read_move(&self, position: &ConnectFour, text: &str) -> Result<Column, BadText> {
        face::read_move(position, text)
    }

    fn prompt(&self, position: &ConnectFour) -> String {
        face::prompt(position)
    }

    fn why(&self, position: &ConnectFour) -> Why {
        match position.outcome().and_then(Outcome::winner) {
            Some(side) => Why::by(side, "made four in a row"),
            None => Why::Board("the board is full"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays the columns of a text such as `4453`.
    fn after(columns: &str) -> ConnectFour {
        face::read_position(columns).unwrap()
    }

    #[test]
    fn four_in_any_direction_win() {
        for (columns, direction) in
            [("1213141", "up"), ("1122334", "along"), ("12233434464", "rising"), ("76655454424", "falling")]
        {
            let position = after(columns);
            assert_eq!(position.outcome(), Some(Outcome::Win(Side::First)), "{direction}");
            assert_eq!(position.moves().count(), 0);
            assert_eq!(position.play(Column(6)), Err(Illegal("the game is over".into())));
        }
    }

    #[test]
    fn the_end_of_one_column_and_the_start_of_the_next_are_not_neighbours() {
        // First's stones are the three top ones of column 1 and the lowest of column 2, as far as bits go.
        let position = after("51617112131");
        assert_eq!(position.outcome(), None);
    }

    #[test]
    fn a_full_board_without_a_four_is_a_draw() {
        let position = after("712557637731335257312613646221671244464545");
        assert_eq!(position.stones(), 42);
        assert_eq!(position.outcome(), Some(Outcome::Draw));
        assert_eq!(ConnectFourVariant.why(&position), Why::Board("the board is full"));
    }

    #[test]
    fn a_refused_move_says_what_would_be_right() {
        let objection = |columns: &str, column| after(columns).play(Column(column)).unwrap_err().to_string();
        assert_eq!(objection("444444", 3), "column 4 is full");
        assert_eq!(objection("-", 7), "there is no such column: they are 1 to 7");
        assert_eq!(objection("-", 255), "there is no such column: they are 1 to 7");
    }

    #[test]
    fn a_text_tells_the_columns_in_the_order_played() {
        for text in ["2416615552", "712557637731335257312613646221671244464545", "1"] {
            assert_eq!(ConnectFourVariant.write_position(&after(text)), text);
        }
        assert_eq!(ConnectFourVariant.write_position(&after("1122").mirrored()), "7766");
        // Where nobody knows it, it is an order that leads there.
        let board = after("2416615552").board();
        let found = ConnectFourVariant.write_position(&board.into());
        assert_eq!(after(&found).board(), board);
    }

    #[test]
    fn the_order_of_the_stones_does_not_count() {
        assert_eq!(after("1234"), after("3214"));
        assert_ne!(after("1234"), after("2134"));
        assert_eq!(after("1123").mirrored(), after("7765"));
    }
}
