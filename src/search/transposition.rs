//! Alpha-beta with a transposition table: what was found out about a position is used again when another
//! line leads to it. The result means the same as that of [`super::alpha_beta`]. With a limit of plies, a
//! position that the table knows more deeply than the limit counts as the table says.
//!
//! The table has a fixed size, so it forgets, which costs time only. It compares whole positions, never only
//! hashes, so it does not mix them up. Threads can share it, and none waits: a bucket in use by another
//! thread counts as empty.
//!
//! Source: D. J. Slate and L. R. Atkin, "Chess 4.5" (1977).

use std::hash::{BuildHasher, Hash};

use parking_lot::{Mutex, MutexGuard};
use rustc_hash::FxBuildHasher;

use super::Bounded;
use super::evaluation::Heuristic;
use super::limits::GaveUp;
use super::ordering::Ordering;
use super::run::{Answer, Params, Run};
use super::run::{Event, Observer};
use crate::game::Game;

/// A map of fixed size from positions to what is known of them.
///
/// Each bucket has two slots: one keeps the entry that took the most nodes, the other the latest.
#[derive(Debug)]
pub struct TranspositionTable<K, V> {
    buckets: Box<[Mutex<Bucket<K, V>>]>,
}

#[derive(Debug)]
struct Bucket<K, V> {
    hardest: Option<Slot<K, V>>,
    latest: Option<Slot<K, V>>,
}

#[derive(Debug)]
struct Slot<K, V> {
    key: K,
    value: V,
    effort: u64,
}

impl<K: Eq + Hash, V: Clone> TranspositionTable<K, V> {
    /// An empty table of at least `slots` slots (two or more), all allocated now.
    pub fn new(slots: usize) -> Self {
        let buckets = slots.div_ceil(2).max(1);
        let empty = || Mutex::new(Bucket { hardest: None, latest: None });
        Self { buckets: (0..buckets).map(|_| empty()).collect() }
    }

    /// The entry of `key`.
    pub fn get(&self, key: &K) -> Option<V> {
        let bucket = self.bucket(key)?;
        let slots = [&bucket.hardest, &bucket.latest];
        slots.into_iter().flatten().find(|slot| slot.key == *key).map(|slot| slot.value.clone())
    }

    /// Stores an entry that took `effort` nodes, in place of an older one of the same key.
    pub fn put(&self, key: K, value: V, effort: u64) {
        let Some(mut bucket) = self.bucket(&key) else { return };
        let hardest = bucket.hardest.as_ref();
        let known = hardest.is_some_and(|hardest| hardest.key == key);
        let harder = hardest.is_none_or(|hardest| hardest.effort <= effort);
        let slot = Some(Slot { key, value, effort });
        if known {
            bucket.hardest = slot;
        } else if harder {
            bucket.latest = bucket.hardest.take();
            bucket.hardest = slot;
        } else {
            bucket.latest = slot;
        }
    }

    /// The bucket of a key, unless another thread is using it.
    fn bucket(&self, key: &K) -> Option<MutexGuard<'_, Bucket<K, V>>> {
        // The hash has no seed, so that a search is reproducible. The remainder is below a usize.
        let at = usize::try_from(FxBuildHasher.hash_one(key) % self.buckets.len() as u64).ok()?;
        self.buckets[at].try_lock()
    }
}

/// An entry of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry<M, W> {
    depth: Depth,
    bound: Bound<W>,
    /// The best move, to be tried first.
    best: Option<M>,
}

/// How deep a position was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Depth {
    /// This many plies, with estimates beyond.
    Plies(u32),
    /// To the end of the game, as far as it mattered.
    End,
}

/// A bound of a value, or the value.
#[derive(Debug, Clone, Copy)]
enum Bound<W> {
    AtLeast(W),
    Exactly(W),
    AtMost(W),
}

impl<W: Copy + Ord> Bound<W> {
    /// What a search with this window and this result has shown.
    fn shown(value: W, (alpha, beta): (W, W)) -> Self {
        if value >= beta {
            Self::AtLeast(value)
        } else if value > alpha {
            Self::Exactly(value)
        } else {
            Self::AtMost(value)
        }
    }

    /// The result of a search with this window, if this bound is enough.
    fn answer(self, (alpha, beta): (W, W)) -> Option<W> {
        match self {
            Self::AtLeast(value) => (value >= beta).then_some(value),
            Self::Exactly(value) => Some(value),
            Self::AtMost(value) => (value <= alpha).then_some(value),
        }
    }
}

