//! A count on the screen: the way from 0 to its goal as steps in a row, those behind it filled.

use ratatui::layout::{Position as Point, Rect};

use super::nim::{paint_count, paint_held};
use super::{Grip, Plane, Shown, Way};
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
    fn chosen(&self, shown: &Shown<'_>) -> u64 {
        let drag = shown.drag.and_then(|drag| self.lift(drag.from, drag.to));
        match drag.or(shown.chosen.filter(|_| shown.open)) {
            Some(Move::Nim(Take { count, .. })) => count,
            _ => 0,
        }
    }
}

impl Plane for Track {
    fn paint(&self, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let ((area, wide), reached) = (self.area(pen.area()), self.reached());
        let (chosen, look) = (self.chosen(shown), pen.look);
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
            let tone = if step == reached { Tone::Title } else { Tone::Plain };
            pen.put((x + 1).saturating_sub(width(&number)), area.y + 2, &number, tone);
        }
        match shown.drag {
            Some(drag) if drag.off => paint_held(drag, chosen, "+", pen),
            Some(_) => {
                let end = u16::try_from(reached + chosen).unwrap_or(u16::MAX);
                let x = area.x.saturating_add(end.saturating_mul(wide)).saturating_add((wide - 1) / 2);
                paint_count(Point { x, y: area.y + 1 }, chosen, pen);
            }
            None => {}
        }
    }

    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        let step = self.step_at(area, at)?;
        (step > self.reached()).then(|| self.of(step - self.reached())).flatten()
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

    /// The steps that are still to be made are pulled off as sticks are.
    fn grip(&self, area: Rect, at: Point) -> Option<Grip> {
        let step = self.step_at(area, at)?;
        (step > self.reached()).then(|| Grip { pile: 0, object: step - self.reached() - 1 })
    }

    fn is_on(&self, area: Rect, at: Point, _pile: u8) -> bool {
        self.area(area).0.contains(at)
    }

    fn lift(&self, from: Grip, to: Grip) -> Option<Move> {
        self.of(from.object.abs_diff(to.object) + 1)
    }

    fn has_piles(&self) -> bool {
        true
    }
}
