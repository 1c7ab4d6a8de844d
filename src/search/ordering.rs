//! Move ordering. It does not change the value that alpha-beta finds, but good moves first cause more
//! cutoffs.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::game::Game;

/// A move ordering, which may learn from the search.
pub trait MoveOrdering<G: Game> {
    /// Sorts the legal `moves` of `position`, the most promising first.
    fn sort(&self, position: &G, moves: &mut [G::Move]);

    /// Records that `mv` caused a cutoff, by a search of `plies` plies after it.
    fn record_cutoff(&mut self, mv: G::Move, plies: u32);
}

/// The order of [`Game::moves`].
#[derive(Debug, Clone, Copy, Default)]
pub struct AsListed;

impl<G: Game> MoveOrdering<G> for AsListed {
    fn sort(&self, _: &G, _: &mut [G::Move]) {}

    fn record_cutoff(&mut self, _: G::Move, _: u32) {}
}

/// The history heuristic: each cutoff adds the square of its plies to the credit of the move, and moves
/// with the most credit come first.
///
/// Source: J. Schaeffer, "The history heuristic" (1983).
#[derive(Debug, Clone)]
pub struct HistoryTable<M>(FxHashMap<M, u64>);

impl<M> Default for HistoryTable<M> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<G: Game> MoveOrdering<G> for HistoryTable<G::Move>
where
    G::Move: Hash,
{
    fn sort(&self, _: &G, moves: &mut [G::Move]) {
        // The sort is stable: equally promising moves keep their order.
        moves.sort_by_cached_key(|mv| std::cmp::Reverse(self.0.get(mv).copied().unwrap_or(0)));
    }

    fn record_cutoff(&mut self, mv: G::Move, plies: u32) {
        let credit = self.0.entry(mv).or_default();
        *credit = credit.saturating_add(u64::from(plies) * u64::from(plies));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::test_games::nim;

    fn counts(order: &impl MoveOrdering<crate::game::nim::Nim>) -> Vec<u64> {
        let root = nim("java-tech:9");
        let mut moves: Vec<_> = root.moves().collect();
        order.sort(&root, &mut moves);
        moves.iter().map(|take| take.count).collect()
    }

    #[test]
    fn moves_with_cutoffs_come_first_and_others_keep_their_order() {
        let mut history = HistoryTable::default();
        assert_eq!(counts(&AsListed), [1, 2, 3]);
        assert_eq!(counts(&history), [1, 2, 3]);
        let moves: Vec<_> = nim("java-tech:9").moves().collect();
        let order: &mut dyn MoveOrdering<crate::game::nim::Nim> = &mut history;
        order.record_cutoff(moves[1], 2);
        order.record_cutoff(moves[1], 2);
        order.record_cutoff(moves[2], 3);
        assert_eq!(counts(&history), [3, 2, 1]);
    }
}
