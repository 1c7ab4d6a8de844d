//! So many of something in so much time, for one connection. It knows no clock: instants are given to it.

use std::time::Duration;

use tokio::time::Instant;

/// What is left of an allowance that grows again by and by.
#[derive(Debug)]
pub(super) struct Allowance {
    most: u32,
    /// In which time the whole of it grows again.
    within: Duration,
    /// When all of it is there again.
    whole: Instant,
}

impl Allowance {
    /// `most` at once, and as many again within that time.
    pub(super) fn new(most: u32, within: Duration) -> Self {
        Self { most: most.max(1), within, whole: Instant::now() }
    }

    /// Whether there is none now.
    pub(super) fn is_spent(&self, now: Instant) -> bool {
        self.whole.max(now) + self.within / self.most > now + self.within
    }

    /// Whether nothing of it is used.
    pub(super) fn is_whole(&self, now: Instant) -> bool {
        self.whole <= now
    }

    /// Whether more than a hundredth of it is used.
    pub(super) fn is_much_used(&self, now: Instant) -> bool {
        self.whole > now + self.within / 100
    }

    /// Takes one, if there is one now.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.take_some(now, 1)
    }

    /// Takes so many, if there is one now: what is missing of them has to grow again first.
    pub(super) fn take_some(&mut self, now: Instant, count: u32) -> bool {
        let there = !self.is_spent(now);
        if there {
            self.whole = self.whole.max(now) + self.within / self.most * count;
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_used_up_grows_again() {
        let mut allowance = Allowance::new(4, Duration::from_secs(2));
        let start = Instant::now();
        let mut taken = |millis: u64| allowance.take(start + Duration::from_millis(millis));
        assert_eq!([0; 6].map(&mut taken), [true, true, true, true, false, false]);
        assert_eq!([499, 500, 500, 999, 1_000].map(&mut taken), [false, true, false, false, true]);
        assert_eq!([60_000; 5].map(&mut taken), [true, true, true, true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_costs_more_than_there_is_is_paid_for_afterwards() {
        let mut allowance = Allowance::new(4, Duration::from_secs(2));
        let start = Instant::now();
        let mut taken = |millis, count| allowance.take_some(start + Duration::from_millis(millis), count);
        assert_eq!([(0, 1), (0, 8), (0, 1)].map(|(at, count)| taken(at, count)), [true, true, false]);
        assert_eq!([(2_999, 1), (3_000, 1)].map(|(at, count)| taken(at, count)), [false, true]);
    }
}
