//! Piles on the screen: sticks that are lifted where they would be taken, and pulled off with the mouse.

use ratatui::layout::{Position as Point, Rect};

use super::heap::{Layout, NUMBER};
use super::{Drag, Grip, Plane, Shown, Way, buttons};
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, width};
use crate::game::Rules;
use crate::game::any::Move;
use crate::game::nim::{Nim, NimVariant, Take};

/// The piles of a game.
#[derive(Debug)]
pub(super) struct Piles {
    nim: Nim,
    /// What lay in each pile at the start, so that what is left stays where it is.
    sizes: Vec<u64>,
}

impl Piles {
    /// A position of this variant.
    pub(super) fn new(variant: &NimVariant, nim: Nim) -> Self {
        let start = variant.start();
        let sizes = |(at, &now): (usize, &u64)| start.piles().get(at).map_or(now, |&then| then.max(now));
        Self { sizes: nim.piles().iter().enumerate().map(sizes).collect(), nim }
    }

    /// A position of which nothing else is known.
    pub(super) fn alone(nim: Nim) -> Self {
        Self { sizes: nim.piles().to_vec(), nim }
    }

    fn layout(&self, area: Rect) -> Layout {
        Layout::new(area, &self.sizes, 3).centred()
    }

    /// The objects that would be taken: the last ones of the pile, or those over which the mouse has come.
    fn lifted(&self, shown: &Shown<'_>) -> Option<(usize, std::ops::Range<u64>)> {
        if let Some(drag) = shown.drag {
            return Some((drag.from.pile.into(), self.held(drag)?));
        }
        let Some(Move::Nim(Take { pile, count })) = shown.chosen.filter(|_| shown.open) else { return None };
        let there = *self.nim.piles().get(usize::from(pile))?;
        Some((pile.into(), there.saturating_sub(count)..there))
    }

    /// The objects that the mouse holds.
    fn held(&self, drag: &Drag) -> Option<std::ops::Range<u64>> {
        let Some(Move::Nim(Take { count, .. })) = self.lift(drag.from, drag.to) else { return None };
        let (from, to) = (drag.from.object, drag.to.object);
        Some(if from <= to { from..from + count } else { (from + 1).saturating_sub(count)..from + 1 })
    }

    fn paint_pile(&self, pile: usize, layout: &Layout, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let there = self.nim.piles()[pile];
        let lifted = self.lifted(shown).filter(|(chosen, _)| *chosen == pile).map(|(_, objects)| objects);
        self.paint_number(pile, layout, lifted.is_some(), pen);
        if let Some(start) = layout.buttons(pile) {
            let count = lifted.map(|objects| objects.end - objects.start);
            return paint_told(count.filter(|_| shown.open), start, layout, shown.open && there > 0, pen);
        }
        let last = match shown.last {
            Some(Move::Nim(take)) if usize::from(take.pile) == pile => take.count,
            _ => 0,
        };
        for object in 0..self.sizes[pile] {
            let is_lifted = lifted.as_ref().is_some_and(|objects| objects.contains(&object));
            let off = is_lifted && shown.drag.is_some_and(|drag| drag.off);
            let sign = match object {
                _ if off => Sign::Gone,
                _ if object >= there && object < there.saturating_add(last) => Sign::Ghost,
                _ if object >= there => Sign::Gone,
                _ if is_lifted => Sign::Lifted,
                _ => Sign::Lying,
            };
            paint_object(layout, layout.place(pile, object), sign, pen);
        }
    }

    fn paint_number(&self, pile: usize, layout: &Layout, chosen: bool, pen: &mut Pen<'_>) {
        let (x, y) = (layout.left(), layout.middle(pile));
        let pointer = if chosen { pen.look.pointer() } else { " " };
        pen.put(x, y, pointer, Tone::Notice);
        let only = self.sizes.len() == 1;
        let letter = if only { String::new() } else { letter(pile).to_string() };
        pen.put(x + 2, y, &letter, Tone::Key);
        let number = self.nim.piles()[pile].to_string();
        pen.put(x + NUMBER + 3_u16.saturating_sub(width(&number)), y, &number, Tone::Title);
    }
}

