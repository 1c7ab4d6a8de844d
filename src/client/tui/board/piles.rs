//! Piles: of Nim, and the tokens of Even or Odd. Objects that would be taken are lifted, and the mouse
//! drags them off.

use std::ops::Range;

use ratatui::layout::{Position as Point, Rect};

use super::pile_layout::{LEAD, NUMBER, PileLayout};
use super::view::{BoardView, Direction, Drag, Grip, Shown};
use crate::client::tui::appearance::{Appearance, Tone};
use crate::client::tui::painter::{Painter, middle, width};
use crate::game::any::{Board, Move};
use crate::game::even_or_odd::{EvenOrOdd, Tokens};
use crate::game::nim::{Nim, NimVariant, Take};
use crate::game::{Game, Rules, Side};

/// The rows below the tokens of Even or Odd: a free one, and one for each side.
const HEAPS: u16 = 4;

/// The largest move of Even or Odd.
const MOST_TOKENS: u64 = 3;

/// The piles of a position.
#[derive(Debug)]
pub(in crate::client::tui) struct PilesView {
    piles: Vec<Pile>,
    /// The position of Even or Odd, whose tokens are the only pile.
    even_or_odd: Option<EvenOrOdd>,
}

/// A pile.
#[derive(Debug)]
struct Pile {
    count: u64,
    /// The count at the start, so that what is left stays where it is.
    size: u64,
    /// The largest legal move.
    takeable: u64,
}

/// How an object is painted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Lying,
    /// It would be taken.
    Lifted,
    /// It was taken by the last move.
    Ghost,
    /// It was taken before.
    Gone,
}

impl PilesView {
    /// A position of Nim of this variant.
    pub(super) fn of_nim(variant: &NimVariant, nim: &Nim) -> Self {
        let start = variant.start();
        let pile = |(at, &count): (usize, &u64)| {
            let size = start.piles().get(at).map_or(count, |&size| size.max(count));
            Pile { count, size, takeable: nim.takeable(at) }
        };
        Self { piles: nim.piles().iter().enumerate().map(pile).collect(), even_or_odd: None }
    }

    /// A position of Even or Odd.
    pub(super) fn of_even_or_odd(position: EvenOrOdd) -> Self {
        let (count, size) = (position.middle(), position.total());
        let pile = Pile { count, size, takeable: count.min(MOST_TOKENS) };
        Self { piles: vec![pile], even_or_odd: Some(position) }
    }

    /// The move that takes this many objects, at least 1 and at most as many as are legal.
    fn take(&self, pile: usize, count: u64) -> Option<Move> {
        let takeable = self.piles.get(pile)?.takeable;
        (takeable > 0).then(|| self.exactly(pile, count.clamp(1, takeable)))?
    }

    /// The move that takes this many objects, which may be illegal.
    fn exactly(&self, pile: usize, count: u64) -> Option<Move> {
        Some(match self.even_or_odd {
            Some(_) => Move::EvenOrOdd(Tokens(u8::try_from(count).ok()?)),
            None => Move::Nim(Take { pile: u8::try_from(pile).ok()?, count }),
        })
    }

    /// The smallest move in the pile of this letter, where there are several piles.
    pub(in crate::client::tui) fn of_letter(&self, letter: char) -> Option<Move> {
        let pile = u32::from(letter).checked_sub(u32::from('a'))?;
        self.take(usize::try_from(pile).ok()?, 1).filter(|_| self.piles.len() > 1)
    }

    fn layout(&self, area: Rect) -> PileLayout {
        let sizes: Vec<u64> = self.piles.iter().map(|pile| pile.size).collect();
        if self.even_or_odd.is_none() {
            return PileLayout::new(area, &sizes, 3).centred();
        }
        let above = Rect { height: area.height.saturating_sub(HEAPS), ..area };
        let layout = PileLayout::new(above, &sizes, 1);
        let part = middle(area, layout.width(), layout.height() + HEAPS);
        PileLayout::new(Rect { height: layout.height().min(part.height), ..part }, &sizes, 1)
    }

