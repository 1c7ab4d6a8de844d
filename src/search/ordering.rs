//! Opinions on which move to try first. A search finds the same with any of them, but the sooner it meets a good move,
//! the more it can leave out.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::game::Game;

/// Puts moves into the order in which they are tried, and may learn from how that went.
pub trait Ordering<G: Game> {
    /// Sorts `moves`, which are legal in `position`: the most promising first.
    fn arrange(&self, position: &G, moves: &mut [G::Move]);

    /// Is told that `mv` was so good that the rest of its position, looked at `plies` deep, could be left out.
    fn has_cut(&mut self, mv: G::Move, plies: u32);
}

/// The order in which a person would list them.
#[derive(Debug, Clone, Copy, Default)]
pub struct AsListed;

impl<G: Game> Ordering<G> for AsListed {
    fn arrange(&self, _: &G, _: &mut [G::Move]) {}

    fn has_cut(&mut self, _: G::Move, _: u32) {}
}

/// First what was good elsewhere: a move that has cut often, and high up in the tree, is likely to do so again.
///
/// Source: J. Schaeffer, "The history heuristic" (1983).
#[derive(Debug, Clone)]
pub struct History<M>(FxHashMap<M, u64>);

impl<M> Default for History<M> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<G: Game> Ordering<G> for History<G::Move>
where
    G::Move: Hash,
{
    fn arrange(&self, _: &G, moves: &mut [G::Move]) {
        // The sort keeps the listed order of moves that are equally promising.
        moves.sort_by_cached_key(|mv| std::cmp::Reverse(self.0.get(mv).copied().unwrap_or(0)));
    }

    fn has_cut(&mut self, mv: G::Move, plies: u32) {
        let credit = self.0.entry(mv).or_default();
        *credit = credit.saturating_add(u64::from(plies) * u64::from(plies));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::toy::nim;

    fn counts(order: &impl Ordering<crate::game::nim::Nim>) -> Vec<u64> {
        let root = nim("java-tech:9");
        let mut moves: Vec<_> = root.moves().collect();
        order.arrange(&root, &mut moves);
        moves.iter().map(|take| take.count).collect()
    }

    #[test]
    fn what_has_cut_high_up_comes_first_and_else_the_order_is_kept() {
        let mut history = History::default();
        assert_eq!(counts(&AsListed), [1, 2, 3]);
        assert_eq!(counts(&history), [1, 2, 3]);
        let moves: Vec<_> = nim("java-tech:9").moves().collect();
        let order: &mut dyn Ordering<crate::game::nim::Nim> = &mut history;
        order.has_cut(moves[1], 2);
        order.has_cut(moves[1], 2);
        order.has_cut(moves[2], 3);
        assert_eq!(counts(&history), [3, 2, 1]);
    }
}
