//! So many of something in so much time, for one connection or address. It knows no clock: instants are given to it.

use std::time::Duration;

use tokio::time::Instant;

/// How many of something in which time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    most: u32,
    within: Duration,
}

impl Rate {
    /// `most` at once, and as many again within that time.
    pub(super) fn new(most: u32, within: Duration) -> Self {
        Self { most: most.max(1), within }
    }

    fn each(self) -> Duration {
        self.within / self.most
    }
}

/// What is left of what somebody may, and grows again by and by: at which rate is said whenever it is looked at, since it is
/// one for all of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    /// When all of it is there again.
    whole: Instant,
}

impl Allowance {
    /// All of it is there.
    pub(super) fn whole() -> Self {
        Self { whole: Instant::now() }
    }

    /// Whether there is none now.
    pub(super) fn is_spent(self, rate: Rate, now: Instant) -> bool {
        self.whole.max(now) + rate.each() > now + rate.within
    }

    /// Whether nothing of it is used.
    pub(super) fn is_whole(self, now: Instant) -> bool {
        self.whole <= now
    }

    /// Whether more than a hundredth of it is used.
    pub(super) fn is_much_used(self, rate: Rate, now: Instant) -> bool {
        self.whole > now + rate.within / 100
    }

    /// Takes one, if there is one now.
    pub(super) fn take(&mut self, rate: Rate, now: Instant) -> bool {
        self.take_some(rate, now, 1)
    }

    /// Takes so many, if there is one now: what is missing of them has to grow again first.
    pub(super) fn take_some(&mut self, rate: Rate, now: Instant, count: u32) -> bool {
        let there = !self.is_spent(rate, now);
        if there {
            self.whole = self.whole.max(now) + rate.each() * count;
        }
        there
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_used_up_grows_again() {
        let (rate, mut allowance) = (Rate::new(4, Duration::from_secs(2)), Allowance::whole());
        let start = Instant::now();
        let mut taken = |millis: u64| allowance.take(rate, start + Duration::from_millis(millis));
        assert_eq!([0; 6].map(&mut taken), [true, true, true, true, false, false]);
        assert_eq!([499, 500, 500, 999, 1_000].map(&mut taken), [false, true, false, false, true]);
        assert_eq!([60_000; 5].map(&mut taken), [true, true, true, true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn what_costs_more_than_there_is_is_paid_for_afterwards() {
        let (rate, mut allowance) = (Rate::new(4, Duration::from_secs(2)), Allowance::whole());
        let start = Instant::now();
        let mut taken =
            |millis, count| allowance.take_some(rate, start + Duration::from_millis(millis), count);
        assert_eq!([(0, 1), (0, 8), (0, 1)].map(|(at, count)| taken(at, count)), [true, true, false]);
        assert_eq!([(2_999, 1), (3_000, 1)].map(|(at, count)| taken(at, count)), [false, true]);
    }
}
