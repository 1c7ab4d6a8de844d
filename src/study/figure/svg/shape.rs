//! The outlines of nodes. Shape and colour show who wins, as the number in the node does.

use super::super::FigureNode;
use crate::game::Side;

/// The height of the roof of a node in a tree of numbers.
const ROOF: i64 = 8;
/// How far the corners of a draw are cut.
const CUT: i64 = 9;

/// The outline of a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outline {
    /// First wins.
    First,
    /// A draw.
    Draw,
    /// Second wins.
    Second,
    Max,
    Min,
    /// A leaf of a tree of numbers, where nobody moves.
    Leaf,
}

impl Outline {
    /// The outline of a node.
    pub(super) fn of(node: &FigureNode) -> Self {
        match (node.label.verdict(), node.label.number(), node.label.turn) {
            (None, ..) if node.over => Self::Leaf,
            (None, _, Side::First) => Self::Max,
            (None, _, Side::Second) => Self::Min,
            (_, 1.., _) => Self::First,
            (_, 0, _) => Self::Draw,
            _ => Self::Second,
        }
    }

    /// Draws the outline around the middle `x`. `class` is added to its own.
    pub(super) fn draw(self, x: i64, top: i64, width: i64, height: i64, class: &str) -> String {
        let (left, right, bottom) = (x - width / 2, x + width / 2, top + height);
        let (up, down, roof) = (top + CUT, bottom - CUT, ROOF);
        let polygon =
            |own: &str, points: String| format!("<polygon class=\"node {own}{class}\" points=\"{points}\"/>");
        match self {
            Self::First => rectangle("first", class, (left, top), (width, height), (height / 2).min(14)),
            Self::Second => {
                rectangle("second", class, (left, top), (width, height), 1)
                    + &rectangle("second inner", "", (left + 4, top + 4), (width - 8, height - 8), 0)
            }
            Self::Draw => polygon(
                "draw",
                format!(
                    "{left},{up} {},{top} {},{top} {right},{up} {right},{down} {},{bottom} {},{bottom} {left},{down}",
                    left + CUT,
                    right - CUT,
                    right - CUT,
                    left + CUT
                ),
            ),
            Self::Leaf => rectangle("draw", class, (left, top), (width, height), 1),
            Self::Max => polygon(
                "first",
                format!(
                    "{left},{} {x},{} {right},{} {right},{bottom} {left},{bottom}",
                    top + roof,
                    top - roof,
                    top + roof
                ),
            ),
            Self::Min => polygon(
                "second",
                format!(
                    "{left},{top} {right},{top} {right},{} {x},{} {left},{}",
                    bottom - roof,
                    bottom + roof,
                    bottom - roof
                ),
            ),
        }
    }
}

fn rectangle(own: &str, class: &str, (x, y): (i64, i64), (width, height): (i64, i64), round: i64) -> String {
    format!(
        "<rect class=\"node {own}{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"{round}\"/>"
    )
}

/// Two short thin bars under a node in which the game is over, `y` being the lower edge of the node.
pub(super) fn end(x: i64, y: i64, width: i64) -> String {
    let (from, to) = (x - width / 4, x + width / 4);
    format!("<path class=\"end\" d=\"M{from} {} H{to} M{from} {} H{to}\"/>", y + 9, y + 13)
}