    fn object_sign(&self, appearance: Appearance) -> &'static str {
        if self.even_or_odd.is_some() { appearance.token() } else { appearance.sign("┃", "|") }
    }

    /// The objects that would be taken: the last ones of the pile, or those that the mouse drags.
    fn lifted(&self, shown: &Shown<'_>) -> Option<(usize, Range<u64>)> {
        if let Some(drag) = shown.drag {
            return Some((drag.from.pile.into(), self.dragged(drag)?));
        }
        let (pile, count) = shown.chosen.filter(|_| shown.open).and_then(taken)?;
        let there = self.piles.get(pile)?.count;
        Some((pile, there.saturating_sub(count)..there))
    }

    fn dragged(&self, drag: &Drag) -> Option<Range<u64>> {
        let (_, count) = taken(self.lift(drag.from, drag.to)?)?;
        let (from, to) = (drag.from.object, drag.to.object);
        Some(if from <= to { from..from + count } else { (from + 1).saturating_sub(count)..from + 1 })
    }

    /// The object at this position.
    pub(in crate::client::tui) fn grip(&self, area: Rect, at: Point) -> Option<Grip> {
        let layout = self.layout(area);
        let on = |(at_pile, pile): (usize, &Pile)| Some((at_pile, layout.object(at_pile, pile.count, at)?));
        let (pile, object) = self.piles.iter().enumerate().find_map(on)?;
        Some(Grip { pile: u8::try_from(pile).ok()?, object })
    }

    /// Whether this position is on a pile, even if between two objects.
    pub(in crate::client::tui) fn is_on(&self, area: Rect, at: Point, pile: u8) -> bool {
        self.layout(area).block(pile.into()).contains(at)
    }

    /// The move that takes the objects between two of a pile, or as many of them as are legal.
    pub(in crate::client::tui) fn lift(&self, from: Grip, to: Grip) -> Option<Move> {
        let count = from.object.abs_diff(to.object) + 1;
        self.take(from.pile.into(), count).filter(|_| from.pile == to.pile)
    }

    /// Whether a count has too many digits for one key: only the count of a pile is shown.
    pub(in crate::client::tui) fn are_large(&self, area: Rect) -> bool {
        let layout = self.layout(area);
        self.piles.iter().enumerate().any(|(at, pile)| pile.takeable > 9 && !layout.is_drawn(at))
    }

    fn paint_pile(&self, at: usize, layout: &PileLayout, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let pile = &self.piles[at];
        let lifted = self.lifted(shown).filter(|(chosen, _)| *chosen == at).map(|(_, objects)| objects);
        self.paint_number(at, layout, lifted.is_some(), painter);
        if !layout.is_drawn(at) {
            // Without room above, only the key bar shows the count.
            if let Some(objects) = lifted.filter(|_| shown.open && layout.lifts()) {
                let (x, y) = (layout.left() + NUMBER, layout.middle(at).saturating_sub(1));
                painter.put(x, y, &format!("take {}", objects.end - objects.start), Tone::Chosen);
            }
            return;
        }
        let last = match shown.last {
            Some(Move::Nim(take)) if usize::from(take.pile) == at => take.count,
            _ => 0,
        };
        for object in 0..pile.size {
            let is_lifted = lifted.as_ref().is_some_and(|objects| objects.contains(&object));
            let off = is_lifted && shown.drag.is_some_and(|drag| drag.off);
            let sign = match object {
                _ if off => Sign::Gone,
                _ if object >= pile.count && object < pile.count.saturating_add(last) => Sign::Ghost,
                _ if object >= pile.count => Sign::Gone,
                _ if is_lifted => Sign::Lifted,
                _ => Sign::Lying,
            };
            let object_sign = self.object_sign(painter.appearance);
            paint_object(layout, layout.place(at, object), sign, object_sign, painter);
        }
    }

    fn paint_number(&self, at: usize, layout: &PileLayout, chosen: bool, painter: &mut Painter<'_>) {
        let (x, y) = (layout.left(), layout.middle(at));
        if chosen && self.even_or_odd.is_none() {
            painter.put(x, y, painter.appearance.pointer(), Tone::Notice);
        }
        if self.piles.len() > 1 {
            painter.put(x + 2, y, &letter(at).to_string(), Tone::Key);
        }
        let number = self.piles[at].count.to_string();
        painter.put(x + NUMBER + 3_u16.saturating_sub(width(&number)), y, &number, Tone::Title);
    }

    /// What both sides hold in Even or Odd.
    fn paint_heaps(position: EvenOrOdd, layout: &PileLayout, last: u64, painter: &mut Painter<'_>) {
        let x = layout.left() + LEAD;
        for (row, side) in (0..).zip(Side::BOTH) {
            let y = layout.top(0) + layout.height() + 2 + row;
            let held = position.heaps()[side];
            let parity = if held.is_multiple_of(2) { "even" } else { "odd" };
            painter.put(layout.left(), y, &format!("{held:>7}"), Tone::Title);
            let who = if side == Side::First { "first" } else { "second" };
            let words = format!("{} {who:<7}{parity}", painter.appearance.stone(side));
            painter.put(x, y, &words, Tone::Of(side));
            if last > 0 && position.turn() != side {
                painter.put(x + 15, y, &format!("+{last}"), Tone::Last);
            }
        }
    }
}

/// The index of the pile and the number of objects that a move takes.
fn taken(mv: Move) -> Option<(usize, u64)> {
    match mv {
        Move::Nim(Take { pile, count }) => Some((pile.into(), count)),
        Move::EvenOrOdd(Tokens(count)) => Some((0, count.into())),
        _ => None,
    }
}

/// The letter of a pile. There are at most sixteen.
fn letter(pile: usize) -> char {
    u8::try_from(pile).map_or('?', |pile| char::from(b'a' + pile.min(25)))
}

