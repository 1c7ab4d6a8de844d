//! The boards of all games.

mod connect_four;
mod pile_layout;
mod piles;
mod points;
mod squares;
mod track;
mod view;

use points::{FIVE, RING, SlidesView};

use super::appearance::Appearance;
use crate::client::words::screen;
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::{Game, Side};

pub(super) use piles::PilesView;
pub(super) use view::BoardView;
pub use view::{Direction, Drag, Grip, Shown};

/// The sign of a side's stones on this board; empty where its objects belong to nobody.
pub(super) fn sign(board: &Board, side: Side, appearance: Appearance) -> &'static str {
    match board.position() {
        Position::Nim(_) => "",
        Position::TicTacToe(_) => appearance.mark(side),
        _ => appearance.stone(side),
    }
}

/// The piles, if the board has any: a click on an object selects, and a drag takes.
pub(super) fn piles(board: &Board) -> Option<PilesView> {
    match (board.variant(), board.position()) {
        (Variant::Nim(variant), Position::Nim(nim)) if variant.counts_to().is_none() => {
            Some(PilesView::of_nim(&variant, &nim))
        }
        (_, Position::EvenOrOdd(position)) => Some(PilesView::of_even_or_odd(position)),
        _ => None,
    }
}

/// The view of this board.
pub(super) fn view(board: &Board) -> Box<dyn BoardView> {
    if let Some(piles) = piles(board) {
        return Box::new(piles);
    }
    match board.position() {
        Position::Nim(nim) => Box::new(track::Track::new(&board.variant(), nim)),
        Position::EvenOrOdd(position) => Box::new(PilesView::of_even_or_odd(position)),
        Position::TicTacToe(position) => Box::new(squares::Squares(position)),
        Position::ConnectFour(position) => Box::new(connect_four::Columns(position)),
        Position::PongHauKi(position) => Box::new(SlidesView::new(&position, &FIVE, Move::PongHauKi)),
        Position::MuTorere(position) => Box::new(SlidesView::new(&position, &RING, Move::MuTorere)),
    }
}

/// How a move is selected, for the help.
pub(super) fn how(board: &Board) -> &'static str {
    match board.position() {
        Position::Nim(_) if piles(board).is_none() => screen::HOW_TO_COUNT_ON,
        Position::Nim(_) | Position::EvenOrOdd(_) => screen::HOW_TO_PULL,
        Position::TicTacToe(_) | Position::ConnectFour(_) => screen::HOW_TO_CHOOSE,
        Position::PongHauKi(_) | Position::MuTorere(_) => screen::HOW_TO_SLIDE,
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

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    fn start(variant: &str) -> Board {
        variant.parse::<Variant>().unwrap().start()
    }

    #[test]
    fn every_legal_move_is_reached_by_mouse_and_by_keys() {
        for variant in ["pong-hau-ki", "mu-torere", "tic-tac-toe", "connect-four", "one-two-ten"] {
            let board = start(variant);
            let (view, moves): (_, Vec<Move>) = (view(&board), board.position().moves().collect());
            for (width, height) in [(31, 12), (50, 15), (80, 30)] {
                let spots = view.spots(Rect { x: 1, y: 1, width, height });
                assert!(moves.iter().all(|legal| spots.iter().any(|(_, mv)| mv == legal)), "{variant}");
                assert!(
                    spots.iter().all(|(spot, _)| spot.right() <= 1 + width && spot.bottom() <= 1 + height)
                );
            }
            let ways = [Direction::Left, Direction::Up, Direction::Right, Direction::Down];
            let mut reached = vec![first(&board).unwrap()];
            for at in 0..moves.len() {
                let next = ways.iter().filter_map(|&way| view.step(&board, *reached.get(at)?, way));
                let new: Vec<Move> = next.filter(|mv| !reached.contains(mv)).collect();
                reached.extend(new);
                reached.dedup();
            }
            assert!(moves.iter().all(|mv| reached.contains(mv)), "{variant}: {reached:?}");
        }
    }

    #[test]
    fn keys_skip_a_full_column() {
        let mut board = start("connect-four");
        for _ in 0..6 {
            board = board.play(board.read_move("4").unwrap()).unwrap();
        }
        let at = |column: &str| board.read_move(column).unwrap();
        let view = view(&board);
        assert_eq!(view.step(&board, at("3"), Direction::Right), Some(at("5")));
        assert_eq!(view.step(&board, at("7"), Direction::Right), None);
    }
}
