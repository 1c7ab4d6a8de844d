//! The curves of which arrows are made.

/// A curve from one point to another with vertical ends.
#[derive(Clone, Copy)]
pub(super) struct Curve {
    pub(super) from: (i64, i64),
    pub(super) to: (i64, i64),
}

impl Curve {
    /// The heights of the two control points. The lower end is vertical for longer, since a name is there.
    fn bends(self) -> (i64, i64) {
        let down = self.to.1 - self.from.1;
        (self.from.1 + down * 4 / 10, self.to.1 - down * 7 / 10)
    }

    /// Its path without the start, in the language of SVG.
    pub(super) fn path(self) -> String {
        let (first, second) = self.bends();
        format!("C{} {first} {} {second} {} {}", self.from.0, self.to.0, self.to.0, self.to.1)
    }

    /// The point at this many thousandths of the curve.
    pub(super) fn at(self, part: i64) -> (i64, i64) {
        let (first, second) = self.bends();
        let rest = 1_000 - part;
        let weights = [rest.pow(3), 3 * rest.pow(2) * part, 3 * rest * part.pow(2), part.pow(3)];
        let mix = |points: [i64; 4]| {
            let sum: i64 = points.iter().zip(weights).map(|(point, weight)| point * weight).sum();
            sum / 1_000_000_000
        };
        (mix([self.from.0, self.from.0, self.to.0, self.to.0]), mix([self.from.1, first, second, self.to.1]))
    }
}
