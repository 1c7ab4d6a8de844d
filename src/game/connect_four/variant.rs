//! The rules of Connect Four in words, the drawing, and the notation of positions and moves.

use super::board::{COLUMNS, ROWS, cell, fours};
use super::position::{Column, ConnectFour};
use crate::game::notation::{BadText, in_words, number, parse_single_variant, stone_letter};
use crate::game::{Game, Outcome, Rules, Why};

/// The only variant of Connect Four: the common board and rules.
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
        parse_single_variant(Self, NAME, name, parameters)
    }

    fn forms() -> &'static [(&'static str, &'static str)] {
        &[(NAME, "7 columns of 6 cells, drop a stone, four in a row wins")]
    }

    fn rules(&self) -> String {
        RULES.into()
    }

    fn summary(&self) -> String {
        "7 columns of 6 cells; drop a stone into one.".into()
    }

    fn goal(&self) -> &'static str {
        "Four in a row wins."
    }

    fn start(&self) -> ConnectFour {
        ConnectFour::default()
    }

    /// The columns in the order played, such as `4453`; `-` for the empty board.
    fn write_position(&self, position: &ConnectFour) -> String {
        let played: String = position.played.columns().map(digit).collect();
        if played.is_empty() { EMPTY.into() } else { played }
    }

    /// Parses what `write_position` writes, and any other legal order of the same moves.
    fn read_position(&self, text: &str) -> Result<ConnectFour, BadText> {
        let columns = text.trim();
        if columns == EMPTY {
            return Ok(ConnectFour::default());
        }
        if columns.is_empty() {
            let form = format!("write the columns in the order played, as in 4453, or {EMPTY} for none");
            return Err(BadText(form));
        }
        let mut position = ConnectFour::default();
        for (at, letter) in columns.chars().enumerate() {
            position = read_column(letter)
                .ok_or_else(|| format!("write a column as a digit from 1 to {COLUMNS}"))
                .and_then(|column| position.play(column).map_err(|illegal| illegal.0))
                .map_err(|complaint| BadText::about(columns, format!("move {}: {complaint}", at + 1)))?;
        }
        Ok(position)
    }

    /// The rows from the top down, `x` for the first side's stones and `o` for the second's, and below them
    /// the numbers of the columns. The stones of a line of four are in upper case.
    fn draw(&self, position: &ConnectFour) -> String {
        let four = winning_stones(position);
        let row = |row| line((0..COLUMNS).map(|column| stone(position, four, cell(column, row))));
        let mut lines: Vec<String> = (0..ROWS).rev().map(row).collect();
        lines.push(line(Column::all().map(digit)));
        lines.join("\n")
    }

    fn write_move(&self, _position: &ConnectFour, mv: Column) -> String {
        write_move(mv)
    }

    /// Parses `4` and `column 4`.
    fn read_move(&self, position: &ConnectFour, text: &str) -> Result<Column, BadText> {
        let lower = text.trim().to_lowercase();
        let typed = lower.strip_prefix("column").unwrap_or(&lower).trim();
        number(typed, 1, u64::from(COLUMNS))
            .and_then(|typed| u8::try_from(typed - 1).ok())
            .map(Column)
            .ok_or_else(|| self.not_a_move(position, &lower))
    }

    /// The columns that are not full: `a column, 1 to 7`, `a column: 1, 3 or 4`.
    fn prompt(&self, position: &ConnectFour) -> String {
        let open: Vec<String> = position.moves().map(write_move).collect();
        match open.as_slice() {
            [] => "nothing, the game is over".into(),
            [only] => format!("column {only}"),
            all if all.len() == usize::from(COLUMNS) => format!("a column, 1 to {COLUMNS}"),
            some => format!("a column: {}", in_words(some.iter(), "or")),
        }
    }

    fn why(&self, position: &ConnectFour) -> Why {
        match position.outcome().and_then(Outcome::winner) {
            Some(side) => Why::by(side, "made four in a row"),
            None => Why::Board("the board is full"),
        }
    }
}

/// The rules in two sentences.
const RULES: &str = "Seven columns, 1 to 7 from the left, of six cells each; a move drops a stone into \
     one that is not full, where it falls on the stones below it, x for the first player and o for the second. \
     The player who first has four in a row, horizontally, vertically or diagonally, wins, and a full board is a draw.";

/// The text of the position before the first move.
const EMPTY: &str = "-";

fn read_column(letter: char) -> Option<Column> {
    let digit = u8::try_from(letter.to_digit(10)?).ok()?;
    (1..=COLUMNS).contains(&digit).then(|| Column(digit - 1))
}

fn digit(column: Column) -> char {
    char::from(b'1' + column.0)
}

fn line(letters: impl Iterator<Item = char>) -> String {
    letters.map(String::from).collect::<Vec<_>>().join(" ")
}

fn stone(position: &ConnectFour, four: u64, cell: u64) -> char {
    let letter = position.stone(cell).map_or('.', stone_letter);
    if four & cell != 0 { letter.to_ascii_uppercase() } else { letter }
}

/// The stones of the lines of four that ended the game. Empty if nobody has won.
fn winning_stones(position: &ConnectFour) -> u64 {
    position.outcome().and_then(Outcome::winner).map_or(0, |_| fours(position.board().other()))
}

fn write_move(mv: Column) -> String {
    (u32::from(mv.0) + 1).to_string()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const GAME: ConnectFourVariant = ConnectFourVariant;

    /// Plays the columns of a text such as `4453`.
    fn after(columns: &str) -> ConnectFour {
        GAME.read_position(columns).unwrap()
    }

    #[test]
    fn a_full_board_without_a_four_is_a_draw() {
        let position = after("712557637731335257312613646221671244464545");
        assert_eq!(position.stones(), 42);
        assert_eq!(position.outcome(), Some(Outcome::Draw));
        assert_eq!(GAME.why(&position), Why::Board("the board is full"));
    }

    #[test]
    fn a_text_tells_the_columns_in_the_order_played() {
        for text in ["2416615552", "712557637731335257312613646221671244464545", "1"] {
            assert_eq!(GAME.write_position(&after(text)), text);
        }
        assert_eq!(GAME.write_position(&after("1122").mirrored()), "7766");
    }

    #[test]
    fn the_order_of_the_stones_does_not_count() {
        assert_eq!(after("1234"), after("3214"));
        assert_ne!(after("1234"), after("2134"));
        assert_eq!(after("1123").mirrored(), after("7765"));
    }

    /// All positions on the way of a game that tries these columns and leaves out those that are not open.
    fn on_the_way(columns: Vec<u8>) -> Vec<ConnectFour> {
        let mut played = vec![ConnectFour::default()];
        for column in columns {
            played.extend(played[played.len() - 1].play(Column(column)).ok());
        }
        played
    }

    proptest! {
        #[test]
        fn every_position_is_written_as_a_game_that_leads_to_it(columns in vec(0..COLUMNS, 60..120)) {
            for position in on_the_way(columns) {
                let text = GAME.write_position(&position);
                prop_assert_eq!(GAME.read_position(&text), Ok(position), "{}", text);
            }
        }
    }
}
