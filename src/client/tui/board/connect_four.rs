//! The board of Connect Four, with the cell where a stone would land, and a falling stone.

use ratatui::layout::Rect;

use super::view::{BoardView, Shown, stone};
use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::{Painter, middle};
use crate::game::any::Move;
use crate::game::connect_four::board::{COLUMNS, ROWS, cell, fours};
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::{Game, Outcome, Side};

/// A position.
#[derive(Debug)]
pub(super) struct Columns(pub(super) ConnectFour);

/// The cells on the screen.
struct Grid {
    area: Rect,
    /// The columns and rows of a cell, with the grid lines to its right and below it.
    cell: (u16, u16),
}

/// The smallest cell.
const LEAST: (u16, u16) = (4, 1);

/// The columns and rows of a board with cells of this size.
fn size((wide, high): (u16, u16)) -> (u16, u16) {
    (wide * u16::from(COLUMNS) + 1, high * u16::from(ROWS) + 3)
}

impl Grid {
    fn new(area: Rect) -> Self {
        let fits = |cell: &(u16, u16)| size(*cell).0 <= area.width && size(*cell).1 <= area.height;
        let cell = [(6, 3), (4, 2)].into_iter().find(fits).unwrap_or(LEAST);
        let (width, height) = size(cell);
        Self { area: middle(area, width, height), cell }
    }

    /// The position of the stone of a cell.
    fn place(&self, column: u8, row: u8) -> (u16, u16) {
        let (wide, high) = self.cell;
        let from_top = u16::from(ROWS - 1 - row);
        (
            self.area.x + u16::from(column) * wide + wide / 2,
            self.area.y + 2 + from_top * high + (high - 1) / 2,
        )
    }

    /// Paints the grid lines that have room.
    fn paint(&self, painter: &mut Painter<'_>) {
        let ((wide, high), line) = (self.cell, painter.appearance.line());
        let top = self.area.y + 1;
        let between = |left: &str, cross: &str, right: &str| {
            let part = line.horizontal.repeat(usize::from(wide) - 1);
            let parts = vec![part; usize::from(COLUMNS)].join(cross);
            format!("{left}{parts}{right}")
        };
        let foot = self.foot();
        for y in top + 1..foot {
            for column in 0..=u16::from(COLUMNS) {
                painter.put(self.area.x + column * wide, y, line.vertical, Tone::Faint);
            }
        }
        for row in 1..u16::from(ROWS) {
            if high > 1 {
                let words = between(line.vertical_right, line.cross, line.vertical_left);
                painter.put(self.area.x, top + row * high, &words, Tone::Faint);
            }
        }
        painter.put(
            self.area.x,
            foot,
            &between(line.bottom_left, line.horizontal_up, line.bottom_right),
            Tone::Faint,
        );
    }

    fn foot(&self) -> u16 {
        self.area.y + 1 + u16::from(ROWS) * self.cell.1 + u16::from(self.cell.1 == 1)
    }
}

impl Columns {
    fn stone(&self, column: u8, row: u8) -> Option<Side> {
        self.0.stone(cell(column, row))
    }

    /// The number of stones in a column.
    fn height(&self, column: Column) -> u8 {
        (0..ROWS).find(|&row| self.stone(column.0, row).is_none()).unwrap_or(ROWS)
    }

    fn paint_stones(&self, grid: &Grid, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let won = self.0.outcome().and_then(Outcome::winner).map_or(0, |_| fours(self.0.board().other()));
        let last = match shown.last {
            Some(Move::ConnectFour(column)) => Some((column.0, self.height(column).saturating_sub(1))),
            _ => None,
        };
        for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
            let (at, is_last) = (grid.place(column, row), last == Some((column, row)));
            match (self.stone(column, row), shown.fall) {
                (Some(side), Some(fall)) if is_last => {
                    stone(painter, grid.place(column, row.max(fall)), side, false, false);
                }
                (Some(side), _) => stone(painter, at, side, is_last, won & cell(column, row) != 0),
                (None, _) if grid.cell.1 == 1 => {
                    painter.put(at.0, at.1, painter.appearance.gap(), Tone::Faint);
                }
                _ => {}
            }
        }
    }

    fn paint_columns(&self, grid: &Grid, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let appearance = painter.appearance;
        for column in Column::all() {
            let (x, _) = grid.place(column.0, 0);
            let open = shown.open && self.0.play(column).is_ok();
            let tone = if open { Tone::Key } else { Tone::Faint };
            painter.put(x, grid.foot() + 1, &(column.0 + 1).to_string(), tone);
            if shown.best == Some(Move::ConnectFour(column)) {
                painter.put(x + 1, grid.foot() + 1, appearance.star(), Tone::Notice);
            }
            if open && shown.chosen == Some(Move::ConnectFour(column)) {
                painter.put(x, grid.area.y, appearance.stone(self.0.turn()), Tone::Of(self.0.turn()));
                painter.put(x, grid.area.y + 1, appearance.down(), Tone::Notice);
                if shown.fall.is_none() {
                    let (x, y) = grid.place(column.0, self.height(column));
                    painter.put(x, y, appearance.gap(), Tone::Notice);
                }
            }
        }
    }
}

impl BoardView for Columns {
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let grid = Grid::new(painter.area());
        grid.paint(painter);
        self.paint_stones(&grid, shown, painter);
        self.paint_columns(&grid, shown, painter);
    }

    fn spots(&self, area: Rect) -> Vec<(Rect, Move)> {
        let Grid { area, cell: (width, _) } = Grid::new(area);
        let spot = |column: Column| {
            let x = area.x + u16::from(column.0) * width;
            (Rect { x, width, ..area }, Move::ConnectFour(column))
        };
        Column::all().map(spot).collect()
    }

    fn digit(&self, _chosen: Option<Move>, digit: u8) -> Option<Move> {
        let column = digit.checked_sub(1).filter(|column| *column < COLUMNS)?;
        Some(Move::ConnectFour(Column(column)))
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Position as Point;

    use super::*;

    #[test]
    fn a_click_on_a_cell_means_its_column() {
        let columns = Columns(ConnectFour::default());
        for (width, height) in [(31, 9), (31, 16), (60, 30)] {
            let area = Rect { x: 2, y: 3, width, height };
            let grid = Grid::new(area);
            for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
                let (x, y) = grid.place(column, row);
                assert!(area.contains(Point { x, y }), "{width}x{height}: {column} {row}");
                let meant = Move::ConnectFour(Column(column));
                assert_eq!(columns.pick(area, Point { x, y }), Some(meant));
            }
        }
    }
}
