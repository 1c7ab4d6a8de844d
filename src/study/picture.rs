//! Boards as SVG drawings: crosses and noughts, discs, sticks, points joined by lines. Blue is first, orange
//! is second.

mod canvas;
mod piles;
mod stones;

pub(super) use canvas::Picture;

use crate::game::Game;
use crate::game::any::{Board, Position, Variant};

/// The style of all pictures, for the document that contains them.
pub(super) const STYLE: &str = include_str!("picture/style.css");

/// What a picture is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A node of a tree: small, and only a small pile is drawn as sticks.
    Tree,
    /// A problem on a worksheet, which is printed larger: squares, columns and points have their numbers.
    Worksheet,
}

/// Draws a board.
pub(super) fn picture(board: &Board, purpose: Purpose) -> Picture {
    let numbered = purpose == Purpose::Worksheet;
    let most = if numbered { 25 } else { 10 };
    match (board.position(), board.variant()) {
        (Position::Nim(nim), Variant::Nim(variant)) => match variant.counts_to() {
            Some(goal) => piles::count(goal.saturating_sub(nim.total()), goal),
            None => piles::piles(nim.piles(), most),
        },
        (Position::Nim(nim), _) => piles::piles(nim.piles(), most),
        (Position::EvenOrOdd(position), _) => piles::heaps(position.middle(), position.heaps(), most),
        (Position::TicTacToe(position), _) => stones::squares(position, numbered),
        (Position::ConnectFour(position), _) => stones::discs(position.board(), position.turn(), numbered),
        (Position::PongHauKi(position), _) => stones::points(&position, &stones::PONG_HAU_KI, numbered),
        (Position::MuTorere(position), _) => stones::points(&position, &stones::MU_TORERE, numbered),
    }
}
