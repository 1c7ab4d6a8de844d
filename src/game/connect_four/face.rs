//! How Connect Four is shown and typed: rules in words, the drawing, positions and moves as text.

use super::board::{COLUMNS, ROWS, cell, fours};
use super::{Column, ConnectFour, order};
use crate::game::notation::{BadText, alternatives, number, stone_letter};
use crate::game::{Game, Outcome};

/// The rules in two sentences.
pub(super) const RULES: &str = "Seven columns, 1 to 7 from the left, of six cells each; a move drops a stone into \
     one that is not full, where it falls on the stones below it, x for the first player and o for the second. \
     Whoever has four in a row first, along, up or aslant, wins, and a full board is a draw.";

/// The text of the position before the first move.
const EMPTY: &str = "-";

/// The columns in the order played, such as `4453`, or, where that is not known, those of a game that leads to the
/// position; `-` for the empty board.
pub(super) fn write_position(position: &ConnectFour) -> String {
    if position.stones() == 0 {
        return EMPTY.into();
    }
    let played: String = position.played.columns().map(digit).collect();
    if played.is_empty() { order::of(position).into_iter().map(digit).collect() } else { played }
}

/// Reads what [`write_position`] writes, and any other order of the same moves.
pub(super) fn read_position(text: &str) -> Result<ConnectFour, BadText> {
    let columns = text.trim();
    if columns == EMPTY {
        return Ok(ConnectFour::default());
    }
    if columns.is_empty() {
        return Err(BadText(format!(
            "write the columns in the order played, as in 4453, or {EMPTY} for none"
        )));
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

fn read_column(letter: char) -> Option<Column> {
    let digit = u8::try_from(letter.to_digit(10)?).ok()?;
    (1..=COLUMNS).contains(&digit).then(|| Column(digit - 1))
}

fn digit(column: Column) -> char {
    char::from(b'1' + column.0)
}

/// The rows from the top down, `x` for the first side's stones and `o` for the second one's, the numbers of the
/// columns beneath. The stones of a four are capitals.
pub(super) fn draw(position: &ConnectFour) -> String {
    let four = winning_stones(position);
    let row = |row| line((0..COLUMNS).map(|column| stone(position, four, cell(column, row))));
    let mut lines: Vec<String> = (0..ROWS).rev().map(row).collect();
    lines.push(line(Column::all().map(digit)));
    lines.join("\n")
}

fn line(letters: impl Iterator<Item = char>) -> String {
    letters.map(String::from).collect::<Vec<_>>().join(" ")
}

fn stone(position: &ConnectFour, four: u64, cell: u64) -> char {
    let board = position.board();
    let letter = match (board.taken() & cell != 0, board.mover() & cell != 0) {
        (false, _) => return '.',
        (true, true) => stone_letter(position.turn()),
        (true, false) => stone_letter(!position.turn()),
    };
    if four & cell != 0 { letter.to_ascii_uppercase() } else { letter }
}

/// The stones of the lines of four that ended the game; none while nobody has won.
fn winning_stones(position: &ConnectFour) -> u64 {
    position.outcome().and_then(Outcome::winner).map_or(0, |_| fours(position.board().other()))
}

/// `4`.
pub(super) fn write_move(mv: Column) -> String {
    (u32::from(mv.0) + 1).to_string()
}

/// Reads `4` and `column 4`.
pub(super) fn read_move(position: &ConnectFour, text: &str) -> Result<Column, BadText> {
    let lower = text.trim().to_lowercase();
    let typed = lower.strip_prefix("column").unwrap_or(&lower).trim();
    number(typed, 1, u64::from(COLUMNS))
        .and_then(|typed| u8::try_from(typed - 1).ok())
        .map(Column)
        .ok_or_else(|| BadText::about(&lower, format!("not a move; type {}", prompt(position))))
}

/// The columns that are not full, as words: `a column, 1 to 7`, `a column: 1, 3 or 4`.
pub(super) fn prompt(position: &ConnectFour) -> String {
    let open: Vec<String> = position.moves().map(write_move).collect();
    match open.as_slice() {
        [] => "nothing, the game is over".into(),
        [only] => format!("column {only}"),
        all if all.len() == usize::from(COLUMNS) => format!("a column, 1 to {COLUMNS}"),
        some => format!("a column: {}", alternatives(some)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

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
                let text = write_position(&position);
                prop_assert_eq!(read_position(&text), Ok(position), "{}", text);
            }
        }
    }

    #[test]
    fn a_text_that_is_no_game_says_which_move_is_wrong() {
        let complaint = |text: &str| read_position(text).unwrap_err().to_string();
        assert_eq!(complaint("448"), "448: move 3: write a column as a digit from 1 to 7");
        assert_eq!(complaint("4444444"), "4444444: move 7: column 4 is full");
        assert_eq!(complaint("12121213"), "12121213: move 8: the game is over");
        assert_eq!(complaint(""), "write the columns in the order played, as in 4453, or - for none");
        assert!(complaint(&"4x".repeat(10_000)).len() < 200);
    }

    #[test]
    fn the_drawing_has_the_rows_from_the_top_and_capitals_for_the_four() {
        let drawn = "\
. . . . . . .
. . . . . . .
. . . . . . .
. . . . . . .
o o . . . . .
X X X X o . .
1 2 3 4 5 6 7";
        assert_eq!(draw(&read_position("1122354").unwrap()), drawn);
    }

    #[test]
    fn a_move_is_a_column_with_or_without_the_word() {
        let start = ConnectFour::default();
        for text in ["4", "column 4", " Column  4 ", "column4"] {
            assert_eq!(read_move(&start, text), Ok(Column(3)), "{text}");
        }
        for text in ["", "0", "8", "44", "column", "4 4", "d4"] {
            let complaint = read_move(&start, text).unwrap_err().to_string();
            assert!(complaint.ends_with("not a move; type a column, 1 to 7"), "{complaint}");
        }
    }

    #[test]
    fn the_prompt_names_the_columns_that_are_open() {
        let prompt_after = |text: &str| prompt(&read_position(text).unwrap());
        assert_eq!(prompt_after("444444"), "a column: 1, 2, 3, 5, 6 or 7");
        assert_eq!(prompt_after("1212121"), "nothing, the game is over");
    }
}
