//! What is over, and forgotten by and by: a little of it now and then, when nobody waits for anything to be recorded.

use std::time::{Duration, Instant};

use crate::server::config::History;
use crate::server::storage::{Bounds, Storage, WallTime};

/// How often it is looked for what is to be forgotten, once there is nothing more.
const EVERY: Duration = Duration::from_mins(10);

/// How much of the past is kept, and when it was looked at last.
#[derive(Debug)]
pub(super) struct Past {
    history: History,
    /// What the host's clock said when this began.
    started: (WallTime, Instant),
    looked: Option<Instant>,
}

impl Past {
    /// Keeps as much as this.
    pub(super) fn of(history: History) -> Self {
        Self { history, started: (WallTime::now(), Instant::now()), looked: None }
    }

    /// How long until it is to be looked again.
    pub(super) fn pause(&self) -> Duration {
        self.looked.map_or(Duration::ZERO, |last| EVERY.saturating_sub(last.elapsed()))
    }

    /// Forgets a little of what is older or larger than is to be kept, if it is time.
    pub(super) fn prune(&mut self, storage: &mut dyn Storage) {
        if self.pause() > Duration::ZERO {
            return;
        }
        let (started, since) = self.started;
        let now = soberly(WallTime::now(), started, since.elapsed());
        let bounds = Bounds {
            since: WallTime(now.0.saturating_sub(millis(self.history.age))),
            bytes: self.history.bytes,
        };
        match storage.prune(&bounds) {
            // There may be more, which is next unless somebody waits.
            Ok(1..) => {}
            Ok(0) => self.looked = Some(Instant::now()),
            Err(trouble) => {
                tracing::warn!(%trouble, "what is over could not be forgotten");
                self.looked = Some(Instant::now());
            }
        }
    }
}

/// What time it is for what is forgotten: no later than the host's clock says, nor than it would say if nobody had set it since
/// the server was started. Who sets it ahead, by mistake or since it was wrong, has no games forgotten by that.
fn soberly(says: WallTime, said: WallTime, since: Duration) -> WallTime {
    says.min(WallTime(said.0.saturating_add(millis(since))))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 24 * 60 * 60 * 1_000;

    #[test]
    fn a_clock_that_is_set_ahead_or_back_makes_nothing_older_than_it_is() {
        let (noon, an_hour) = (WallTime(1_000 * DAY), Duration::from_hours(1));
        let later = WallTime(noon.0 + 60 * 60 * 1_000);
        for (says, now) in [
            (later, later),
            (WallTime(20_000 * DAY), later),
            (WallTime(3 * DAY), WallTime(3 * DAY)),
            (WallTime(u64::MAX), later),
        ] {
            assert_eq!(soberly(says, noon, an_hour), now, "{says:?}");
        }
    }
}
