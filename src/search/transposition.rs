//! The transposition table: the results of positions that a search may reach again. Its size is fixed, so
//! it overwrites entries, which only costs time. It compares whole positions, not only hashes, so hash
//! collisions do no harm.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::game::Game;
use crate::number::saturating;

/// A hash map of fixed size from positions to results.
///
/// Each bucket has two slots: one for the entry that took the most nodes, one for the latest entry.
#[derive(Debug)]
pub struct TranspositionTable<K, V> {
    buckets: Box<[ResultBucket<K, V>]>,
}

#[derive(Debug)]
struct ResultBucket<K, V> {
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
    /// Creates an empty table with at least `slots` slots (two or more). All of them are allocated now.
    pub fn new(slots: usize) -> Self {
        let buckets = slots.div_ceil(2).max(1);
        let empty = |_| ResultBucket { hardest: None, latest: None };
        Self { buckets: (0..buckets).map(empty).collect() }
    }

    /// The entry of `key`.
    pub fn get(&self, key: &K) -> Option<V> {
        let bucket = &self.buckets[self.bucket(key)];
        let slots = [&bucket.hardest, &bucket.latest];
        slots.into_iter().flatten().find(|slot| slot.key == *key).map(|slot| slot.value.clone())
    }

    /// Stores an entry that took `effort` nodes. It replaces an older entry of the same key.
    pub fn insert(&mut self, key: K, value: V, effort: u64) {
        let at = self.bucket(&key);
        let bucket = &mut self.buckets[at];
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

    /// The index of the bucket of a key.
    fn bucket(&self, key: &K) -> usize {
        // The hash has no seed, so that a search is reproducible.
        saturating(FxBuildHasher.hash_one(key) % self.buckets.len() as u64)
    }
}

/// An entry of the table.
#[derive(Debug, Clone, Copy)]
pub struct TableEntry<M, W> {
    pub(super) depth: Depth,
    pub(super) bound: Bound<W>,
    /// The hash move: the best move, which is searched first.
    pub(super) best: Option<M>,
}

/// How deep a position was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    /// This many plies, with estimates beyond.
    Plies(u32),
    /// To the end of the game, in every line that was not pruned.
    End,
}

/// A bound of a value, or the exact value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound<W> {
    Lower(W),
    Exact(W),
    Upper(W),
}

impl<W: Copy + Ord> Bound<W> {
    /// The bound that a search with this window proves by its result.
    pub(super) fn of(value: W, (alpha, beta): (W, W)) -> Self {
        if value >= beta {
            Self::Lower(value)
        } else if value > alpha {
            Self::Exact(value)
        } else {
            Self::Upper(value)
        }
    }

    /// The result of a search with this window, if this bound decides it.
    pub(super) fn answer(self, (alpha, beta): (W, W)) -> Option<W> {
        match self {
            Self::Lower(value) => (value >= beta).then_some(value),
            Self::Exact(value) => Some(value),
            Self::Upper(value) => (value <= alpha).then_some(value),
        }
    }
}

/// A transposition table for one game, one heuristic and one value type.
pub type ResultTable<G, W> = TranspositionTable<G, TableEntry<<G as Game>::Move, W>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_under_its_own_key_only() {
        let mut table = TranspositionTable::new(1_000);
        (0..100).for_each(|key| table.insert(key, key * key, 1));
        let found = (0..100).filter_map(|key| Some((key, table.get(&key)?)));
        assert!(found.clone().count() > 90);
        assert!(found.into_iter().all(|(key, value)| value == key * key));
        assert_eq!((100..200).filter_map(|key| table.get(&key)).count(), 0);
    }

    #[test]
    fn it_never_grows_beyond_its_slots() {
        let mut table = TranspositionTable::new(7);
        (0..1_000).for_each(|key| table.insert(key, (), 1));
        assert_eq!((0..1_000).filter_map(|key| table.get(&key)).count(), 8);
    }

    #[test]
    fn one_slot_keeps_the_hardest_entry_and_one_the_latest() {
        let mut table = TranspositionTable::new(2);
        table.insert('a', 1, 50);
        table.insert('b', 2, 10);
        table.insert('c', 3, 10);
        assert_eq!([table.get(&'a'), table.get(&'b'), table.get(&'c')], [Some(1), None, Some(3)]);
        table.insert('d', 4, 60);
        assert_eq!([table.get(&'a'), table.get(&'c'), table.get(&'d')], [Some(1), None, Some(4)]);
    }

    #[test]
    fn a_new_entry_replaces_the_old_one_of_the_same_key() {
        let mut table = TranspositionTable::new(2);
        table.insert('a', 1, 50);
        table.insert('a', 2, 10);
        table.insert('b', 3, 1);
        table.insert('b', 4, 1);
        assert_eq!([table.get(&'a'), table.get(&'b')], [Some(2), Some(4)]);
    }
}
