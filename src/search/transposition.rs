//! A memory of fixed size for what has been found out about positions. What is asked for is compared with the whole
//! position, so that no answer belongs to another one; what is forgotten only costs time. It does not know what is
//! kept.
//!
//! Several threads may share it. None ever waits: a place that another one is busy with counts as empty.

use std::hash::{BuildHasher, Hash};
use std::sync::{Mutex, MutexGuard, TryLockError};

use rustc_hash::FxBuildHasher;

/// A table from positions to what is known of them.
///
/// Each position has two slots to go to. The first keeps what was hardest to find out; the second, what came last.
#[derive(Debug)]
pub struct Transpositions<K, V> {
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

impl<K: Eq + Hash, V: Clone> Transpositions<K, V> {
    /// An empty table of at least `slots` slots, two or more; all its memory is taken now.
    pub fn new(slots: usize) -> Self {
        let buckets = slots.div_ceil(2).max(1);
        let empty = || Mutex::new(Bucket { hardest: None, latest: None });
        Self { buckets: (0..buckets).map(|_| empty()).collect() }
    }

    /// What is known of `key`.
    pub fn get(&self, key: &K) -> Option<V> {
        let bucket = self.bucket(key)?;
        let slots = [&bucket.hardest, &bucket.latest];
        slots.into_iter().flatten().find(|slot| slot.key == *key).map(|slot| slot.value.clone())
    }

    /// Keeps what was found out about `key` at the cost of `effort` nodes, instead of what was known of it before.
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

    /// The bucket that a key belongs to, unless another thread is busy with it.
    fn bucket(&self, key: &K) -> Option<MutexGuard<'_, Bucket<K, V>>> {
        // The hash has no seed, so that the same search forgets the same positions every time.
        // The remainder is below the number of buckets, which is a usize.
        let at = usize::try_from(FxBuildHasher.hash_one(key) % self.buckets.len() as u64).ok()?;
        match self.buckets[at].try_lock() {
            Ok(bucket) => Some(bucket),
            // A thread that ended in the middle of a search has left whole slots behind: they are replaced at once.
            Err(TryLockError::Poisoned(bucket)) => Some(bucket.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_under_its_own_key_alone() {
        let table = Transpositions::new(1_000);
        (0..100).for_each(|key| table.put(key, key * key, 1));
        let found = (0..100).filter_map(|key| Some((key, table.get(&key)?)));
        assert!(found.clone().count() > 90);
        assert!(found.into_iter().all(|(key, value)| value == key * key));
        assert_eq!((100..200).filter_map(|key| table.get(&key)).count(), 0);
    }

    #[test]
    fn it_never_grows_beyond_its_slots() {
        let table = Transpositions::new(7);
        (0..1_000).for_each(|key| table.put(key, (), 1));
        assert_eq!((0..1_000).filter_map(|key| table.get(&key)).count(), 8);
    }

    #[test]
    fn of_two_slots_one_keeps_the_hardest_and_one_the_latest() {
        let table = Transpositions::new(2);
        table.put('a', 1, 50);
        table.put('b', 2, 10);
        table.put('c', 3, 10);
        assert_eq!([table.get(&'a'), table.get(&'b'), table.get(&'c')], [Some(1), None, Some(3)]);
        table.put('d', 4, 60);
        assert_eq!([table.get(&'a'), table.get(&'c'), table.get(&'d')], [Some(1), None, Some(4)]);
    }

    #[test]
    fn what_is_found_out_anew_takes_the_place_of_the_old() {
        let table = Transpositions::new(2);
        table.put('a', 1, 50);
        table.put('a', 2, 10);
        table.put('b', 3, 1);
        table.put('b', 4, 1);
        assert_eq!([table.get(&'a'), table.get(&'b')], [Some(2), Some(4)]);
    }

    #[test]
    fn threads_that_share_it_never_read_what_is_another_keys() {
        let table = Transpositions::new(64);
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
}
