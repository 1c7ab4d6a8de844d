//! Alpha-beta: minimax that prunes moves that cannot change the result. Once a side has a better choice
//! elsewhere, the other moves of a position are skipped (a cutoff). The search is fail-soft: for a window
//! `(alpha, beta)` a result between the two is exact, a result of alpha or less is an upper bound, and a
//! result of beta or more is a lower bound.
//!
//! With a [transposition table](super::transposition), the result of a position is reused when another line
//! leads to it. An entry may be deeper than the limit of plies requires; its result is used all the same.
//!
//! Sources: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning" (1975), in the negamax form;
//! D. J. Slate and L. R. Atkin, "Chess 4.5" (1977).

use smallvec::SmallVec;

use super::Evaluation;
use super::evaluation::Heuristic;
use super::limits::GaveUp;
use super::ordering::{AsListed, MoveOrdering};
use super::run::{Observer, Params, SearchResult, SearchRun, SearchStep};
use super::transposition::{Bound, Depth, ResultTable, TableEntry};
use crate::game::Game;

/// Returns the value that minimax finds, in fewer nodes. Moves are searched in the order of
/// [`Game::moves`].
pub fn search<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>>(
    position: &G,
    params: Params<'_, E, T>,
) -> Result<SearchResult<W>, GaveUp> {
    AlphaBeta { run: SearchRun::new(params), table: None, ordering: AsListed }.answer(position)
}

/// Searches with a transposition table, which may have entries of earlier searches, and with a move
/// ordering.
pub fn search_with<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>, O: MoveOrdering<G>>(
    position: &G,
    table: &mut ResultTable<G, W>,
    ordering: O,
    params: Params<'_, E, T>,
) -> Result<SearchResult<W>, GaveUp> {
    AlphaBeta { run: SearchRun::new(params), table: Some(table), ordering }.answer(position)
}

/// The limit of moves that are ordered. Further moves are searched in their listed order.
const MAX_ORDERED: usize = 1_000;

/// A running search. The table and the move ordering learn from one position to the next.
pub(super) struct AlphaBeta<'a, G: Game, W, E, T, O> {
    pub(super) run: SearchRun<'a, E, T>,
    pub(super) table: Option<&'a mut ResultTable<G, W>>,
    pub(super) ordering: O,
}

