//! The game tree or the game graph from one position on. In a tree each line of play is a separate path, so
//! equal positions occur several times. In a graph equal positions are merged, so it is much smaller. If
//! play can return to an earlier position, the graph has cycles and the tree is infinite. The values are
//! those of plain minimax: exact, unless the depth limit cuts off a line.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::evaluation::Heuristic;
use super::limits::GaveUp;
use super::{Evaluation, Stop, children};
use crate::game::Game;

/// The tree or the graph of a game, or its upper part. The first node is the start.
#[derive(Debug, Clone)]
pub struct Graph<G: Game> {
    nodes: Vec<GraphNode<G>>,
}

/// One position.
#[derive(Debug, Clone)]
pub struct GraphNode<G: Game> {
    /// The position.
    pub position: G,
    /// The fewest plies from the start.
    pub depth: u32,
    /// Every move with the index of the node that it leads to, in the order of [`Game::moves`]; none at the
    /// depth limit.
    pub moves: Vec<(G::Move, usize)>,
}

/// The shape of a graph, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Whether equal positions are merged; a tree if they are not.
    pub merged: bool,
    /// The limit of nodes; if equal positions are merged, of nodes and moves together.
    pub size: usize,
    /// The limit of plies from the start.
    pub depth: u32,
}

/// Why a graph was not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BuildError {
    /// It is too large.
    TooLarge {
        /// The greatest depth that fits.
        fits: u32,
    },
    /// The stop flag was raised.
    Stopped,
}

impl From<BuildError> for GaveUp {
    fn from(why: BuildError) -> Self {
        match why {
            BuildError::TooLarge { .. } => Self::TooLarge,
            BuildError::Stopped => Self::Stopped,
        }
    }
}

impl<G: Game> Graph<G> {
    /// Builds the graph below `start`, level by level.
    pub fn build(start: &G, extent: Extent, stop: &Stop) -> Result<Self, BuildError> {
        let mut builder = Builder::new(start, extent.merged);
        let mut at = 0;
        while at < builder.nodes.len() && builder.nodes[at].depth < extent.depth {
            if stop.is_raised() {
                return Err(BuildError::Stopped);
            }
            let too_large = BuildError::TooLarge { fits: builder.nodes[at].depth };
            // Moves are counted before they are played, so a position with very many moves costs nothing.
            let moves = builder.nodes[at].position.move_count();
            if (builder.size as u64).saturating_add(moves) > extent.size as u64 {
                return Err(too_large);
            }
            builder.expand(at);
            if builder.size > extent.size {
                return Err(too_large);
            }
            at += 1;
        }
        Ok(Self { nodes: builder.nodes })
    }

    /// All nodes, in breadth-first order from the start.
    pub fn nodes(&self) -> &[GraphNode<G>] {
        &self.nodes
    }

