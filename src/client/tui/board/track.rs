//! A count on the screen: the way from 0 to its goal as steps in a row, those behind it filled.

use ratatui::layout::{Position as Point, Rect};

use super::{Plane, Shown, Way};
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, middle, width};
use crate::game::any::Move;
use crate::game::nim::{Nim, Take};

/// The columns of a step, where there is room.
const STEP: u16 = 4;

/// The fewest columns of a step of which every number is told.
const NUMBERED: u16 = 3;

/// The lines of the track: the signs, a free one, and the numbers.
const HEIGHT: u16 = 3;

/// A count on its way.
#[derive(Debug)]
pub(super) struct Track {
    goal: u64,
    nim: Nim,
}

impl Track {
    /// The count that is short of its goal by what lies in the one pile.
    pub(super) fn new(goal: u64, nim: Nim) -> Self {
        Self { goal, nim }
    }

    fn reached(&self) -> u64 {
        self.goal.saturating_sub(self.nim.total())
    }

    /// The part of the track, and the columns of a step on it.
    fn area(&self, area: Rect) -> (Rect, u16) {
        let steps = u16::try_from(self.goal + 1).unwrap_or(u16::MAX);
        let step = (area.width / steps).clamp(1, STEP);
        (middle(area, steps.saturating_mul(step), HEIGHT), step)
    }

    /// The step at this place: from 0, which is before the first.
    fn step_at(&self, area: Rect, at: Point) -> Option<u64> {
        let (area, step) = self.area(area);
        let step = u64::from(at.x.checked_sub(area.x)? / step);
        (area.contains(at) && step <= self.goal).then_some(step)
    }

    fn of(&self, count: u64) -> Option<Move> {
        let most = self.nim.takeable(0);
        (most > 0).then_some(Move::Nim(Take { pile: 0, count: count.clamp(1, most) }))
    }

    /// How many steps would be made.
    fn chosen(shown: &Shown<'_>) -> u64 {
        match shown.chosen.filter(|_| shown.open) {
            Some(Move::Nim(Take { count, .. })) => count,
            _ => 0,
        }
    }
}

impl Plane for Track {
    fn paint(&self, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let ((area, wide), reached) = (self.area(pen.area()), self.reached());
        let (chosen, look) = (Self::chosen(shown), pen.look);
        let last = match shown.last {
            Some(Move::Nim(take)) => take.count,
            _ => 0,
        };
        for (at, step) in (0..).zip(0..=self.goal) {
            let x = area.x + at * wide + (wide - 1) / 2;
            let (sign, tone) = match step {
                _ if step == reached => (look.token(), Tone::Notice),
                _ if step < reached && step + last >= reached && last > 0 => (look.ghost(), Tone::Last),
                _ if step < reached => (look.line().horizontal, Tone::Faint),
                _ if step <= reached + chosen => (look.over(), Tone::Chosen),
                _ => (look.gap(), Tone::Faint),
            };
            pen.put(x, area.y, sign, tone);
            if wide < NUMBERED && step % 2 > 0 {
                continue;
            }
            let number = step.to_string();
            let is_open = shown.open && (1..=self.nim.takeable(0)).contains(&step.saturating_sub(reached));
            let tone = match step {
                _ if step == reached => Tone::Title,
                _ if is_open => Tone::Key,
                _ => Tone::Plain,
            };
            pen.put((x + 1).saturating_sub(width(&number)), area.y + 2, &number, tone);
        }
    }

    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        let count = self.step_at(area, at)?.checked_sub(self.reached())?;
        (1..=self.nim.takeable(0)).contains(&count).then_some(Move::Nim(Take { pile: 0, count }))
    }

    fn step(&self, chosen: Option<Move>, way: Way) -> Option<Move> {
        let Some(Move::Nim(Take { count, .. })) = chosen else { return self.of(1) };
        self.of(match way {
            Way::Right | Way::Up => count + 1,
            Way::Left | Way::Down => count.saturating_sub(1),
        })
    }

    fn digit(&self, _chosen: Option<Move>, digit: u8) -> Option<Move> {
        self.of(digit.into())
    }

    fn counts(&self) -> bool {
        true
    }
}
