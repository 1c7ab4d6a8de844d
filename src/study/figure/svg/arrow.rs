//! The arrows of a drawing and the names of the moves on them.

use super::drawing::{Drawing, HEIGHT, arrow_text};
use crate::study::words::escaped;

/// A curve from one point to another with vertical ends.
#[derive(Clone, Copy)]
struct Curve {
    from: (i64, i64),
    to: (i64, i64),
}

impl Curve {
    /// The heights of the two control points. The lower end is vertical for longer, since a name is there.
    fn bends(self) -> (i64, i64) {
        let down = self.to.1 - self.from.1;
        (self.from.1 + down * 4 / 10, self.to.1 - down * 7 / 10)
    }

    fn path(self) -> String {
        let (first, second) = self.bends();
        format!("C{} {first} {} {second} {} {}", self.from.0, self.to.0, self.to.0, self.to.1)
    }

    /// The point at this many thousandths of the curve.
    fn at(self, part: i64) -> (i64, i64) {
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

/// Where on the curves of a graph the names of moves are, in thousandths: the first, and the range of all,
/// so that they do not overlap.
const FIRST_NAME: i64 = 280;
const ALL_NAMES: i64 = 450;
/// Up to this number of arrows, all names of a graph are shown. With more, names would overlap: only best
/// moves have theirs, and others have tooltips.
const MAX_NAMED: usize = 40;

impl Drawing<'_> {
    /// All arrows of a node.
    pub(super) fn arrows(&mut self, at: usize) {
        for number in 0..self.figure.nodes[at].moves.len() {
            let arrow = &self.figure.nodes[at].moves[number];
            let best = if arrow.best { " best" } else { "" };
            let head = if self.figure.merged { " marker-end=\"url(#head)\"" } else { "" };
            let (back, path) = match self.back(at, arrow.to) {
                Some(path) => (" back", path),
                None => ("", self.down(at, number)),
            };
            let tooltip = format!("{} to {}", self.figure.nodes[at].name, self.figure.target(arrow).name);
            let tooltip = if arrow.name.is_empty() { tooltip } else { format!("{}: {tooltip}", arrow.name) };
            let tooltip = escaped(&tooltip);
            self.put(&format!(
                "<path class=\"move{back}{best}\" d=\"{path}\"{head}><title>{tooltip}</title></path>"
            ));
        }
    }

    /// The path of an arrow that leads down: vertical through the levels that it passes, with curves between
    /// them.
    fn down(&self, at: usize, number: usize) -> String {
        let curves = self.curves(at, number);
        let part = |curve: &Curve| format!("{} {} {}", curve.from.0, curve.from.1, curve.path());
        let parts: Vec<String> = curves.iter().map(part).collect();
        format!("M{}", parts.join(" L"))
    }

    /// The curves of an arrow that leads down, from level to level.
    fn curves(&self, at: usize, number: usize) -> Vec<Curve> {
        let (x, top) = self.place(at);
        let to = self.place(self.figure.nodes[at].moves[number].to);
        let mut curves = Vec::new();
        let mut from = (x, top + HEIGHT);
        let mut level = self.figure.nodes[at].level;
        for &bend in &self.layout.bends[at][number] {
            level += 1;
            let (x, top) = (self.left() + bend, self.top(level));
            curves.push(Curve { from, to: (x, top) });
            from = (x, top + HEIGHT);
        }
        curves.push(Curve { from, to });
        curves
    }

    /// The path of an arrow that does not lead down: out to the right and back. `None` for other arrows.
    fn back(&self, at: usize, to: usize) -> Option<String> {
        if self.figure.nodes[to].level > self.figure.nodes[at].level {
            return None;
        }
        let [(x, y), (to_x, to_y)] = [at, to].map(|node| {
            let (x, top) = self.place(node);
            (x + self.width / 2, top + HEIGHT / 2)
        });
        let out = x.max(to_x) + self.width / 2;
        Some(format!("M{x} {y} C{out} {y} {out} {to_y} {to_x} {to_y}"))
    }

    /// The names of the moves: in a tree above the node that each leads to, in a graph on the arrows.
    pub(super) fn arrow_texts(&mut self, at: usize) {
        let arrows: usize = self.figure.nodes.iter().map(|node| node.moves.len()).sum();
        let crowded = self.figure.merged && arrows > MAX_NAMED;
        for number in 0..self.figure.nodes[at].moves.len() {
            let arrow = &self.figure.nodes[at].moves[number];
            let (text, best) = (escaped(&arrow_text(arrow)), arrow.best);
            if text.is_empty() || (crowded && !best) {
                continue;
            }
            let (x, y) = self.text_place(at, number);
            let strong = if best { " strong" } else { "" };
            self.put(&format!("<text class=\"middle on{strong}\" x=\"{x}\" y=\"{y}\">{text}</text>"));
        }
    }

    fn text_place(&self, at: usize, number: usize) -> (i64, i64) {
        let to = self.figure.nodes[at].moves[number].to;
        let (x, top) = self.place(to);
        if !self.figure.merged {
            return (x, top - 10);
        }
        if self.back(at, to).is_some() {
            let (from_x, from_top) = self.place(at);
            return (from_x.max(x) + self.width * 7 / 8, i64::midpoint(from_top, top) + HEIGHT / 2);
        }
        let curve = self.curves(at, number)[0];
        let moves = self.figure.nodes[at].moves.len();
        let part = ALL_NAMES * i64::try_from(number).unwrap_or(0) / i64::try_from(moves).unwrap_or(1);
        let (x, y) = curve.at(FIRST_NAME + part);
        (x, y + 4)
    }
}
