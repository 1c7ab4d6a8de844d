//! Alpha-beta: minimax that leaves out what cannot matter. Once a side has a better choice elsewhere, the
//! rest of a position is skipped. For a window `(alpha, beta)` the result is exact if it lies between the
//! two. A result of alpha or less is an upper bound, a result of beta or more a lower bound.
//!
//! With a [transposition table](super::transposition), what was found out about a position is used again
//! when another line leads to it. With a limit of plies, a position that the table knows more deeply than the
//! limit counts as the table says.
//!
//! Sources: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning" (1975), in the negamax form;
//! D. J. Slate and L. R. Atkin, "Chess 4.5" (1977).

use smallvec::SmallVec;

use super::Evaluation;
use super::evaluation::Heuristic;
use super::limits::GaveUp;
use super::ordering::{AsListed, Ordering};
use super::run::{Answer, Event, Observer, Params, Run};
use super::transposition::{Bound, Depth, Entry, Table};
use crate::game::Game;

/// The value of a position, as minimax finds it, in less time. Moves are tried in the order of
/// [`Game::moves`].
pub fn search<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>>(
    position: &G,
    params: Params<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    Search { run: Run::new(params), table: None, ordering: AsListed }.answer(position)
}

/// The same by means of a table, which is filled further, with moves tried in this order.
pub fn search_with<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>, O: Ordering<G>>(
    position: &G,
    table: &mut Table<G, W>,
    ordering: O,
    params: Params<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    Search { run: Run::new(params), table: Some(table), ordering }.answer(position)
}

/// The limit of moves that are ordered. Further moves are tried as they are listed.
const MAX_ORDERED: usize = 1_000;

/// A running search. The table and the ordering learn from one position to the next.
pub(super) struct Search<'a, G: Game, W, E, T, O> {
    pub(super) run: Run<'a, E, T>,
    pub(super) table: Option<&'a mut Table<G, W>>,
    pub(super) ordering: O,
}

impl<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>, O: Ordering<G>>
    Search<'_, G, W, E, T, O>
{
    fn answer(mut self, position: &G) -> Result<Answer<W>, GaveUp> {
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
        if let Some(value) = self.run.bottom(position, plies) {
            self.run.leave(position, value, before);
            return Ok(value);
        }
        let entry = self.table.as_ref().and_then(|table| table.get(position));
        if let Some(value) = self.recall(entry, plies, window) {
            self.run.leave(position, value, before);
            return Ok(value);
        }
        let nodes = self.run.nodes();
        let first = entry.and_then(|entry| entry.best);
        let (value, best) = self.best_child(position, first, plies - 1, window)?;
        let depth = if self.run.leave(position, value, before) { Depth::Plies(plies) } else { Depth::End };
        if let Some(table) = &mut self.table {
            let entry = Entry { depth, bound: Bound::shown(value, window), best };
            table.put(position.clone(), entry, self.run.nodes() - nodes);
        }
        Ok(value)
    }

    /// The value of a position by its entry, if that is deep enough and answers the window.
    fn recall(&mut self, entry: Option<Entry<G::Move, W>>, plies: u32, window: (W, W)) -> Option<W> {
        let entry = entry.filter(|entry| entry.depth >= Depth::Plies(plies))?;
        let value = entry.bound.answer(window)?;
        if entry.depth != Depth::End {
            self.run.recall_estimate();
        }
        self.run.observe::<G, W>(Event::Known);
        Some(value)
    }

    /// The value of the best child, and the move to it.
    fn best_child(
        &mut self,
        position: &G,
        first: Option<G::Move>,
        plies: u32,
        (mut alpha, beta): (W, W),
    ) -> Result<(W, Option<G::Move>), GaveUp> {
        let mut best: Option<(W, G::Move)> = None;
        let mut left = position.move_count();
        for mv in self.ordered(position, first).into_iter().chain(position.moves().skip(MAX_ORDERED)) {
            // `moves` yields legal moves only, so nothing is left out.
            let Ok(child) = position.play(mv) else { continue };
            left -= 1;
            let window = (beta.for_replier(), alpha.for_replier());
            let value = self.value(&child, Some(mv), plies, window)?.for_mover();
            if best.is_none_or(|(best, _)| value > best) {
                best = Some((value, mv));
            }
            if value > alpha {
                alpha = value;
                self.run.observe(Event::Better { mv, value });
            }
            if alpha >= beta {
                self.ordering.has_cut(mv, plies);
                if left > 0 {
                    self.run.observe::<G, W>(Event::Cut { left });
                }
                break;
            }
        }
        Ok(best.map_or((W::EVEN, None), |(value, mv)| (value, Some(mv))))
    }

    /// The moves in the order in which they are tried: the best one of the entry first.
    fn ordered(&self, position: &G, first: Option<G::Move>) -> SmallVec<[G::Move; 16]> {
        let mut moves: SmallVec<_> = position.moves().take(MAX_ORDERED).collect();
        self.ordering.arrange(position, &mut moves);
        if let Some(first) = first
            && let Some(at) = moves.iter().position(|&mv| mv == first)
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
    use crate::search::ordering::History;
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
            let found: Answer<Score> = search(position, params(100, &stop)).unwrap();
            let recalled: Answer<Score> =
                search_with(position, &mut table, History::default(), params(100, &stop)).unwrap();
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
                let plain: Answer<Score> = minimax::search(&maze, params(plies, &stop)).unwrap();
                let mut table = TranspositionTable::new(64);
                let found: Answer<Score> =
                    search_with(&maze, &mut table, AsListed, params(plies, &stop)).unwrap();
                assert_eq!(found.value, plain.value, "{maze:?} {plies}");
                assert!(found.exact || !plain.exact);
                let deeper: Answer<Score> =
                    search_with(&maze, &mut kept, History::default(), params(plies, &stop)).unwrap();
                assert_eq!(deeper.value, plain.value, "{maze:?} {plies}");
            }
        }
    }

    #[test]
    fn it_enters_fewer_positions_with_a_table() {
        let stop = Stop::new();
        let root = nim("java-tech:21");
        let forgetful: Answer<Verdict> = search(&root, params(500, &stop)).unwrap();
        let mut table = TranspositionTable::new(100);
        let found: Answer<Verdict> = search_with(&root, &mut table, AsListed, params(500, &stop)).unwrap();
        assert_eq!(found.value, forgetful.value);
        assert!(found.nodes * 50 < forgetful.nodes, "{} of {}", found.nodes, forgetful.nodes);
    }

    #[test]
    fn in_a_tree_without_transpositions_the_table_is_no_help() {
        let (stop, mut table) = (Stop::new(), TranspositionTable::new(100));
        let plain = Params { budget: Budget::UNBOUNDED, heuristic: Even, stop: &stop, observer: () };
        let without: Answer<Points> = search(&textbook(), plain.clone()).unwrap();
        assert_eq!(search_with(&textbook(), &mut table, AsListed, plain).unwrap(), without);
    }

    #[test]
    fn a_position_without_an_end_is_estimated() {
        let stop = Stop::new();
        let answer: Answer<Verdict> = search(&Pendulum(Side::First), params(9, &stop)).unwrap();
        assert_eq!(answer, Answer { value: Verdict::Draw, exact: false, nodes: 10 });
    }
}