/// How many would be taken of a pile of which only the number is told, and the buttons to choose that where one can.
pub(super) fn paint_told(count: Option<u64>, start: Point, layout: &Layout, open: bool, pen: &mut Pen<'_>) {
    if open {
        buttons::paint(start, pen);
    }
    let words = count.map_or_else(String::new, |count| format!("take {count}"));
    // Where the lines stand close together it is told by the line of keys alone.
    if layout.lifts() {
        pen.put(layout.left() + NUMBER, start.y.saturating_sub(1), &words, Tone::Chosen);
    }
}

/// How an object is drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// It is there.
    Lying,
    /// It would be taken.
    Lifted,
    /// The last move has taken it.
    Ghost,
    /// It was taken before.
    Gone,
}

fn paint_object(layout: &Layout, at: Point, sign: Sign, pen: &mut Pen<'_>) {
    let look = pen.look;
    let bottom = at.y + layout.tall - 1;
    match sign {
        Sign::Gone => pen.put(at.x, bottom, look.gap(), Tone::Faint),
        Sign::Ghost => (at.y..=bottom).for_each(|y| pen.put(at.x, y, look.ghost(), Tone::Faint)),
        Sign::Lying => (at.y..=bottom).for_each(|y| pen.put(at.x, y, look.stick(), Tone::Plain)),
        Sign::Lifted if layout.lifts() => {
            (at.y - 1..bottom).for_each(|y| pen.put(at.x, y, look.stick(), Tone::Notice));
            pen.put(at.x, bottom, look.under(), Tone::Notice);
        }
        Sign::Lifted => pen.put(at.x, bottom, look.stick(), Tone::Chosen),
    }
}

/// What the mouse holds, beside it; where the mouse is off the board, on the nearest line of that.
pub(super) fn paint_held(drag: &Drag, count: u64, sign: &str, pen: &mut Pen<'_>) {
    let signs = sign.repeat(usize::try_from(count.min(12)).unwrap_or(0));
    let words = format!("{signs} {count}");
    let area = pen.area();
    let x = drag.at.x.min(area.right().saturating_sub(width(&words) + 1)).max(area.x);
    let y = drag.at.y.min(area.bottom().saturating_sub(1)).max(area.y);
    pen.put(x, y, &words, Tone::Chosen);
}

/// How many are lifted, at this place, or as far in front of it as there is room.
pub(super) fn paint_count(at: Point, count: u64, pen: &mut Pen<'_>) {
    let words = count.to_string();
    let x = at.x.min(pen.area().right().saturating_sub(width(&words)));
    pen.put(x, at.y, &words, Tone::Chosen);
}

/// The letter of a pile, `a` for pile 0. There are sixteen at most.
fn letter(pile: usize) -> char {
    u8::try_from(pile).map_or('?', |pile| char::from(b'a' + pile.min(25)))
}

