//! The horizontal positions of the nodes of a figure. Their levels give the vertical ones.
//!
//! Trees: E. M. Reingold and J. S. Tilford, "Tidier drawings of trees" (1981). Subtrees are moved together
//! until they nearly touch, and a node is above the middle of its children.
//!
//! Graphs: K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system
//! structures" (1981). The nodes of each level are sorted by the mean of their neighbours, so that few
//! arrows cross. An arrow that passes a level has a place there, so that it does not cross a node.

use std::collections::VecDeque;

use super::{Arrow, Figure};

/// The horizontal positions.
#[derive(Debug, Clone)]
pub struct Layout {
    /// The middle of every node, the leftmost at 0.
    pub middles: Vec<i64>,
    /// For every node and each of its moves: where the arrow crosses each level between its ends, from the
    /// top down.
    pub bends: Vec<Vec<Vec<i64>>>,
}

impl Layout {
    /// Places the nodes so that two on the same level are at least `step` apart.
    pub fn of(figure: &Figure, step: i64) -> Self {
        let mut layout = if figure.merged { graph(figure, step) } else { tree(figure, step) };
        let least = layout.middles.iter().chain(layout.bends.iter().flatten().flatten()).copied().min();
        layout.move_by(-least.unwrap_or(0));
        layout
    }

    fn move_by(&mut self, by: i64) {
        let bends = self.bends.iter_mut().flatten().flatten();
        self.middles.iter_mut().chain(bends).for_each(|middle| *middle += by);
    }

    /// The rightmost position.
    pub fn width(&self) -> i64 {
        self.middles.iter().chain(self.bends.iter().flatten().flatten()).copied().max().unwrap_or(0)
    }
}

/// The contour of a subtree: its left and right edges on each level, from the top, relative to its root.
#[derive(Default)]
struct Contour(VecDeque<(i64, i64)>);

impl Contour {
    /// The shift to the right that puts `other` `step` away from this contour.
    fn shift_beside(&self, other: &Self, step: i64) -> i64 {
        let shared = self.0.iter().zip(&other.0);
        shared.map(|(&(_, right), &(left, _))| right + step - left).max().unwrap_or(0)
    }

    /// Adds a subtree to the right, moved by `by`.
    fn merge(&mut self, other: &Self, by: i64) {
        for (level, &(left, right)) in other.0.iter().enumerate() {
            match self.0.get_mut(level) {
                Some(reach) => reach.1 = right + by,
                None => self.0.push_back((left + by, right + by)),
            }
        }
    }

    /// Moves everything, and adds a root on top.
    fn under_root(mut self, by: i64) -> Self {
        for reach in &mut self.0 {
            *reach = (reach.0 + by, reach.1 + by);
        }
        self.0.push_front((0, 0));
        self
    }
}

