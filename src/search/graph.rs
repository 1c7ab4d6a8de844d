//! The game from one position on, as nodes and moves. As a tree every line of play is a path of its own, so
//! equal positions occur as often as play leads to them. As a graph equal positions are merged: it is much
//! smaller, and in a game that can return to an earlier position it has cycles, where the tree is endless.
//! Its values are those of plain minimax: exact, unless a line was cut off by the depth.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::evaluation::Heuristic;
use super::limits::GaveUp;
use super::{Evaluation, Stop, children};
use crate::game::Game;

/// The tree or the graph of a game, or its upper part. The first node is the start.
#[derive(Debug, Clone)]
pub struct Graph<G: Game> {
    nodes: Vec<Node<G>>,
}

/// One position.
#[derive(Debug, Clone)]
pub struct Node<G: Game> {
    /// The position.
    pub position: G,
    /// The fewest plies from the start.
    pub depth: u32,
    /// Every move with the index of the node that it leads to, in the order of [`Game::moves`]; none at the
    /// deepest level.
    pub moves: Vec<(G::Move, usize)>,
}

/// The shape of a graph, and its limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// Whether equal positions are merged; a tree if they are not.
    pub merged: bool,
    /// The limit of nodes, all of which are kept; where equal positions are merged, of nodes and moves
    /// together.
    pub size: usize,
    /// The limit of plies from the start.
    pub depth: u32,
}

/// Why a graph was not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unbuilt {
    /// It is too large.
    TooLarge {
        /// The depth down to which it would fit.
        fits: u32,
    },
    /// The stop flag was raised.
    Stopped,
}

impl From<Unbuilt> for GaveUp {
    fn from(why: Unbuilt) -> Self {
        match why {
            Unbuilt::TooLarge { .. } => Self::TooLarge,
            Unbuilt::Stopped => Self::Stopped,
        }
    }
}

impl<G: Game> Graph<G> {
    /// The graph below `start`, level by level.
    pub fn build(start: &G, extent: Extent, stop: &Stop) -> Result<Self, Unbuilt> {
        let mut builder = Builder::new(start, extent.merged);
        let mut at = 0;
        while at < builder.nodes.len() && builder.nodes[at].depth < extent.depth {
            if stop.is_raised() {
                return Err(Unbuilt::Stopped);
            }
            let too_large = Unbuilt::TooLarge { fits: builder.nodes[at].depth };
            // Moves are counted before they are made, so that an enormous choice costs nothing.
            let moves = builder.nodes[at].position.move_count();
            if (builder.size as u64).saturating_add(moves) > extent.size as u64 {
                return Err(too_large);
            }
            builder.grow(at);
            if builder.size > extent.size {
                return Err(too_large);
            }
            at += 1;
        }
        Ok(Self { nodes: builder.nodes })
    }

    /// All positions, the nearest to the start first.
    pub fn nodes(&self) -> &[Node<G>] {
        &self.nodes
    }

    /// The indices of all nodes in topological order: each before those that its moves lead to. `None` if
    /// the graph has a cycle.
    ///
    /// Source: A. B. Kahn, "Topological sorting of large networks" (1962).
    pub fn in_order(&self) -> Option<Vec<usize>> {
        let mut ways = self.ways();
        let mut ready = VecDeque::from([0]);
        let mut order = Vec::with_capacity(self.nodes.len());
        // In a cycle through the start, even the start has a predecessor.
        if ways.first() != Some(&0) {
            return None;
        }
        while let Some(at) = ready.pop_front() {
            order.push(at);
            for &(_, to) in &self.nodes[at].moves {
                ways[to] -= 1;
                if ways[to] == 0 {
                    ready.push_back(to);
                }
            }
        }
        (order.len() == self.nodes.len()).then_some(order)
    }

    /// The number of moves that lead to each node.
    fn ways(&self) -> Vec<usize> {
        let mut ways = vec![0; self.nodes.len()];
        for (_, to) in self.nodes.iter().flat_map(|node| &node.moves) {
            ways[*to] += 1;
        }
        ways
    }

