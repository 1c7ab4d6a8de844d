//! How large a game is, without building its tree: the nodes, the games that can be played, and how they end. Each
//! distinct position is counted once, and its numbers serve wherever it comes up. A single pile needs no
//! positions at all: see [`pile`].

pub mod pile;

use num_bigint::BigUint;

use super::Stop;
use super::budget::GaveUp;
use super::graph::{Bounds, Graph};
use crate::game::any::Position;
use crate::game::{BySide, Game, Outcome, Side};

/// How large a game is from one position on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The numbers of the tree.
    pub tally: Tally,
    /// The distinct positions that can be reached.
    pub positions: u64,
}

/// The numbers of a tree, in which every line of play is a way of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// All nodes, the root and the ends included.
    pub nodes: BigUint,
    /// The games that end with a win for each side.
    pub wins: BySide<BigUint>,
    /// The games that end without a winner.
    pub draws: BigUint,
}

impl Tally {
    /// The games that can be played: every way from the root to an end.
    pub fn games(&self) -> BigUint {
        &self.wins.first + &self.wins.second + &self.draws
    }

    fn end(outcome: Outcome) -> Self {
        let one = || BigUint::from(1_u8);
        let mut tally = Self { nodes: one(), ..Self::default() };
        match outcome {
            Outcome::Draw => tally.draws = one(),
            Outcome::Win(side) => tally.wins[side] = one(),
        }
        tally
    }

    fn add(&mut self, below: &Self) {
        self.nodes += &below.nodes;
        self.draws += &below.draws;
        for side in Side::BOTH {
            self.wins[side] += &below.wins[side];
        }
    }

    /// The memory that its numbers take, in bytes, nearly.
    fn bytes(&self) -> u64 {
        [&self.nodes, &self.draws, &self.wins.first, &self.wins.second]
            .map(|number| number.bits() / 8)
            .iter()
            .sum()
    }
}

/// Why a game was not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uncounted {
    /// A move can lead back to a position that was there before, so that play need never end.
    Endless,
    /// It has too many distinct positions.
    TooLarge,
    /// The stop flag was raised.
    Stopped,
}

impl From<GaveUp> for Uncounted {
    fn from(why: GaveUp) -> Self {
        match why {
            GaveUp::TooLarge => Self::TooLarge,
            GaveUp::Stopped => Self::Stopped,
        }
    }
}

/// The most positions and moves that are looked at: some seconds, some hundred megabytes.
pub const MAX_SIZE: usize = 1_000_000;
/// The most memory for numbers that are still needed, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Counts any game from `position` on: by a recurrence where there is one, else by its distinct positions.
pub fn count(position: &Position, stop: &Stop) -> Result<Count, Uncounted> {
    match position {
        Position::Nim(nim) if nim.piles().len() == 1 => pile::count(nim).ok_or(Uncounted::TooLarge),
        _ => by_positions(position, MAX_SIZE, stop),
    }
}

/// Counts a game by its distinct positions, `size` being the most positions and moves together.
pub fn by_positions<G: Game>(position: &G, size: usize, stop: &Stop) -> Result<Count, Uncounted> {
    let graph = Graph::build(position, Bounds { size, depth: u32::MAX }, stop)?;
    let order = graph.in_order().ok_or(Uncounted::Endless)?;
    let tally = Tallies::new(&graph).of_first(&order, stop)?;
    Ok(Count { tally, positions: graph.places().len() as u64 })
}

/// The numbers of the positions that have been counted and are still needed.
struct Tallies<'a, G: Game> {
    graph: &'a Graph<G>,
    known: Vec<Tally>,
    /// How many moves that lead to each position have not been counted yet.
    waiting: Vec<usize>,
    bytes: u64,
}

impl<'a, G: Game> Tallies<'a, G> {
    fn new(graph: &'a Graph<G>) -> Self {
        let known = vec![Tally::default(); graph.places().len()];
        Self { graph, known, waiting: graph.ways(), bytes: 0 }
    }

    /// The numbers of the first position in `order`, in which every position stands before those that follow it.
    fn of_first(mut self, order: &[usize], stop: &Stop) -> Result<Tally, Uncounted> {
        let mut last = Tally::default();
        for &at in order.iter().rev() {
            if stop.is_raised() {
                return Err(Uncounted::Stopped);
            }
            last = self.tally(at);
            self.bytes += last.bytes();
            if self.bytes > MAX_BYTES {
                return Err(Uncounted::TooLarge);
            }
            self.known[at] = last.clone();
        }
        Ok(last)
    }

    fn tally(&mut self, at: usize) -> Tally {
        let place = &self.graph.places()[at];
        if let Some(outcome) = place.position.outcome() {
            return Tally::end(outcome);
        }
        let mut tally = Tally { nodes: BigUint::from(1_u8), ..Tally::default() };
        for &(_, to) in &place.moves {
            tally.add(&self.known[to]);
            self.waiting[to] -= 1;
            if self.waiting[to] == 0 {
                self.bytes -= std::mem::take(&mut self.known[to]).bytes();
            }
        }
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::for_each_reachable;
    use crate::search::toy::{Maze, Pendulum, nim};
    use crate::search::tree::{self, Tree};

    /// The slow twin: the same by looking at every node of the tree.
    fn by_the_tree<G: Game>(root: &G) -> Tally {
        let tree = Tree::build(root, tree::Bounds { nodes: 1_000_000, depth: 500 }, &Stop::new()).unwrap();
        let mut tally = Tally { nodes: tree.nodes().len().into(), ..Tally::default() };
        for outcome in tree.nodes().iter().filter_map(|node| node.position.outcome()) {
            match outcome {
                Outcome::Win(side) => tally.wins[side] += 1_u8,
                Outcome::Draw => tally.draws += 1_u8,
            }
        }
        tally
    }

    #[test]
    fn it_agrees_with_the_tree() {
        for maze in (0..100).map(Maze::new) {
            let count = by_positions(&maze, 100_000, &Stop::new()).unwrap();
            assert_eq!(count.tally, by_the_tree(&maze));
        }
        for text in ["java-tech:12", "nim:2-3-2", "nim:3-3:misere", "nim:6", "one-two-ten"] {
            let count = by_positions(&nim(text), 100_000, &Stop::new()).unwrap();
            assert_eq!(count.tally, by_the_tree(&nim(text)), "{text}");
        }
    }

    #[test]
    fn a_game_that_can_come_back_to_where_it_was_is_endless() {
        let count = by_positions(&Pendulum(Side::First), 100, &Stop::new());
        assert_eq!(count, Err(Uncounted::Endless));
    }

    #[test]
    fn a_game_of_too_many_positions_is_given_up() {
        let sixteen = nim(&format!("nim:{}", ["9"; 16].join("-")));
        assert_eq!(by_positions(&sixteen, 10_000, &Stop::new()), Err(Uncounted::TooLarge));
        let stop = Stop::new();
        stop.raise();
        assert_eq!(by_positions(&nim("nim:3-4-5"), 10_000, &stop), Err(Uncounted::Stopped));
    }

    #[test]
    fn its_positions_are_those_that_can_be_reached() {
        for text in ["nim:3-4-5", "nim:1-1-1", "zero-sum:9"] {
            let mut reached = 0;
            for_each_reachable(&nim(text), 10_000, |_| reached += 1);
            assert_eq!(by_positions(&nim(text), 100_000, &Stop::new()).unwrap().positions, reached);
        }
    }
}
