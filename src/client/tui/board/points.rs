//! The boards with sliding stones: points joined by lines. A move is a stone, as there is one free point.

use ratatui::layout::{Position as Point, Rect};

use super::view::{BoardView, Direction, Shown, distance, nearest, stone};
use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::{Painter, middle};
use crate::game::Game;
use crate::game::any::Move;
use crate::game::mu_torere::{MuTorere, MuTorereGround};
use crate::game::pong_hau_ki::{PongHauKi, PongHauKiGround};
use crate::game::sliding::{Ground, Slide, Stone};

/// The positions of the points of Pong Hau K'i.
const FIVE: [(u16, u16); 5] = [(0, 0), (24, 0), (12, 6), (0, 12), (24, 12)];

/// The positions of the points of Mū Tōrere: a ring from the upper right on, and the centre.
const RING: [(u16, u16); 9] =
    [(22, 0), (32, 4), (32, 8), (22, 12), (10, 12), (0, 8), (0, 4), (10, 0), (16, 6)];

/// The last column and row of each board.
const ENDS: [(u16, u16); 2] = [(24, 12), (32, 12)];

/// The columns for the names on both sides.
const NAMES: u16 = 9;

/// The columns and rows of the smallest area in which points do not overlap.
const LEAST: (u16, u16) = (17, 12);

/// A position of one of these games.
#[derive(Debug)]
pub(super) struct Points {
    stones: Vec<Stone>,
    free: u8,
    moves: Vec<Move>,
    places: &'static [(u16, u16)],
    lines: &'static [(u8, u8)],
    names: &'static [&'static [&'static str]],
    end: (u16, u16),
}

impl Points {
    /// A position of Pong Hau K'i.
    pub(super) fn pong_hau_ki(position: &PongHauKi) -> Self {
        let stones = (0..5).map(|point| position.stone(point)).collect();
        let moves = position.moves().map(Move::PongHauKi).collect();
        let free = position.free();
        let (lines, names) = (PongHauKiGround::LINES, PongHauKiGround::POINTS);
        Self { stones, free, moves, places: &FIVE, lines, names, end: ENDS[0] }
    }

    /// A position of Mū Tōrere.
    pub(super) fn mu_torere(position: &MuTorere) -> Self {
        let stones = (0..9).map(|point| position.stone(point)).collect();
        let moves = position.moves().map(Move::MuTorere).collect();
        let free = position.free();
        let (lines, names) = (MuTorereGround::LINES, MuTorereGround::POINTS);
        Self { stones, free, moves, places: &RING, lines, names, end: ENDS[1] }
    }

    /// The position of a point on the screen, with room for the names of the outer ones.
    fn place(&self, area: Rect, point: u8) -> (u16, u16) {
        let inner = middle(area, self.end.0 + NAMES, self.end.1 + 1);
        let (x, y) = self.places.get(usize::from(point)).copied().unwrap_or_default();
        // On a small screen the points are closer together.
        let x = x * inner.width.saturating_sub(NAMES) / self.end.0;
        (inner.x + NAMES / 2 + x, inner.y + y * inner.height.saturating_sub(1) / self.end.1)
    }

    /// The point at this position.
    fn point(&self, area: Rect, at: Point) -> Option<u8> {
        let near = |point: &u8| {
            let (x, y) = self.place(area, *point);
            at.y == y && at.x.abs_diff(x) <= 3
        };
        (0..).take(self.stones.len()).find(near)
    }

    fn is_open(&self, point: u8) -> bool {
        self.moves.iter().any(|&mv| from(mv) == Some(point))
    }

    fn of(&self, point: u8) -> Option<Move> {
        self.moves.iter().copied().find(|&mv| from(mv) == Some(point))
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
        let here = self.of(point);
        match self.stones[usize::from(point)] {
            Some(side) => stone(painter, (x, y), side, shown.last.and_then(to) == Some(point), false),
            None => painter.put(x, y, appearance.free(), if shown.open { Tone::Notice } else { Tone::Plain }),
        }
        let chosen = shown.open && here.is_some() && shown.chosen == here;
        if chosen {
            painter.put(x - 1, y, appearance.pointer(), Tone::Notice);
        }
        if shown.best.is_some() && shown.best == here {
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

    fn spot(&self, point: u8) -> Option<(i32, i32)> {
        let &(x, y) = self.places.get(usize::from(point))?;
        Some((i32::from(x), i32::from(y) * 2))
    }
}

fn slide(mv: Move) -> Option<Slide> {
    match mv {
        Move::PongHauKi(slide) | Move::MuTorere(slide) => Some(slide),
        _ => None,
    }
}

fn from(mv: Move) -> Option<u8> {
    slide(mv).map(|slide| slide.from)
}

fn to(mv: Move) -> Option<u8> {
    slide(mv).map(|slide| slide.to)
}

impl BoardView for Points {
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        self.lines.iter().for_each(|&line| self.paint_line(line, painter));
        (0..).zip(&self.stones).for_each(|(point, _)| self.paint_point(point, shown, painter));
    }

    fn fits(&self, area: Rect) -> bool {
        area.width >= LEAST.0 && area.height >= LEAST.1
    }

    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        let point = self.point(area, at)?;
        let only = self.moves.first().copied().filter(|_| self.moves.len() == 1 && point == self.free);
        self.of(point).or(only)
    }

    fn is_ambiguous(&self, area: Rect, at: Point) -> bool {
        self.moves.len() > 1 && self.point(area, at) == Some(self.free)
    }

    fn has_slides(&self) -> bool {
        true
    }

    fn step(&self, chosen: Option<Move>, direction: Direction) -> Option<Move> {
        let Some(now) = chosen.and_then(from).and_then(|point| self.spot(point)) else {
            return self.moves.first().copied();
        };
        let moves = self.moves.iter().copied();
        let next = nearest(moves.clone(), |mv| distance(now, self.spot(from(mv)?)?, direction));
        next.or(chosen)
    }

    fn digit(&self, chosen: Option<Move>, digit: u8) -> Option<Move> {
        digit.checked_sub(1).and_then(|point| self.of(point)).or(chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::{Position, Variant};

    fn points(variant: &str) -> Points {
        match variant.parse::<Variant>().unwrap().start().position() {
            Position::PongHauKi(position) => Points::pong_hau_ki(&position),
            Position::MuTorere(position) => Points::mu_torere(&position),
            _ => panic!("{variant}"),
        }
    }

    #[test]
    fn every_legal_move_is_reached_by_mouse_and_by_keys() {
        for variant in ["pong-hau-ki", "mu-torere"] {
            let points = points(variant);
            let area = Rect { x: 1, y: 1, width: 50, height: 15 };
            for &mv in &points.moves {
                let (x, y) = points.place(area, from(mv).unwrap());
                assert_eq!(points.pick(area, Point { x, y }), Some(mv));
            }
            let ways = [Direction::Left, Direction::Up, Direction::Right, Direction::Down];
            let mut reached = vec![points.step(None, Direction::Left).unwrap()];
            for at in 0..points.moves.len() {
                let next = ways.iter().filter_map(|&way| points.step(reached.get(at).copied(), way));
                let new: Vec<Move> = next.filter(|mv| !reached.contains(mv)).collect();
                reached.extend(new);
                reached.dedup();
            }
            assert!(points.moves.iter().all(|mv| reached.contains(mv)), "{variant}: {reached:?}");
        }
    }
}
