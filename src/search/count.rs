//! The size of a game tree: its nodes, the games that can be played, and their results. The tree is not
//! built: each distinct position is counted once, and its counts are added wherever it occurs.

use num_bigint::BigUint;

use super::Stop;
use super::graph::{Extent, Graph};
use super::limits::GaveUp;
use crate::game::{BySide, Game, Outcome, Side};

/// The size of a game from one position on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    /// The counts of the tree.
    pub tally: Tally,
    /// The distinct positions that can be reached.
    pub positions: u64,
}

/// The counts of a tree, in which each line of play is a separate path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// All nodes, including the root and the leaves.
    pub nodes: BigUint,
    /// The games that end with a win for each side.
    pub wins: BySide<BigUint>,
    /// The games that end without a winner.
    pub draws: BigUint,
}

impl Tally {
    /// The games that can be played: paths from the root to a leaf.
    pub fn games(&self) -> BigUint {
        &self.wins.first + &self.wins.second + &self.draws
    }

    /// The counts of a single node; `outcome` is `None` while the game goes on.
    fn of(outcome: Option<Outcome>) -> Self {
        let one = || BigUint::from(1_u8);
        let mut tally = Self { nodes: one(), ..Self::default() };
        match outcome {
            None => {}
            Some(Outcome::Draw) => tally.draws = one(),
            Some(Outcome::Win(side)) => tally.wins[side] = one(),
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

    /// The approximate memory of the counts, in bytes.
    fn bytes(&self) -> u64 {
        [&self.nodes, &self.draws, &self.wins.first, &self.wins.second]
            .map(|number| number.bits() / 8)
            .iter()
            .sum()
    }
}

/// A limit of distinct positions and moves that takes a few seconds and a few hundred megabytes.
pub const MAX_SIZE: usize = 1_000_000;
/// The limit of memory for all counts, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Counts any game from `position` on. `size` limits its distinct positions and their moves together.
pub fn count<G: Game>(position: &G, size: usize, stop: &Stop) -> Result<Count, GaveUp> {
    let graph = Graph::build(position, Extent { merged: true, size, depth: u32::MAX }, stop)?;
    let mut tallies = vec![Tally::default(); graph.nodes().len()];
    let mut bytes = 0;
    // In reverse topological order children come before their parents, so the root comes last.
    for at in graph.topological_order().ok_or(GaveUp::Endless)?.into_iter().rev() {
        if stop.is_raised() {
            return Err(GaveUp::Stopped);
        }
        let node = &graph.nodes()[at];
        let mut tally = Tally::of(node.position.outcome());
        node.moves.iter().for_each(|&(_, to)| tally.add(&tallies[to]));
        bytes += tally.bytes();
        if bytes > MAX_BYTES {
            return Err(GaveUp::TooLarge);
        }
        tallies[at] = tally;
    }
    Ok(Count { positions: tallies.len() as u64, tally: tallies.swap_remove(0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::test_games::{Pendulum, nim};

    #[test]
    fn a_game_that_can_return_to_an_earlier_position_is_endless() {
        let count = count(&Pendulum(Side::First), 100, &Stop::new());
        assert_eq!(count, Err(GaveUp::Endless));
    }

    #[test]
    fn a_game_of_too_many_positions_is_refused() {
        let sixteen = nim(&format!("nim:{}", ["9"; 16].join("-")));
        assert_eq!(count(&sixteen, 10_000, &Stop::new()), Err(GaveUp::TooLarge));
    }

    #[test]
    fn the_number_of_nodes_is_as_published() {
        let nodes = |text: &str| count(&nim(text), MAX_SIZE, &Stop::new()).unwrap().tally.nodes;
        // The tree of a pile has one node more than the trees of all smaller piles together.
        assert_eq!(nodes("nim:500"), BigUint::from(1_u8) << 500_u32);
    }
}
