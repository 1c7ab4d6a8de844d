//! The size of a game, without building its tree: the number of nodes, of games that can be played, and of
//! their results. Each distinct position is counted once, and its numbers are used wherever it occurs.
//!
//! A single pile needs no positions: a pile of n from which a move takes 1 to k has as many nodes as the
//! piles of n − 1 to n − k together, plus one. The recurrence goes up from the empty pile and keeps k
//! numbers.

use std::collections::VecDeque;

use num_bigint::BigUint;

use super::Stop;
use super::graph::{Extent, Graph};
use super::limits::GaveUp;
use crate::game::any::Position;
use crate::game::nim::{Ending, Nim};
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

    fn subtract(&mut self, less: &Self) {
        self.nodes -= &less.nodes;
        self.draws -= &less.draws;
        for side in Side::BOTH {
            self.wins[side] -= &less.wins[side];
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

/// Counts any game from `position` on: a single pile by its recurrence, other games by their distinct
/// positions.
pub fn count(position: &Position, stop: &Stop) -> Result<Count, GaveUp> {
    match position {
        Position::Nim(nim) if nim.piles().len() == 1 => of_pile(nim).ok_or(GaveUp::TooLarge),
        _ => by_positions(position, MAX_SIZE, stop),
    }
}

/// Counts a game by its distinct positions. `size` limits positions and moves together.
pub fn by_positions<G: Game>(position: &G, size: usize, stop: &Stop) -> Result<Count, GaveUp> {
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

/// The largest pile that is counted: its numbers have about three thousand digits.
pub const MAX_PILE: u64 = 10_000;

/// The size of a game with a single pile; `None` if there are several piles, or if it is too large.
pub fn of_pile(nim: &Nim) -> Option<Count> {
    let &[pile] = nim.piles() else { return None };
    let max = nim.max().unwrap_or(pile).min(pile);
    if pile > MAX_PILE {
        return None;
    }
    let mut tally = of_pile_to_the_first(pile, max, nim.ending());
    if nim.turn() == Side::Second {
        tally.wins = tally.wins.swapped();
    }
    Some(Count { tally, positions: positions(pile, max) })
}

/// The numbers of a pile from which a move takes up to `max`, with the first side to move.
fn of_pile_to_the_first(pile: u64, max: u64, ending: Ending) -> Tally {
    let empty = Tally::end(Outcome::Win(match ending {
        Ending::Normal => Side::Second,
        Ending::Misere => Side::First,
    }));
    // The numbers of the last `max` piles, the smallest first, and their sum.
    let (mut sum, mut last) = (empty.clone(), VecDeque::from([empty]));
    for size in 1..=pile {
        // After a move the sides are swapped.
        let nodes = &sum.nodes + 1_u8;
        let next = Tally { nodes, wins: sum.wins.clone().swapped(), draws: BigUint::ZERO };
        sum.add(&next);
        last.push_back(next);
        if size >= max
            && let Some(smallest) = last.pop_front()
        {
            sum.subtract(&smallest);
        }
    }
    last.pop_back().unwrap_or_default()
}

/// The distinct positions. Every pile that is smaller by at least 2 occurs with either side to move, since 2
/// can be taken in one move or in two. If a move takes only 1, there is a single line of play.
fn positions(pile: u64, max: u64) -> u64 {
    if max <= 1 { pile + 1 } else { 2 * pile }
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
            let count = by_positions(&maze, 100_000, &Stop::new()).unwrap();
            assert_eq!(count.tally, by_the_tree(&maze));
        }
        for text in ["java-tech:12", "nim:2-3-2", "nim:3-3:misere", "nim:6", "one-two-ten"] {
            let count = by_positions(&nim(text), 100_000, &Stop::new()).unwrap();
            assert_eq!(count.tally, by_the_tree(&nim(text)), "{text}");
        }
    }

    #[test]
    fn a_game_that_can_return_to_an_earlier_position_is_endless() {
        let count = by_positions(&Pendulum(Side::First), 100, &Stop::new());
        assert_eq!(count, Err(GaveUp::Endless));
    }

    #[test]
    fn a_game_of_too_many_positions_is_refused() {
        let sixteen = nim(&format!("nim:{}", ["9"; 16].join("-")));
        assert_eq!(by_positions(&sixteen, 10_000, &Stop::new()), Err(GaveUp::TooLarge));
        let stop = Stop::new();
        stop.raise();
        assert_eq!(by_positions(&nim("nim:3-4-5"), 10_000, &stop), Err(GaveUp::Stopped));
    }

    #[test]
    fn its_positions_are_those_that_can_be_reached() {
        for text in ["nim:3-4-5", "nim:1-1-1", "zero-sum:9"] {
            let mut reached = 0;
            for_each_reachable(&nim(text), 10_000, |_| reached += 1);
            assert_eq!(by_positions(&nim(text), 100_000, &Stop::new()).unwrap().positions, reached);
        }
    }

    #[test]
    fn it_agrees_with_the_count_by_positions() {
        for ending in ["normal", "misere"] {
            for pile in 1..20 {
                for max in 1..22 {
                    let root = nim(&format!("take:{pile}:{max}:{ending}"));
                    assert_eq!(of_pile(&root), by_positions(&root, 100_000, &Stop::new()).ok(), "{root:?}");
                }
                let root = nim(&format!("nim:{pile}:{ending}"));
                assert_eq!(of_pile(&root), by_positions(&root, 100_000, &Stop::new()).ok(), "{root:?}");
            }
        }
    }

    #[test]
    fn it_counts_for_the_side_that_is_to_move() {
        let root = nim("java-tech:9");
        for mv in root.moves() {
            let child = root.play(mv).unwrap();
            assert_eq!(of_pile(&child), by_positions(&child, 100_000, &Stop::new()).ok());
        }
    }

    #[test]
    fn its_nodes_number_as_published() {
        let nodes = |text: &str| of_pile(&nim(text)).unwrap().tally.nodes;
        assert_eq!(nodes("java-tech:21"), BigUint::from(489_396_u32));
        assert_eq!(nodes("one-two-ten"), BigUint::from(232_u32));
        // Without a limit every pile has as many nodes as all smaller ones together, and one more.
        assert_eq!(nodes("nim:10000"), BigUint::from(1_u8) << 10_000_u32);
    }

    #[test]
    fn a_pile_that_is_too_large_and_several_piles_are_not_counted() {
        assert_eq!(of_pile(&nim("java-tech:10001")), None);
        assert_eq!(of_pile(&nim("nim:3-4")), None);
    }
}
