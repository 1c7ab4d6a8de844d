//! Boards in words, as a screen reader reads them: where the stones of each side lie, or how much is in each pile.

use crate::client::text::capital;
use crate::game::any::{Board, Position, Variant};
use crate::game::connect_four::ConnectFour;
use crate::game::connect_four::board::{COLUMNS, ROWS, cell};
use crate::game::notation::stone_letter;
use crate::game::sliding::{Sliding, SlidingGame};
use crate::game::tic_tac_toe::{Square, TicTacToe};

/// Whether the sides have stones, x and o, in this game.
pub(super) fn has_stones(variant: &Variant) -> bool {
    !matches!(variant, Variant::Nim(_) | Variant::EvenOrOdd(_))
}

/// A board in words.
pub(super) fn in_words(board: &Board) -> String {
    match board.position() {
        Position::TicTacToe(position) => squares(position),
        Position::ConnectFour(position) => columns(&position),
        Position::PongHauKi(position) => points(&position),
        Position::MuTorere(position) => points(&position),
        Position::Nim(nim) if nim.piles().len() > 1 => piles(nim.piles()),
        Position::Nim(_) | Position::EvenOrOdd(_) => format!("Position: {}", board.write_position()),
    }
}

/// The letter by which a pile is called.
pub(super) fn letter(pile: usize) -> char {
    u8::try_from(pile).map_or('?', |pile| char::from(b'a' + pile.min(25)))
}

/// "Pile a: 3; pile b: 0; pile c: 5".
fn piles(counts: &[u64]) -> String {
    listed("", counts.iter().enumerate().map(|(at, count)| format!("pile {}: {count}", letter(at))))
}

/// "Square 1: x; square 5: o; the others are free".
fn squares(position: TicTacToe) -> String {
    let taken = Square::all().filter_map(|square| {
        let side = position.stone(square)?;
        Some(format!("square {}: {}", square.0 + 1, stone_letter(side)))
    });
    listed("the others are free", taken)
}

/// "Column 4 from below: x, o, x; the others are empty".
fn columns(position: &ConnectFour) -> String {
    let filled = (0..COLUMNS).filter_map(|column| {
        let stones: Vec<String> = (0..ROWS)
            .filter_map(|row| position.stone(cell(column, row)))
            .map(|side| stone_letter(side).to_string())
            .collect();
        (!stones.is_empty()).then(|| format!("column {} from below: {}", column + 1, stones.join(", ")))
    });
    listed("the others are empty", filled)
}

/// "Point 1: x; point 2: x; point 3: free; …".
fn points<G: SlidingGame>(position: &Sliding<G>) -> String {
    let all = (0_u8..).zip(G::POINTS).map(|(point, names)| {
        let stone = position.stone(point).map_or_else(|| "free".to_owned(), |side| stone_letter(side).into());
        format!("point {}: {stone}", names.first().copied().unwrap_or_default())
    });
    listed("", all)
}

/// A sentence of these parts, and what is said of the others.
fn listed(others: &str, parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.chain((!others.is_empty()).then(|| others.to_owned())).collect();
    match parts.as_slice() {
        [_] => "The board is empty".to_owned(),
        _ => capital(&parts.join("; ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;

    fn after(game: &str, moves: &[&str]) -> String {
        let mut board = game.parse::<Variant>().unwrap().start();
        for mv in moves {
            board = board.play(board.read_move(mv).unwrap()).unwrap();
        }
        in_words(&board)
    }

    #[test]
    fn a_board_is_read_place_by_place() {
        for (game, moves, words) in [
            ("tic-tac-toe", &[][..], "The board is empty"),
            ("tic-tac-toe", &["5", "1"], "Square 1: o; square 5: x; the others are free"),
            (
                "connect-four",
                &["4", "4", "1"],
                "Column 1 from below: x; column 4 from below: x, o; the others are empty",
            ),
            ("pong-hau-ki", &[], "Point 1: x; point 2: x; point 3: free; point 4: o; point 5: o"),
            ("nim:3-4-5", &["3 from a"], "Pile a: 0; pile b: 4; pile c: 5"),
            ("java-tech:21", &["1"], "Position: 20 second"),
        ] {
            assert_eq!(after(game, moves), words);
        }
    }

    #[test]
    fn the_stones_of_a_game_are_read_as_those_of_their_side() {
        for game in ["tic-tac-toe", "connect-four", "pong-hau-ki", "mu-torere"] {
            assert!(has_stones(&game.parse().unwrap()), "{game}");
            assert_eq!(stone_letter(Side::First), 'x');
        }
        assert!(!has_stones(&"nim:3-4-5".parse().unwrap()));
    }
}
