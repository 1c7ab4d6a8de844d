//! The transposition table of the solver: the bounds of positions that the search may reach again.
//!
//! **An entry is one word of 64 bits**, so a bucket of four is half a cache line.
//!
//! ```text
//! 63                    23 22      17 16       11 10     5 4    0
//! | lowest 41 bits of hash | low + 22 | high + 22 | effort | free |
//! ```
//!
//! **There are no hash collisions.** A key has 49 bits, and the hash is a bijection of it. The upper bits
//! of the hash (8 or more) select the bucket, and its lower 41 bits are in the entry, so together they
//! identify the key.
//!
//! **The table grows**: it starts with a thousand slots and becomes four times as large, up to its limit,
//! when each slot has been written four times on average. So a cold start is cheap, and a small table stays
//! in the cache of the processor. (Growing at half load saves 3% of the nodes of hard positions, but takes
//! 50% more time.)

use super::bounds::ScoreBounds;

/// Bits of a key.
const KEY_BITS: u32 = 49;
/// Bits of the hash in an entry.
const REST_BITS: u32 = 41;
/// The fewest bits of the hash that select the bucket: all that are not in the entry.
const LEAST_BITS: u32 = KEY_BITS - REST_BITS;
/// The most bits that select the bucket: a table of 32 GiB.
const MOST_BITS: u32 = 30;
/// Slots of a bucket: half a cache line.
const WAYS: usize = 4;
/// Bits by which the table grows at a time.
const GROWTH_BITS: u32 = 2;
/// Writes to a slot, on average, before the table grows.
const STORES_PER_SLOT: u64 = 4;
/// Added to a score to make it positive; the lowest score is -21.
const SCORE_BIAS: i32 = 22;
/// Bits of a biased score, and of an effort.
const FIELD_BITS: u32 = 6;
const FIELD: u64 = (1 << FIELD_BITS) - 1;
const EFFORT_AT: u32 = 5;
const HIGH_AT: u32 = EFFORT_AT + FIELD_BITS;
const LOW_AT: u32 = HIGH_AT + FIELD_BITS;
const REST_AT: u32 = LOW_AT + FIELD_BITS;

/// The golden ratio's bits, as in Knuth's multiplicative hashing; odd, hence invertible modulo 2^49.
const FACTOR: u64 = 0x1_9E37_79B9_7F4B;

/// The hash of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hash(u64);

impl Hash {
    /// Hashes a key below 2^49. Each step is invertible, so no two keys have the same hash.
    pub(super) fn of(key: u64) -> Self {
        const MASK: u64 = (1 << KEY_BITS) - 1;
        let once = key.wrapping_mul(FACTOR) & MASK;
        Self((once ^ (once >> (KEY_BITS / 2))).wrapping_mul(FACTOR) & MASK)
    }

    fn rest(self) -> u64 {
        self.0 & ((1 << REST_BITS) - 1)
    }
}

/// The lower bits of a number, as an index.
#[allow(clippy::cast_possible_truncation, reason = "the upper bits are not wanted")]
fn low_bits(number: u64) -> usize {
    number as usize
}

#[derive(Debug, Default)]
#[repr(align(32))]
struct BoundsBucket([u64; WAYS]);

/// The table; see the documentation of the module.
#[derive(Debug)]
pub(super) struct SolverTable {
    /// The first `1 << bits` are in use; an earlier search may have left more.
    buckets: Vec<BoundsBucket>,
    bits: u32,
    most_bits: u32,
}

impl SolverTable {
    /// An empty table with this limit of bytes; at least 8 KiB.
    pub(super) fn new(most_bytes: usize) -> Self {
        let most_buckets = (most_bytes / size_of::<BoundsBucket>()).max(1 << LEAST_BITS);
        let buckets = (0..1 << LEAST_BITS).map(|_| BoundsBucket::default()).collect();
        Self { buckets, bits: LEAST_BITS, most_bits: most_buckets.ilog2().min(MOST_BITS) }
    }

    /// Empties the table, and returns it to its first size.
    pub(super) fn clear(&mut self) {
        self.bits = LEAST_BITS;
        self.buckets[..1 << LEAST_BITS].fill_with(BoundsBucket::default);
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
        self.buckets.resize_with(buckets, BoundsBucket::default);
        // Entries move to later buckets, so the last bucket moves first.
        (0..old).rev().for_each(|index| self.split_bucket(index, more));
    }

    /// Moves the entries of a bucket of the smaller table to their new buckets.
    fn split_bucket(&mut self, index: usize, more: u32) {
        let bucket = std::mem::take(&mut self.buckets[index]);
        let first = index << more;
        self.buckets[first..first + (1 << more)].fill_with(BoundsBucket::default);
        bucket.0.into_iter().for_each(|entry| self.reinsert(first, more, entry));
    }

    /// Moves an entry to its new bucket, one of the `1 << more` from `first`.
    fn reinsert(&mut self, first: usize, more: u32, word: u64) {
        let next_bits = (word >> REST_AT) >> (KEY_BITS - self.bits);
        let bucket = &mut self.buckets[first + (low_bits(next_bits) & ((1 << more) - 1))];
        if let Some(slot) = bucket.0.iter_mut().find(|slot| **slot == 0) {
            *slot = word;
        }
    }

    fn bucket(&self, hash: Hash) -> usize {
        low_bits(hash.0 >> (KEY_BITS - self.bits))
    }

