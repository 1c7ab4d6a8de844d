//! Minimax with memoization: it searches each position once, and only one of several [equivalent
//! positions](Game::canonical), such as mirror images. It finds the exact value of every position, or gives
//! up if the game is too large.

use rustc_hash::FxHashMap;

use super::limits::{Budget, GaveUp, NodeCounter};
use super::{Stop, Tablebase, Value, children};
use crate::game::Game;

/// Solves the game from `root` on.
///
/// A game in which play can return to an earlier position is too large for any budget.
/// [`super::retrograde`] solves it.
pub fn solve<G: Game>(root: &G, budget: Budget, stop: &Stop) -> Result<Tablebase<G>, GaveUp> {
    let mut search = MemoSearch { values: FxHashMap::default(), meter: NodeCounter::new(budget, stop) };
    search.value(root, budget.plies)?;
    Ok(Tablebase(search.values))
}

struct MemoSearch<'a, G> {
    values: FxHashMap<G, Value>,
    meter: NodeCounter<'a>,
}

impl<G: Game> MemoSearch<'_, G> {
    fn value(&mut self, position: &G, plies_left: u32) -> Result<Value, GaveUp> {
        let canonical = position.canonical();
        if let Some(&known) = self.values.get(&canonical) {
            return Ok(known);
        }
        // All moves are counted before the first is played, so a position with very many moves costs
        // nothing.
        self.meter.spend(position.move_count().saturating_add(1))?;
        let value = match position.outcome() {
            Some(outcome) => Value::of(outcome, position.turn()),
            None => self.best_child(position, plies_left)?,
        };
        self.values.insert(canonical, value);
        Ok(value)
    }

    fn best_child(&mut self, position: &G, plies_left: u32) -> Result<Value, GaveUp> {
        let plies_left = plies_left.checked_sub(1).ok_or(GaveUp::TooLarge)?;
        let mut best = None;
        for (_, child) in children(position) {
            best = best.max(Some(self.value(&child, plies_left)?.for_mover()));
        }
        // A game that goes on has a move.
        Ok(best.unwrap_or(Value::Draw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Side, for_each_reachable};
    use crate::search::WHOLE_GAME;
    use crate::search::minimax::minimax;
    use crate::search::test_games::{Pendulum, nim, sample, start};

    fn solved<G: Game>(root: &G) -> Tablebase<G> {
        solve(root, WHOLE_GAME, &Stop::new()).unwrap()
    }

    /// Checks that equivalent positions have the same value, and that a canonical position is its own
    /// canonical form. Outside a campaign it compares only positions with few moves.
    fn equivalents_are_equal<G: Game>(root: &G) {
        for_each_reachable(root, 10_000, |position| {
            let canonical = position.canonical();
            if position.move_count() <= sample(4, 9) {
                assert_eq!(
                    minimax(&canonical, &Stop::new()),
                    minimax(position, &Stop::new()),
                    "{position:?}"
                );
            }
            assert_eq!(canonical.canonical(), canonical);
        });
    }

    fn distinct(text: &str) -> usize {
        let root = start(text);
        equivalents_are_equal(&root);
        solved(&root).0.len()
    }

    #[test]
    fn one_of_several_equivalent_positions_is_kept() {
        // Squares of the empty board: in a corner, on an edge, in the centre. 765 positions: Schaefer
        // (2002).
        assert_eq!(distinct("tic-tac-toe"), 765);
        assert_eq!(distinct("nim:2-2"), 6);
        assert_eq!(distinct("java-tech:9"), 10);
    }

    #[test]
    fn each_distinct_position_is_searched_once() {
        assert_eq!(solved(&nim("one-two-ten")).0.len(), 11);
    }

    #[test]
    fn an_unreachable_position_has_no_value() {
        assert_eq!(solved(&nim("java-tech:4")).value(&nim("java-tech:5")), None);
    }

    /// The error of `solve` for a game that exceeds the budget.
    fn refusal<G: Game>(root: &G, nodes: u64, plies: u32) -> GaveUp {
        solve(root, Budget { nodes, plies }, &Stop::new()).unwrap_err()
    }

    #[test]
    fn a_budget_is_kept_to_the_last_node_and_ply() {
        // Positions 2, 1 and 0, with 2 + 1 moves.
        let root = nim("take:2:2");
        assert!(solve(&root, Budget { nodes: 6, plies: 2 }, &Stop::new()).is_ok());
        assert_eq!(refusal(&root, 5, 2), GaveUp::TooLarge);
        assert_eq!(refusal(&root, 6, 1), GaveUp::TooLarge);
    }

    #[test]
    fn too_many_moves_a_long_game_and_an_endless_one_are_too_large() {
        assert_eq!(refusal(&nim("nim:1000000000000000000"), 1_000_000, 500), GaveUp::TooLarge);
        assert_eq!(refusal(&nim("take:1000000000000000000:3"), u64::MAX, 500), GaveUp::TooLarge);
        assert_eq!(refusal(&Pendulum(Side::First), u64::MAX, 500), GaveUp::TooLarge);
    }

    #[test]
    fn the_deepest_search_fits_into_a_small_stack() {
        // The default stack of a thread has 2 MB. Without optimisation the frames are several times larger.
        let stack = if cfg!(debug_assertions) { 8 << 20 } else { 1 << 20 };
        let start = start("take:500:3");
        let search = move || assert_eq!(solved(&start).0.len(), 501);
        std::thread::Builder::new().stack_size(stack).spawn(search).unwrap().join().unwrap();
    }
}
