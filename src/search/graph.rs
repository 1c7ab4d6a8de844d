//! The game with equal positions drawn as one: a graph in which several ways lead to the same place. It is smaller than
//! the tree by far, and in a game that can come back to where it was it has circles, where the tree has no end. Its number for a place is that of
//! any node of the tree with the same position.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::budget::GaveUp;
use super::evaluation::Evaluation;
use super::{Stop, Worth, children};
use crate::game::Game;

/// All positions that can be reached from one, each of them once. The first is where it starts.
#[derive(Debug, Clone)]
pub struct Graph<G: Game> {
    places: Vec<Place<G>>,
}

/// One position.
#[derive(Debug, Clone)]
pub struct Place<G: Game> {
    /// The position.
    pub position: G,
    /// The fewest plies that lead here from the start.
    pub depth: u32,
    /// Every move with the number of the place that it leads to, in the order of [`Game::moves`]; none where the graph
    /// goes no deeper.
    pub moves: Vec<(G::Move, usize)>,
}

/// How far a graph is built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The most positions and moves together; all of them are kept.
    pub size: usize,
    /// The most plies from the start.
    pub depth: u32,
}

impl<G: Game> Graph<G> {
    /// The graph of all that can be reached from `start`, the nearest positions first.
    pub fn build(start: &G, bounds: Bounds, stop: &Stop) -> Result<Self, GaveUp> {
        let mut builder = Builder::new(start);
        let mut at = 0;
        while at < builder.places.len() && builder.places[at].depth < bounds.depth {
            if stop.is_raised() {
                return Err(GaveUp::Stopped);
            }
            let size = builder.size as u64;
            // The moves are counted before they are made, so that a vast choice costs nothing.
            let moves = builder.places[at].position.move_count();
            if size.saturating_add(moves) > bounds.size as u64 {
                return Err(GaveUp::TooLarge);
            }
            builder.grow(at);
            if builder.size > bounds.size {
                return Err(GaveUp::TooLarge);
            }
            at += 1;
        }
        Ok(Self { places: builder.places })
    }

    /// All positions, the nearest to the start first.
    pub fn places(&self) -> &[Place<G>] {
        &self.places
    }

    /// The numbers of all places, every one before those that its moves lead to; `None` if the graph has a circle, for
    /// then there is no such order.
    ///
    /// Source: A. B. Kahn, "Topological sorting of large networks" (1962).
    pub fn in_order(&self) -> Option<Vec<usize>> {
        let mut ways = self.ways();
        let mut ready = VecDeque::from([0]);
        let mut order = Vec::with_capacity(self.places.len());
        // In a circle that leads back to the start, even the start has a way to it.
        if ways.first() != Some(&0) {
            return None;
        }
        while let Some(at) = ready.pop_front() {
            order.push(at);
            for &(_, to) in &self.places[at].moves {
                ways[to] -= 1;
                if ways[to] == 0 {
                    ready.push_back(to);
                }
            }
        }
        (order.len() == self.places.len()).then_some(order)
    }

    /// How many moves lead to each place.
    pub(super) fn ways(&self) -> Vec<usize> {
        let mut ways = vec![0; self.places.len()];
        for (_, to) in self.places.iter().flat_map(|place| &place.moves) {
            ways[*to] += 1;
        }
        ways
    }

    /// What every place is worth to the side that is to move there, and whether an estimate has gone into that; `None`
    /// if the graph has a circle, for then no end is the last.
    pub fn worths<W: Worth<G>>(&self, evaluation: &impl Evaluation<G, W>) -> Option<Vec<(W, bool)>> {
        let mut worths = vec![(W::EVEN, true); self.places.len()];
        for at in self.in_order()?.into_iter().rev() {
            let place = &self.places[at];
            let below = place.moves.iter().map(|&(_, to)| worths[to]);
            worths[at] = match W::at_end(&place.position) {
                Some(worth) => (worth, false),
                None if place.moves.is_empty() => (evaluation.estimate(&place.position), true),
                None => best_of::<G, W>(below),
            };
        }
        Some(worths)
    }
}

/// What a position is worth by the worths of its children, and whether an estimate has gone into one of them.
pub(super) fn best_of<G: Game, W: Worth<G>>(below: impl Iterator<Item = (W, bool)> + Clone) -> (W, bool) {
    let best = below.clone().map(|(worth, _)| worth.for_mover()).max();
    (best.unwrap_or(W::EVEN), below.into_iter().any(|(_, estimated)| estimated))
}

