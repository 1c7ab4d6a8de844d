//! The time by which all tables go: it stands still while nothing can be recorded, so that nobody's clock runs then and
//! nothing falls due.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// No stop has begun.
const GOING: u64 = u64::MAX;

/// How often a clock that stands is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A clock that can be stopped. One task stops it and lets it go on; everybody may read it.
#[derive(Debug)]
pub(super) struct Clock {
    began: Instant,
    /// For how many microseconds it has stood in all, without the present stop.
    stood: AtomicU64,
    /// When the present stop began, in microseconds since `began`.
    stopped: AtomicU64,
}

impl Clock {
    pub(super) fn new() -> Self {
        Self { began: Instant::now(), stood: AtomicU64::new(0), stopped: AtomicU64::new(GOING) }
    }

    /// What it shows at this instant.
    pub(super) fn at(&self, instant: Instant) -> Duration {
        let passed = instant.saturating_duration_since(self.began);
        let until = match self.stopped.load(Ordering::Acquire) {
            GOING => passed,
            stopped => passed.min(Duration::from_micros(stopped)),
        };
        until.saturating_sub(Duration::from_micros(self.stood.load(Ordering::Acquire)))
    }

    /// What it shows now.
    pub(super) fn now(&self) -> Duration {
        self.at(Instant::now())
    }

    /// It stands from now on.
    pub(super) fn stop(&self) {
        if self.stopped.load(Ordering::Acquire) == GOING {
            self.stopped.store(micros(self.began.elapsed()), Ordering::Release);
        }
    }

    /// It goes on from what it shows.
    pub(super) fn go_on(&self) {
        let stopped = self.stopped.load(Ordering::Acquire);
        if stopped != GOING {
            self.stood.fetch_add(micros(self.began.elapsed()).saturating_sub(stopped), Ordering::AcqRel);
            self.stopped.store(GOING, Ordering::Release);
        }
    }

    /// Waits until it shows so much.
    pub(super) async fn until(&self, shows: Duration) {
        loop {
            let left = shows.saturating_sub(self.now());
            if left.is_zero() {
                return;
            }
            let stands = self.stopped.load(Ordering::Acquire) != GOING;
            tokio::time::sleep(if stands { left.max(LOOK) } else { left }).await;
        }
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(GOING - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn while_it_stands_no_time_passes_and_nobody_who_waits_is_woken() {
        let clock = Clock::new();
        let pass = |seconds| tokio::time::advance(Duration::from_secs(seconds));
        pass(3).await;
        clock.stop();
        clock.stop();
        pass(60).await;
        assert_eq!(clock.now(), Duration::from_secs(3));
        clock.go_on();
        clock.go_on();
        pass(2).await;
        assert_eq!(clock.now(), Duration::from_secs(5));

        let (waits, before) = (clock.until(Duration::from_secs(6)), Instant::now());
        clock.stop();
        let stands = async {
            tokio::time::sleep(Duration::from_secs(30)).await;
            clock.go_on();
        };
        tokio::join!(waits, stands);
        assert!(before.elapsed() >= Duration::from_secs(31), "{:?}", before.elapsed());
    }
}
