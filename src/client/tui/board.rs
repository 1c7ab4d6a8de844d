//! The boards of all games.

mod connect_four;
mod pile_layout;
mod piles;
mod points;
mod squares;
mod track;
mod view;

use super::appearance::Appearance;
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::{Game, Side};

pub(super) use view::{BoardView, Pointed};
pub use view::{Direction, Drag, Fall, Grip, Shown};

/// The sign of a side's stones on this board; empty where its objects belong to nobody.
pub(super) fn sign(board: &Board, side: Side, appearance: Appearance) -> &'static str {
    match board.position() {
        Position::Nim(_) => "",
        Position::TicTacToe(_) => appearance.mark(side),
        _ => appearance.stone(side),
    }
}

/// The view of this board.
pub(super) fn view(board: &Board) -> Box<dyn BoardView> {
    match (board.variant(), board.position()) {
        (Variant::Nim(variant), Position::Nim(nim)) => match variant.counts_to() {
            Some(goal) => Box::new(track::Track::new(goal, nim)),
            None => Box::new(piles::Piles::of_nim(Some(&variant), &nim)),
        },
        (_, Position::Nim(nim)) => Box::new(piles::Piles::of_nim(None, &nim)),
        (_, Position::EvenOrOdd(position)) => Box::new(piles::Piles::of_even_or_odd(position)),
        (_, Position::TicTacToe(position)) => Box::new(squares::Squares(position)),
        (_, Position::ConnectFour(position)) => Box::new(connect_four::Columns(position)),
        (_, Position::PongHauKi(position)) => Box::new(points::Points::pong_hau_ki(&position)),
        (_, Position::MuTorere(position)) => Box::new(points::Points::mu_torere(&position)),
    }
}

/// The move that is selected first.
pub(super) fn first(board: &Board) -> Option<Move> {
    let middle = match board.position() {
        Position::ConnectFour(_) => board.read_move("4").ok(),
        Position::TicTacToe(_) => board.read_move("5").ok(),
        _ => None,
    };
    middle.or_else(|| board.position().moves().next())
}

/// Where the stone of a move lands, if it falls.
pub(super) fn lands(board: &Board, mv: Move) -> Option<Fall> {
    match (board.position(), mv) {
        (Position::ConnectFour(position), Move::ConnectFour(column)) => {
            connect_four::lands(&position, column)
        }
        _ => None,
    }
}
