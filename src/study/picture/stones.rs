//! Boards with stones: the squares of tic-tac-toe, the discs of Connect Four, and points joined by lines.

use super::canvas::{Picture, class, pixels};
use crate::game::Side;
use crate::game::connect_four::board::{Bitboard, COLUMNS, ROWS, cell, fours};
use crate::game::sliding::{Sliding, SlidingGame};
use crate::game::tic_tac_toe::{Square, TicTacToe};

/// The side of a square of tic-tac-toe.
const SQUARE: i64 = 18;
/// The side of a cell of Connect Four.
const CELL: i64 = 11;
/// The radius of a stone on a point.
const STONE: i64 = 7;

/// Tic-tac-toe: crosses and noughts; three in a row have a background. Free squares may have numbers.
pub(super) fn squares(position: TicTacToe, numbered: bool) -> Picture {
    let mut picture = Picture::new(3 * SQUARE, 3 * SQUARE);
    for square in Square::all() {
        let (left, top) = (pixels(square.0 % 3) * SQUARE, pixels(square.0 / 3) * SQUARE);
        if position.is_in_three(square) {
            picture.rectangle("line", (left, top), (SQUARE, SQUARE));
        }
        match position.stone(square) {
            Some(Side::First) => {
                let (x, y) = (left + 5, top + 5);
                picture.path("x", &format!("M{x} {y}l8 8m-8 0l8-8"));
            }
            Some(Side::Second) => picture.circle("o", (left + SQUARE / 2, top + SQUARE / 2), 5),
            None if numbered => {
                picture.text("place", (left + SQUARE / 2, top + 12), &(square.0 + 1).to_string());
            }
            None => {}
        }
    }
    let all = 3 * SQUARE;
    let bars = |at| format!("M{at} 0v{all}M0 {at}h{all}");
    picture.path("grid", &[SQUARE, 2 * SQUARE].map(bars).concat());
    picture
}

/// Connect Four: discs in the cells; four in a row have a background. Columns may have numbers.
pub(super) fn discs(board: Bitboard, turn: Side, numbered: bool) -> Picture {
    let (width, height) = (pixels(COLUMNS) * CELL, pixels(ROWS) * CELL);
    let mut picture = Picture::new(width, height + if numbered { 10 } else { 0 });
    picture.rectangle("frame", (0, 0), (width, height));
    let four = fours(board.other());
    for column in 0..COLUMNS {
        let middle = pixels(column) * CELL + CELL / 2;
        for row in 0..ROWS {
            let cell = cell(column, row);
            let top = height - (pixels(row) + 1) * CELL;
            let class = match () {
                () if board.mover() & cell != 0 => class(turn),
                () if board.other() & cell != 0 => class(!turn),
                () => "hole",
            };
            if four & cell != 0 {
                picture.rectangle("line", (middle - CELL / 2, top), (CELL, CELL));
            }
            picture.circle(&format!("disc {class}"), (middle, top + CELL / 2), 4);
        }
        if numbered {
            picture.text("place", (middle, height + 9), &(column + 1).to_string());
        }
    }
    picture
}

/// The size of a board of points, and where they are.
pub(super) struct Points {
    side: i64,
    places: &'static [(i64, i64)],
}

/// The board of Pong Hau K'i: four corners and the centre.
pub(super) const PONG_HAU_KI: Points =
    Points { side: 60, places: &[(9, 9), (51, 9), (30, 30), (9, 51), (51, 51)] };

/// The board of Mū Tōrere: a ring, which begins at the upper right, and the centre.
pub(super) const MU_TORERE: Points = Points {
    side: 80,
    places: &[(52, 11), (69, 28), (69, 52), (52, 69), (28, 69), (11, 52), (11, 28), (28, 11), (40, 40)],
};

/// A game of sliding stones. Points may have numbers.
pub(super) fn points<G: SlidingGame>(position: &Sliding<G>, board: &Points, numbered: bool) -> Picture {
    let mut picture = Picture::new(board.side, board.side);
    let place = |point: u8| board.places.get(usize::from(point)).copied().unwrap_or_default();
    let line = |&(from, to): &(u8, u8)| {
        let ((x, y), (to_x, to_y)) = (place(from), place(to));
        format!("M{x} {y}L{to_x} {to_y}")
    };
    picture.path("grid", &G::LINES.iter().map(line).collect::<String>());
    for (point, names) in (0..).zip(G::POINTS) {
        let (x, y) = place(point);
        let class = position.stone(point).map_or("hole", class);
        picture.circle(&format!("disc {class}"), (x, y), STONE);
        // The centre needs no name.
        if let Some(number) = names.first().filter(|name| numbered && name.len() == 1) {
            picture.text(&format!("place inside {class}"), (x, y + 3), number);
        }
    }
    picture
}
