//! Even or Odd on the screen: the tokens in the middle, which are pulled off like sticks, and what both sides hold.

use ratatui::layout::{Position as Point, Rect};

use super::heap::{LEAD, Layout};
use super::nim::{paint_count, paint_held, paint_told};
use super::{Grip, Plane, Shown, Way};
use crate::client::tui::look::Tone;
use crate::client::tui::pen::Pen;
use crate::game::Side;
use crate::game::any::Move;
use crate::game::even_or_odd::{EvenOrOdd, Tokens};

/// The lines below the middle: a free one, and one for each side.
const HEAPS: u16 = 4;

/// The most tokens that a move takes.
const MOST: u64 = 3;

/// A position.
#[derive(Debug)]
pub(super) struct Middle(pub(super) EvenOrOdd);

impl Middle {
    fn layout(&self, area: Rect) -> Layout {
        let above = Rect { height: area.height.saturating_sub(HEAPS), ..area };
        let layout = Layout::new(above, &[self.0.total()], 1);
        let height = layout.height() + HEAPS;
        let part = super::super::pen::middle(area, layout.width(), height);
        Layout::new(Rect { height: layout.height().min(part.height), ..part }, &[self.0.total()], 1)
    }

    fn takeable(&self) -> u64 {
        self.0.middle().min(MOST)
    }

    fn of(&self, count: u64) -> Option<Move> {
        let count = count.clamp(1, self.takeable().max(1));
        Some(Move::EvenOrOdd(Tokens(u8::try_from(count).ok()?)))
    }

    /// How many of the last tokens of the middle would be taken.
    fn lifted(&self, shown: &Shown<'_>) -> u64 {
        let drag = shown.drag.and_then(|drag| self.lift(drag.from, drag.to));
        match drag.or(shown.chosen.filter(|_| shown.open)) {
            Some(Move::EvenOrOdd(Tokens(count))) => count.into(),
            _ => 0,
        }
    }

    fn paint_heap(&self, side: Side, y: u16, x: u16, last: u64, pen: &mut Pen<'_>) {
        let held = self.0.heaps()[side];
        let parity = if held.is_multiple_of(2) { "even" } else { "odd" };
        pen.put(x, y, &format!("{held:>7}"), Tone::Title);
        let who = if side == Side::First { "first" } else { "second" };
        let words = format!("{} {who:<7}{parity}", pen.look.stone(side));
        pen.put(x + LEAD, y, &words, Tone::Of(side));
        if last > 0 {
            pen.put(x + LEAD + 15, y, &format!("+{last}"), Tone::Last);
        }
    }
}

impl Plane for Middle {
    fn paint(&self, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let (layout, there, lifted) = (self.layout(pen.area()), self.0.middle(), self.lifted(shown));
        let look = pen.look;
        pen.put(layout.left(), layout.middle(0), &format!("{there:>7}"), Tone::Title);
        let off = shown.drag.filter(|drag| drag.off);
        if layout.is_drawn(0) {
            for object in 0..self.0.total() {
                let at = layout.place(0, object);
                match object {
                    _ if object >= there || (off.is_some() && object + lifted >= there) => {
                        pen.put(at.x, at.y, look.gap(), Tone::Faint);
                    }
                    _ if object + lifted >= there && layout.lifts() => {
                        pen.put(at.x, at.y - 1, look.token(), Tone::Notice);
                        pen.put(at.x, at.y, look.under(), Tone::Notice);
                    }
                    _ if object + lifted >= there => pen.put(at.x, at.y, look.token(), Tone::Chosen),
                    _ => pen.put(at.x, at.y, look.token(), Tone::Plain),
                }
            }
        } else if let Some(start) = layout.buttons(0) {
            paint_told(
                Some(lifted).filter(|lifted| *lifted > 0),
                start,
                &layout,
                shown.open && there > 0,
                pen,
            );
        }
        let last = match shown.last {
            Some(Move::EvenOrOdd(Tokens(count))) => u64::from(count),
            _ => 0,
        };
        for (row, side) in (0..).zip(Side::BOTH) {
            let y = layout.top(0) + layout.height() + 2 + row;
            let moved = if crate::game::Game::turn(&self.0) == side { 0 } else { last };
            self.paint_heap(side, y, layout.left(), moved, pen);
        }
        match shown.drag {
            Some(drag) if drag.off => paint_held(drag, lifted, look.token(), pen),
            Some(_) if layout.is_drawn(0) && there > 0 => {
                paint_count(layout.beside(0, self.0.total(), there - 1), lifted, pen);
            }
            _ => {}
        }
    }

    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        let Grip { object, .. } = self.grip(area, at)?;
        self.of(self.0.middle() - object)
    }

    fn step(&self, chosen: Option<Move>, way: Way) -> Option<Move> {
        let Some(Move::EvenOrOdd(Tokens(count))) = chosen else { return self.of(1) };
        self.of(match way {
            Way::Left | Way::Up => u64::from(count) + 1,
            Way::Right | Way::Down => u64::from(count).saturating_sub(1),
        })
    }

    fn digit(&self, _chosen: Option<Move>, digit: u8) -> Option<Move> {
        self.of(digit.into())
    }

    fn grip(&self, area: Rect, at: Point) -> Option<Grip> {
        let object = self.layout(area).object(0, self.0.middle(), at)?;
        Some(Grip { pile: 0, object })
    }

    fn is_on(&self, area: Rect, at: Point, _pile: u8) -> bool {
        self.layout(area).block(0).contains(at)
    }

    fn lift(&self, from: Grip, to: Grip) -> Option<Move> {
        if self.takeable() == 0 { None } else { self.of(from.object.abs_diff(to.object) + 1) }
    }

    fn press(&self, area: Rect, at: Point, chosen: Option<Move>) -> Option<Move> {
        let (_, button) = self.layout(area).button(at)?;
        let count = match chosen {
            Some(Move::EvenOrOdd(Tokens(count))) => count.into(),
            _ => 0,
        };
        if self.takeable() == 0 { None } else { self.of(button.press(count, self.takeable())) }
    }

    fn has_buttons(&self, area: Rect) -> bool {
        self.layout(area).has_buttons()
    }

    fn has_piles(&self) -> bool {
        true
    }
}
