//! The board of a game of counting: a track of steps from 0 to the goal.

use ratatui::layout::Rect;

use super::view::{BoardView, Direction, Shown};
use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::{Painter, middle, width};
use crate::game::any::{Board, Move, Variant};
use crate::game::nim::{Nim, Take};
use crate::number::saturating;

/// The largest number of columns of a step.
const STEP: u16 = 4;

/// The fewest columns of a step that leave room for every number.
const NUMBERED: u16 = 3;

/// The rows of the track: the signs, a free one, and the numbers.
const HEIGHT: u16 = 3;

/// A count and its goal.
#[derive(Debug)]
pub(super) struct Track {
    goal: u64,
    nim: Nim,
}

impl Track {
    /// The track of a position: what is left in its one pile is what is missing to the goal.
    pub(super) fn new(variant: &Variant, nim: Nim) -> Self {
        let goal = if let Variant::Nim(variant) = variant { variant.counts_to() } else { None };
        Self { goal: goal.unwrap_or_else(|| nim.total()), nim }
    }

    fn reached(&self) -> u64 {
        self.goal.saturating_sub(self.nim.total())
    }

    /// The area of the track, and the columns of a step.
    fn area(&self, area: Rect) -> (Rect, u16) {
        let steps: u16 = saturating(self.goal + 1);
        let step = (area.width / steps).clamp(1, STEP);
        (middle(area, steps.saturating_mul(step), HEIGHT), step)
    }

    fn of(&self, count: u64) -> Option<Move> {
        let most = self.nim.takeable(0);
        (most > 0).then_some(Move::Nim(Take { pile: 0, count: count.clamp(1, most) }))
    }

    /// The number of steps of the selected move.
    fn chosen(shown: &Shown<'_>) -> u64 {
        match shown.chosen.filter(|_| shown.open) {
            Some(Move::Nim(Take { count, .. })) => count,
            _ => 0,
        }
    }
}

impl BoardView for Track {
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let ((area, wide), reached) = (self.area(painter.area()), self.reached());
        let (chosen, appearance) = (Self::chosen(shown), painter.appearance);
        let last = match shown.last {
            Some(Move::Nim(take)) => take.count,
            _ => 0,
        };
        for (at, step) in (0..).zip(0..=self.goal) {
            let x = area.x + at * wide + (wide - 1) / 2;
            let (sign, tone) = match step {
                _ if step == reached => (appearance.token(), Tone::Notice),
                _ if step < reached && step + last >= reached && last > 0 => (appearance.ghost(), Tone::Last),
                _ if step < reached => (appearance.line().horizontal, Tone::Faint),
                _ if step <= reached + chosen => (appearance.down(), Tone::Chosen),
                _ => (appearance.gap(), Tone::Faint),
            };
            painter.put(x, area.y, sign, tone);
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
            painter.put((x + 1).saturating_sub(width(&number)), area.y + 2, &number, tone);
        }
    }

    fn spots(&self, area: Rect) -> Vec<(Rect, Move)> {
        let ((area, wide), reached) = (self.area(area), self.reached());
        let steps = (0..).zip(0..=self.goal).skip_while(|(_, step)| *step <= reached);
        let spot = |(at, step): (u16, u64)| {
            let take = Take { pile: 0, count: step - reached };
            (Rect { x: area.x + at * wide, width: wide, ..area }, Move::Nim(take))
        };
        steps.map(spot).collect()
    }

    fn step(&self, _board: &Board, chosen: Move, direction: Direction) -> Option<Move> {
        let Move::Nim(Take { count, .. }) = chosen else { return None };
        self.of(match direction {
            Direction::Right | Direction::Up => count + 1,
            Direction::Left | Direction::Down => count.saturating_sub(1),
        })
    }

    fn digit(&self, _chosen: Option<Move>, digit: u8) -> Option<Move> {
        Some(Move::Nim(Take { pile: 0, count: digit.into() }))
    }
}
