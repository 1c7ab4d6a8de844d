//! What is known of positions that a search may meet again, in a table of fixed size. It forgets, which costs
//! time only. It compares whole positions, never only hashes, so it does not mix them up.

use std::hash::{BuildHasher, Hash};

use rustc_hash::FxBuildHasher;

use crate::game::Game;
use crate::number::saturating;

/// A map of fixed size from positions to what is known of them.
///
/// Each bucket has two slots: one keeps the entry that took the most nodes, the other the latest.
#[derive(Debug)]
pub struct TranspositionTable<K, V> {
    buckets: Box<[Bucket<K, V>]>,
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
        let empty = |_| Bucket { hardest: None, latest: None };
        Self { buckets: (0..buckets).map(empty).collect() }
    }

    /// The entry of `key`.
    pub fn get(&self, key: &K) -> Option<V> {
        let bucket = &self.buckets[self.bucket(key)];
        let slots = [&bucket.hardest, &bucket.latest];
        slots.into_iter().flatten().find(|slot| slot.key == *key).map(|slot| slot.value.clone())
    }

    /// Stores an entry that took `effort` nodes, in place of an older one of the same key.
    pub fn put(&mut self, key: K, value: V, effort: u64) {
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
pub struct Entry<M, W> {
    pub(super) depth: Depth,
    pub(super) bound: Bound<W>,
    /// The best move, to be tried first.
    pub(super) best: Option<M>,
}

/// How deep a position was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Depth {
    /// This many plies, with estimates beyond.
    Plies(u32),
    /// To the end of the game, as far as it mattered.
    End,
}

/// A bound of a value, or the value.
#[derive(Debug, Clone, Copy)]
pub(super) enum Bound<W> {
    AtLeast(W),
    Exactly(W),
    AtMost(W),
}

impl<W: Copy + Ord> Bound<W> {
    /// What a search with this window and this result has shown.
    pub(super) fn shown(value: W, (alpha, beta): (W, W)) -> Self {
        if value >= beta {
            Self::AtLeast(value)
        } else if value > alpha {
            Self::Exactly(value)
        } else {
            Self::AtMost(value)
        }
    }

    /// The result of a search with this window, if this bound is enough.
    pub(super) fn answer(self, (alpha, beta): (W, W)) -> Option<W> {
        match self {
            Self::AtLeast(value) => (value >= beta).then_some(value),
            Self::Exactly(value) => Some(value),
            Self::AtMost(value) => (value <= alpha).then_some(value),
        }
    }
}

/// A table for one game, one heuristic and one evaluation.
pub type Table<G, W> = TranspositionTable<G, Entry<<G as Game>::Move, W>>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_under_its_own_key_only() {
        let mut table = TranspositionTable::new(1_000);
        (0..100).for_each(|key| table.put(key, key * key, 1));
        let found = (0..100).filter_map(|key| Some((key, table.get(&key)?)));
        assert!(found.clone().count() > 90);
        assert!(found.into_iter().all(|(key, value)| value == key * key));
        assert_eq!((100..200).filter_map(|key| table.get(&key)).count(), 0);
    }

    #[test]
    fn it_never_grows_beyond_its_slots() {
        let mut table = TranspositionTable::new(7);
        (0..1_000).for_each(|key| table.put(key, (), 1));
        assert_eq!((0..1_000).filter_map(|key| table.get(&key)).count(), 8);
    }

    #[test]
    fn one_slot_keeps_the_hardest_entry_and_one_the_latest() {
        let mut table = TranspositionTable::new(2);
        table.put('a', 1, 50);
        table.put('b', 2, 10);
        table.put('c', 3, 10);
        assert_eq!([table.get(&'a'), table.get(&'b'), table.get(&'c')], [Some(1), None, Some(3)]);
        table.put('d', 4, 60);
        assert_eq!([table.get(&'a'), table.get(&'c'), table.get(&'d')], [Some(1), None, Some(4)]);
    }

    #[test]
    fn a_new_entry_replaces_the_old_one_of_the_same_key() {
        let mut table = TranspositionTable::new(2);
        table.put('a', 1, 50);
        table.put('a', 2, 10);
        table.put('b', 3, 1);
        table.put('b', 4, 1);
        assert_eq!([table.get(&'a'), table.get(&'b')], [Some(2), Some(4)]);
    }
}
