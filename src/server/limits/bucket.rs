//! A token bucket. It knows no clock: instants are given to it.

use std::time::Duration;

use tokio::time::Instant;

/// How many tokens a bucket holds, and the time in which an empty one is refilled.
#[derive(Debug, Clone, Copy)]
pub(in crate::server) struct Rate {
    size: u32,
    within: Duration,
}

impl Rate {
    /// `size` tokens at once, 1 at least, and as many again within that time.
    pub(in crate::server) fn new(size: u32, within: Duration) -> Self {
        Self { size: size.max(1), within }
    }

    /// The time in which one token comes back.
    fn each(self) -> Duration {
        self.within / self.size
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

    /// The time until this many tokens are available; zero if they are.
    pub(in crate::server) fn wait(self, count: u32, now: Instant) -> Duration {
        (self.full_at + self.rate.each() * count).saturating_duration_since(now + self.rate.within)
    }

    /// Takes this many tokens. A deficit is a debt, which is refilled first.
    pub(in crate::server) fn spend(&mut self, count: u32, now: Instant) {
        self.full_at = self.full_at.max(now) + self.rate.each() * count;
    }

    /// Takes one token; `false` if there is none.
    pub(in crate::server) fn take(&mut self, now: Instant) -> bool {
        let is_there = self.wait(1, now).is_zero();
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
    fn a_debt_comes_back_before_there_is_a_token() {
        let (rate, start) = (Rate::new(4, Duration::from_secs(2)), Instant::now());
        let mut bucket = Bucket::full(rate, start);
        bucket.spend(7, start);
        assert_eq!(bucket.wait(1, start), Duration::from_secs(2));
        assert_eq!(bucket.wait(1, start + Duration::from_secs(2)), Duration::ZERO);
        assert!(!bucket.is_full(start + Duration::from_millis(3_499)));
        assert!(bucket.is_full(start + Duration::from_millis(3_500)));
    }
}
