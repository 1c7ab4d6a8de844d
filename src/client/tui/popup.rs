//! A text in a frame over the screen, which scrolls where it has no room.

use ratatui::layout::{Position as Point, Rect};

use super::appearance::Tone;
use super::painter::{Painter, middle, wrap, wrap_indented};
use crate::number::saturating;

/// The largest width.
const WIDEST: u16 = 72;

/// The columns between the frame and the text, on both sides.
const MARGIN: u16 = 2;

/// The rows without text.
const EDGES: u16 = 5;

/// The column in which the meaning of a key begins.
const MEANING: usize = 8;

/// A popup at its place on the screen.
#[derive(Debug)]
pub(super) struct Popup {
    title: &'static str,
    area: Rect,
    /// The wrapped rows, each with the index of its line in the text.
    rows: Vec<(usize, String)>,
    /// The first row that is shown.
    scroll: usize,
    /// The number of rows that have room.
    room: usize,
}

impl Popup {
    /// A popup on a screen of this size. In a line with a tab, what follows the tab is a column of its own.
    pub(super) fn new(screen: Rect, title: &'static str, text: &[String], scroll: usize) -> Self {
        let wide = WIDEST.min(screen.width.saturating_sub(4));
        let columns = wide.saturating_sub(2 + 2 * MARGIN);
        let room = usize::from(screen.height.saturating_sub(EDGES));
        let wrapped =
            |(at, line): (usize, &String)| wrap_line(line, columns).into_iter().map(move |row| (at, row));
        let rows: Vec<(usize, String)> = text.iter().enumerate().flat_map(wrapped).collect();
        let shown: u16 = saturating(rows.len().min(room));
        let area = middle(screen, wide, shown.saturating_add(EDGES));
        // A window that has become larger shows more than before.
        let scroll = scroll.min(rows.len().saturating_sub(room));
        Self { title, area, rows, scroll, room }
    }

    fn last_scroll(&self) -> usize {
        self.rows.len().saturating_sub(self.room)
    }

    /// The first row after scrolling by this many.
    pub(super) fn scrolled_by(&self, rows: isize) -> usize {
        self.scroll.saturating_add_signed(rows).min(self.last_scroll())
    }

    /// The row for its keys.
    pub(super) fn key_row(&self) -> Rect {
        Rect {
            x: self.area.x + MARGIN,
            y: self.area.bottom().saturating_sub(2),
            width: self.area.width.saturating_sub(2 * MARGIN),
            height: 1,
        }
    }

    /// The index of the line of the text at this position.
    pub(super) fn line_at(&self, at: Point) -> Option<usize> {
        let row = usize::from(at.y.checked_sub(self.area.y + 2)?);
        let shown = self.area.contains(at) && row < self.room;
        self.rows.get(row + self.scroll).filter(|_| shown).map(|(line, _)| *line)
    }

    /// Paints it without its keys.
    pub(super) fn paint(&self, painter: &mut Painter<'_>) {
        let mut painter = painter.inside(self.area);
        painter.clear();
        let inner = painter.frame(self.title);
        let edge = inner.right().saturating_sub(2);
        if self.scroll > 0 {
            painter.put(edge, inner.y, painter.appearance.up(), Tone::Notice);
        }
        if self.scroll < self.last_scroll() {
            painter.put(edge, inner.bottom().saturating_sub(2), painter.appearance.down(), Tone::Notice);
        }
        let text = Rect { x: inner.x + MARGIN - 1, width: inner.width.saturating_sub(2), ..inner };
        let rows: Vec<&str> =
            self.rows.iter().skip(self.scroll).take(self.room).map(|(_, row)| &**row).collect();
        painter.inside(text).lines(1, &rows, Tone::Plain);
    }
}

fn wrap_line(line: &str, columns: u16) -> Vec<String> {
    match line.split_once('\t') {
        None => wrap(line, columns),
        Some((key, meaning)) => {
            wrap_indented(&format!("{key:<MEANING$}{meaning}"), columns, saturating(MEANING))
        }
    }
}