    /// The value of every node for the side to move there, and whether an estimate has contributed to it;
    /// `None` if the graph has a cycle.
    pub fn values<W: Evaluation<G>>(&self, heuristic: &impl Heuristic<G, W>) -> Option<Vec<(W, bool)>> {
        let mut values = vec![(W::EVEN, true); self.nodes.len()];
        for at in self.in_order()?.into_iter().rev() {
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
    nodes: Vec<Node<G>>,
    /// The node of each position, where equal positions are merged.
    numbers: Option<FxHashMap<G, usize>>,
    /// What [`Extent::size`] limits.
    size: usize,
}

impl<G: Game> Builder<G> {
    fn new(start: &G, merged: bool) -> Self {
        let mut builder =
            Self { nodes: Vec::new(), numbers: merged.then(FxHashMap::default), size: usize::from(!merged) };
        builder.number(start.clone(), 0);
        builder
    }

    /// The index of the node with this position, which may be new.
    fn number(&mut self, position: G, depth: u32) -> usize {
        let next = self.nodes.len();
        if let Some(numbers) = &mut self.numbers {
            let number = *numbers.entry(position.clone()).or_insert(next);
            if number < next {
                return number;
            }
            self.size += 1;
        }
        self.nodes.push(Node { position, depth, moves: Vec::new() });
        next
    }

    /// Adds all moves of node `at`.
    fn grow(&mut self, at: usize) {
        let depth = self.nodes[at].depth + 1;
        let below: Vec<(G::Move, G)> = children(&self.nodes[at].position).collect();
        self.size += below.len();
        self.nodes[at].moves =
            below.into_iter().map(|(mv, position)| (mv, self.number(position, depth))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::search::evaluation::{Even, Written};
    use crate::search::minimax;
    use crate::search::run::Params;
    use crate::search::test_games::{Arbitrary, Maze, Pendulum, nim, textbook};
    use crate::search::{Budget, Points, Score, Verdict};

    fn build<G: Game>(start: &G, merged: bool, size: usize, depth: u32) -> Result<Graph<G>, Unbuilt> {
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
        assert!(tree.ways()[1..].iter().all(|&ways| ways == 1));
    }

    #[test]
    fn the_upper_part_is_worth_what_minimax_sees_of_it() {
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
    fn the_textbooks_tree_is_worth_10_by_the_move_to_b() {
        let tree = tree(&textbook());
        let values = tree.values(&Written).unwrap();
        assert_eq!((tree.nodes().len(), values[0]), (31, (Points(10), false)));
        assert_eq!(values[1..3], [(Points(-10), false), (Points(-2), false)]);
    }

    #[test]
    fn a_graph_with_a_cycle_has_no_order_and_no_values() {
        let graph = graph(&Pendulum(Side::First));
        assert_eq!(graph.nodes().len(), 2);
        assert_eq!(graph.in_order(), None);
        assert_eq!(graph.values::<Verdict>(&Even), None);
    }

    #[test]
    fn one_that_is_too_large_is_refused_before_it_is_built_and_says_how_deep_it_would_fit() {
        let nodes = |text, merged, size| {
            build(&nim(text), merged, size, 500).map(|graph| graph.nodes().len()).map_err(|why| match why {
                Unbuilt::TooLarge { fits } => {
                    assert!(build(&nim(text), merged, size, fits).is_ok());
                    assert!(build(&nim(text), merged, size, fits + 1).is_err());
                    fits
                }
                Unbuilt::Stopped => panic!("nobody stopped it"),
            })
        };
        let [graph, tree] = [true, false];
        assert_eq!([nodes("one-two-ten", graph, 54), nodes("one-two-ten", graph, 53)], [Ok(20), Err(6)]);
        assert_eq!([nodes("java-tech:4", tree, 15), nodes("java-tech:4", tree, 14)], [Ok(15), Err(3)]);
        assert_eq!(nodes("java-tech:21", tree, 1_000), Err(5));
        assert_eq!([graph, tree].map(|merged| nodes("nim:1000000000000000000", merged, 9)), [Err(0); 2]);
        let endless = build(&Pendulum(Side::First), tree, 1_000, u32::MAX);
        assert_eq!(endless.unwrap_err(), Unbuilt::TooLarge { fits: 999 });
    }
}
