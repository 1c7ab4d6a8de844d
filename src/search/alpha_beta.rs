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
    use crate::game::abstract_tree::AbstractTree;
    use crate::game::{Side, for_each_reachable};
    use crate::search::evaluation::{Even, Written};
    use crate::search::ordering::History;
    use crate::search::test_games::{Arbitrary, ENDGAMES, Maze, Pendulum, nim, sample, textbook};
    use crate::search::transposition::TranspositionTable;
    use crate::search::{Budget, Points, Score, Stop, Verdict, minimax};

    fn params(plies: u32, stop: &Stop) -> Params<'_, Arbitrary, ()> {
        Params { budget: Budget { nodes: u64::MAX, plies }, heuristic: Arbitrary, stop, observer: () }
    }

    /// Compares it with plain minimax in every reachable position, with this limit of plies.
    fn agrees<G: Game, W: Evaluation<G>>(root: &G, plies: u32)
    where
        Arbitrary: Heuristic<G, W>,
    {
        let stop = Stop::new();
        for_each_reachable(root, 10_000, |position| {
            let plain: Answer<W> = minimax::search(position, params(plies, &stop)).unwrap();
            let pruned: Answer<W> = search(position, params(plies, &stop)).unwrap();
            assert_eq!(pruned.value, plain.value, "{position:?} {plies}");
            assert!(pruned.nodes <= plain.nodes);
            assert!(pruned.exact || !plain.exact);
        });
    }

    /// The same with one table for all positions, which is too small for them.
    fn agrees_with_a_table<G: Game, W: Evaluation<G>>(root: &G, slots: usize)
    where
        Arbitrary: Heuristic<G, W>,
    {
        let (stop, mut table) = (Stop::new(), TranspositionTable::new(slots));
        let mut history = History::default();
        for_each_reachable(root, 10_000, |position| {
            let plain: Answer<W> = minimax::search(position, params(500, &stop)).unwrap();
            let ordering = history.clone();
            let mut search = Search { run: Run::new(params(500, &stop)), table: Some(&mut table), ordering };
            let value = search.value(position, None, 500, (W::LEAST, W::GREATEST)).unwrap();
            history = search.ordering;
            assert_eq!(value, plain.value, "{position:?}");
        });
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_mazes() {
        for maze in (0..200).map(Maze::new) {
            agrees::<_, Verdict>(&maze, 50);
            for plies in [0, 1, 3, 50] {
                agrees::<_, Score>(&maze, plies);
            }
        }
        for maze in (0..sample(60, 200)).map(Maze::new) {
            for slots in [2, 8, 1_000] {
                agrees_with_a_table::<_, Verdict>(&maze, slots);
                agrees_with_a_table::<_, Score>(&maze, slots);
            }
        }
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_nim() {
        for text in ["java-tech:12", "zero-sum:12", "one-two-ten", "nim:2-3-2", "nim:3-3:misere", "nim:6"] {
            agrees::<_, Verdict>(&nim(text), 50);
            for plies in [50, 4] {
                agrees::<_, Score>(&nim(text), plies);
            }
            agrees_with_a_table::<_, Verdict>(&nim(text), 16);
            agrees_with_a_table::<_, Score>(&nim(text), 16);
        }
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

    /// The names of the nodes that it enters, and the number of moves that it skips.
    #[derive(Default)]
    struct Seen {
        entered: Vec<String>,
        left_out: u64,
    }

    impl Observer<AbstractTree, Points> for Seen {
        fn observe(&mut self, event: Event<'_, AbstractTree, Points>) {
            match event {
                Event::Enter { position, .. } => self.entered.push(position.name().to_owned()),
                Event::Cut { left } => self.left_out += left,
                _ => {}
            }
        }
    }

    #[test]
    fn it_skips_the_parts_of_the_textbooks_tree_that_cannot_matter() {
        let (stop, mut seen) = (Stop::new(), Seen::default());
        let params =
            Params { budget: Budget::UNBOUNDED, heuristic: Written, stop: &stop, observer: &mut seen };
        let answer = search(&textbook(), params).unwrap();
        // I is worth 9 or less, and D has 10. E is worth 14 or more, and B has 10. F is worth 2, and A has
        // 10: G and all below it are left out; so are the second ends below I, L and M, and all of K.
        assert_eq!((answer.value, answer.nodes), (Points(10), 31 - 13));
        assert_eq!(seen.left_out, 5);
        for name in ["K", "k1", "k2", "G", "N", "O", "n1", "n2", "o1", "o2", "i2", "l2", "m2"] {
            assert!(!seen.entered.contains(&name.to_owned()), "{name} was entered");
        }
    }

    #[test]
    fn a_position_without_an_end_is_estimated() {
        let stop = Stop::new();
        let answer: Answer<Verdict> = search(&Pendulum(Side::First), params(9, &stop)).unwrap();
        assert_eq!(answer, Answer { value: Verdict::Draw, exact: false, nodes: 10 });
    }

    #[test]
    fn it_stops_on_the_flag() {
        let stop = Stop::new();
        stop.raise();
        let answer: Result<Answer<Score>, _> = search(&nim("nim:20-20-20"), params(500, &stop));
        assert_eq!(answer, Err(GaveUp::Stopped));
    }
}
