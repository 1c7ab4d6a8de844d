//! The transposition table of the solver: the bounds of positions that the search may reach again.
//!
//! **An entry is two words of 64 bits**, so a bucket of four is a cache line.
//!
//! ```text
//! 63  61 60    55 54    49 48                                  0
//! | free | effort | passes | what matters of the side to move |
//! | free | low+22 | high+22| what matters of the other side   |
//! ```
//!
//! **There are no hash collisions**: an entry has the whole [`Key`]. A hash of it selects the bucket.
//!
//! **The table grows**: it starts with 512 slots and becomes four times as large, up to its limit,
//! when each slot has been written twice on average. So a cold start is cheap, and a small table stays in the
//! cache of the processor. (Growing twice as early saves 2% of the nodes of hard positions, twice as late
//! costs 5%; neither changes the time.)

use super::bounds::ScoreBounds;
use super::key::Key;

/// The fewest bits that select the bucket: a table of 8 KiB.
const LEAST_BITS: u32 = 7;
/// The most bits that select the bucket: a table of 64 GiB.
const MOST_BITS: u32 = 30;
/// Slots of a bucket: a cache line.
const WAYS: usize = 4;
/// Bits by which the table grows at a time.
const GROWTH_BITS: u32 = 2;
/// Writes to a slot, on average, before the table grows.
const STORES_PER_SLOT: u64 = 2;
/// Added to a score to make it positive; the lowest score is -21.
const SCORE_BIAS: i32 = 22;
/// Bits of each side's part of a key.
const SIDE_BITS: u32 = 49;
/// Bits of a biased score, of an effort, and of the passes in a key.
const FIELD_BITS: u32 = 6;
const FIELD: u64 = (1 << FIELD_BITS) - 1;
/// Where the fields begin.
const FIRST_AT: u32 = SIDE_BITS;
const SECOND_AT: u32 = SIDE_BITS + FIELD_BITS;

/// The golden ratio's bits, as in Knuth's multiplicative hashing.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// The lower bits of a number, as an index.
#[allow(clippy::cast_possible_truncation, reason = "the upper bits are not wanted")]
fn low_bits(number: u64) -> usize {
    number as usize
}

/// An entry: a key, bounds and their cost. A free slot is 0; no entry is, since no key is.
#[derive(Debug, Clone, Copy, Default)]
struct Entry {
    /// The mover's part of the key, the passes, and the effort.
    mover: u64,
    /// The other side's part of the key, and the bounds.
    other: u64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Entry; WAYS]);

/// The table; see the documentation of the module.
#[derive(Debug)]
pub(super) struct SolverTable {
    /// The first `1 << bits` are in use; an earlier search may have left more.
    buckets: Vec<Bucket>,
    bits: u32,
    most_bits: u32,
}

impl SolverTable {
    /// An empty table with this limit of bytes; at least 8 KiB.
    pub(super) fn new(most_bytes: usize) -> Self {
        let most_buckets = (most_bytes / size_of::<Bucket>()).max(1 << LEAST_BITS);
        let buckets = (0..1 << LEAST_BITS).map(|_| Bucket::default()).collect();
        Self { buckets, bits: LEAST_BITS, most_bits: most_buckets.ilog2().min(MOST_BITS) }
    }

    /// Empties the table, and returns it to its first size.
    pub(super) fn clear(&mut self) {
        self.bits = LEAST_BITS;
        self.buckets[..1 << LEAST_BITS].fill_with(Bucket::default);
    }

    /// The number of stores after which the table should grow; `None` if it cannot.
    pub(super) fn growth_threshold(&self) -> Option<u64> {
        (self.bits < self.most_bits).then_some((STORES_PER_SLOT * WAYS as u64) << self.bits)
    }

    /// Makes the table four times as large, within its limit, and keeps all entries.
    pub(super) fn grow(&mut self) {
        let more = GROWTH_BITS.min(self.most_bits - self.bits);
        let old = 1 << self.bits;
        self.bits += more;
        let buckets = self.buckets.len().max(1 << self.bits);
        self.buckets.resize_with(buckets, Bucket::default);
        // Entries move to later buckets, so the last bucket moves first.
        (0..old).rev().for_each(|index| self.split_bucket(index, more));
    }

    /// Moves the entries of a bucket of the smaller table to their new buckets.
    fn split_bucket(&mut self, index: usize, more: u32) {
        let bucket = std::mem::take(&mut self.buckets[index]);
        let first = index << more;
        self.buckets[first..first + (1 << more)].fill_with(Bucket::default);
        bucket.0.into_iter().filter(|entry| entry.mover != 0).for_each(|entry| self.reinsert(entry));
    }

    /// Moves an entry to its new bucket.
    fn reinsert(&mut self, entry: Entry) {
        let bucket = self.bucket(entry.key());
        if let Some(slot) = self.buckets[bucket].0.iter_mut().find(|slot| slot.mover == 0) {
            *slot = entry;
        }
    }

    /// The bucket of a key. A larger table has the keys of a bucket in neighbouring ones.
    fn bucket(&self, key: Key) -> usize {
        let once = (key.mover | (key.passes << FIRST_AT)).wrapping_mul(FACTOR);
        let twice = (once ^ (once >> 32) ^ key.other).wrapping_mul(FACTOR);
        let hash = (twice ^ (twice >> 32)).wrapping_mul(FACTOR);
        low_bits(hash >> (u64::BITS - self.bits))
    }

    /// The bounds stored for a position, if they are still there.
    pub(super) fn look_up(&self, key: Key) -> Option<ScoreBounds> {
        let bucket = &self.buckets[self.bucket(key)].0;
        bucket.iter().find(|entry| entry.is_of(key)).map(|entry| entry.bounds())
    }

