//! Connect Four on the screen: the columns, where a stone would fall, and one that is falling.

use ratatui::layout::{Position as Point, Rect};

use super::{Fall, Plane, Pointed, Shown, Way, stone};
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, middle};
use crate::game::any::Move;
use crate::game::connect_four::board::{COLUMNS, ROWS, cell, fours};
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::{Game, Outcome, Side};

/// A position.
#[derive(Debug)]
pub(super) struct Columns(pub(super) ConnectFour);

/// Where the cells are.
struct Grid {
    area: Rect,
    /// The columns and lines of a cell, with the line to its right and below it.
    cell: (u16, u16),
}

/// The smallest cell.
const LEAST: (u16, u16) = (2, 1);

/// The columns and lines of all cells of this size, with what is above and below them.
fn size((wide, high): (u16, u16)) -> (u16, u16) {
    (wide * u16::from(COLUMNS) + 1, high * u16::from(ROWS) + 3)
}

fn has_room(cell: (u16, u16), area: Rect) -> bool {
    let (width, height) = size(cell);
    width <= area.width && height <= area.height
}

impl Grid {
    fn new(area: Rect) -> Self {
        let fits = |cell: &(u16, u16)| has_room(*cell, area);
        let cell = [(6, 3), (4, 2), (4, 1)].into_iter().find(fits).unwrap_or(LEAST);
        let (width, height) = size(cell);
        Self { area: middle(area, width, height), cell }
    }

    /// Where the stone of a cell is.
    fn place(&self, column: u8, row: u8) -> (u16, u16) {
        let (wide, high) = self.cell;
        let from_top = u16::from(ROWS - 1 - row);
        (
            self.area.x + u16::from(column) * wide + wide / 2,
            self.area.y + 2 + from_top * high + (high - 1) / 2,
        )
    }

    fn column(&self, at: Point) -> Option<u8> {
        let x = at.x.checked_sub(self.area.x)?;
        let inside = self.area.contains(at) && x < self.cell.0 * u16::from(COLUMNS);
        inside.then(|| u8::try_from(x / self.cell.0).ok()).flatten()
    }

