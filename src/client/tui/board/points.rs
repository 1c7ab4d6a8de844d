//! The boards with sliding stones: points joined by lines. A move is a stone, as there is one free point.

use ratatui::layout::Rect;

use super::view::{BoardView, Shown, stone};
use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::{Painter, middle};
use crate::game::Game;
use crate::game::any::Move;
use crate::game::sliding::{Slide, Sliding, SlidingGame, Stone};

/// The positions of the points of Pong Hau K'i.
pub(super) const FIVE: [(u16, u16); 5] = [(0, 0), (24, 0), (12, 6), (0, 12), (24, 12)];

/// The positions of the points of Mū Tōrere: a ring from the upper right on, and the centre.
pub(super) const RING: [(u16, u16); 9] =
    [(22, 0), (32, 4), (32, 8), (22, 12), (10, 12), (0, 8), (0, 4), (10, 0), (16, 6)];

/// The columns for the names on both sides.
const NAMES: u16 = 9;

/// A position of one of these games.
#[derive(Debug)]
pub(super) struct SlidesView {
    stones: Vec<Stone>,
    free: u8,
    moves: Vec<Move>,
    mv: fn(Slide) -> Move,
    places: &'static [(u16, u16)],
    lines: &'static [(u8, u8)],
    names: &'static [&'static [&'static str]],
    /// The last column and row.
    end: (u16, u16),
}

impl SlidesView {
    /// A position with its points at these places, and with moves of this kind.
    pub(super) fn new<G: SlidingGame>(
        position: &Sliding<G>,
        places: &'static [(u16, u16)],
        mv: fn(Slide) -> Move,
    ) -> Self {
        let stones = (0..).take(places.len()).map(|point| position.stone(point)).collect();
        let (moves, free) = (position.moves().map(mv).collect(), position.free());
        let end = places.iter().fold((0, 0), |end, place| (end.0.max(place.0), end.1.max(place.1)));
        Self { stones, free, moves, mv, places, lines: G::LINES, names: G::POINTS, end }
    }

    /// The position of a point on the screen, with room for the names of the outer ones.
    fn place(&self, area: Rect, point: u8) -> (u16, u16) {
        let inner = middle(area, self.end.0 + NAMES, self.end.1 + 1);
        let (x, y) = self.places.get(usize::from(point)).copied().unwrap_or_default();
        // On a small screen the points are closer together.
        let x = x * inner.width.saturating_sub(NAMES) / self.end.0;
        (inner.x + NAMES / 2 + x, inner.y + y * inner.height.saturating_sub(1) / self.end.1)
    }

    /// The move of the stone on this point, legal or not.
    fn of(&self, from: u8) -> Move {
        (self.mv)(Slide { from, to: self.free })
    }

    fn is_open(&self, point: u8) -> bool {
        self.moves.contains(&self.of(point))
    }

    fn paint_line(&self, (one, other): (u8, u8), painter: &mut Painter<'_>) {
        let (area, line) = (painter.area(), painter.appearance.line());
        let (a, b) = (self.place(area, one), self.place(area, other));
        let (left, right) = (a.0.min(b.0), a.0.max(b.0));
        let (top, bottom) = (a.1.min(b.1), a.1.max(b.1));
        if top == bottom {
            (left + 2..right - 1).for_each(|x| painter.put(x, top, line.horizontal, Tone::Faint));
        } else if left == right {
            (top + 1..bottom).for_each(|y| painter.put(left, y, line.vertical, Tone::Faint));
        } else {
            for y in top + 1..bottom {
                let (down, high) = (y - a.1.min(b.1), bottom - top);
                let along = (right - left) * down / high;
                let falls = (a.0 < b.0) == (a.1 < b.1);
                let x = if falls { left + along } else { right - along };
                painter.put(x, y, painter.appearance.gap(), Tone::Faint);
            }
        }
    }

    fn paint_point(&self, point: u8, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let (x, y) = self.place(painter.area(), point);
        let appearance = painter.appearance;
        let here = Some(self.of(point));
        match self.stones[usize::from(point)] {
            Some(side) => stone(painter, (x, y), side, shown.last.and_then(end) == Some(point), false),
            None => painter.put(
                x,
                y,
                appearance.sign("◌", "_"),
                if shown.open { Tone::Notice } else { Tone::Plain },
            ),
        }
        if shown.open && shown.chosen == here {
            painter.put(x - 1, y, appearance.pointer(), Tone::Notice);
        }
        if shown.best == here {
            painter.put(x + 1, y, appearance.star(), Tone::Notice);
        }
        self.paint_name(point, (x, y), shown.open && self.is_open(point), painter);
    }

    /// Paints the name on the outer side.
    fn paint_name(&self, point: u8, (x, y): (u16, u16), open: bool, painter: &mut Painter<'_>) {
        let name = self.names.get(usize::from(point)).and_then(|names| names.first()).copied().unwrap_or("");
        let tone = if open { Tone::Key } else { Tone::Faint };
        let (column, _) = self.places[usize::from(point)];
        let x = if column < self.end.0 / 2 { x - 3 } else { x + 3 };
        painter.put(x, y, name, tone);
    }
}

/// Where the stone of a move goes.
fn end(mv: Move) -> Option<u8> {
    match mv {
        Move::PongHauKi(slide) | Move::MuTorere(slide) => Some(slide.to),
        _ => None,
    }
}

impl BoardView for SlidesView {
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        self.lines.iter().for_each(|&line| self.paint_line(line, painter));
        (0..).zip(&self.stones).for_each(|(point, _)| self.paint_point(point, shown, painter));
    }

    fn spots(&self, area: Rect) -> Vec<(Rect, Move)> {
        let only = self.moves.first().filter(|_| self.moves.len() == 1);
        let spot = |(point, _): (u8, &Stone)| {
            let (x, y) = self.place(area, point);
            // The free point means the only move, if there are not more.
            let mv = only.filter(|_| point == self.free).copied().unwrap_or_else(|| self.of(point));
            (Rect { x: x.saturating_sub(3), y, width: 7, height: 1 }, mv)
        };
        (0..).zip(&self.stones).map(spot).collect()
    }

    fn digit(&self, _chosen: Option<Move>, digit: u8) -> Option<Move> {
        digit.checked_sub(1).map(|point| self.of(point))
    }
}
