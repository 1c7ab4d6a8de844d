//! The outlines of nodes. The shape shows who wins, and colour repeats it.

use super::super::FigureNode;
use crate::game::Side;
use crate::search::Verdict;

/// The outline of a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outline {
    Won,
    Drawn,
    Lost,
    Max,
    Min,
}

impl Outline {
    /// The outline of a node.
    pub(super) fn of(node: &FigureNode) -> Self {
        match (node.label.verdict(), node.label.turn) {
            (Some(Verdict::Win), _) => Self::Won,
            (Some(Verdict::Draw), _) => Self::Drawn,
            (Some(Verdict::Loss), _) => Self::Lost,
            (None, Side::First) => Self::Max,
            (None, Side::Second) => Self::Min,
        }
    }

    /// Draws the outline around the middle `x`. `class` is added to its own.
    pub(super) fn draw(self, x: i64, top: i64, width: i64, height: i64, class: &str) -> String {
        let (left, right, bottom) = (x - width / 2, x + width / 2, top + height);
        let (slant, middle, roof) = (height / 3, top + height / 2, height / 5);
        let polygon =
            |own: &str, points: String| format!("<polygon class=\"node {own}{class}\" points=\"{points}\"/>");
        match self {
            Self::Won => rectangle("won", class, (left, top), (width, height), height / 2),
            Self::Lost => {
                rectangle("lost", class, (left, top), (width, height), 1)
                    + &rectangle("lost inner", "", (left + 4, top + 4), (width - 8, height - 8), 0)
            }
            Self::Drawn => polygon(
                "drawn",
                format!(
                    "{left},{middle} {},{top} {},{top} {right},{middle} {},{bottom} {},{bottom}",
                    left + slant,
                    right - slant,
                    right - slant,
                    left + slant
                ),
            ),
            Self::Max => polygon(
                "max",
                format!(
                    "{left},{} {x},{} {right},{} {right},{bottom} {left},{bottom}",
                    top + roof,
                    top - roof,
                    top + roof
                ),
            ),
            Self::Min => polygon(
                "min",
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

/// A short bar under a node in which the game is over, `y` being the lower edge of the node.
pub(super) fn end(x: i64, y: i64, width: i64) -> String {
    let (from, to) = (x - width / 4, x + width / 4);
    format!("<path class=\"end\" d=\"M{from} {} H{to}\"/>", y + 6)
}