    /// Stores bounds. `effort` (0 to 63) measures their cost. In a full bucket the cheapest entry is
    /// replaced.
    pub(super) fn store(&mut self, key: Key, bounds: ScoreBounds, effort: u32) {
        let bucket = self.bucket(key);
        let slots = &mut self.buckets[bucket].0;
        let mut cheapest = (u64::MAX, 0);
        for (slot, entry) in slots.iter().enumerate() {
            if entry.mover == 0 || entry.is_of(key) {
                cheapest.1 = slot;
                break;
            }
            if entry.effort() < cheapest.0 {
                cheapest = (entry.effort(), slot);
            }
        }
        slots[cheapest.1] = Entry::new(key, bounds, effort);
    }
}

impl Entry {
    fn new(key: Key, bounds: ScoreBounds, effort: u32) -> Self {
        let score = |score: i32| u64::from((score + SCORE_BIAS).cast_unsigned()) & FIELD;
        let effort = u64::from(effort) & FIELD;
        Self {
            mover: key.mover | key.passes << FIRST_AT | effort << SECOND_AT,
            other: key.other | score(bounds.high) << FIRST_AT | score(bounds.low) << SECOND_AT,
        }
    }

    fn is_of(self, key: Key) -> bool {
        const SIDE: u64 = (1 << SIDE_BITS) - 1;
        const WITH_PASSES: u64 = (1 << SECOND_AT) - 1;
        self.mover & WITH_PASSES == (key.mover | key.passes << FIRST_AT) && self.other & SIDE == key.other
    }

    fn key(self) -> Key {
        const SIDE: u64 = (1 << SIDE_BITS) - 1;
        Key { mover: self.mover & SIDE, other: self.other & SIDE, passes: (self.mover >> FIRST_AT) & FIELD }
    }

    fn effort(self) -> u64 {
        (self.mover >> SECOND_AT) & FIELD
    }

    fn bounds(self) -> ScoreBounds {
        #[allow(clippy::cast_possible_truncation, reason = "a field has few bits, so nothing is cut off")]
        let score = |at: u32| ((self.other >> at) & FIELD) as i32 - SCORE_BIAS;
        ScoreBounds { low: score(SECOND_AT), high: score(FIRST_AT) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Pseudo-random keys: the multiplier is from Knuth's MMIX.
    fn keys() -> impl Iterator<Item = Key> {
        let mut seed = 7_u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            seed >> (64 - SIDE_BITS)
        };
        std::iter::repeat_with(move || Key { mover: next() | 1, other: next(), passes: next() % 43 })
    }

    fn some_bounds(key: Key) -> ScoreBounds {
        let low = i32::try_from(key.other % 22).unwrap() - 21;
        ScoreBounds { low, high: low + i32::try_from(key.other % 19).unwrap() }
    }

    fn fill(table: &mut SolverTable, count: usize) {
        for key in keys().take(count) {
            table.store(key, some_bounds(key), 1);
        }
    }

    #[test]
    fn entries_stay_correct_while_the_table_overflows_and_grows() {
        let mut table = SolverTable::new(1 << 19);
        let mut stored = HashMap::new();
        for (count, key) in (0..).zip(keys().take(100_000)) {
            stored.insert(key, some_bounds(key));
            table.store(key, some_bounds(key), 1 + key.mover.count_ones() % 7);
            if count == 3_000 || count == 20_000 {
                table.grow();
            }
        }
        let found = stored.iter().filter_map(|(key, bounds)| Some((table.look_up(*key)?, *bounds)));
        let found: Vec<_> = found.collect();
        assert!(found.len() > 5_000);
        assert!(found.iter().all(|(found, stored)| found == stored));
        let mut others = keys().skip(100_000).take(100_000).filter(|key| !stored.contains_key(key));
        assert!(others.all(|key| table.look_up(key).is_none()));
    }

    #[test]
    fn keys_that_differ_in_one_part_only_are_told_apart() {
        let mut table = SolverTable::new(0);
        let key = Key { mover: 5, other: 6, passes: 7 };
        table.store(key, ScoreBounds::exactly(3), 1);
        assert_eq!(table.look_up(key), Some(ScoreBounds::exactly(3)));
        for other in [Key { mover: 4, ..key }, Key { other: 7, ..key }, Key { passes: 8, ..key }] {
            assert_eq!(table.look_up(other), None);
        }
    }

    #[test]
    fn a_table_that_grows_keeps_its_entries() {
        let mut table = SolverTable::new(1 << 20);
        let kept: Vec<Key> = keys().take(100).collect();
        fill(&mut table, kept.len());
        while table.growth_threshold().is_some() {
            table.grow();
        }
        for key in kept {
            assert_eq!(table.look_up(key), Some(some_bounds(key)));
        }
    }

    #[test]
    fn a_cleared_table_stays_empty_when_it_grows_again() {
        let mut table = SolverTable::new(1 << 20);
        for _ in 0..2 {
            assert!(keys().take(5_000).all(|key| table.look_up(key).is_none()));
            table.grow();
            assert!(keys().take(5_000).all(|key| table.look_up(key).is_none()));
            fill(&mut table, 5_000);
            table.clear();
        }
    }

    #[test]
    fn in_a_full_bucket_the_cheapest_entry_is_replaced() {
        let mut table = SolverTable::new(0);
        let alike = |key: &Key| table.bucket(*key) == 0;
        let keys: Vec<Key> = keys().filter(alike).take(5).collect();
        for (key, effort) in keys.iter().zip([9, 6, 8, 7, 5]) {
            table.store(*key, ScoreBounds::exactly(0), effort);
        }
        let found: Vec<bool> = keys.iter().map(|key| table.look_up(*key).is_some()).collect();
        assert_eq!(found, [true, false, true, true, true]);
    }
}