    /// The bounds stored for a position, if they are still there.
    pub(super) fn look_up(&self, hash: Hash) -> Option<ScoreBounds> {
        let mut found = 0;
        for &word in &self.buckets[self.bucket(hash)].0 {
            if word != 0 && word >> REST_AT == hash.rest() {
                found = word;
            }
        }
        (found != 0).then(|| bounds(found))
    }

    /// Stores bounds. `effort` (0 to 63) measures their cost. In a full bucket the cheapest entry is
    /// replaced.
    pub(super) fn store(&mut self, hash: Hash, bounds: ScoreBounds, effort: u32) {
        let bucket = self.bucket(hash);
        let slots = &mut self.buckets[bucket].0;
        let mut cheapest = (u64::MAX, 0);
        for (slot, &word) in slots.iter().enumerate() {
            if word == 0 || word >> REST_AT == hash.rest() {
                cheapest.1 = slot;
                break;
            }
            let cost = (word >> EFFORT_AT) & FIELD;
            if cost < cheapest.0 {
                cheapest = (cost, slot);
            }
        }
        slots[cheapest.1] = word_of(hash, bounds, effort);
    }
}

/// An entry's word. It is never 0, since a biased score is not.
fn word_of(hash: Hash, bounds: ScoreBounds, effort: u32) -> u64 {
    let field = |score: i32| u64::from((score + SCORE_BIAS).cast_unsigned()) & FIELD;
    hash.rest() << REST_AT
        | field(bounds.low) << LOW_AT
        | field(bounds.high) << HIGH_AT
        | (u64::from(effort) & FIELD) << EFFORT_AT
}

fn bounds(word: u64) -> ScoreBounds {
    #[allow(clippy::cast_possible_truncation, reason = "a field has few bits, so nothing is cut off")]
    let score = |at: u32| ((word >> at) & FIELD) as i32 - SCORE_BIAS;
    ScoreBounds { low: score(LOW_AT), high: score(HIGH_AT) }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// Pseudo-random keys: the multiplier is from Knuth's MMIX.
    fn keys() -> impl Iterator<Item = u64> {
        std::iter::successors(Some(7_u64), |seed| {
            Some(seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407))
        })
        .map(|seed| seed >> (64 - KEY_BITS))
    }

    fn some_bounds(key: u64) -> ScoreBounds {
        let low = i32::try_from(key % 22).unwrap() - 21;
        ScoreBounds { low, high: low + i32::try_from(key % 19).unwrap() }
    }

    fn fill(table: &mut SolverTable, count: usize) {
        for key in keys().take(count) {
            table.store(Hash::of(key), some_bounds(key), 1);
        }
    }

    #[test]
    fn the_hash_of_a_key_can_be_undone() {
        // An odd number has an inverse modulo a power of two, which Newton's method finds.
        let inverse = (0..6).fold(1_u64, |x, _| x.wrapping_mul(2_u64.wrapping_sub(x.wrapping_mul(FACTOR))));
        let mask = (1 << KEY_BITS) - 1;
        for key in keys().take(10_000) {
            let once = Hash::of(key).0.wrapping_mul(inverse) & mask;
            let unmixed = once ^ (once >> (KEY_BITS / 2)) ^ (once >> (2 * (KEY_BITS / 2)));
            assert_eq!(unmixed.wrapping_mul(inverse) & mask, key);
        }
    }

    #[test]
    fn entries_stay_correct_while_the_table_overflows_and_grows() {
        let mut table = SolverTable::new(1 << 18);
        let mut stored = HashMap::new();
        for (count, key) in (0..).zip(keys().take(100_000)) {
            stored.insert(key, some_bounds(key));
            table.store(Hash::of(key), some_bounds(key), 1 + key.count_ones() % 7);
            if count == 3_000 || count == 20_000 {
                table.grow();
            }
        }
        let found = stored.iter().filter_map(|(key, bounds)| Some((table.look_up(Hash::of(*key))?, *bounds)));
        let found: Vec<_> = found.collect();
        assert!(found.len() > 10_000);
        assert!(found.iter().all(|(found, stored)| found == stored));
        let others = keys().skip(100_000).take(100_000).filter(|key| !stored.contains_key(key));
        assert!(others.map(Hash::of).all(|hash| table.look_up(hash).is_none()));
    }

    #[test]
    fn a_table_that_grows_keeps_its_entries() {
        let mut table = SolverTable::new(1 << 20);
        let kept: Vec<u64> = keys().take(100).collect();
        fill(&mut table, kept.len());
        while table.growth_threshold().is_some() {
            table.grow();
        }
        for key in kept {
            assert_eq!(table.look_up(Hash::of(key)), Some(some_bounds(key)));
        }
    }

    #[test]
    fn a_cleared_table_stays_empty_when_it_grows_again() {
        let mut table = SolverTable::new(1 << 20);
        for _ in 0..2 {
            assert!(keys().take(5_000).all(|key| table.look_up(Hash::of(key)).is_none()));
            table.grow();
            assert!(keys().take(5_000).all(|key| table.look_up(Hash::of(key)).is_none()));
            fill(&mut table, 5_000);
            table.clear();
        }
    }

    #[test]
    fn in_a_full_bucket_the_cheapest_entry_is_replaced() {
        let mut table = SolverTable::new(0);
        let hash = |rest: u64| Hash(rest);
        for (rest, effort) in [(1, 9), (2, 6), (3, 8), (4, 7), (5, 5)] {
            table.store(hash(rest), ScoreBounds::exactly(0), effort);
        }
        assert_eq!(table.look_up(hash(2)), None);
        assert!([1, 3, 4, 5].iter().all(|&rest| table.look_up(hash(rest)).is_some()));
    }
}
