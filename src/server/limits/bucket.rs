//! A token bucket. It knows no clock: instants are given to it.

use std::time::Duration;

use tokio::time::Instant;

use crate::number::saturating;

/// How many tokens a bucket holds, and how fast they come back.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct Rate {
    /// The time in which one token comes back.
    each: Duration,
    /// The time in which an empty bucket is refilled.
    whole: Duration,
    /// The time in which a bucket with a single token is refilled.
    but_one: Duration,
}

impl Rate {
    /// `size` tokens at once, 1 at least, and as many again within that time.
    pub(in crate::server) fn new(size: u32, within: Duration) -> Self {
        let size = size.max(1);
        // Rounded up, so that no more tokens than that come back.
        let each = Duration::from_nanos(saturating(within.as_nanos().div_ceil(size.into())));
        Self { each, whole: each * size, but_one: each * (size - 1) }
    }
}

/// A token bucket.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct Bucket {
    rate: Rate,
    /// When it is full again.
    full_at: Instant,
}

impl Bucket {
    /// A full bucket.
    pub(in crate::server) fn full(rate: Rate, now: Instant) -> Self {
        Self { rate, full_at: now }
    }

    /// Whether no token is missing.
    pub(in crate::server) fn is_full(self, now: Instant) -> bool {
        self.full_at <= now
    }

    /// How much of it is used up, in percent: more than 100 is a debt.
    pub(in crate::server) fn used(self, now: Instant) -> u32 {
        let missing = self.full_at.saturating_duration_since(now).as_nanos();
        saturating(missing * 100 / self.rate.whole.as_nanos().max(1))
    }

    /// The time until there is a token; zero if there is one.
    pub(in crate::server) fn wait_for_one(self, now: Instant) -> Duration {
        self.full_at.saturating_duration_since(now + self.rate.but_one)
    }

    /// The time until this many tokens are available; zero if they are.
    pub(in crate::server) fn wait(self, count: u32, now: Instant) -> Duration {
        (self.full_at + self.rate.each * count).saturating_duration_since(now + self.rate.whole)
    }

    /// Takes this many tokens. A deficit is a debt, which is refilled first.
    pub(in crate::server) fn spend(&mut self, count: u32, now: Instant) {
        self.full_at = self.full_at.max(now) + self.rate.each * count;
    }

    /// Takes one token; `false` if there is none.
    pub(in crate::server) fn take(&mut self, now: Instant) -> bool {
        let is_there = self.wait_for_one(now).is_zero();
        if is_there {
            self.spend(1, now);
        }
        is_there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_back_at_the_rate_and_no_more_than_the_bucket_holds() {
        let (rate, start) = (Rate::new(4, Duration::from_secs(2)), Instant::now());
        let mut bucket = Bucket::full(rate, start);
        let mut taken = |millis: u64| bucket.take(start + Duration::from_millis(millis));
        assert_eq!([0; 6].map(&mut taken), [true, true, true, true, false, false]);
        assert_eq!([499, 500, 500, 999, 1_000].map(&mut taken), [false, true, false, false, true]);
        assert_eq!([60_000; 5].map(&mut taken), [true, true, true, true, false]);
    }

    #[test]
    fn no_more_tokens_than_the_rate_come_back_even_if_a_nanosecond_does_not_divide() {
        let start = Instant::now();
        for size in [1, 3, 7, 999, 600_000_000] {
            let (second, count) = (Duration::from_secs(1), size.min(1_000));
            let mut bucket = Bucket::full(Rate::new(size, second), start);
            bucket.spend(size - count, start);
            assert!((0..count).all(|_| bucket.take(start)), "as many at once as the bucket holds: {size}");
            assert!(bucket.wait(size, start) >= second, "{size}");
        }
    }

    #[test]
    fn a_debt_comes_back_before_there_is_a_token() {
        let (rate, start) = (Rate::new(4, Duration::from_secs(2)), Instant::now());
        let mut bucket = Bucket::full(rate, start);
        bucket.spend(7, start);
        assert_eq!(bucket.wait_for_one(start), Duration::from_secs(2));
        assert_eq!(bucket.wait(1, start), Duration::from_secs(2));
        assert_eq!(bucket.wait(1, start + Duration::from_secs(2)), Duration::ZERO);
        assert!(!bucket.is_full(start + Duration::from_millis(3_499)));
        assert!(bucket.is_full(start + Duration::from_millis(3_500)));
    }
}
