//! Where the positions of a graph stand: on each level in the order of the middle of their neighbours, so that few arrows
//! cross. An arrow that passes a level has a place of its own there, so that it does not run through a position.
//!
//! Source: K. Sugiyama, S. Tagawa and M. Toda, "Methods for visual understanding of hierarchical system structures"
//! (1981).

use super::super::Figure;
use super::Layout;

/// How often the levels are put in order, downwards and upwards in turn: more than that changes little.
const SWEEPS: usize = 12;

/// Something that has a place on a level: a node, or an arrow that passes.
#[derive(Default)]
struct Item {
    middle: i64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// All items, the nodes first, and those on each level from left to right.
struct Grid {
    items: Vec<Item>,
    levels: Vec<Vec<usize>>,
    step: i64,
}

pub(super) fn layout(figure: &Figure, step: i64) -> Layout {
    let mut grid = Grid { items: Vec::new(), levels: vec![Vec::new(); figure.depth() + 1], step };
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

impl Grid {
    fn add(&mut self, level: usize) -> usize {
        self.levels[level].push(self.items.len());
        self.items.push(Item::default());
        self.items.len() - 1
    }

    /// Gives every arrow of a node its places on the levels that it passes.
    fn arrows(&mut self, figure: &Figure, at: usize) -> Vec<Vec<usize>> {
        let node = &figure.nodes[at];
        let places = |arrow: &super::super::Arrow| {
            // An arrow that does not lead down passes no level.
            let between = node.level + 1..figure.nodes[arrow.to].level.max(node.level + 1);
            let passing: Vec<usize> = between.map(|level| self.add(level)).collect();
            let way: Vec<usize> = [at].into_iter().chain(passing.iter().copied()).chain([arrow.to]).collect();
            for pair in way.windows(2) {
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

    /// Puts a level into the order of what is above it, or of what is below it.
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
