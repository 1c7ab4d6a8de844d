//! Buttons beside the count of a pile that is too large to be painted: with them the mouse sets how many
//! objects to take.

use ratatui::layout::Position as Point;

use crate::client::tui::appearance::{Appearance, Tone};
use crate::client::tui::painter::{Painter, width};

/// The columns of all buttons.
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

    fn label(self, appearance: Appearance) -> &'static str {
        match self {
            Self::Fewer => "-",
            Self::More => "+",
            Self::Tenfold if appearance.ascii => "x10",
            Self::Tenfold => "×10",
            Self::Most => "most",
        }
    }

    /// The number of objects after a click, at most `most`; a `count` of 0 means that none was set before.
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

/// All buttons with their offsets in columns.
fn placed(appearance: Appearance) -> impl Iterator<Item = (u16, Button)> {
    Button::ALL.into_iter().scan(0, move |x, button| {
        let here = *x;
        *x += width(button.label(appearance)) + 1;
        Some((here, button))
    })
}

/// The button at a position, where the first one starts at `start`.
pub(super) fn at(start: Point, at: Point) -> Option<Button> {
    let x = at.x.checked_sub(start.x).filter(|_| at.y == start.y)?;
    // The labels in ASCII have the same widths.
    let appearance = Appearance::default();
    placed(appearance)
        .find(|(left, button)| (*left..left + width(button.label(appearance))).contains(&x))
        .map(|(_, it)| it)
}

/// Paints them from `start` on.
pub(super) fn paint(start: Point, painter: &mut Painter<'_>) {
    let appearance = painter.appearance;
    for (left, button) in placed(appearance) {
        painter.put(start.x + left, start.y, button.label(appearance), Tone::Key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buttons_set_any_number() {
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
    fn a_button_is_where_it_is_painted() {
        let start = Point { x: 5, y: 2 };
        let found: Vec<Option<Button>> = (4..19).map(|x| at(start, Point { x, y: 2 })).collect();
        let count = |button| found.iter().filter(|found| **found == Some(button)).count();
        assert_eq!(Button::ALL.map(count), [1, 1, 3, 4]);
        assert_eq!(found.iter().rposition(Option::is_some), Some(usize::from(WIDE)));
        assert_eq!(at(start, Point { x: 5, y: 3 }), None);
    }
}