/// A graph that grows.
struct Builder<G: Game> {
    places: Vec<Place<G>>,
    numbers: FxHashMap<G, usize>,
    /// Positions and moves together.
    size: usize,
}

impl<G: Game> Builder<G> {
    fn new(start: &G) -> Self {
        let mut builder = Self { places: Vec::new(), numbers: FxHashMap::default(), size: 0 };
        builder.number(start.clone(), 0);
        builder
    }

    /// The number of the place with this position, which may be new.
    fn number(&mut self, position: G, depth: u32) -> usize {
        if let Some(&known) = self.numbers.get(&position) {
            return known;
        }
        let number = self.places.len();
        self.numbers.insert(position.clone(), number);
        self.places.push(Place { position, depth, moves: Vec::new() });
        self.size += 1;
        number
    }

    /// Adds all moves of place number `at`.
    fn grow(&mut self, at: usize) {
        let depth = self.places[at].depth + 1;
        let below: Vec<(G::Move, G)> = children(&self.places[at].position).collect();
        self.size += below.len();
        self.places[at].moves =
            below.into_iter().map(|(mv, position)| (mv, self.number(position, depth))).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Side, for_each_reachable};
    use crate::search::evaluation::Even;
    use crate::search::minimax::minimax;
    use crate::search::toy::{Maze, Pendulum, nim};
    use crate::search::{Value, Verdict};

    fn build<G: Game>(start: &G, size: usize) -> Result<Graph<G>, GaveUp> {
        Graph::build(start, Bounds { size, depth: u32::MAX }, &Stop::new())
    }

    #[test]
    fn equal_positions_are_one() {
        // The tree of the same game has 232 nodes.
        let graph = build(&nim("one-two-ten"), 1_000).unwrap();
        assert_eq!(graph.places().len(), 20);
        assert_eq!(graph.places().iter().map(|place| place.moves.len()).sum::<usize>(), 2 * 18 - 2);
    }

    #[test]
    fn it_holds_all_that_can_be_reached_and_nothing_else() {
        for maze in (0..100).map(Maze::new) {
            let graph = build(&maze, 100_000).unwrap();
            let mut reached = 0;
            for_each_reachable(&maze, 10_000, |position| {
                reached += 1;
                assert!(graph.places().iter().any(|place| place.position == *position));
            });
            assert_eq!(graph.places().len(), reached);
        }
    }

    #[test]
    fn every_worth_is_that_of_plain_minimax() {
        for maze in (0..100).map(Maze::new) {
            let graph = build(&maze, 100_000).unwrap();
            let worths = graph.worths::<Value>(&Even).unwrap();
            for (place, (worth, estimated)) in graph.places().iter().zip(worths) {
                assert_eq!((Some(worth), estimated), (minimax(&place.position, &Stop::new()), false));
            }
        }
    }

    #[test]
    fn a_game_that_comes_back_to_where_it_was_has_no_order_and_no_worths() {
        let graph = build(&Pendulum(Side::First), 10).unwrap();
        assert_eq!(graph.places().len(), 2);
        assert_eq!(graph.in_order(), None);
        assert_eq!(graph.worths::<Verdict>(&Even), None);
    }

    #[test]
    fn below_its_depth_it_is_estimated() {
        let graph = Graph::build(&nim("java-tech:9"), Bounds { size: 100, depth: 2 }, &Stop::new()).unwrap();
        assert_eq!(graph.places().len(), 1 + 3 + 5);
        assert_eq!(graph.worths::<Verdict>(&Even).unwrap()[0], (Verdict::Draw, true));
    }

    #[test]
    fn one_that_is_too_large_is_given_up_before_it_is_made() {
        assert_eq!(build(&nim("one-two-ten"), 54).unwrap().places().len(), 20);
        assert_eq!(build(&nim("one-two-ten"), 53).unwrap_err(), GaveUp::TooLarge);
        assert_eq!(build(&nim("nim:1000000000000000000"), 1_000_000).unwrap_err(), GaveUp::TooLarge);
        let stop = Stop::new();
        stop.raise();
        let bounds = Bounds { size: 100, depth: 9 };
        assert_eq!(Graph::build(&nim("java-tech:4"), bounds, &stop).unwrap_err(), GaveUp::Stopped);
    }
}