    /// The indices of all nodes in topological order, parents before children; `None` if the graph has a
    /// cycle.
    ///
    /// Source: A. B. Kahn, "Topological sorting of large networks" (1962).
    pub fn topological_order(&self) -> Option<Vec<usize>> {
        let mut in_degrees = self.in_degrees();
        let mut ready = VecDeque::from([0]);
        let mut order = Vec::with_capacity(self.nodes.len());
        // A start with a parent is on a cycle.
        if in_degrees.first() != Some(&0) {
            return None;
        }
        while let Some(at) = ready.pop_front() {
            order.push(at);
            for &(_, to) in &self.nodes[at].moves {
                in_degrees[to] -= 1;
                if in_degrees[to] == 0 {
                    ready.push_back(to);
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }

    /// The number of moves that lead to each node.
    fn in_degrees(&self) -> Vec<usize> {
        let mut in_degrees = vec![0; self.nodes.len()];
        for (_, to) in self.nodes.iter().flat_map(|node| &node.moves) {
            in_degrees[*to] += 1;
        }
        in_degrees
    }

    /// The value of every node for the side to move there, and whether an estimate has contributed to it;
    /// `None` if the graph has a cycle.
    pub fn values<W: Evaluation<G>>(&self, heuristic: &impl Heuristic<G, W>) -> Option<Vec<(W, bool)>> {
        let mut values = vec![(W::EVEN, true); self.nodes.len()];
        for at in self.topological_order()?.into_iter().rev() {
            let node = &self.nodes[at];
            let below = || node.moves.iter().map(|&(_, to)| values[to]);
            let best = below().map(|(value, _)| value.for_mover()).max();
            values[at] = match (W::at_end(&node.position), best) {
                (Some(value), _) => (value, false),
                (None, Some(best)) => (best, below().any(|(_, estimated)| estimated)),
                (None, None) => (heuristic.estimate(&node.position), true),
            };
        }
        Some(values)
    }
}

/// A graph under construction.
struct Builder<G: Game> {
    nodes: Vec<GraphNode<G>>,
    /// The node of each position, if equal positions are merged.
    indices: Option<FxHashMap<G, usize>>,
    /// The size that [`Extent::size`] limits.
    size: usize,
}

impl<G: Game> Builder<G> {
    fn new(start: &G, merged: bool) -> Self {
        let mut builder =
            Self { nodes: Vec::new(), indices: merged.then(FxHashMap::default), size: usize::from(!merged) };
        builder.index_of(start.clone(), 0);
        builder
    }

    /// The index of the node with this position. Adds the node if there is none.
    fn index_of(&mut self, position: G, depth: u32) -> usize {
        let next = self.nodes.len();
        if let Some(indices) = &mut self.indices {
            let index = *indices.entry(position.clone()).or_insert(next);
            if index < next {
                return index;
            }
            self.size += 1;
        }
        self.nodes.push(GraphNode { position, depth, moves: Vec::new() });
        next
    }

    /// Adds the moves of node `at`, and their nodes.
    fn expand(&mut self, at: usize) {
        let depth = self.nodes[at].depth + 1;
        let below: Vec<(G::Move, G)> = children(&self.nodes[at].position).collect();
        self.size += below.len();
        self.nodes[at].moves =
            below.into_iter().map(|(mv, position)| (mv, self.index_of(position, depth))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::search::evaluation::{Even, NodeNumbers};
    use crate::search::minimax;
    use crate::search::run::Params;
    use crate::search::test_games::{Arbitrary, Maze, Pendulum, nim, textbook};
    use crate::search::{Budget, Points, Score, Verdict};

    fn build<G: Game>(start: &G, merged: bool, size: usize, depth: u32) -> Result<Graph<G>, BuildError> {
        Graph::build(start, Extent { merged, size, depth }, &Stop::new())
    }

    fn graph<G: Game>(start: &G) -> Graph<G> {
        build(start, true, 100_000, u32::MAX).unwrap()
    }

    fn tree<G: Game>(root: &G) -> Graph<G> {
        build(root, false, 1_000_000, u32::MAX).unwrap()
    }

    #[test]
    fn equal_positions_are_one_in_a_graph() {
        let graph = graph(&nim("one-two-ten"));
        assert_eq!(graph.nodes().len(), 20);
        assert_eq!(graph.nodes().iter().map(|node| node.moves.len()).sum::<usize>(), 2 * 18 - 2);
    }

    #[test]
    fn every_node_of_a_tree_precedes_its_children() {
        let tree = tree(&nim("nim:2-2:misere"));
        for (at, node) in tree.nodes().iter().enumerate() {
            assert_eq!(node.moves.len() as u64, node.position.move_count());
            for &(mv, below) in &node.moves {
                let child = &tree.nodes()[below];
                assert!(at < below && child.depth == node.depth + 1);
                assert_eq!(node.position.play(mv).unwrap(), child.position);
            }
        }
        assert!(tree.in_degrees()[1..].iter().all(|&in_degrees| in_degrees == 1));
    }

    #[test]
    fn the_upper_part_has_the_value_of_minimax_with_a_depth_limit() {
        let stop = Stop::new();
        for (maze, depth) in (0..50).flat_map(|seed| (0..7).map(move |depth| (Maze::new(seed), depth))) {
            let budget = Budget { nodes: u64::MAX, plies: depth };
            let params = Params { budget, heuristic: Arbitrary, stop: &stop, observer: () };
            let plain = minimax::search(&maze, params).unwrap();
            for merged in [true, false] {
                let upper = build(&maze, merged, 100_000, depth).unwrap();
                let value = upper.values::<Score>(&Arbitrary).unwrap()[0];
                assert_eq!(value, (plain.value, !plain.exact));
            }
        }
        assert_eq!(build(&nim("java-tech:9"), true, 100, 2).unwrap().nodes().len(), 1 + 3 + 5);
    }

    #[test]
    fn the_value_of_the_textbooks_tree_is_10() {
        let tree = tree(&textbook());
        let values = tree.values(&NodeNumbers).unwrap();
        assert_eq!((tree.nodes().len(), values[0]), (31, (Points(10), false)));
        assert_eq!(values[1..3], [(Points(-10), false), (Points(-2), false)]);
    }

    #[test]
    fn a_graph_with_a_cycle_has_no_order_and_no_values() {
        let graph = graph(&Pendulum(Side::First));
        assert_eq!(graph.nodes().len(), 2);
        assert_eq!(graph.topological_order(), None);
        assert_eq!(graph.values::<Verdict>(&Even), None);
    }

    #[test]
    fn a_graph_that_is_too_large_is_refused_with_the_depth_that_fits() {
        let nodes = |text, merged, size| {
            build(&nim(text), merged, size, 500).map(|graph| graph.nodes().len()).map_err(|why| match why {
                BuildError::TooLarge { fits } => {
                    assert!(build(&nim(text), merged, size, fits).is_ok());
                    assert!(build(&nim(text), merged, size, fits + 1).is_err());
                    fits
                }
                BuildError::Stopped => panic!("nobody stopped it"),
            })
        };
        let [graph, tree] = [true, false];
        assert_eq!([nodes("one-two-ten", graph, 54), nodes("one-two-ten", graph, 53)], [Ok(20), Err(6)]);
        assert_eq!([nodes("java-tech:4", tree, 15), nodes("java-tech:4", tree, 14)], [Ok(15), Err(3)]);
        assert_eq!(nodes("java-tech:21", tree, 1_000), Err(5));
        assert_eq!([graph, tree].map(|merged| nodes("nim:1000000000000000000", merged, 9)), [Err(0); 2]);
        let endless = build(&Pendulum(Side::First), tree, 1_000, u32::MAX);
        assert_eq!(endless.unwrap_err(), BuildError::TooLarge { fits: 999 });
    }
}
