//! The drawing of one part: its nodes, and where they are.

use super::shape::{Outline, end};
use super::sizes::{EDGE, LINE, Sizes, board, hidden, value};
use crate::study::figure::fold::Part;
use crate::study::figure::layout::Layout;
use crate::study::words::escaped;

/// A drawing of a part.
pub(super) struct Drawing<'a> {
    pub(super) part: &'a Part,
    /// The number of the part, from 0.
    number: usize,
    pub(super) sizes: &'a Sizes,
    pub(super) layout: Layout,
    /// The left edge of the part, and the upper edge of its first position.
    corner: (i64, i64),
    text: String,
}

impl<'a> Drawing<'a> {
    pub(super) fn new(part: &'a Part, number: usize, sizes: &'a Sizes, corner: (i64, i64)) -> Self {
        let layout = Layout::of(&part.figure, sizes.step);
        Self { part, number, sizes, layout, corner, text: String::new() }
    }

    /// Draws the arrows, then the nodes, then the names of the moves.
    pub(super) fn draw(mut self) -> String {
        let nodes = 0..self.part.figure.nodes.len();
        nodes.clone().for_each(|at| self.arrows(at));
        nodes.clone().for_each(|at| self.node(at));
        if self.part.figure.merged {
            self.names_on_arrows();
        } else {
            self.heading();
            nodes.for_each(|at| self.names_above_nodes(at));
        }
        self.text
    }

    /// Adds a line.
    pub(super) fn put(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The middle of a node, and its upper edge.
    pub(super) fn place(&self, at: usize) -> (i64, i64) {
        (self.middle(self.layout.middles[at]), self.top(self.part.figure.nodes[at].level))
    }

    /// A horizontal position of the layout.
    pub(super) fn middle(&self, middle: i64) -> i64 {
        self.corner.0 + self.sizes.reach / 2 + middle
    }

    /// The upper edge of the nodes on a level.
    pub(super) fn top(&self, level: usize) -> i64 {
        let first = self.part.figure.nodes.first().map_or(0, |root| root.level);
        self.corner.1 + i64::try_from(level - first).unwrap_or(0) * self.sizes.level
    }

    fn node(&mut self, at: usize) {
        let (x, top) = self.place(at);
        let (node, sizes) = (&self.part.figure.nodes[at], self.sizes);
        let tooltip = escaped(&format!("{}: {}", node.name, node.value_text()));
        let guess = if node.label.certain { "" } else { " guess" };
        let outline = Outline::of(node).draw(x, top, sizes.width, sizes.height, guess);
        let mut y = top + EDGE;
        let side = if sizes.sides { text("", (x, y + 11), node.side) } else { String::new() };
        y += if sizes.sides { LINE } else { 0 };
        let board = match board(node) {
            Some(board) => board.at(x - board.width / 2, y + (sizes.picture - board.height) / 2),
            None => text(" name", (x, y + 13), &node.name),
        };
        y += sizes.picture;
        let value = text(" strong", (x, y + 13), &value(node));
        let below = self.below(at, (x, top + sizes.height));
        self.put(&format!("<g><title>{tooltip}</title>{outline}{side}{board}{value}{below}</g>"));
    }

    /// What is below a node: a bar at the end of the game, the part that goes on, or the number of moves that
    /// are not shown.
    fn below(&self, at: usize, (x, bottom): (i64, i64)) -> String {
        let node = &self.part.figure.nodes[at];
        let place = (x, bottom + 20);
        match self.part.leads[at] {
            _ if node.over && node.board.is_some() => end(x, bottom, self.sizes.width),
            _ if node.over => String::new(),
            Some(part) if part == self.number => text(" faint on", place, "see above"),
            Some(part) => {
                let words = text(" link on", place, &format!("part {}", part + 1));
                format!("<a href=\"#part{}\">{words}</a>", part + 1)
            }
            None if node.hidden > 0 => text(" faint on", place, &hidden(node)),
            None => String::new(),
        }
    }

    /// The number of the part above its first position, if there are several.
    fn heading(&mut self) {
        if self.number == 0 && self.part.rest.is_none() {
            return;
        }
        let (x, top) = self.place(0);
        let rest = self.part.rest.map(|part| part + 1);
        let rest = rest.map_or_else(String::new, |part| format!("; more moves: part {part}"));
        let number = self.number + 1;
        self.put(&format!(
            "<text class=\"middle strong\" id=\"part{number}\" x=\"{x}\" y=\"{}\">part {number}{rest}</text>",
            top - 12
        ));
    }
}

/// A text in the middle above a point.
fn text(class: &str, (x, y): (i64, i64), words: &str) -> String {
    let words = escaped(words);
    format!("<text class=\"middle{class}\" x=\"{x}\" y=\"{y}\">{words}</text>")
}
