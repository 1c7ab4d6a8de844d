//! A figure as an SVG drawing that fits on a page of paper. Boards are drawn as boards. Number, shape and
//! colour of a node say the same, who wins: round and blue is first, square with a double edge and orange is
//! second, cut corners and grey is a draw. In a tree of numbers, a pointed top is max, a pointed bottom is min,
//! and a plain grey rectangle is a leaf. A thick arrow with a star is a best move.

mod arrow;
mod curve;
mod drawing;
mod labels;
mod legend;
mod shape;
mod sheet;
mod sizes;

use super::Figure;
use super::fold::{Part, fold};
use super::layout::Layout;
use drawing::Drawing;
use sheet::{Sheet, USABLE};
use sizes::Sizes;

impl Figure {
    /// The figure as an SVG document.
    pub fn svg(&self) -> String {
        let sizes = Sizes::of(self, false);
        let whole = Part::whole(self);
        if !self.merged && self.is_narrow(&sizes) || self.merged && self.is_clear(&sizes, &whole) {
            return Sheet::new(self, sizes, vec![whole]).document();
        }
        // A part of a graph is a tree, too.
        let sizes = Sizes::of(&Self { merged: false, ..self.clone() }, true);
        let parts = fold(self, |part| part.is_narrow(&sizes) && sizes.fits_in_height(part));
        Sheet::new(self, sizes, parts).document()
    }

    fn is_narrow(&self, sizes: &Sizes) -> bool {
        Layout::of(self, sizes.step).width() + sizes.reach <= USABLE
    }

    /// Whether a graph can be drawn as one: it is narrow, all of its moves lead down, and all of their names
    /// have a place.
    fn is_clear(&self, sizes: &Sizes, whole: &Part) -> bool {
        let leads_down = |level, to: usize| self.nodes[to].level > level;
        self.nodes.iter().all(|node| node.moves.iter().all(|arrow| leads_down(node.level, arrow.to)))
            && self.is_narrow(sizes)
            && Drawing::new(whole, 0, sizes, (0, 0)).places_of_names().is_some()
    }
}