fn tree(figure: &Figure, step: i64) -> Layout {
    let mut contours: Vec<Contour> = figure.nodes.iter().map(|_| Contour::default()).collect();
    let mut offsets = vec![0; figure.nodes.len()];
    // Every node precedes its children, so backwards all children come first.
    for (at, node) in figure.nodes.iter().enumerate().rev() {
        let mut all = Contour::default();
        for arrow in &node.moves {
            let below = std::mem::take(&mut contours[arrow.to]);
            offsets[arrow.to] = all.shift_beside(&below, step);
            all.merge(&below, offsets[arrow.to]);
        }
        let ends = [node.moves.first(), node.moves.last()].map(|end| end.map_or(0, |end| offsets[end.to]));
        let middle = i64::midpoint(ends[0], ends[1]);
        for arrow in &node.moves {
            offsets[arrow.to] -= middle;
        }
        contours[at] = all.under_root(-middle);
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

/// The number of sweeps that sort the levels, alternately downwards and upwards. More change little.
const SWEEPS: usize = 12;

/// An item of a level: a node, or an arrow that passes.
#[derive(Default)]
struct Item {
    middle: i64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// All items, the nodes first, and those on each level from left to right.
struct LevelGrid {
    items: Vec<Item>,
    levels: Vec<Vec<usize>>,
    step: i64,
}

fn graph(figure: &Figure, step: i64) -> Layout {
    let mut grid = LevelGrid { items: Vec::new(), levels: vec![Vec::new(); figure.depth() + 1], step };
    for node in &figure.nodes {
        grid.add(node.level);
    }
    let passing: Vec<Vec<Vec<usize>>> = (0..figure.nodes.len()).map(|at| grid.arrows(figure, at)).collect();
    grid.arrange();
    let middle = |item: usize| grid.items[item].middle;
    let bends = passing
        .into_iter()
        .map(|arrows| arrows.into_iter().map(|items| items.into_iter().map(middle).collect()).collect());
    Layout { middles: (0..figure.nodes.len()).map(middle).collect(), bends: bends.collect() }
}

impl LevelGrid {
    fn add(&mut self, level: usize) -> usize {
        self.levels[level].push(self.items.len());
        self.items.push(Item::default());
        self.items.len() - 1
    }

    /// Adds an item for every arrow of a node on each level that it passes.
    fn arrows(&mut self, figure: &Figure, at: usize) -> Vec<Vec<usize>> {
        let node = &figure.nodes[at];
        let places = |arrow: &Arrow| {
            // An arrow that does not lead down passes no level.
            let between = node.level + 1..figure.nodes[arrow.to].level.max(node.level + 1);
            let passing: Vec<usize> = between.map(|level| self.add(level)).collect();
            let path: Vec<usize> =
                [at].into_iter().chain(passing.iter().copied()).chain([arrow.to]).collect();
            for pair in path.windows(2) {
                self.items[pair[0]].below.push(pair[1]);
                self.items[pair[1]].above.push(pair[0]);
            }
            passing
        };
        node.moves.iter().map(places).collect()
    }

    fn arrange(&mut self) {
        (0..self.levels.len()).for_each(|level| self.spread(level));
        for sweep in 0..SWEEPS {
            for step in 0..self.levels.len() {
                let down = sweep % 2 == 0;
                self.sort(if down { step } else { self.levels.len() - 1 - step }, down);
            }
        }
    }

    /// Sorts a level by its neighbours above or below.
    fn sort(&mut self, level: usize, by_above: bool) {
        let mut order = std::mem::take(&mut self.levels[level]);
        order.sort_by_key(|&at| {
            let item = &self.items[at];
            self.mean(if by_above { &item.above } else { &item.below }).unwrap_or(item.middle)
        });
        self.levels[level] = order;
        self.spread(level);
    }

    fn mean(&self, items: &[usize]) -> Option<i64> {
        let sum: i64 = items.iter().map(|&at| self.items[at].middle).sum();
        sum.checked_div(i64::try_from(items.len()).ok()?)
    }

    /// Spreads the items of a level evenly about the middle of the drawing.
    fn spread(&mut self, level: usize) {
        let mut middle = -self.step * i64::try_from(self.levels[level].len()).unwrap_or(0) / 2;
        for &at in &self.levels[level] {
            self.items[at].middle = middle;
            middle += self.step;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::Stop;
    use crate::study::tree::{FigureOptions, figure};

    fn drawn(variant: &str, graph: bool) -> Figure {
        let board = variant.parse::<crate::game::any::Variant>().unwrap().start();
        let options = FigureOptions { depth: None, merged: graph, max_nodes: 10_000 };
        figure(&board, options, &Stop::new()).unwrap()
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
    fn no_two_nodes_overlap() {
        for variant in ["java-tech:4", "java-tech:9", "zero-sum:9", "nim:2-2-1:misere"] {
            for graph in [false, true] {
                let figure = drawn(variant, graph);
                let Layout { middles, .. } = Layout::of(&figure, 100);
                assert!(is_clear(&figure, &middles, 100), "{variant}");
            }
        }
    }

    #[test]
    fn a_node_of_a_tree_is_above_the_middle_of_its_children_which_keep_their_order() {
        let figure = drawn("java-tech:7", false);
        let Layout { middles, .. } = Layout::of(&figure, 100);
        for (at, node) in figure.nodes.iter().enumerate() {
            if let (Some(first), Some(last)) = (node.moves.first(), node.moves.last()) {
                let middle = i64::midpoint(middles[first.to], middles[last.to]);
                assert!(middle.abs_diff(middles[at]) <= 1);
            }
            assert!(node.moves.windows(2).all(|pair| middles[pair[0].to] < middles[pair[1].to]));
        }
    }
}
