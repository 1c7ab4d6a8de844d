//! The order in which moves are tried. It does not change the result of a search, but the sooner a good move
//! is tried, the more can be left out.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::game::Game;

/// Orders moves, and may learn from the search.
pub trait Ordering<G: Game> {
    /// Sorts `moves`, which are legal in `position`: the most promising first.
    fn arrange(&self, position: &G, moves: &mut [G::Move]);

    /// Is called when `mv` was so good that the other moves of its position, searched `plies` deep, were
    /// skipped.
    fn has_cut(&mut self, mv: G::Move, plies: u32);
}

/// The order of [`Game::moves`].
#[derive(Debug, Clone, Copy, Default)]
pub struct AsListed;

impl<G: Game> Ordering<G> for AsListed {
    fn arrange(&self, _: &G, _: &mut [G::Move]) {}

    fn has_cut(&mut self, _: G::Move, _: u32) {}
}

/// Moves that caused cuts elsewhere come first: often and high up in the tree counts most.
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
        // The sort is stable: equally promising moves keep their order.
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
    use crate::search::test_games::nim;

    fn counts(order: &impl Ordering<crate::game::nim::Nim>) -> Vec<u64> {
        let root = nim("java-tech:9");
        let mut moves: Vec<_> = root.moves().collect();
        order.arrange(&root, &mut moves);
        moves.iter().map(|take| take.count).collect()
    }

    #[test]
    fn moves_with_cuts_come_first_and_others_keep_their_order() {
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
