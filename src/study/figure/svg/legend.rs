//! The line at the foot of a drawing that says what its signs mean.

use super::shape::{Outline, end};
use super::{Drawing, MARGIN, PLAIN, letters};

impl Drawing<'_> {
    /// What the shapes and arrows mean, on one line.
    pub(super) fn legend(&mut self, y: i64) {
        let mut x = MARGIN;
        for (sign, words) in self.signs() {
            self.put(&format!("{}<text x=\"{}\" y=\"{y}\">{words}</text>", sign.draw(x, y), x + 46));
            x += 46 + letters(words, PLAIN) + 26;
        }
    }

    /// The signs that can stand in this drawing.
    fn signs(&self) -> Vec<(Sign, &'static str)> {
        let mut signs = if self.figure.has_numbers() {
            vec![(Sign::Node(Outline::Max), "max moves"), (Sign::Node(Outline::Min), "min moves")]
        } else {
            vec![
                (Sign::Node(Outline::Won), "won for the side to move"),
                (Sign::Node(Outline::Drawn), "drawn"),
                (Sign::Node(Outline::Lost), "lost for the side to move"),
            ]
        };
        signs.push((Sign::Arrow("best"), "★ best move"));
        if self.leads_back() {
            signs.push((Sign::Arrow("back"), "leads back"));
        }
        signs.push((Sign::End, if self.figure.has_numbers() { "an end" } else { "the game is over" }));
        signs
    }
}

enum Sign {
    Node(Outline),
    /// An arrow of this class.
    Arrow(&'static str),
    End,
}

impl Sign {
    fn draw(&self, x: i64, y: i64) -> String {
        match self {
            Self::Node(outline) => outline.draw(x + 18, y - 14, 36, 20, ""),
            Self::Arrow(class) => format!("<path class=\"move {class}\" d=\"M{x} {} h36\"/>", y - 4),
            Self::End => end(x + 18, y - 6, 44),
        }
    }
}
