//! Where the names of moves are on the arrows of a graph: no name is on a node or on another name, and as
//! few other arrows as possible pass below it.

use super::curve::Curve;

/// The points of a curve that are tried, in thousandths.
const TRIED: std::ops::RangeInclusive<i64> = 160..=840;
const STEP: usize = 40;
/// The height of a name above and below its line.
const ABOVE: i64 = 12;
const BELOW: i64 = 5;
/// How far the line of a name is below the arrow.
const LOWER: i64 = 4;

/// A rectangle: left, top, right, bottom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Area(pub(super) i64, pub(super) i64, pub(super) i64, pub(super) i64);

impl Area {
    fn meets(self, other: Self) -> bool {
        self.0 < other.2 && other.0 < self.2 && self.1 < other.3 && other.1 < self.3
    }

    fn contains(self, (x, y): (i64, i64)) -> bool {
        self.meets(Self(x, y, x + 1, y + 1))
    }
}

/// An arrow, and the width of its name.
pub(super) struct NamedArrow {
    pub(super) curves: Vec<Curve>,
    pub(super) width: i64,
}

impl NamedArrow {
    /// The points at which its name may be.
    fn points(&self) -> impl Iterator<Item = (i64, i64)> + '_ {
        self.curves.iter().flat_map(|curve| TRIED.step_by(STEP).map(|part| curve.at(part)))
    }

    /// The rectangle of its name at a point.
    fn area(&self, (x, y): (i64, i64)) -> Area {
        let half = self.width / 2;
        Area(x - half, y + LOWER - ABOVE, x + half, y + LOWER + BELOW)
    }
}

/// Places the names of all arrows around the nodes: the middle of each, on its line of text. `None` if one
/// finds no place.
pub(super) fn place(mut taken: Vec<Area>, arrows: &[NamedArrow]) -> Option<Vec<(i64, i64)>> {
    let points: Vec<Vec<(i64, i64)>> = arrows.iter().map(|arrow| arrow.points().collect()).collect();
    let mut placed = Vec::new();
    for (number, arrow) in arrows.iter().enumerate() {
        let others = || points.iter().enumerate().filter(|(other, _)| *other != number);
        let crossed = |&&point: &&(i64, i64)| {
            let area = arrow.area(point);
            others().flat_map(|(_, points)| points).filter(|point| area.contains(**point)).count()
        };
        let is_free = |point: &&(i64, i64)| taken.iter().all(|other| !other.meets(arrow.area(**point)));
        let &(x, y) = points[number].iter().filter(is_free).min_by_key(crossed)?;
        taken.push(arrow.area((x, y)));
        placed.push((x, y + LOWER));
    }
    Some(placed)
}
