//! A board on which the pupil selects a move.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use crate::client::tui::board::{self, Direction, Shown};
use crate::client::tui::painter::Painter;
use crate::game::any::{Board, Move};

/// A board, the last move on it, and the selected move.
#[derive(Debug, Clone)]
pub(super) struct Exercise {
    pub(super) board: Board,
    last: Option<Move>,
    pub(super) chosen: Option<Move>,
}

impl Exercise {
    /// A board on which no move was made.
    pub(super) fn new(board: Board) -> Self {
        let chosen = board::first(&board);
        Self { board, last: None, chosen }
    }

    /// The board after this move; `None` if the move is illegal.
    pub(super) fn after(&self, mv: Move) -> Option<Self> {
        Some(Self { last: Some(mv), ..Self::new(self.board.play(mv).ok()?) })
    }

    /// The selected move as it is typed.
    pub(super) fn chosen_text(&self) -> String {
        self.chosen.map_or_else(String::new, |mv| self.board.write_move(mv))
    }

    /// Selects a move by an arrow key or a digit.
    pub(super) fn select(&mut self, key: KeyCode) {
        let view = board::view(&self.board);
        let step = |direction| view.step(&self.board, self.chosen?, direction);
        let chosen = match key {
            KeyCode::Left => step(Direction::Left),
            KeyCode::Right => step(Direction::Right),
            KeyCode::Up => step(Direction::Up),
            KeyCode::Down => step(Direction::Down),
            KeyCode::Char(digit) => {
                digit.to_digit(10).and_then(|digit| view.digit(self.chosen, u8::try_from(digit).ok()?))
            }
            _ => None,
        };
        self.chosen = chosen.filter(|mv| self.board.play(*mv).is_ok()).or(self.chosen);
    }

    /// The move that a click on the board means, if it is legal.
    pub(super) fn clicked(&self, area: Rect, at: Point) -> Option<Move> {
        board::view(&self.board).pick(area, at).filter(|mv| self.board.play(*mv).is_ok())
    }

    /// Paints the board; with the selected move, if one can be made.
    pub(super) fn paint(&self, open: bool, painter: &mut Painter<'_>) {
        let shown = Shown { chosen: self.chosen, open, last: self.last, ..Shown::default() };
        board::view(&self.board).paint(&shown, painter);
    }
}
