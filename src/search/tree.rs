//! The tree of a game, node by node, as it is drawn: every line of play is a path of its own, so equal
//! positions occur as often as play leads to them. It is built whole, so it is for small games and for the
//! top of larger ones. Its values are those of plain minimax: exact, unless a line was cut off by the depth.

use std::ops::Range;

use super::evaluation::Heuristic;
use super::graph::best_of;
use super::{Evaluation, Stop, children};
use crate::game::Game;

/// A game tree, or its upper part. The root is node 0, and every node precedes its children.
#[derive(Debug, Clone)]
pub struct Tree<G: Game> {
    nodes: Vec<Node<G>>,
}

/// One node of a tree.
#[derive(Debug, Clone)]
pub struct Node<G: Game> {
    /// The position.
    pub position: G,
    /// The node above it and the move that leads here; `None` for the root.
    pub above: Option<(usize, G::Move)>,
    /// How many plies it is below the root.
    pub depth: u32,
    /// The nodes below it, in the order of [`Game::moves`].
    pub below: Range<usize>,
}

/// The limits of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxSize {
    /// The limit of nodes, all of which are kept.
    pub nodes: usize,
    /// The limit of plies below the root.
    pub depth: u32,
}

/// Why a tree was not built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooLarge {
    /// It has too many nodes. Down to this depth it would fit.
    Fits(u32),
    /// The stop flag was raised.
    Stopped,
}

impl<G: Game> Tree<G> {
    /// The tree below `root`, level by level.
    pub fn build(root: &G, bounds: MaxSize, stop: &Stop) -> Result<Self, TooLarge> {
        let node = Node { position: root.clone(), above: None, depth: 0, below: 0..0 };
        let mut tree = Self { nodes: vec![node] };
        let mut at = 0;
        while at < tree.nodes.len() {
            if stop.is_raised() {
                return Err(TooLarge::Stopped);
            }
            let depth = tree.nodes[at].depth;
            if depth == bounds.depth {
                break;
            }
            // Moves are counted before they are made, so that an enormous choice costs nothing.
            let free = bounds.nodes.saturating_sub(tree.nodes.len()) as u64;
            if tree.nodes[at].position.move_count() > free {
                return Err(TooLarge::Fits(depth));
            }
            tree.grow(at);
            at += 1;
        }
        Ok(tree)
    }

    /// Adds the children of node `at` after the last node.
    fn grow(&mut self, at: usize) {
        let (start, depth) = (self.nodes.len(), self.nodes[at].depth + 1);
        let below: Vec<(G::Move, G)> = children(&self.nodes[at].position).collect();
        let node = |(mv, position)| Node { position, above: Some((at, mv)), depth, below: 0..0 };
        self.nodes.extend(below.into_iter().map(node));
        self.nodes[at].below = start..self.nodes.len();
    }

    /// All nodes, each before its children.
    pub fn nodes(&self) -> &[Node<G>] {
        &self.nodes
    }

    /// The value of every node for the side to move there, and whether an estimate has contributed to it:
    /// the same as [`super::minimax`] finds, limited to the depth of the tree.
    pub fn values<W: Evaluation<G>>(&self, heuristic: &impl Heuristic<G, W>) -> Vec<(W, bool)> {
        let mut values = vec![(W::EVEN, true); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().rev() {
            values[at] = match W::at_end(&node.position) {
                Some(value) => (value, false),
                None if node.below.is_empty() => (heuristic.estimate(&node.position), true),
                None => best_of::<G, W>(values[node.below.clone()].iter().copied()),
            };
        }
        values
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
    use crate::search::{Points, Score, Value, limits::Budget};

    fn build<G: Game>(root: &G, nodes: usize, depth: u32) -> Result<Tree<G>, TooLarge> {
        Tree::build(root, MaxSize { nodes, depth }, &Stop::new())
    }

    fn size(text: &str) -> usize {
        build(&nim(text), 1_000_000, 500).unwrap().nodes().len()
    }

    #[test]
    fn its_nodes_number_as_published() {
        let sizes = ["java-tech:1", "java-tech:2", "java-tech:3", "java-tech:4", "one-two-ten"].map(size);
        assert_eq!(sizes, [2, 4, 8, 15, 232]);
    }

    #[test]
    fn every_node_precedes_its_children_and_knows_the_move_to_it() {
        let tree = build(&nim("nim:2-2:misere"), 1_000, 500).unwrap();
        for (at, node) in tree.nodes().iter().enumerate() {
            assert_eq!(node.below.len() as u64, node.position.move_count());
            for below in node.below.clone() {
                let child = &tree.nodes()[below];
                let (above, mv) = child.above.unwrap();
                assert!(above == at && at < below && child.depth == node.depth + 1);
                assert_eq!(node.position.play(mv).unwrap(), child.position);
            }
        }
    }

    #[test]
    fn every_worth_is_that_of_plain_minimax() {
        for maze in (0..100).map(Maze::new) {
            let tree = build(&maze, 100_000, 50).unwrap();
            for (node, (value, estimated)) in tree.nodes().iter().zip(tree.values::<Value>(&Even)) {
                assert_eq!((Some(value), estimated), (minimax::minimax(&node.position, &Stop::new()), false));
            }
        }
    }

    #[test]
    fn the_upper_part_of_a_tree_is_worth_what_minimax_sees_of_it() {
        let stop = Stop::new();
        for (maze, depth) in
            (0..50).map(Maze::new).flat_map(|maze| (0..7).map(move |depth| (maze.clone(), depth)))
        {
            let (value, estimated) = build(&maze, 100_000, depth).unwrap().values::<Score>(&Arbitrary)[0];
            let budget = Budget { nodes: u64::MAX, plies: depth };
            let params = Params { budget, heuristic: Arbitrary, stop: &stop, observer: () };
            let plain = minimax::search(&maze, params).unwrap();
            assert_eq!((value, estimated), (plain.value, !plain.exact));
        }
    }

    #[test]
    fn the_textbooks_tree_is_worth_10_by_the_move_to_b() {
        let tree = build(&textbook(), 100, 100).unwrap();
        let values = tree.values(&Written);
        assert_eq!((tree.nodes().len(), values[0]), (31, (Points(10), false)));
        assert_eq!(values[1..3], [(Points(-10), false), (Points(-2), false)]);
    }

    #[test]
    fn one_that_is_too_large_says_how_deep_it_would_fit() {
        assert_eq!(build(&nim("java-tech:4"), 15, 500).unwrap().nodes().len(), 15);
        assert_eq!(build(&nim("java-tech:4"), 14, 500).unwrap_err(), TooLarge::Fits(3));
        assert_eq!(build(&nim("java-tech:21"), 1_000, 500).unwrap_err(), TooLarge::Fits(5));
        assert_eq!(build(&nim("nim:1000000000000000000"), 1_000, 1).unwrap_err(), TooLarge::Fits(0));
        assert_eq!(build(&Pendulum(Side::First), 1_000, u32::MAX).unwrap_err(), TooLarge::Fits(999));
    }

    #[test]
    fn it_stops_on_the_flag() {
        let stop = Stop::new();
        stop.raise();
        let bounds = MaxSize { nodes: 100, depth: 9 };
        assert_eq!(Tree::build(&nim("java-tech:4"), bounds, &stop).unwrap_err(), TooLarge::Stopped);
    }
}
