//! The time by which all tables go: it stands still while nothing can be recorded, so that nobody's clock runs then and
//! nothing falls due. Nor is it anybody's time when the server itself was stopped, or the machine too busy for it, just as
//! something was to fall due: what people sent meanwhile is looked at first.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// No stop has begun.
const GOING: u64 = u64::MAX;

/// How often a clock that stands is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// So much later than it asked to be, the server is woken on a busy machine.
const USUALLY_LATE: Duration = Duration::from_millis(100);

/// What there is to read after the server was stopped, it reads in this time.
const CATCH_UP: Duration = Duration::from_millis(200);

/// A clock that can be stopped. One task stops it and lets it go on; everybody may read it.
#[derive(Debug)]
pub(super) struct Clock {
    began: Instant,
    /// For how many microseconds it has stood in all, without the present stop.
    stood: AtomicU64,
    /// When the present stop began, in microseconds since `began`.
    stopped: AtomicU64,
    /// Whether the time on it is that of this machine, and no simulated one.
    is_real: bool,
}

impl Clock {
    pub(super) fn new(is_real: bool) -> Self {
        Self { began: Instant::now(), stood: AtomicU64::new(0), stopped: AtomicU64::new(GOING), is_real }
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
            let (wait, stood) =
                (if stands { left.max(LOOK) } else { left }, self.stood.load(Ordering::Acquire));
            let asleep = std::time::Instant::now();
            tokio::time::sleep(wait).await;
            self.forgive(asleep.elapsed().saturating_sub(wait), stood);
        }
    }

    /// The server was woken so much too late. If it was more than usual it was stopped: then the clock is set back, unless
    /// somebody else has done so since it had `stood` for so long.
    fn forgive(&self, late: Duration, stood: u64) {
        if self.is_real && late > USUALLY_LATE {
            let more = stood.saturating_add(micros(late + CATCH_UP));
            if self.stood.compare_exchange(stood, more, Ordering::AcqRel, Ordering::Acquire).is_ok() {
                tracing::warn!(
                    ?late,
                    "the server was stopped for a while, or the machine is too busy; clocks stood"
                );
            }
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
        let clock = Clock::new(true);
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

    #[tokio::test(start_paused = true)]
    async fn time_in_which_the_server_was_stopped_is_forgiven_once() {
        let clock = Clock::new(true);
        tokio::time::advance(Duration::from_secs(10)).await;
        clock.forgive(USUALLY_LATE, 0);
        assert_eq!(clock.now(), Duration::from_secs(10));
        // Two tables were to be woken in the same stop.
        clock.forgive(Duration::from_secs(3), 0);
        clock.forgive(Duration::from_secs(3), 0);
        assert_eq!(clock.now() + CATCH_UP, Duration::from_secs(7));
        Clock::new(false).forgive(Duration::from_secs(3), 0);
    }
}
