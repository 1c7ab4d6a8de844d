//! Prunes the journal to the age and size that the host wants to keep: a little at a time, while nobody waits
//! for it.

use std::time::{Duration, Instant};

use crate::number::millis;
use crate::server::config::History;
use crate::server::storage::{Bounds, Storage, WallTime};

/// The pause after there was nothing more to prune.
const EVERY: Duration = Duration::from_mins(10);

/// When to prune next, and how much is kept.
#[derive(Debug)]
pub(super) struct Pruner {
    history: History,
    /// The host's clock and the monotonic time at the start.
    started: (WallTime, Instant),
    /// When nothing more was found to prune.
    done: Option<Instant>,
}

impl Pruner {
    /// A pruner that keeps this much.
    pub(super) fn new(history: History) -> Self {
        Self { history, started: (WallTime::now(), Instant::now()), done: None }
    }

    /// How long until it is time to prune.
    pub(super) fn pause(&self) -> Duration {
        self.done.map_or(Duration::ZERO, |done| EVERY.saturating_sub(done.elapsed()))
    }

    /// Prunes one piece, if it is time.
    pub(super) fn prune(&mut self, storage: &mut dyn Storage) {
        if self.pause() > Duration::ZERO {
            return;
        }
        let (started, since) = self.started;
        let now = cautious(WallTime::now(), started, since.elapsed());
        let age = millis::<u64>(self.history.age);
        let bounds = Bounds { since: WallTime(now.0.saturating_sub(age)), bytes: self.history.bytes };
        let pruned = storage.prune(&bounds);
        if let Err(error) = &pruned {
            tracing::warn!(%error, "old lobbies could not be removed");
        }
        if !matches!(pruned, Ok(1..)) {
            self.done = Some(Instant::now());
        }
    }
}

/// The time from which the age of lobbies is counted: that of the host's clock, but at most `started` plus
/// the time since. So a clock that is set ahead prunes no games.
fn cautious(clock: WallTime, started: WallTime, since: Duration) -> WallTime {
    clock.min(WallTime(started.0.saturating_add(millis(since))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1_000;

    #[test]
    fn a_clock_that_is_set_ahead_or_back_makes_no_lobby_older() {
        let (noon, an_hour) = (WallTime(1_000 * DAY), Duration::from_hours(1));
        let later = WallTime(noon.0 + 60 * 60 * 1_000);
        for (clock, now) in [
            (later, later),
            (WallTime(20_000 * DAY), later),
            (WallTime(3 * DAY), WallTime(3 * DAY)),
            (WallTime(u64::MAX), later),
        ] {
            assert_eq!(cautious(clock, noon, an_hour), now, "{clock:?}");
        }
    }
}
