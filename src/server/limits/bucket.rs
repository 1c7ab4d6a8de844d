//! A token bucket. It knows no clock: instants are given to it.

use std::time::Duration;

use tokio::time::Instant;

use crate::number::saturating;

/// The address has used up its limit, so the request is refused.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::server) struct TooFast;

/// A token bucket.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bucket {
    /// The time in which one token comes back.
    each: Duration,
    /// The time in which a bucket with a single token is refilled.
    but_one: Duration,
    /// When it is full again.
    full_at: Instant,
}

impl Bucket {
    /// A full bucket: `size` tokens at once, 1 at least, and as many again within that time.
    pub(super) fn full(size: u32, within: Duration, now: Instant) -> Self {
        let size = size.max(1);
        // Rounded up, so that no more tokens than that come back.
        let each = Duration::from_nanos(saturating(within.as_nanos().div_ceil(size.into())));
        Self { each, but_one: each * (size - 1), full_at: now }
    }

    /// Whether no token is missing.
    pub(super) fn is_full(self, now: Instant) -> bool {
        self.full_at <= now
    }

    /// How much of it is used up, in percent: more than 100 is a debt.
    pub(super) fn used(self, now: Instant) -> u32 {
        let missing = self.full_at.saturating_duration_since(now).as_nanos();
        saturating(missing * 100 / (self.but_one + self.each).as_nanos().max(1))
    }

    /// The debt: the time until there is a token.
    pub(super) fn debt(self, now: Instant) -> Duration {
        self.full_at.saturating_duration_since(now + self.but_one)
    }

    /// Takes this many tokens, even if they are not there.
    pub(super) fn spend(&mut self, count: u32, now: Instant) {
        self.full_at = self.full_at.max(now) + self.each * count;
    }

    /// Takes this many tokens, unless the debt is larger than `most`. Returns the debt.
    pub(super) fn take(&mut self, count: u32, most: Duration, now: Instant) -> Result<Duration, TooFast> {
        if self.debt(now) > most {
            return Err(TooFast);
        }
        self.spend(count, now);
        Ok(self.debt(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a token is taken without a debt.
    fn takes(bucket: &mut Bucket, now: Instant) -> bool {
        bucket.take(1, Duration::ZERO, now).is_ok()
    }

    #[test]
    fn tokens_come_back_at_the_rate_and_no_more_than_the_bucket_holds() {
        let start = Instant::now();
        let mut bucket = Bucket::full(4, Duration::from_secs(2), start);
        let mut taken = |millis: u64| takes(&mut bucket, start + Duration::from_millis(millis));
        assert_eq!([0; 6].map(&mut taken), [true, true, true, true, false, false]);
        assert_eq!([499, 500, 500, 999, 1_000].map(&mut taken), [false, true, false, false, true]);
        assert_eq!([60_000; 5].map(&mut taken), [true, true, true, true, false]);
    }

    #[test]
    fn no_more_tokens_than_the_rate_come_back_even_if_a_nanosecond_does_not_divide() {
        let start = Instant::now();
        for size in [1, 3, 7, 999, 600_000_000] {
            let (second, count) = (Duration::from_secs(1), size.min(1_000));
            let mut bucket = Bucket::full(size, second, start);
            bucket.spend(size - count, start);
            assert!((0..count).all(|_| takes(&mut bucket, start)), "as many at once as it holds: {size}");
            assert!(!takes(&mut bucket, start) && !bucket.is_full(start + second - Duration::from_nanos(1)));
        }
    }

    #[test]
    fn a_debt_comes_back_before_there_is_a_token() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let mut bucket = Bucket::full(4, 2 * second, start);
        assert_eq!(bucket.take(7, Duration::ZERO, start), Ok(2 * second));
        assert_eq!(bucket.take(1, second, start), Err(TooFast));
        assert_eq!(bucket.debt(start + second), second);
        assert_eq!(bucket.take(1, second, start + second), Ok(second + second / 2));
        assert!(!bucket.is_full(start + Duration::from_millis(3_999)));
        assert!(bucket.is_full(start + 4 * second));
    }
}
