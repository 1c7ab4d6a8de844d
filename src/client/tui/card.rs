//! A text in a frame that lies over the screen, and that can be gone through where it has no room. It knows neither what the
//! text is about nor what is below it.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::look::Tone;
use super::pen::{Pen, middle, width, wrap};

/// The widest that a card is.
const WIDEST: u16 = 72;

/// The columns from the frame to the text, on both sides.
const MARGIN: u16 = 2;

/// The lines of a card that are no text.
const EDGES: u16 = 5;

/// The column in which the meaning of a key begins.
const MEANING: u16 = 8;

/// How many lines a page of a text has.
const PAGE: isize = 8;

/// How wide a card is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Breadth {
    /// As wide as there is room for, whatever stands in it.
    Full,
    /// As wide as its text.
    Text,
}

/// A card where it lies.
#[derive(Debug)]
pub(super) struct Card {
    title: &'static str,
    area: Rect,
    /// All lines of its text, each with the place of what it is a line of in that.
    lines: Vec<(usize, String)>,
    /// How many of them were gone past.
    down: usize,
    /// How many have room.
    most: usize,
}

impl Card {
    /// A card on a screen of this size, so many lines down in its text. What stands behind a tab is moved in.
    pub(super) fn new(
        screen: Rect,
        title: &'static str,
        text: &[String],
        down: usize,
        breadth: Breadth,
    ) -> Self {
        let widest = WIDEST.min(screen.width.saturating_sub(4));
        let (room, most) = Self::room(screen);
        let wrapped =
            |(at, line): (usize, &String)| wrap_in(line, room).into_iter().map(move |line| (at, line));
        let lines: Vec<(usize, String)> = text.iter().enumerate().flat_map(wrapped).collect();
        let longest = lines.iter().map(|(_, line)| width(line)).max().unwrap_or_default();
        let wide = match breadth {
            Breadth::Full => widest,
            Breadth::Text => widest.min(longest + 4 + 2 * MARGIN),
        };
        // A window that has become larger shows more than it was scrolled to.
        let down = down.min(lines.len().saturating_sub(most));
        let shown = u16::try_from(lines.len().min(most)).unwrap_or(u16::MAX);
        let area = middle(screen, wide, shown.saturating_add(EDGES));
        Self { title, area, lines, down, most }
    }

    /// How many columns and lines of text have room on a card on a screen of this size.
    pub(super) fn room(screen: Rect) -> (u16, usize) {
        let widest = WIDEST.min(screen.width.saturating_sub(4));
        (widest.saturating_sub(2 + 2 * MARGIN), screen.height.saturating_sub(EDGES).into())
    }

    /// How many lines can be gone past, and not more.
    fn furthest(&self) -> usize {
        self.lines.len().saturating_sub(self.most)
    }

    /// How many lines were gone past behind so many more, or fewer.
    pub(super) fn moved(&self, lines: isize) -> usize {
        self.down.saturating_add_signed(lines).min(self.furthest())
    }

    /// How many lines were gone past behind this key; nothing where it goes past none.
    pub(super) fn scrolled(&self, key: KeyCode) -> Option<usize> {
        let lines = match key {
            KeyCode::Up => -1,
            KeyCode::Down => 1,
            KeyCode::PageUp => -PAGE,
            KeyCode::PageDown => PAGE,
            _ => return None,
        };
        Some(self.moved(lines))
    }

    /// The line of its keys.
    pub(super) fn keys(&self) -> Rect {
        Rect {
            x: self.area.x + MARGIN,
            y: self.area.bottom().saturating_sub(2),
            width: self.area.width.saturating_sub(2 * MARGIN),
            height: 1,
        }
    }

    /// Whether it lies at this place of the screen.
    pub(super) fn is_on(&self, at: Point) -> bool {
        self.area.contains(at)
    }

    /// What of its text, from 0, stands at a place of the screen, on however many lines.
    pub(super) fn text_at(&self, at: Point) -> Option<usize> {
        let row = usize::from(at.y.checked_sub(self.area.y + 2)?);
        let shown = self.area.contains(at) && row < self.most;
        self.lines.get(row + self.down).filter(|_| shown).map(|(at, _)| *at)
    }

    /// Draws it; its keys are for others.
    pub(super) fn paint(&self, pen: &mut Pen<'_>) {
        let mut pen = pen.inside(self.area);
        pen.clear();
        let inner = pen.frame(self.title);
        let edge = inner.right().saturating_sub(2);
        if self.down > 0 {
            pen.put(edge, inner.y, pen.look.under(), Tone::Notice);
        }
        if self.down < self.furthest() {
            pen.put(edge, inner.bottom().saturating_sub(2), pen.look.over(), Tone::Notice);
        }
        let text = Rect { x: inner.x + MARGIN - 1, width: inner.width.saturating_sub(2), ..inner };
        let mut inside = pen.inside(text);
        for (row, (_, line)) in (1..).zip(self.lines.iter().skip(self.down).take(self.most)) {
            inside.line(row, line, Tone::Plain);
        }
    }
}

/// The lines of a text, those behind the first moved in as far as its second column.
fn wrap_in(line: &str, room: u16) -> Vec<String> {
    let Some((key, meaning)) = line.split_once('\t') else { return wrap(line, room) };
    let parts = wrap(meaning, room.saturating_sub(MEANING));
    let moved = |(at, part): (usize, String)| {
        let key = if at == 0 { key } else { "" };
        format!("{key:<0$}{part}", usize::from(MEANING))
    };
    parts.into_iter().enumerate().map(moved).collect()
}