impl<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>, O: MoveOrdering<G>>
    AlphaBeta<'_, G, W, E, T, O>
{
    fn answer(mut self, position: &G) -> Result<SearchResult<W>, GaveUp> {
        let value = self.value(position, None, self.run.plies(), (W::LEAST, W::GREATEST))?;
        Ok(self.run.answer(value))
    }

    /// The value of `position` for the side to move there, as exact as the window requires.
    pub(super) fn value(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        plies: u32,
        window: (W, W),
    ) -> Result<W, GaveUp> {
        let before = self.run.enter(position, by, Some(window))?;
        if let Some(value) = self.run.leaf_value(position, plies) {
            self.run.leave(position, value, before);
            return Ok(value);
        }
        let entry = self.table.as_ref().and_then(|table| table.get(position));
        if let Some(value) = self.probe(entry, plies, window) {
            self.run.leave(position, value, before);
            return Ok(value);
        }
        let nodes = self.run.nodes();
        let hash_move = entry.and_then(|entry| entry.best);
        let (value, best) = self.best_child(position, hash_move, plies - 1, window)?;
        let depth = if self.run.leave(position, value, before) { Depth::Plies(plies) } else { Depth::End };
        if let Some(table) = &mut self.table {
            let entry = TableEntry { depth, bound: Bound::of(value, window), best };
            table.insert(position.clone(), entry, self.run.nodes() - nodes);
        }
        Ok(value)
    }

    /// The value of a position by its table entry, if that is deep enough and decides the window.
    fn probe(&mut self, entry: Option<TableEntry<G::Move, W>>, plies: u32, window: (W, W)) -> Option<W> {
        let entry = entry.filter(|entry| entry.depth >= Depth::Plies(plies))?;
        let value = entry.bound.answer(window)?;
        if entry.depth != Depth::End {
            self.run.note_estimate();
        }
        self.run.observe::<G, W>(SearchStep::TableHit);
        Some(value)
    }

    /// The value of the best child, and the move to it.
    fn best_child(
        &mut self,
        position: &G,
        hash_move: Option<G::Move>,
        plies: u32,
        (mut alpha, beta): (W, W),
    ) -> Result<(W, Option<G::Move>), GaveUp> {
        let mut best: Option<(W, G::Move)> = None;
        let mut left = position.move_count();
        for mv in
            self.ordered_moves(position, hash_move).into_iter().chain(position.moves().skip(MAX_ORDERED))
        {
            // `moves` yields only legal moves, so this skips none.
            let Ok(child) = position.play(mv) else { continue };
            left -= 1;
            let window = (beta.for_replier(), alpha.for_replier());
            let value = self.value(&child, Some(mv), plies, window)?.for_mover();
            if best.is_none_or(|(best, _)| value > best) {
                best = Some((value, mv));
            }
            if value > alpha {
                alpha = value;
                self.run.observe(SearchStep::NewBest { mv, value });
            }
            if alpha >= beta {
                self.ordering.record_cutoff(mv, plies);
                if left > 0 {
                    self.run.observe::<G, W>(SearchStep::Cutoff { skipped: left });
                }
                break;
            }
        }
        Ok(best.map_or((W::EVEN, None), |(value, mv)| (value, Some(mv))))
    }

    /// The first [`MAX_ORDERED`] moves in search order: the hash move first.
    fn ordered_moves(&self, position: &G, hash_move: Option<G::Move>) -> SmallVec<[G::Move; 16]> {
        let mut moves: SmallVec<_> = position.moves().take(MAX_ORDERED).collect();
        self.ordering.sort(position, &mut moves);
        if let Some(hash_move) = hash_move
            && let Some(at) = moves.iter().position(|&mv| mv == hash_move)
        {
            moves[..=at].rotate_right(1);
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::search::evaluation::Even;
    use crate::search::ordering::HistoryTable;
    use crate::search::test_games::{Arbitrary, ENDGAMES, Maze, Pendulum, nim, textbook};
    use crate::search::transposition::TranspositionTable;
    use crate::search::{Budget, Points, Score, Stop, Verdict, minimax};

    fn params(plies: u32, stop: &Stop) -> Params<'_, Arbitrary, ()> {
        Params { budget: Budget { nodes: u64::MAX, plies }, heuristic: Arbitrary, stop, observer: () }
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_positions_of_large_games() {
        // A small table for all positions.
        let (stop, mut table) = (Stop::new(), TranspositionTable::new(200));
        for (position, value) in &*ENDGAMES {
            let found: SearchResult<Score> = search(position, params(100, &stop)).unwrap();
            let recalled: SearchResult<Score> =
                search_with(position, &mut table, HistoryTable::default(), params(100, &stop)).unwrap();
            for found in [found, recalled] {
                assert_eq!(found.value.value(), *value, "{position:?}");
            }
        }
    }

    #[test]
    fn with_a_limit_of_plies_it_estimates_as_plain_minimax_and_never_uses_a_shallow_entry() {
        let stop = Stop::new();
        for maze in (0..300).map(Maze::new) {
            let mut kept = TranspositionTable::new(64);
            for plies in 0..7 {
                let plain: SearchResult<Score> = minimax::search(&maze, params(plies, &stop)).unwrap();
                let mut table = TranspositionTable::new(64);
                let found: SearchResult<Score> =
                    search_with(&maze, &mut table, AsListed, params(plies, &stop)).unwrap();
                assert_eq!(found.value, plain.value, "{maze:?} {plies}");
                assert!(found.exact || !plain.exact);
                let deeper: SearchResult<Score> =
                    search_with(&maze, &mut kept, HistoryTable::default(), params(plies, &stop)).unwrap();
                assert_eq!(deeper.value, plain.value, "{maze:?} {plies}");
            }
        }
    }

    #[test]
    fn it_enters_fewer_positions_with_a_table() {
        let stop = Stop::new();
        let root = nim("java-tech:21");
        let forgetful: SearchResult<Verdict> = search(&root, params(500, &stop)).unwrap();
        let mut table = TranspositionTable::new(100);
        let found: SearchResult<Verdict> =
            search_with(&root, &mut table, AsListed, params(500, &stop)).unwrap();
        assert_eq!(found.value, forgetful.value);
        assert!(found.nodes * 50 < forgetful.nodes, "{} of {}", found.nodes, forgetful.nodes);
    }

    #[test]
    fn in_a_tree_without_transpositions_the_table_is_no_help() {
        let (stop, mut table) = (Stop::new(), TranspositionTable::new(100));
        let plain = Params { budget: Budget::UNBOUNDED, heuristic: Even, stop: &stop, observer: () };
        let without: SearchResult<Points> = search(&textbook(), plain.clone()).unwrap();
        assert_eq!(search_with(&textbook(), &mut table, AsListed, plain).unwrap(), without);
    }

    #[test]
    fn a_position_without_an_end_is_estimated() {
        let stop = Stop::new();
        let answer: SearchResult<Verdict> = search(&Pendulum(Side::First), params(9, &stop)).unwrap();
        assert_eq!(answer, SearchResult { value: Verdict::Draw, exact: false, nodes: 10 });
    }
}
