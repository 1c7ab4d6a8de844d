//! What the signs and colours of a drawing mean, in the drawing.

use super::shape::{Outline, end};
use super::sizes::letters;
use crate::study::figure::Figure;

/// The height of a line.
const LINE: i64 = 32;
/// The width of a sign, and the gap after an item.
const SIGN: i64 = 46;
const GAP: i64 = 20;

/// The meaning of the numbers, and that of the colours: a line each.
pub(super) fn meaning(figure: &Figure) -> [&'static str; 2] {
    if figure.has_numbers() {
        [
            "Max moves first and wants large numbers, min wants small ones.",
            "Colour and shape show who moves: blue with a pointed top is max, orange with a pointed bottom is min.",
        ]
    } else {
        [
            "The number is the result with best play, “in 3” after 3 moves of both sides.",
            "Colour and shape of a position show who wins: blue is first, orange is second, grey is a draw.",
        ]
    }
}

/// Draws the legend on lines that end before `right`. Returns it with its height.
pub(super) fn draw(figure: &Figure, folded: bool, (left, top): (i64, i64), right: i64) -> (String, i64) {
    let (mut x, mut y, mut drawn) = (left, top + 20, Vec::new());
    for (sign, words) in items(figure, folded) {
        let start = x + sign.width();
        if start + letters(words) > right {
            (x, y) = (left, y + LINE);
        }
        let start = x + sign.width();
        drawn.push(format!("{}<text x=\"{start}\" y=\"{y}\">{words}</text>", sign.draw(x, y)));
        x = start + letters(words) + GAP;
    }
    (drawn.join("\n"), y + LINE / 2 - top)
}

/// The items that can occur in this drawing.
fn items(figure: &Figure, folded: bool) -> Vec<(Sign, &'static str)> {
    let mut items = if figure.has_numbers() {
        vec![
            (Sign::Node(Outline::Max), "max moves"),
            (Sign::Node(Outline::Min), "min moves"),
            (Sign::Node(Outline::Leaf), "leaf"),
        ]
    } else {
        vec![
            (Sign::Node(Outline::First), "+1: first wins"),
            (Sign::Node(Outline::Draw), "0: a draw"),
            (Sign::Node(Outline::Second), "−1: second wins"),
        ]
    };
    items.push((Sign::Best, "★ best move"));
    if !figure.has_numbers() {
        items.push((Sign::End, "the game is over"));
    }
    if figure.nodes.iter().any(|node| !node.label.certain) {
        items.push((Sign::Guess, "about: not searched to the end"));
    }
    if figure.nodes.iter().any(|node| node.hidden > 0) {
        items.push((Sign::Words, "“3 more”: moves that are not shown"));
    }
    if folded {
        items.push((Sign::Words, "“part 2”: its moves are in that part"));
    }
    items
}

enum Sign {
    Node(Outline),
    Guess,
    Best,
    End,
    /// The words explain themselves.
    Words,
}

impl Sign {
    fn width(&self) -> i64 {
        if matches!(self, Self::Words) { 0 } else { SIGN }
    }

    fn draw(&self, x: i64, y: i64) -> String {
        match self {
            Self::Node(outline) => outline.draw(x + 18, y - 15, 36, 20, ""),
            Self::Guess => Outline::Draw.draw(x + 18, y - 15, 36, 20, " guess"),
            Self::Best => format!("<path class=\"move best\" d=\"M{x} {} h36\"/>", y - 4),
            Self::End => end(x + 18, y - 14, 72),
            Self::Words => String::new(),
        }
    }
}