impl Plane for Piles {
    fn paint(&self, shown: &Shown<'_>, pen: &mut Pen<'_>) {
        let layout = self.layout(pen.area());
        for pile in 0..self.sizes.len() {
            self.paint_pile(pile, &layout, shown, pen);
        }
        let Some((drag, objects)) = shown.drag.and_then(|drag| Some((drag, self.held(drag)?))) else {
            return;
        };
        let (pile, count) = (usize::from(drag.from.pile), objects.end - objects.start);
        if drag.off {
            paint_held(drag, count, pen.look.stick(), pen);
        } else {
            paint_count(layout.beside(pile, self.sizes[pile], objects.end - 1), count, pen);
        }
    }

    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        let Grip { pile, object } = self.grip(area, at)?;
        let there = *self.nim.piles().get(usize::from(pile))?;
        let count = (there - object).min(self.nim.takeable(pile.into()));
        Some(Move::Nim(Take { pile, count }))
    }

    fn step(&self, chosen: Option<Move>, way: Way) -> Option<Move> {
        let Some(Move::Nim(Take { pile, count })) = chosen else { return self.digit(None, 1) };
        let single = self.sizes.len() == 1;
        let most = self.nim.takeable(pile.into());
        let change = match way {
            Way::Left => Some(count + 1),
            Way::Right => Some(count - 1),
            Way::Up if single => Some(count + 1),
            Way::Down if single => Some(count - 1),
            Way::Up | Way::Down => None,
        };
        if let Some(count) = change {
            return Some(Move::Nim(Take { pile, count: count.clamp(1, most.max(1)) }));
        }
        let full = |at: &usize| self.nim.takeable(*at) > 0;
        let now = usize::from(pile);
        let next =
            if way == Way::Up { (0..now).rev().find(full) } else { (now + 1..self.sizes.len()).find(full) };
        let pile = next.unwrap_or(now);
        let count = count.min(self.nim.takeable(pile)).max(1);
        Some(Move::Nim(Take { pile: u8::try_from(pile).ok()?, count }))
    }

    fn digit(&self, chosen: Option<Move>, digit: u8) -> Option<Move> {
        let first = || (0..).zip(self.nim.piles()).find(|(_, count)| **count > 0).map(|(pile, _)| pile);
        let pile = match chosen {
            Some(Move::Nim(Take { pile, .. })) => pile,
            _ => first()?,
        };
        let count = u64::from(digit).clamp(1, self.nim.takeable(pile.into()).max(1));
        Some(Move::Nim(Take { pile, count }))
    }

    fn grip(&self, area: Rect, at: Point) -> Option<Grip> {
        let layout = self.layout(area);
        let on = |(pile, &count): (usize, &u64)| Some((pile, layout.object(pile, count, at)?));
        let (pile, object) = self.nim.piles().iter().enumerate().find_map(on)?;
        Some(Grip { pile: u8::try_from(pile).ok()?, object })
    }

    fn is_on(&self, area: Rect, at: Point, pile: u8) -> bool {
        self.layout(area).block(pile.into()).contains(at)
    }

    fn lift(&self, from: Grip, to: Grip) -> Option<Move> {
        let most = self.nim.takeable(from.pile.into());
        let count = (from.object.abs_diff(to.object) + 1).min(most);
        (count > 0 && from.pile == to.pile).then_some(Move::Nim(Take { pile: from.pile, count }))
    }

    fn press(&self, area: Rect, at: Point, chosen: Option<Move>) -> Option<Move> {
        let (pile, button) = self.layout(area).button(at)?;
        let most = self.nim.takeable(pile);
        let pile = u8::try_from(pile).ok().filter(|_| most > 0)?;
        let count = match chosen {
            Some(Move::Nim(take)) if take.pile == pile => take.count,
            _ => 0,
        };
        Some(Move::Nim(Take { pile, count: button.press(count, most) }))
    }

    fn has_buttons(&self, area: Rect) -> bool {
        self.layout(area).has_buttons()
    }

    fn has_piles(&self) -> bool {
        true
    }
}

impl Piles {
    /// Whether this move can be made.
    #[cfg(test)]
    fn allows(&self, mv: Option<Move>) -> bool {
        use crate::game::Game;
        matches!(mv, Some(Move::Nim(take)) if self.nim.play(take).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::{Position, Variant};

    fn piles(variant: &str, position: &str) -> Piles {
        let variant: Variant = variant.parse().unwrap();
        let Position::Nim(nim) = variant.read_position(position).unwrap().position() else { panic!() };
        let Variant::Nim(variant) = variant else { panic!() };
        Piles::new(&variant, nim)
    }

    #[test]
    fn whatever_the_keys_choose_can_be_taken() {
        let piles = piles("nim:3-4-5:max=2", "1-0-5");
        let mut chosen = piles.step(None, Way::Up);
        for way in
            [Way::Up, Way::Right, Way::Left, Way::Left, Way::Left, Way::Down, Way::Down, Way::Left, Way::Up]
        {
            assert!(piles.allows(chosen), "{chosen:?}");
            chosen = piles.step(chosen, way);
        }
        assert_eq!(piles.step(chosen, Way::Down), Some(Move::Nim(Take { pile: 2, count: 1 })));
        assert!(piles.allows(piles.digit(chosen, 9)) && piles.allows(piles.digit(None, 0)));
    }

    #[test]
    fn what_lies_between_press_and_pull_is_lifted_as_far_as_it_may_be_taken() {
        let piles = piles("java-tech:21", "21");
        let lift = |from, to| match piles.lift(Grip { pile: 0, object: from }, Grip { pile: 0, object: to }) {
            Some(Move::Nim(Take { count, .. })) => count,
            _ => 0,
        };
        assert_eq!([lift(20, 20), lift(20, 19), lift(4, 6), lift(0, 20)], [1, 2, 3, 3]);
    }
}
