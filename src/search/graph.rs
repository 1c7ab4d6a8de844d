//! The game with equal positions merged: a graph in which several lines lead to the same node. It is much
//! smaller than the tree. In a game that can return to an earlier position it has cycles, where the tree is
//! endless. The value of a node is that of any node of the tree with the same position.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::evaluation::Heuristic;
use super::limits::GaveUp;
use super::{Evaluation, Stop, children};
use crate::game::Game;

/// All positions that can be reached from one, each once. The first is the start.
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
    /// deepest level of the graph.
    pub moves: Vec<(G::Move, usize)>,
}

/// The limits of a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxSize {
    /// The limit of positions and moves together, all of which are kept.
    pub size: usize,
    /// The limit of plies from the start.
    pub depth: u32,
}

impl<G: Game> Graph<G> {
    /// The graph of all positions that can be reached from `start`, the nearest first.
    pub fn build(start: &G, bounds: MaxSize, stop: &Stop) -> Result<Self, GaveUp> {
        let mut builder = Builder::new(start);
        let mut at = 0;
        while at < builder.nodes.len() && builder.nodes[at].depth < bounds.depth {
            if stop.is_raised() {
                return Err(GaveUp::Stopped);
            }
            let size = builder.size as u64;
            // Moves are counted before they are made, so that an enormous choice costs nothing.
            let moves = builder.nodes[at].position.move_count();
            if size.saturating_add(moves) > bounds.size as u64 {
                return Err(GaveUp::TooLarge);
            }
            builder.grow(at);
            if builder.size > bounds.size {
                return Err(GaveUp::TooLarge);
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
    pub(super) fn ways(&self) -> Vec<usize> {
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
            let below = node.moves.iter().map(|&(_, to)| values[to]);
            values[at] = match W::at_end(&node.position) {
                Some(value) => (value, false),
                None if node.moves.is_empty() => (heuristic.estimate(&node.position), true),
                None => best_of::<G, W>(below),
            };
        }
        Some(values)
    }
}

/// The value of a position by those of its children, and whether an estimate has contributed to one of them.
pub(super) fn best_of<G: Game, W: Evaluation<G>>(
    below: impl Iterator<Item = (W, bool)> + Clone,
) -> (W, bool) {
    let best = below.clone().map(|(value, _)| value.for_mover()).max();
    (best.unwrap_or(W::EVEN), below.into_iter().any(|(_, estimated)| estimated))
}

/// A graph under construction.
struct Builder<G: Game> {
    nodes: Vec<Node<G>>,
    numbers: FxHashMap<G, usize>,
    /// Positions and moves together.
    size: usize,
}

impl<G: Game> Builder<G> {
    fn new(start: &G) -> Self {
        let mut builder = Self { nodes: Vec::new(), numbers: FxHashMap::default(), size: 0 };
        builder.number(start.clone(), 0);
        builder
    }

    /// The index of the node with this position, which may be new.
    fn number(&mut self, position: G, depth: u32) -> usize {
        if let Some(&known) = self.numbers.get(&position) {
            return known;
        }
        let number = self.nodes.len();
        self.numbers.insert(position.clone(), number);
        self.nodes.push(Node { position, depth, moves: Vec::new() });
        self.size += 1;
        number
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
    use crate::game::{Side, for_each_reachable};
    use crate::search::evaluation::Even;
    use crate::search::minimax::minimax;
    use crate::search::test_games::{Maze, Pendulum, nim};
    use crate::search::{Value, Verdict};

    fn build<G: Game>(start: &G, size: usize) -> Result<Graph<G>, GaveUp> {
        Graph::build(start, MaxSize { size, depth: u32::MAX }, &Stop::new())
    }

    #[test]
    fn equal_positions_are_one() {
        // The tree of the same game has 232 nodes.
        let graph = build(&nim("one-two-ten"), 1_000).unwrap();
        assert_eq!(graph.nodes().len(), 20);
        assert_eq!(graph.nodes().iter().map(|node| node.moves.len()).sum::<usize>(), 2 * 18 - 2);
    }

    #[test]
    fn it_holds_all_that_can_be_reached_and_nothing_else() {
        for maze in (0..100).map(Maze::new) {
            let graph = build(&maze, 100_000).unwrap();
            let mut reached = 0;
            for_each_reachable(&maze, 10_000, |position| {
                reached += 1;
                assert!(graph.nodes().iter().any(|node| node.position == *position));
            });
            assert_eq!(graph.nodes().len(), reached);
        }
    }

    #[test]
    fn every_worth_is_that_of_plain_minimax() {
        for maze in (0..100).map(Maze::new) {
            let graph = build(&maze, 100_000).unwrap();
            let values = graph.values::<Value>(&Even).unwrap();
            for (node, (value, estimated)) in graph.nodes().iter().zip(values) {
                assert_eq!((Some(value), estimated), (minimax(&node.position, &Stop::new()), false));
            }
        }
    }

    #[test]
    fn a_graph_with_a_cycle_has_no_order_and_no_values() {
        let graph = build(&Pendulum(Side::First), 10).unwrap();
        assert_eq!(graph.nodes().len(), 2);
        assert_eq!(graph.in_order(), None);
        assert_eq!(graph.values::<Verdict>(&Even), None);
    }

    #[test]
    fn below_its_depth_it_is_estimated() {
        let graph = Graph::build(&nim("java-tech:9"), MaxSize { size: 100, depth: 2 }, &Stop::new()).unwrap();
        assert_eq!(graph.nodes().len(), 1 + 3 + 5);
        assert_eq!(graph.values::<Verdict>(&Even).unwrap()[0], (Verdict::Draw, true));
    }

    #[test]
    fn a_graph_that_is_too_large_is_refused_before_it_is_built() {
        assert_eq!(build(&nim("one-two-ten"), 54).unwrap().nodes().len(), 20);
        assert_eq!(build(&nim("one-two-ten"), 53).unwrap_err(), GaveUp::TooLarge);
        assert_eq!(build(&nim("nim:1000000000000000000"), 1_000_000).unwrap_err(), GaveUp::TooLarge);
        let stop = Stop::new();
        stop.raise();
        let bounds = MaxSize { size: 100, depth: 9 };
        assert_eq!(Graph::build(&nim("java-tech:4"), bounds, &stop).unwrap_err(), GaveUp::Stopped);
    }
}
