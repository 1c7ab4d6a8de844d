//! An SVG document that is being written, and where its nodes are.

use crate::study::figure::layout::Layout;
use crate::study::figure::{Arrow, Figure};

/// The height of a node.
pub(super) const HEIGHT: i64 = 48;
/// The edge of the drawing.
pub(super) const MARGIN: i64 = 28;
/// The width of the labels of the levels, on the left.
pub(super) const GUTTER: i64 = 132;
/// The height of the title above the first level.
const HEAD: i64 = 108;

/// A drawing of a figure.
pub(super) struct Drawing<'a> {
    pub(super) figure: &'a Figure,
    /// The width of a node.
    pub(super) width: i64,
    /// The distance between the upper edges of two levels.
    pub(super) level: i64,
    pub(super) layout: Layout,
    pub(super) text: String,
}

impl Drawing<'_> {
    /// Adds a line.
    pub(super) fn put(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The middle of a node, and its upper edge.
    pub(super) fn place(&self, at: usize) -> (i64, i64) {
        (self.left() + self.layout.middles[at], self.top(self.figure.nodes[at].level))
    }

    /// The middle of the leftmost node.
    pub(super) fn left(&self) -> i64 {
        MARGIN + GUTTER + self.width / 2
    }

    /// The upper edge of the nodes on a level.
    pub(super) fn top(&self, level: usize) -> i64 {
        HEAD + i64::try_from(level).unwrap_or(0) * self.level
    }
}

/// The name of a move with the mark of a best one.
pub(super) fn arrow_text(arrow: &Arrow) -> String {
    match (arrow.best, arrow.name.is_empty()) {
        (true, true) => "★".into(),
        (true, false) => format!("★ {}", arrow.name),
        _ => arrow.name.clone(),
    }
}