    /// The lines between the cells, where there is room for them.
    fn paint(&self, pen: &mut Pen<'_>) {
        let ((wide, high), line) = (self.cell, pen.look.line());
        let top = self.area.y + 1;
        let between = |left: &str, cross: &str, right: &str| {
            let part = line.horizontal.repeat(usize::from(wide) - 1);
            let parts = vec![part; usize::from(COLUMNS)].join(cross);
            format!("{left}{parts}{right}")
        };
        let foot = top + u16::from(ROWS) * high.max(1) + u16::from(high == 1);
        for y in top + 1..foot {
            for column in 0..=u16::from(COLUMNS) {
                pen.put(self.area.x + column * wide, y, line.vertical, Tone::Faint);
            }
        }
        for row in 1..u16::from(ROWS) {
            if high > 1 {
                let words = between(line.vertical_right, line.cross, line.vertical_left);
                pen.put(self.area.x, top + row * high, &words, Tone::Faint);
            }
        }
        pen.put(
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

/// Where the stone of a move comes to lie.
pub(super) fn lands(position: &ConnectFour, column: Column) -> Option<Fall> {
    let free = |row: &u8| position.board().taken() & cell(column.0, *row) == 0;
    let row = (0..ROWS).find(free).filter(|_| column.0 < COLUMNS)?;
    Some(Fall { column: column.0, row })
}

impl Columns {
    fn stone(&self, column: u8, row: u8) -> Option<Side> {
        let (board, cell) = (self.0.board(), cell(column, row));
        let turn = self.0.turn();
        match (board.taken() & cell != 0, board.mover() & cell != 0) {
            (false, _) => None,
            (true, true) => Some(turn),
            (true, false) => Some(!turn),
        }
    }

    /// The highest stone of a column.
    fn top(&self, column: Column) -> Option<u8> {
        (0..ROWS).rev().find(|&row| self.stone(column.0, row).is_some())
    }

    fn paint_stones(&self, grid: &Grid, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let won = self.0.outcome().and_then(Outcome::winner).map_or(0, |_| fours(self.0.board().other()));
        let last = match shown.last {
            Some(Move::ConnectFour(column)) => self.top(column).map(|row| (column.0, row)),
            _ => None,
        };
        for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
            let is_last = last == Some((column, row));
            let at = grid.place(column, row);
            match self.stone(column, row) {
                // It is on its way there.
                Some(_) if is_last && shown.fall.is_some() => {}
                Some(side) => stone(pen, at, side, is_last, won & cell(column, row) != 0),
                None if grid.cell.1 == 1 => pen.put(at.0, at.1, pen.look.gap(), Tone::Faint),
                None => {}
            }
        }
        if let Some(fall) = shown.fall {
            stone(pen, grid.place(fall.column, fall.row), !self.0.turn(), false, false);
        }
    }

    fn paint_columns(&self, grid: &Grid, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let look = pen.look;
        for column in Column::all() {
            let (x, _) = grid.place(column.0, 0);
            let open = shown.open && self.0.play(column).is_ok();
            let tone = if open { Tone::Key } else { Tone::Faint };
            pen.put(x, grid.foot() + 1, &(column.0 + 1).to_string(), tone);
            if shown.best == Some(Move::ConnectFour(column)) {
                pen.put(x + 1, grid.foot() + 1, look.star(), Tone::Notice);
            }
            if open && shown.chosen == Some(Move::ConnectFour(column)) {
                pen.put(x, grid.area.y, look.stone(self.0.turn()), Tone::Of(self.0.turn()));
                pen.put(x, grid.area.y + 1, look.over(), Tone::Notice);
                let fall = lands(&self.0, column).filter(|_| shown.fall.is_none());
                if let Some(Fall { column, row }) = fall {
                    let (x, y) = grid.place(column, row);
                    pen.put(x, y, look.gap(), Tone::Notice);
                }
            }
        }
    }

    fn of(&self, column: u8) -> Option<Move> {
        self.0.play(Column(column)).is_ok().then_some(Move::ConnectFour(Column(column)))
    }
}

impl Plane for Columns {
    fn paint(&self, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let grid = Grid::new(pen.area());
        grid.paint(pen);
        self.paint_stones(&grid, shown, pen);
        self.paint_columns(&grid, shown, pen);
    }

    fn fits(&self, area: Rect) -> bool {
        has_room(LEAST, area)
    }

    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        self.of(Grid::new(area).column(at)?)
    }

    fn step(&self, chosen: Option<Move>, way: Way) -> Option<Move> {
        let Some(Move::ConnectFour(Column(now))) = chosen else {
            return super::nearest(self.0.moves().map(Move::ConnectFour), |_| Some(0));
        };
        let open = |column: &u8| self.of(*column).is_some();
        let next = match way {
            Way::Left => (0..now).rev().find(open),
            Way::Right => (now + 1..COLUMNS).find(open),
            Way::Up | Way::Down => None,
        };
        next.and_then(|column| self.of(column)).or(chosen)
    }

    fn digit(&self, chosen: Option<Move>, digit: u8) -> Option<Move> {
        digit.checked_sub(1).and_then(|column| self.of(column)).or(chosen)
    }

    fn barred(&self, at: Pointed) -> Option<Move> {
        let column = match at {
            Pointed::Digit(digit) => digit.checked_sub(1).filter(|column| *column < COLUMNS)?,
            Pointed::Place(area, at) => Grid::new(area).column(at)?,
        };
        self.of(column).is_none().then_some(Move::ConnectFour(Column(column)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_click_on_any_cell_of_a_column_means_the_column() {
        let columns = Columns(ConnectFour::default());
        for (width, height) in [(17, 12), (31, 9), (31, 16), (60, 30)] {
            let area = Rect { x: 2, y: 3, width, height };
            let grid = Grid::new(area);
            for (column, row) in (0..COLUMNS).flat_map(|column| (0..ROWS).map(move |row| (column, row))) {
                let (x, y) = grid.place(column, row);
                assert!(area.contains(Point { x, y }), "{width}x{height}: {column} {row}");
                assert_eq!(columns.pick(area, Point { x, y }), columns.of(column));
            }
        }
    }

    #[test]
    fn the_keys_pass_over_a_full_column() {
        let mut position = ConnectFour::default();
        for _ in 0..ROWS {
            position = position.play(Column(3)).unwrap();
        }
        let columns = Columns(position);
        let at = |column| Some(Move::ConnectFour(Column(column)));
        assert_eq!(columns.step(at(2), Way::Right), at(4));
        assert_eq!(columns.step(at(6), Way::Right), at(6));
        assert_eq!(columns.digit(at(2), 4), at(2));
    }
}
