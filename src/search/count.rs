//! The size of a game, without building its tree: the number of nodes, of games that can be played, and of
//! their results. Each distinct position is counted once, and its numbers are used wherever it occurs.

use num_bigint::BigUint;

use super::Stop;
use super::graph::{Extent, Graph};
use super::limits::GaveUp;
use crate::game::{BySide, Game, Outcome, Side};

/// How large a game is from one position on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The numbers of the tree.
    pub tally: Tally,
    /// The distinct positions that can be reached.
    pub positions: u64,
}

/// The numbers of a tree, in which every line of play is a path of its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// All nodes, including the root and the ends.
    pub nodes: BigUint,
    /// The games that end with a win for each side.
    pub wins: BySide<BigUint>,
    /// The games that end without a winner.
    pub draws: BigUint,
}

impl Tally {
    /// The games that can be played: paths from the root to an end.
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

    /// The approximate memory of its numbers, in bytes.
    fn bytes(&self) -> u64 {
        [&self.nodes, &self.draws, &self.wins.first, &self.wins.second]
            .map(|number| number.bits() / 8)
            .iter()
            .sum()
    }
}

/// The limit of positions and moves: a few seconds and a few hundred megabytes.
pub const MAX_SIZE: usize = 1_000_000;
/// The limit of memory for numbers that are still needed, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Counts any game from `position` on. `size` limits its distinct positions and their moves together.
pub fn count<G: Game>(position: &G, size: usize, stop: &Stop) -> Result<Count, GaveUp> {
    let graph = Graph::build(position, Extent { merged: true, size, depth: u32::MAX }, stop)?;
    let order = graph.in_order().ok_or(GaveUp::Endless)?;
    let tally = Tallies::new(&graph).of_first(&order, stop)?;
    Ok(Count { tally, positions: graph.nodes().len() as u64 })
}

/// The numbers of positions that are counted and still needed.
struct Tallies<'a, G: Game> {
    graph: &'a Graph<G>,
    known: Vec<Tally>,
    /// The number of moves to each position that are not counted yet.
    waiting: Vec<usize>,
    bytes: u64,
}

impl<'a, G: Game> Tallies<'a, G> {
    fn new(graph: &'a Graph<G>) -> Self {
        let known = vec![Tally::default(); graph.nodes().len()];
        Self { graph, known, waiting: graph.ways(), bytes: 0 }
    }

    /// The numbers of the first position in `order`, which is topological.
    fn of_first(mut self, order: &[usize], stop: &Stop) -> Result<Tally, GaveUp> {
        let mut last = Tally::default();
        for &at in order.iter().rev() {
            if stop.is_raised() {
                return Err(GaveUp::Stopped);
            }
            last = self.tally(at);
            self.bytes += last.bytes();
            if self.bytes > MAX_BYTES {
                return Err(GaveUp::TooLarge);
            }
            self.known[at] = last.clone();
        }
        Ok(last)
    }

    fn tally(&mut self, at: usize) -> Tally {
        let node = &self.graph.nodes()[at];
        if let Some(outcome) = node.position.outcome() {
            return Tally::end(outcome);
        }
        let mut tally = Tally { nodes: BigUint::from(1_u8), ..Tally::default() };
        for &(_, to) in &node.moves {
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
    use crate::search::test_games::{Maze, Pendulum, nim};

    /// The slow oracle: visits every node of the tree.
    fn by_the_tree<G: Game>(root: &G) -> Tally {
        let extent = Extent { merged: false, size: 1_000_000, depth: 500 };
        let tree = Graph::build(root, extent, &Stop::new()).unwrap();
        let mut tally = Tally { nodes: tree.nodes().len().into(), ..Tally::default() };
        for outcome in tree.nodes().iter().filter_map(|node| node.position.outcome()) {
            tally.add(&Tally { nodes: BigUint::ZERO, ..Tally::end(outcome) });
        }
        tally
    }

    #[test]
    fn it_agrees_with_the_tree() {
        for maze in (0..100).map(Maze::new) {
            let count = count(&maze, 100_000, &Stop::new()).unwrap();
            assert_eq!(count.tally, by_the_tree(&maze));
        }
        for text in ["java-tech:12", "nim:2-3-2", "nim:3-3:misere", "nim:6", "one-two-ten"] {
            let count = count(&nim(text), 100_000, &Stop::new()).unwrap();
            assert_eq!(count.tally, by_the_tree(&nim(text)), "{text}");
        }
    }

    #[test]
    fn a_game_that_can_return_to_an_earlier_position_is_endless() {
        let count = count(&Pendulum(Side::First), 100, &Stop::new());
        assert_eq!(count, Err(GaveUp::Endless));
    }

    #[test]
    fn a_game_of_too_many_positions_is_refused() {
        let sixteen = nim(&format!("nim:{}", ["9"; 16].join("-")));
        assert_eq!(count(&sixteen, 10_000, &Stop::new()), Err(GaveUp::TooLarge));
        let stop = Stop::new();
        stop.raise();
        assert_eq!(count(&nim("nim:3-4-5"), 10_000, &stop), Err(GaveUp::Stopped));
    }

    #[test]
    fn its_positions_are_those_that_can_be_reached() {
        for text in ["nim:3-4-5", "nim:1-1-1", "zero-sum:9"] {
            let mut reached = 0;
            for_each_reachable(&nim(text), 10_000, |_| reached += 1);
            assert_eq!(count(&nim(text), 100_000, &Stop::new()).unwrap().positions, reached);
        }
    }

    #[test]
    fn its_nodes_number_as_published() {
        let nodes = |text: &str| count(&nim(text), MAX_SIZE, &Stop::new()).unwrap().tally.nodes;
        assert_eq!(nodes("java-tech:21"), BigUint::from(489_396_u32));
        assert_eq!(nodes("one-two-ten"), BigUint::from(232_u32));
        // Without a limit every pile has as many nodes as all smaller ones together, and one more.
        assert_eq!(nodes("nim:500"), BigUint::from(1_u8) << 500_u32);
    }
}
