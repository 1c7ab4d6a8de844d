//! How long to wait before something that failed is tried again. It waits for nothing itself.

use std::time::Duration;

/// The pause behind the first failure.
const FIRST: Duration = Duration::from_millis(5);

/// The longest pause: nobody who knocks then waits longer than for a slow network.
const LONGEST: Duration = Duration::from_secs(1);

/// The pauses behind failures that follow each other: each twice as long as the one before, up to a longest.
#[derive(Debug)]
pub(super) struct Backoff(Duration);

impl Backoff {
    /// Nothing has failed yet.
    pub(super) const fn new() -> Self {
        Self(FIRST)
    }

    /// How long to wait behind this failure.
    pub(super) fn pause(&mut self) -> Duration {
        let longer = (self.0 * 2).min(LONGEST);
        std::mem::replace(&mut self.0, longer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_twice_the_one_before_up_to_a_second() {
        let mut backoff = Backoff::new();
        let pauses: [u128; 10] = std::array::from_fn(|_| backoff.pause().as_millis());
        assert_eq!(pauses, [5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000]);
    }
}
