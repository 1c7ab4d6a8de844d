//! The board of tic-tac-toe: nine squares with large marks.

use ratatui::layout::Rect;

use super::view::{BoardView, Shown};
use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::{Painter, middle};
use crate::game::Side;
use crate::game::any::Move;
use crate::game::tic_tac_toe::{Square, TicTacToe};

/// The columns and rows of a square, without the grid lines.
const SIZE: (u16, u16) = (7, 3);

/// A position.
#[derive(Debug)]
pub(super) struct Squares(pub(super) TicTacToe);

fn grid(area: Rect) -> Rect {
    middle(area, 3 * SIZE.0 + 2, 3 * SIZE.1 + 2)
}

fn cell(square: Square, area: Rect) -> Rect {
    let (grid, row, column) = (grid(area), u16::from(square.0 / 3), u16::from(square.0 % 3));
    let (width, height) = SIZE;
    Rect { x: grid.x + column * (width + 1), y: grid.y + row * (height + 1), width, height }
}

/// The rows of a large mark.
fn large(side: Side, ascii: bool) -> [&'static str; 3] {
    match (side, ascii) {
        (Side::First, false) => ["╲ ╱", " ╳ ", "╱ ╲"],
        (Side::Second, false) => ["╭─╮", "│ │", "╰─╯"],
        (Side::First, true) => ["\\ /", " X ", "/ \\"],
        (Side::Second, true) => ["/-\\", "| |", "\\-/"],
    }
}

impl Squares {
    fn paint_square(&self, square: Square, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let cell = cell(square, painter.area());
        let (appearance, here) = (painter.appearance, Some(Move::TicTacToe(square)));
        let centre = (cell.x + cell.width / 2, cell.y + cell.height / 2);
        if let Some(side) = self.0.stone(square) {
            for (y, line) in (cell.y..).zip(large(side, appearance.ascii)) {
                painter.put(centre.0 - 1, y, line, Tone::Of(side));
            }
        } else {
            let tone = if shown.open { Tone::Key } else { Tone::Faint };
            painter.put(centre.0, centre.1, &(square.0 + 1).to_string(), tone);
        }
        if shown.best == here {
            painter.put(centre.0 + 1, centre.1, appearance.star(), Tone::Notice);
        }
        let marks = match self.0.stone(square) {
            Some(_) if self.0.is_in_three(square) => Some(("[", "]", Tone::Last)),
            Some(_) if shown.last == here => Some(("(", ")", Tone::Last)),
            None if shown.open && shown.chosen == here => {
                Some((appearance.pointer(), if appearance.ascii { "<" } else { "◂" }, Tone::Notice))
            }
            _ => None,
        };
        if let Some((before, behind, tone)) = marks {
            painter.put(cell.x + 1, centre.1, before, tone);
            painter.put(cell.right() - 2, centre.1, behind, tone);
        }
    }
}

impl BoardView for Squares {
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let (grid, (wide, high), line) = (grid(painter.area()), SIZE, painter.appearance.line());
        for at in 1..3 {
            for y in grid.top()..grid.bottom() {
                painter.put(grid.x + at * (wide + 1) - 1, y, line.vertical, Tone::Faint);
            }
        }
        let part = line.horizontal.repeat(wide.into());
        let between = [part.as_str(); 3].join(line.cross);
        for at in 1..3 {
            painter.put(grid.x, grid.y + at * (high + 1) - 1, &between, Tone::Faint);
        }
        Square::all().for_each(|square| self.paint_square(square, shown, painter));
    }

    fn spots(&self, area: Rect) -> Vec<(Rect, Move)> {
        Square::all().map(|square| (cell(square, area), Move::TicTacToe(square))).collect()
    }

    fn digit(&self, _chosen: Option<Move>, digit: u8) -> Option<Move> {
        digit.checked_sub(1).map(|square| Move::TicTacToe(Square(square)))
    }
}