fn paint_object(layout: &PileLayout, at: Point, sign: Sign, object: &str, painter: &mut Painter<'_>) {
    let (appearance, bottom) = (painter.appearance, at.y + layout.tall - 1);
    let mut column = |rows: Range<u16>, sign: &str, tone| rows.for_each(|y| painter.put(at.x, y, sign, tone));
    match sign {
        Sign::Gone => column(bottom..bottom + 1, appearance.gap(), Tone::Faint),
        Sign::Ghost => column(at.y..bottom + 1, appearance.ghost(), Tone::Faint),
        Sign::Lying => column(at.y..bottom + 1, object, Tone::Plain),
        Sign::Lifted if layout.lifts() => {
            column(at.y - 1..bottom, object, Tone::Notice);
            column(bottom..bottom + 1, appearance.up(), Tone::Notice);
        }
        Sign::Lifted => column(bottom..bottom + 1, object, Tone::Chosen),
    }
}

/// The dragged objects beside the mouse; on the nearest row of the board where the mouse is off it.
fn paint_dragged(drag: &Drag, count: u64, sign: &str, painter: &mut Painter<'_>) {
    let signs = sign.repeat(usize::try_from(count.min(12)).unwrap_or(0));
    let words = format!("{signs} {count}");
    let area = painter.area();
    let x = drag.at.x.min(area.right().saturating_sub(width(&words) + 1)).max(area.x);
    let y = drag.at.y.min(area.bottom().saturating_sub(1)).max(area.y);
    painter.put(x, y, &words, Tone::Chosen);
}

impl BoardView for PilesView {
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>) {
        let layout = self.layout(painter.area());
        for pile in 0..self.piles.len() {
            self.paint_pile(pile, &layout, shown, painter);
        }
        if let Some(position) = self.even_or_odd {
            let last = shown.last.and_then(taken).map_or(0, |(_, count)| count);
            Self::paint_heaps(position, &layout, last, painter);
        }
        let dragged = shown.drag.and_then(|drag| Some((drag, self.dragged(drag)?)));
        let Some((drag, objects)) = dragged else { return };
        let (pile, count) = (usize::from(drag.from.pile), objects.end - objects.start);
        if drag.off {
            let sign = self.object_sign(painter.appearance);
            return paint_dragged(drag, count, sign, painter);
        }
        let (at, count) = (layout.beside(pile, self.piles[pile].size, objects.end - 1), count.to_string());
        let x = at.x.min(painter.area().right().saturating_sub(width(&count)));
        painter.put(x, at.y, &count, Tone::Chosen);
    }

    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        let Grip { pile, object } = self.grip(area, at)?;
        self.take(pile.into(), self.piles.get(usize::from(pile))?.count - object)
    }

    fn step(&self, _board: &Board, chosen: Move, direction: Direction) -> Option<Move> {
        let (pile, count) = taken(chosen)?;
        let single = self.piles.len() == 1;
        let full = |at: &usize| self.piles[*at].takeable > 0;
        match direction {
            Direction::Left => self.take(pile, count + 1),
            Direction::Right => self.take(pile, count.saturating_sub(1)),
            Direction::Up if single => self.take(pile, count + 1),
            Direction::Down if single => self.take(pile, count.saturating_sub(1)),
            Direction::Up => self.take((0..pile).rev().find(full).unwrap_or(pile), count),
            Direction::Down => self.take((pile + 1..self.piles.len()).find(full).unwrap_or(pile), count),
        }
    }

    fn digit(&self, chosen: Option<Move>, digit: u8) -> Option<Move> {
        let first = || self.piles.iter().position(|pile| pile.count > 0);
        let pile = chosen.and_then(taken).map(|(pile, _)| pile).or_else(first)?;
        self.exactly(pile, digit.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::{Position, Variant};

    fn nim(variant: &str, position: &str) -> (Board, PilesView) {
        let variant: Variant = variant.parse().unwrap();
        let board = variant.read_position(position).unwrap();
        let (Position::Nim(nim), Variant::Nim(variant)) = (board.position(), variant) else { panic!() };
        (board, PilesView::of_nim(&variant, &nim))
    }

    #[test]
    fn keys_select_legal_moves() {
        let (board, piles) = nim("nim:3-4-5:max=2", "1-0-5");
        let is_legal = |mv: Option<Move>| mv.is_some_and(|mv| board.play(mv).is_ok());
        let mut chosen = piles.digit(None, 1);
        for direction in {
            use Direction::{Down, Left, Right, Up};
            [Up, Right, Left, Left, Left, Down, Down, Left, Up]
        } {
            assert!(is_legal(chosen), "{chosen:?}");
            chosen = piles.step(&board, chosen.unwrap(), direction);
        }
        let down = piles.step(&board, chosen.unwrap(), Direction::Down);
        assert_eq!(down, Some(Move::Nim(Take { pile: 2, count: 1 })));
        assert!(!is_legal(piles.digit(chosen, 9)) && !is_legal(piles.digit(None, 0)));
    }
}
