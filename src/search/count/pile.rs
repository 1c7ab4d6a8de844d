//! The size of a game with a single pile, by a recurrence: a pile of n that a move takes 1 to k from has as many nodes
//! as the piles of n − 1 to n − k together, and one more. It goes up from the empty pile and keeps k numbers.

use std::collections::VecDeque;

use num_bigint::BigUint;

use super::{Count, Tally};
use crate::game::nim::{Ending, Nim};
use crate::game::{BySide, Game};

/// The largest pile that is counted: its numbers have some three thousand digits.
pub const MAX_PILE: u64 = 10_000;

/// The size of the game; `None` if there is more than one pile, or if it is too large.
pub fn count(nim: &Nim) -> Option<Count> {
    let &[pile] = nim.piles() else { return None };
    let max = nim.max().unwrap_or(pile).min(pile);
    if pile > MAX_PILE {
        return None;
    }
    let tree = Window::new(nim.ending()).up_to(pile, max);
    let [mover, other] = [tree.mover_wins, tree.other_wins];
    let wins = match nim.turn() {
        crate::game::Side::First => BySide { first: mover, second: other },
        crate::game::Side::Second => BySide { first: other, second: mover },
    };
    let tally = Tally { nodes: tree.nodes, wins, draws: BigUint::ZERO };
    Some(Count { tally, positions: positions(pile, max) })
}

/// The distinct positions: below the pile itself and the one that is 1 smaller, every pile comes up with either side
/// to move, for a move of 2 can be made as two of 1. Where a move takes 1 only, there is a single way down.
fn positions(pile: u64, max: u64) -> u64 {
    if max <= 1 { pile + 1 } else { 2 * pile }
}

/// The numbers of one pile, as the side to move sees them.
#[derive(Clone, Default)]
struct Numbers {
    nodes: BigUint,
    mover_wins: BigUint,
    other_wins: BigUint,
}

/// The numbers of the largest piles so far, the smallest of them first, and their sum.
struct Window {
    piles: VecDeque<Numbers>,
    sum: Numbers,
}

impl Window {
    /// The empty pile: one node, and the game is over.
    fn new(ending: Ending) -> Self {
        let won = |by| BigUint::from(u8::from(ending == by));
        let empty = Numbers {
            nodes: BigUint::from(1_u8),
            mover_wins: won(Ending::Misere),
            other_wins: won(Ending::Normal),
        };
        Self { piles: VecDeque::from([empty.clone()]), sum: empty }
    }

    /// The numbers of a pile that a move takes up to `max` from.
    fn up_to(mut self, pile: u64, max: u64) -> Numbers {
        for size in 1..=pile {
            // What a move leaves is the other side's to move in.
            let next = Numbers {
                nodes: &self.sum.nodes + 1_u8,
                mover_wins: self.sum.other_wins.clone(),
                other_wins: self.sum.mover_wins.clone(),
            };
            self.push(next);
            if size >= max {
                self.drop_smallest();
            }
        }
        self.piles.pop_back().unwrap_or_default()
    }

    fn push(&mut self, numbers: Numbers) {
        self.sum.nodes += &numbers.nodes;
        self.sum.mover_wins += &numbers.mover_wins;
        self.sum.other_wins += &numbers.other_wins;
        self.piles.push_back(numbers);
    }

    fn drop_smallest(&mut self) {
        if let Some(smallest) = self.piles.pop_front() {
            self.sum.nodes -= smallest.nodes;
            self.sum.mover_wins -= smallest.mover_wins;
            self.sum.other_wins -= smallest.other_wins;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Stop;
    use crate::search::count::by_positions;
    use crate::search::toy::nim;

    #[test]
    fn it_agrees_with_the_count_by_positions() {
        for ending in ["normal", "misere"] {
            for pile in 1..20 {
                for max in 1..22 {
                    let root = nim(&format!("take:{pile}:{max}:{ending}"));
                    assert_eq!(count(&root), by_positions(&root, 100_000, &Stop::new()).ok(), "{root:?}");
                }
                let root = nim(&format!("nim:{pile}:{ending}"));
                assert_eq!(count(&root), by_positions(&root, 100_000, &Stop::new()).ok(), "{root:?}");
            }
        }
    }

    #[test]
    fn it_counts_for_the_side_that_is_to_move() {
        let root = nim("java-tech:9");
        for mv in root.moves() {
            let child = root.play(mv).unwrap();
            assert_eq!(count(&child), by_positions(&child, 100_000, &Stop::new()).ok());
        }
    }

    #[test]
    fn its_nodes_number_as_published() {
        let nodes = |text: &str| count(&nim(text)).unwrap().tally.nodes;
        assert_eq!(nodes("java-tech:21"), BigUint::from(489_396_u32));
        assert_eq!(nodes("one-two-ten"), BigUint::from(232_u32));
        // Without a limit every pile has as many nodes as all smaller ones together, and one more.
        assert_eq!(nodes("nim:10000"), BigUint::from(1_u8) << 10_000_u32);
    }

    #[test]
    fn a_pile_that_is_too_large_and_several_piles_are_not_counted() {
        assert_eq!(count(&nim("java-tech:10001")), None);
        assert_eq!(count(&nim("nim:3-4")), None);
    }
}
