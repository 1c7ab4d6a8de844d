//! The places of the objects of piles: in rows, in groups of five, and as tall as there is room for.

use ratatui::layout::{Position as Point, Rect};

use crate::client::tui::painter::middle;
use crate::number::saturating;

/// The columns before the objects, with the letter and the count of the pile.
pub(super) const LEAD: u16 = 9;

/// The columns before the count.
pub(super) const NUMBER: u16 = 4;

/// The largest number of rows of a pile; only the count of a larger pile is shown.
const MOST_ROWS: u64 = 4;

/// The largest height of an object.
const TALLEST: u16 = 3;

/// The layout of piles in an area.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PileLayout {
    area: Rect,
    /// The largest number of objects of a row.
    per_row: u64,
    /// The rows of each pile; 0 if only its count is shown.
    rows: Vec<u16>,
    /// The height of an object.
    pub(super) tall: u16,
    /// The free rows above each row of objects: 1, or 0 without room.
    gap: u16,
}

impl PileLayout {
    /// The layout for piles of these sizes, with objects of at most this height.
    pub(super) fn new(area: Rect, sizes: &[u64], tallest: u16) -> Self {
        let widest = area.width.saturating_sub(LEAD);
        let fits = (1..=u64::from(widest)).rev().find(|&count| offset(count - 1) < u64::from(widest));
        let fits = fits.map_or(1, |count| if count < 5 { count } else { count - count % 5 }).max(1);
        let drawn = |size: &u64| *size <= fits * MOST_ROWS;
        let largest = sizes.iter().copied().filter(drawn).max().unwrap_or(1).max(1);
        // The rows of a pile are about equally long.
        let per_row = largest.div_ceil(largest.div_ceil(fits)).next_multiple_of(5).min(fits.max(1));
        let rows_of = |size: &u64| if drawn(size) { size.div_ceil(per_row).max(1) } else { 0 };
        let mut rows: Vec<u16> = sizes.iter().map(|size| u16::try_from(rows_of(size)).unwrap_or(0)).collect();
        let room = |rows: &[u16], tall: u16, gap: u16| {
            rows.iter().map(|&rows| rows.max(1) * (tall + gap)).sum::<u16>() <= area.height
        };
        let forms = (1..=tallest.min(TALLEST)).rev().map(|tall| (tall, 1)).chain([(1, 0)]);
        let form = forms.into_iter().find(|&(tall, gap)| room(&rows, tall, gap));
        if form.is_none() {
            rows.fill(0);
        }
        let (tall, gap) = form.unwrap_or((1, 0));
        Self { area, per_row, rows, tall, gap }
    }

    /// The rows of all piles.
    pub(super) fn height(&self) -> u16 {
        self.rows.iter().map(|&rows| rows.max(1) * self.line()).sum()
    }

    /// The columns of all piles.
    pub(super) fn width(&self) -> u16 {
        LEAD + saturating::<u16, _>(offset(self.per_row - 1) + 1)
    }

    /// The row of the count of a pile.
    pub(super) fn middle(&self, pile: usize) -> u16 {
        self.top(pile) + if self.lifts() { self.tall.div_ceil(2) } else { 0 }
    }

    fn line(&self) -> u16 {
        self.tall + self.gap
    }

    /// The same piles in the middle of their area.
    pub(super) fn centred(self) -> Self {
        let area = middle(self.area, self.width(), self.height());
        Self { area, ..self }
    }

    /// Whether the objects of this pile are painted.
    pub(super) fn is_drawn(&self, pile: usize) -> bool {
        self.rows.get(pile).is_some_and(|&rows| rows > 0)
    }

    /// The first row of a pile.
    pub(super) fn top(&self, pile: usize) -> u16 {
        let above: u16 = self.rows.iter().take(pile).map(|&rows| rows.max(1) * self.line()).sum();
        self.area.y + above
    }

    /// The position for the number of lifted objects, of a pile of this size, with this last lifted object.
    pub(super) fn beside(&self, pile: usize, size: u64, last: u64) -> Point {
        let end_of_row =
            (last - last % self.per_row).saturating_add(self.per_row).min(size).saturating_sub(1);
        let place = self.place(pile, if self.lifts() { last } else { end_of_row });
        Point { x: place.x.saturating_add(2), y: place.y.saturating_sub(self.gap) }
    }

    /// The left edge of all piles.
    pub(super) fn left(&self) -> u16 {
        self.area.x
    }

    /// The top of an object that is not lifted.
    pub(super) fn place(&self, pile: usize, object: u64) -> Point {
        let row: u16 = saturating(object / self.per_row);
        let x: u16 = saturating(offset(object % self.per_row));
        let y = self.top(pile).saturating_add(row.saturating_mul(self.line())).saturating_add(self.gap);
        Point { x: self.area.x.saturating_add(LEAD).saturating_add(x), y }
    }

    /// The object at this position, in a pile of this count.
    pub(super) fn object(&self, pile: usize, count: u64, at: Point) -> Option<u64> {
        if !self.is_drawn(pile) {
            return None;
        }
        let on = |object: &u64| {
            let place = self.place(pile, *object);
            let lines = place.y.saturating_sub(self.gap)..place.y + self.tall;
            lines.contains(&at.y) && (place.x..place.x + 2).contains(&at.x)
        };
        (0..count).find(on)
    }

    /// The area of a pile, without its count.
    pub(super) fn block(&self, pile: usize) -> Rect {
        let rows = self.rows.get(pile).copied().unwrap_or(0).max(1);
        let y = self.top(pile);
        Rect { x: self.area.x + LEAD - 1, y, width: self.width() - LEAD + 2, height: rows * self.line() }
    }

    /// Whether there is a free row above each object to lift it into.
    pub(super) fn lifts(&self) -> bool {
        self.gap > 0
    }
}

/// The column of an object in its row: every second one, with a gap after each five.
fn offset(object: u64) -> u64 {
    object * 2 + object / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    const AREA: Rect = Rect { x: 3, y: 2, width: 50, height: 14 };

    #[test]
    fn no_object_lies_outside_the_area_or_on_another() {
        for sizes in [&[21][..], &[3, 4, 5], &[1, 3, 5, 7], &[50], &[8; 16], &[15, 1, 40]] {
            for (width, height) in [(30, 8), (50, 14), (80, 30)] {
                let area = Rect { width, height, ..AREA };
                let layout = PileLayout::new(area, sizes, 3).centred();
                let mut seen = std::collections::HashSet::new();
                for (pile, &size) in sizes.iter().enumerate().filter(|(pile, _)| layout.is_drawn(*pile)) {
                    for object in 0..size {
                        let place = layout.place(pile, object);
                        assert!(area.contains(place), "{sizes:?} {width}x{height} {pile} {object} {place:?}");
                        assert!(area.contains(Point { y: place.y + layout.tall - 1, ..place }));
                        assert!(seen.insert(place));
                        assert_eq!(layout.object(pile, size, place), Some(object));
                        assert!(layout.block(pile).contains(place));
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_about_equally_long() {
        let layout = PileLayout::new(AREA, &[21], 3);
        assert_eq!((layout.per_row, layout.rows.as_slice(), layout.tall), (15, &[2][..], 3));
    }

    #[test]
    fn only_the_count_of_a_large_pile_is_shown() {
        let layout = PileLayout::new(AREA, &[1_000_000_000_000_000_000, 5], 3);
        assert_eq!((layout.is_drawn(0), layout.is_drawn(1)), (false, true));
        assert_eq!(layout.object(0, u64::MAX, Point { x: 20, y: 3 }), None);
    }
}
