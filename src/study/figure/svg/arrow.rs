//! The arrows of a drawing and the names of the moves on them.

use super::curve::Curve;
use super::drawing::Drawing;
use super::labels::{self, Area, NamedArrow};
use super::sizes::{arrow_text, bold};
use crate::study::figure::Arrow;
use crate::study::words::escaped;

impl Drawing<'_> {
    /// All arrows of a node, those of best moves above the others.
    pub(super) fn arrows(&mut self, at: usize) {
        let figure = &self.part.figure;
        let mut arrows: Vec<_> = figure.nodes[at].moves.iter().enumerate().collect();
        arrows.sort_by_key(|(_, arrow)| arrow.best);
        for (number, arrow) in arrows {
            let best = if arrow.best { " best" } else { "" };
            let head = if figure.merged { " marker-end=\"url(#head)\"" } else { "" };
            let path = self.path(at, number);
            let tooltip = format!("{} to {}", figure.nodes[at].name, figure.target(arrow).name);
            let tooltip = if arrow.name.is_empty() { tooltip } else { format!("{}: {tooltip}", arrow.name) };
            let tooltip = escaped(&tooltip);
            self.put(&format!(
                "<path class=\"move{best}\" d=\"{path}\"{head}><title>{tooltip}</title></path>"
            ));
        }
    }

    /// The path of an arrow: vertical through the levels that it passes, with curves between them.
    fn path(&self, at: usize, number: usize) -> String {
        let curves = self.curves(at, number);
        let part = |curve: &Curve| format!("{} {} {}", curve.from.0, curve.from.1, curve.path());
        let parts: Vec<String> = curves.iter().map(part).collect();
        let (x, top) = self.place(at);
        let stem =
            if self.sizes.stem > 0 { format!("{x} {} L", top + self.sizes.height) } else { String::new() };
        format!("M{stem}{}", parts.join(" L"))
    }

    /// The curves of an arrow, from level to level.
    pub(super) fn curves(&self, at: usize, number: usize) -> Vec<Curve> {
        let nodes = &self.part.figure.nodes;
        let (x, top) = self.place(at);
        let to = self.place(nodes[at].moves[number].to);
        let mut curves = Vec::new();
        let mut from = (x, top + self.sizes.height + self.sizes.stem);
        let mut level = nodes[at].level;
        for &bend in &self.layout.bends[at][number] {
            level += 1;
            let (x, top) = (self.middle(bend), self.top(level));
            curves.push(Curve { from, to: (x, top) });
            from = (x, top + self.sizes.height);
        }
        curves.push(Curve { from, to });
        curves
    }

    /// The names of a tree's moves, each above the node that it leads to.
    pub(super) fn names_above_nodes(&mut self, at: usize) {
        for arrow in &self.part.figure.nodes[at].moves {
            let (x, top) = self.place(arrow.to);
            self.name(arrow, (x, top - 12));
        }
    }

    /// The names of a graph's moves, on their arrows.
    pub(super) fn names_on_arrows(&mut self) {
        let arrows = self.part.figure.nodes.iter().flat_map(|node| &node.moves);
        for (arrow, place) in arrows.zip(self.places_of_names().unwrap_or_default()) {
            self.name(arrow, place);
        }
    }

    /// Where the names of a graph's moves are, in the order of the nodes; `None` if one finds no place.
    pub(super) fn places_of_names(&self) -> Option<Vec<(i64, i64)>> {
        let nodes = &self.part.figure.nodes;
        let areas = (0..nodes.len()).map(|at| self.area(at)).collect();
        let arrow = |at: usize, number: usize| NamedArrow {
            curves: self.curves(at, number),
            width: bold(&arrow_text(&nodes[at].moves[number])),
        };
        let arrows: Vec<NamedArrow> = (0..nodes.len())
            .flat_map(|at| (0..nodes[at].moves.len()).map(move |number| (at, number)))
            .map(|(at, number)| arrow(at, number))
            .collect();
        labels::place(areas, &arrows)
    }

    /// The area of a node with the words below it.
    fn area(&self, at: usize) -> Area {
        let (x, top) = self.place(at);
        let (half, bottom) = (self.sizes.width / 2, top + self.sizes.height);
        let words = if self.part.figure.nodes[at].moves.is_empty() { 26 } else { 0 };
        Area(x - half, top, x + half, bottom + words)
    }

    fn name(&mut self, arrow: &Arrow, (x, y): (i64, i64)) {
        let text = escaped(&arrow_text(arrow));
        if !text.is_empty() {
            let strong = if arrow.best { " strong" } else { "" };
            self.put(&format!("<text class=\"middle on{strong}\" x=\"{x}\" y=\"{y}\">{text}</text>"));
        }
    }
}