/// A table for one game, one heuristic and one evaluation.
pub type Table<G, W> = TranspositionTable<G, Entry<<G as Game>::Move, W>>;

/// The value of a position, by means of a table, which is filled further.
pub fn search<G: Game, W: Bounded<G>, E: Heuristic<G, W>, T: Observer<G, W>, O: Ordering<G>>(
    position: &G,
    table: &Table<G, W>,
    ordering: O,
    params: Params<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    let plies = params.budget.plies;
    let mut search = Search { run: Run::new(params), table, ordering };
    let value = search.value(position, None, plies, (W::LEAST, W::GREATEST))?;
    Ok(search.run.answer(value))
}

/// The limit of moves that are ordered. Further moves are tried as they are listed.
const MAX_ORDERED: usize = 1_000;

/// A running search. The table and the ordering learn from one position to the next.
pub(super) struct Search<'a, G: Game, W, E, T, O> {
    pub(super) run: Run<'a, E, T>,
    pub(super) table: &'a Table<G, W>,
    pub(super) ordering: O,
}

impl<G: Game, W: Bounded<G>, E: Heuristic<G, W>, T: Observer<G, W>, O: Ordering<G>>
    Search<'_, G, W, E, T, O>
{
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
        let entry = self.table.get(position);
        if let Some(value) = self.recall(entry, plies, window) {
            self.run.leave(position, value, before);
            return Ok(value);
        }
        let nodes = self.run.nodes();
        let first = entry.and_then(|entry| entry.best);
        let (value, best) = self.best_child(position, first, plies - 1, window)?;
        let depth = if self.run.leave(position, value, before) { Depth::Plies(plies) } else { Depth::End };
        let entry = Entry { depth, bound: Bound::shown(value, window), best };
        self.table.put(position.clone(), entry, self.run.nodes() - nodes);
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
    fn ordered(&self, position: &G, first: Option<G::Move>) -> Vec<G::Move> {
        let mut moves: Vec<G::Move> = position.moves().take(MAX_ORDERED).collect();
        self.ordering.arrange(position, &mut moves);
        if let Some(at) = moves.iter().position(|&mv| Some(mv) == first) {
            moves[..=at].rotate_right(1);
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::for_each_reachable;
    use crate::search::Budget;
    use crate::search::ordering::{AsListed, History};
    use crate::search::test_games::{Arbitrary, ENDGAMES, Maze, nim, sample, textbook};
    use crate::search::{Points, Score, Stop, Value, Verdict, alpha_beta, evaluation, minimax};

    #[test]
    fn an_entry_is_found_under_its_own_key_only() {
        let table = TranspositionTable::new(1_000);
        (0..100).for_each(|key| table.put(key, key * key, 1));
        let found = (0..100).filter_map(|key| Some((key, table.get(&key)?)));
        assert!(found.clone().count() > 90);
        assert!(found.into_iter().all(|(key, value)| value == key * key));
        assert_eq!((100..200).filter_map(|key| table.get(&key)).count(), 0);
    }

    #[test]
    fn it_never_grows_beyond_its_slots() {
        let table = TranspositionTable::new(7);
        (0..1_000).for_each(|key| table.put(key, (), 1));
        assert_eq!((0..1_000).filter_map(|key| table.get(&key)).count(), 8);
    }

    #[test]
    fn one_slot_keeps_the_hardest_entry_and_one_the_latest() {
        let table = TranspositionTable::new(2);
        table.put('a', 1, 50);
        table.put('b', 2, 10);
        table.put('c', 3, 10);
        assert_eq!([table.get(&'a'), table.get(&'b'), table.get(&'c')], [Some(1), None, Some(3)]);
        table.put('d', 4, 60);
        assert_eq!([table.get(&'a'), table.get(&'c'), table.get(&'d')], [Some(1), None, Some(4)]);
    }

    #[test]
    fn a_new_entry_replaces_the_old_one_of_the_same_key() {
        let table = TranspositionTable::new(2);
        table.put('a', 1, 50);
        table.put('a', 2, 10);
        table.put('b', 3, 1);
        table.put('b', 4, 1);
        assert_eq!([table.get(&'a'), table.get(&'b')], [Some(2), Some(4)]);
    }

    #[test]
    fn threads_never_read_the_entry_of_another_key() {
        let table = TranspositionTable::new(64);
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let table = &table;
                scope.spawn(move || {
                    for step in 0..20_000 {
                        let key = (step * 7 + thread) % 300;
                        table.put(key, key * key, step % 5);
                        assert!(table.get(&(step % 300)).is_none_or(|value| value == (step % 300).pow(2)));
                    }
                });
            }
        });
    }

    fn params(plies: u32, stop: &Stop) -> Params<'_, Arbitrary, ()> {
        Params { budget: Budget { nodes: u64::MAX, plies }, heuristic: Arbitrary, stop, observer: () }
    }

    /// Compares it with plain minimax in every reachable position, with one table that is too small for all
    /// of them.
    fn agrees<G: Game, W: Bounded<G>>(root: &G, slots: usize)
    where
        Arbitrary: Heuristic<G, W>,
    {
        let (stop, table) = (Stop::new(), TranspositionTable::new(slots));
        let mut history = History::default();
        for_each_reachable(root, 10_000, |position| {
            let plain: Answer<W> = minimax::search(position, params(500, &stop)).unwrap();
            let mut search =
                Search { run: Run::new(params(500, &stop)), table: &table, ordering: history.clone() };
            let value = search.value(position, None, 500, (W::LEAST, W::GREATEST)).unwrap();
            history = search.ordering;
            assert_eq!(value, plain.value, "{position:?}");
        });
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_mazes() {
        for maze in (0..sample(60, 200)).map(Maze::new) {
            for slots in [2, 8, 1_000] {
                agrees::<_, Verdict>(&maze, slots);
                agrees::<_, Score>(&maze, slots);
            }
        }
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_nim() {
        for text in ["java-tech:12", "zero-sum:12", "one-two-ten", "nim:2-3-2", "nim:3-3:misere", "nim:6"] {
            agrees::<_, Verdict>(&nim(text), 16);
            agrees::<_, Score>(&nim(text), 16);
        }
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_positions_of_large_games() {
        // A small table for all positions.
        let (stop, table) = (Stop::new(), TranspositionTable::new(200));
        for (position, value) in &*ENDGAMES {
            let found: Answer<Score> =
                search(position, &table, History::default(), params(100, &stop)).unwrap();
            assert_eq!(found.value.decided().unwrap_or(Value::Draw), *value, "{position:?}");
        }
    }

    #[test]
    fn with_a_limit_of_plies_it_estimates_as_plain_minimax_does() {
        let stop = Stop::new();
        for maze in (0..300).map(Maze::new) {
            for plies in 0..7 {
                let plain: Answer<Score> = minimax::search(&maze, params(plies, &stop)).unwrap();
                let found: Answer<Score> =
                    search(&maze, &TranspositionTable::new(64), AsListed, params(plies, &stop)).unwrap();
                assert_eq!(found.value, plain.value, "{maze:?} {plies}");
                assert!(found.exact || !plain.exact);
            }
        }
    }

    #[test]
    fn a_deeper_search_never_uses_a_shallow_entry() {
        let stop = Stop::new();
        for maze in (0..300).map(Maze::new) {
            let table = TranspositionTable::new(64);
            for plies in 0..7 {
                let plain: Answer<Score> = minimax::search(&maze, params(plies, &stop)).unwrap();
                let found: Answer<Score> =
                    search(&maze, &table, History::default(), params(plies, &stop)).unwrap();
                assert_eq!(found.value, plain.value, "{maze:?} {plies}");
            }
        }
    }

    #[test]
    fn it_enters_fewer_positions_than_without_a_table() {
        let stop = Stop::new();
        let root = nim("java-tech:21");
        let forgetful: Answer<Verdict> = alpha_beta::search(&root, params(500, &stop)).unwrap();
        let found: Answer<Verdict> =
            search(&root, &TranspositionTable::new(100), AsListed, params(500, &stop)).unwrap();
        assert_eq!(found.value, forgetful.value);
        assert!(found.nodes * 50 < forgetful.nodes, "{} of {}", found.nodes, forgetful.nodes);
    }

    #[test]
    fn in_a_tree_without_transpositions_the_table_is_no_help() {
        let stop = Stop::new();
        let plain =
            Params { budget: Budget::UNBOUNDED, heuristic: evaluation::Even, stop: &stop, observer: () };
        let without: Answer<Points> = alpha_beta::search(&textbook(), plain.clone()).unwrap();
        assert_eq!(search(&textbook(), &TranspositionTable::new(100), AsListed, plain).unwrap(), without);
    }

    #[test]
    fn it_stops_on_the_flag() {
        let stop = Stop::new();
        stop.raise();
        let found: Result<Answer<Score>, _> =
            search(&nim("nim:9-9-9"), &TranspositionTable::new(100), AsListed, params(500, &stop));
        assert_eq!(found, Err(GaveUp::Stopped));
    }
}
