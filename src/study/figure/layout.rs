//! Where the nodes of a figure stand from left to right. How far down they stand is their level; how wide they are, and
//! what they look like, is not known here. This file is trees, [`levels`] is graphs.
//!
//! Source: E. M. Reingold and J. S. Tilford, "Tidier drawings of trees" (1981): subtrees are moved together until they
//! nearly touch, and a position stands over the middle of what is below it.

mod levels;

use std::collections::VecDeque;

use super::Figure;

/// Where everything stands.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The middle of every node, the leftmost at 0.
    pub middles: Vec<i64>,
    /// For every node and every move there, where the arrow crosses each level between the two ends, from the top down.
    pub bends: Vec<Vec<Vec<i64>>>,
}

impl Layout {
    /// Places the nodes so that two on the same level are at least `step` apart.
    pub fn of(figure: &Figure, step: i64) -> Self {
        let mut layout = if figure.merged { levels::layout(figure, step) } else { tree(figure, step) };
        let least = layout.middles.iter().chain(layout.bends.iter().flatten().flatten()).copied().min();
        layout.move_by(-least.unwrap_or(0));
        layout
    }

    fn move_by(&mut self, by: i64) {
        let bends = self.bends.iter_mut().flatten().flatten();
        self.middles.iter_mut().chain(bends).for_each(|middle| *middle += by);
    }

    /// How far to the right anything stands.
    pub fn width(&self) -> i64 {
        self.middles.iter().chain(self.bends.iter().flatten().flatten()).copied().max().unwrap_or(0)
    }
}

/// How far a subtree reaches to the left and to the right on each of its levels, from the top, seen from its root.
#[derive(Default)]
struct Outline(VecDeque<(i64, i64)>);

impl Outline {
    /// How far `other` has to be moved to the right to stand `step` beside this.
    fn room(&self, other: &Self, step: i64) -> i64 {
        let shared = self.0.iter().zip(&other.0);
        shared.map(|(&(_, right), &(left, _))| right + step - left).max().unwrap_or(0)
    }

    /// Takes in a subtree that stands to the right of all that it holds, moved by `by`.
    fn take_in(&mut self, other: &Self, by: i64) {
        for (level, &(left, right)) in other.0.iter().enumerate() {
            match self.0.get_mut(level) {
                Some(reach) => reach.1 = right + by,
                None => self.0.push_back((left + by, right + by)),
            }
        }
    }

    /// Moves it all, and puts a root on top.
    fn under_root(mut self, by: i64) -> Self {
        for reach in &mut self.0 {
            *reach = (reach.0 + by, reach.1 + by);
        }
        self.0.push_front((0, 0));
        self
    }
}

fn tree(figure: &Figure, step: i64) -> Layout {
    let mut outlines: Vec<Outline> = figure.nodes.iter().map(|_| Outline::default()).collect();
    let mut offsets = vec![0; figure.nodes.len()];
    // Every node stands before its children, so that backwards all children come first.
    for (at, node) in figure.nodes.iter().enumerate().rev() {
        let mut all = Outline::default();
        for arrow in &node.moves {
            let below = std::mem::take(&mut outlines[arrow.to]);
            offsets[arrow.to] = all.room(&below, step);
            all.take_in(&below, offsets[arrow.to]);
        }
        let ends = [node.moves.first(), node.moves.last()].map(|end| end.map_or(0, |end| offsets[end.to]));
        let middle = i64::midpoint(ends[0], ends[1]);
        for arrow in &node.moves {
            offsets[arrow.to] -= middle;
        }
        outlines[at] = all.under_root(-middle);
    }
    let mut middles = offsets;
    for (at, node) in figure.nodes.iter().enumerate() {
        for arrow in &node.moves {
            middles[arrow.to] += middles[at];
        }
    }
    let bends = figure.nodes.iter().map(|node| vec![Vec::new(); node.moves.len()]).collect();
    Layout { middles, bends }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Stop;
    use crate::study::tree::{Wanted, figure};

    fn drawn(variant: &str, graph: bool) -> Figure {
        let board = variant.parse::<crate::game::any::Variant>().unwrap().start();
        let wanted = Wanted { depth: None, merged: graph, most: 10_000 };
        figure(&board, wanted, &Stop::new()).unwrap()
    }

    /// Whether no two nodes on a level are closer than `step`.
    fn is_clear(figure: &Figure, middles: &[i64], step: i64) -> bool {
        (0..=figure.depth()).all(|level| {
            let on_level = |&at: &usize| figure.nodes[at].level == level;
            let mut row: Vec<i64> = (0..middles.len()).filter(on_level).map(|at| middles[at]).collect();
            row.sort_unstable();
            row.windows(2).all(|pair| pair[1] - pair[0] >= step)
        })
    }

    #[test]
    fn no_two_nodes_stand_in_each_others_way() {
        for variant in ["java-tech:4", "java-tech:9", "zero-sum:9", "nim:2-2-1:misere"] {
            for graph in [false, true] {
                let figure = drawn(variant, graph);
                let Layout { middles, .. } = Layout::of(&figure, 100);
                assert!(is_clear(&figure, &middles, 100), "{variant}");
            }
        }
    }

    #[test]
    fn a_position_in_a_tree_stands_over_the_middle_of_what_is_below_it() {
        let figure = drawn("java-tech:7", false);
        let Layout { middles, .. } = Layout::of(&figure, 100);
        for (at, node) in figure.nodes.iter().enumerate() {
            if let (Some(first), Some(last)) = (node.moves.first(), node.moves.last()) {
                let middle = i64::midpoint(middles[first.to], middles[last.to]);
                assert!(middle.abs_diff(middles[at]) <= 1);
            }
        }
    }

    #[test]
    fn moves_stand_from_left_to_right_as_they_are_listed() {
        let figure = drawn("java-tech:7", false);
        let Layout { middles, .. } = Layout::of(&figure, 100);
        for node in &figure.nodes {
            assert!(node.moves.windows(2).all(|pair| middles[pair[0].to] < middles[pair[1].to]));
        }
    }
}
