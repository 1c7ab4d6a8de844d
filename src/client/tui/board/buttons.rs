//! Buttons behind the number of a pile whose objects are too many to be drawn: with these the mouse puts together how many are
//! to be taken. They know no rules, and no place but the one that they begin at.

use ratatui::layout::Position as Point;

use crate::client::tui::look::{Look, Tone};
use crate::client::tui::pen::{Pen, width};

/// The columns that they take together.
pub(super) const WIDE: u16 = 12;

/// A button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Button {
    Fewer,
    More,
    Tenfold,
    Most,
}

impl Button {
    const ALL: [Self; 4] = [Self::Fewer, Self::More, Self::Tenfold, Self::Most];

    fn sign(self, look: Look) -> &'static str {
        match self {
            Self::Fewer => "-",
            Self::More => "+",
            Self::Tenfold if look.ascii => "x10",
            Self::Tenfold => "×10",
            Self::Most => "most",
        }
    }

    /// How many are to be taken once this is pressed; of so many that may be, and 0 stands for none that were chosen.
    pub(super) fn press(self, count: u64, most: u64) -> u64 {
        let count = match self {
            Self::Fewer => count.saturating_sub(1),
            Self::More => count.saturating_add(1),
            Self::Tenfold => count.saturating_mul(10),
            Self::Most => most,
        };
        count.clamp(1, most.max(1))
    }
}

/// Each with its first column, seen from the first of all.
fn placed(look: Look) -> impl Iterator<Item = (u16, Button)> {
    Button::ALL.into_iter().scan(0, move |x, button| {
        let here = *x;
        *x += width(button.sign(look)) + 1;
        Some((here, button))
    })
}

/// The button at a place, where they begin at another.
pub(super) fn at(start: Point, at: Point) -> Option<Button> {
    let x = at.x.checked_sub(start.x).filter(|_| at.y == start.y)?;
    // Their signs have the same width in every alphabet.
    let look = Look::default();
    placed(look)
        .find(|(left, button)| (*left..left + width(button.sign(look))).contains(&x))
        .map(|(_, it)| it)
}

/// Draws them where they begin.
pub(super) fn paint(start: Point, pen: &mut Pen<'_>) {
    let look = pen.look;
    for (left, button) in placed(look) {
        pen.put(start.x + left, start.y, button.sign(look), Tone::Key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_can_be_put_together() {
        let count =
            [Button::More, Button::Tenfold, Button::More, Button::More, Button::Tenfold, Button::Fewer]
                .into_iter()
                .fold(0, |count, button| button.press(count, 1_000));
        assert_eq!(count, 119);
        assert_eq!(
            [Button::Most.press(3, 9), Button::Tenfold.press(3, 9), Button::Fewer.press(1, 9)],
            [9, 9, 1]
        );
    }

    #[test]
    fn each_is_where_it_is_drawn() {
        let start = Point { x: 5, y: 2 };
        let found: Vec<Option<Button>> = (4..19).map(|x| at(start, Point { x, y: 2 })).collect();
        let count = |button| found.iter().filter(|found| **found == Some(button)).count();
        assert_eq!(Button::ALL.map(count), [1, 1, 3, 4]);
        assert_eq!(found.iter().rposition(Option::is_some), Some(usize::from(WIDE)));
        assert_eq!(at(start, Point { x: 5, y: 3 }), None);
    }
}
