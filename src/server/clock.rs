//! The clock of all lobbies. It stands still while nothing can be recorded, so that no player's clock runs
//! and nothing falls due. Time during which the server was suspended, or the machine too busy for it, is not
//! charged to any player either: the first reading after such a gap sets the clock back, and it then stands
//! until what clients sent in the gap is read.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// How often a task that waits reads a clock that stands.
const LOOK: Duration = Duration::from_millis(100);

/// The interval of the running server's heartbeat. It is shorter than the grace period of a player whose time
/// is up.
const PULSE: Duration = Duration::from_millis(100);

/// How much later than requested a busy machine wakes the server.
const USUALLY_LATE: Duration = Duration::from_millis(100);

/// The time that the server gets after a gap to read what has arrived meanwhile.
const CATCH_UP: Duration = Duration::from_millis(200);

/// The shortest gap that is logged.
const NOTABLE: Duration = Duration::from_secs(1);

/// A clock that can be paused. One task pauses and resumes it; every task may read it.
#[derive(Debug)]
pub(super) struct PausableClock {
    /// Whether time during which the server was suspended is not charged to any player.
    forgives: bool,
    /// Held for one reading.
    state: Mutex<ClockState>,
}

#[derive(Debug)]
struct ClockState {
    /// What the clock shows until `since`.
    shown: Duration,
    /// When it runs on from there; `None` while it stands.
    since: Option<Instant>,
    /// The last heartbeat, by the machine's own time even where tokio's is simulated; before the first one
    /// there are no gaps.
    beat: Option<std::time::Instant>,
}

impl PausableClock {
    /// A clock that starts at zero. `forgives` tells whether it makes up for gaps.
    pub(super) fn new(forgives: bool) -> Self {
        let state = ClockState { shown: Duration::ZERO, since: Some(Instant::now()), beat: None };
        Self { forgives, state: Mutex::new(state) }
    }

    /// Starts the heartbeat, which ends when the handle is dropped. From the first beat on, a pause between
    /// beats is a gap.
    pub(super) fn keep_going(self: &Arc<Self>) -> AbortOnDropHandle<()> {
        let clock = Arc::clone(self);
        AbortOnDropHandle::new(tokio::spawn(async move {
            if clock.forgives {
                loop {
                    clock.with(ClockState::beats);
                    tokio::time::sleep(PULSE).await;
                }
            }
        }))
    }

    /// Reads or changes the clock, after it has made up for a gap.
    fn with<T>(&self, look: impl FnOnce(&mut ClockState) -> T) -> T {
        let mut state = self.state.lock();
        if let Some(gap) = state.gap() {
            state.forgive(gap);
            state.beats();
        }
        look(&mut state)
    }

    /// The reading at this instant.
    pub(super) fn at(&self, instant: Instant) -> Duration {
        self.with(|state| state.at(instant))
    }

    /// The reading now.
    pub(super) fn now(&self) -> Duration {
        self.at(Instant::now())
    }

    /// Pauses the clock.
    pub(super) fn stop(&self) {
        self.with(|state| (state.shown, state.since) = (state.at(Instant::now()), None));
    }

    /// Resumes the clock.
    pub(super) fn go_on(&self) {
        self.with(|state| state.since = state.since.or_else(|| Some(Instant::now())));
    }

    /// Waits until the clock shows this time.
    pub(super) async fn until(&self, end: Duration) {
        loop {
            let (shown, stands) = self.with(|state| (state.at(Instant::now()), state.since.is_none()));
            let left = end.saturating_sub(shown);
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(if stands { left.max(LOOK) } else { left }).await;
        }
    }
}

impl ClockState {
    fn at(&self, instant: Instant) -> Duration {
        self.shown + self.since.map_or(Duration::ZERO, |since| instant.saturating_duration_since(since))
    }

    fn beats(&mut self) {
        self.beat = Some(std::time::Instant::now());
    }

    /// The time since the last heartbeat, if it is longer than usual.
    fn gap(&self) -> Option<Duration> {
        self.beat.map(|beat| beat.elapsed()).filter(|gap| *gap > PULSE + USUALLY_LATE)
    }

    /// Sets the clock back by this gap, during which the server did nothing, and one pulse forward, so that
    /// it advances even on a machine that is always too busy. Then the clock stands until everything is read.
    fn forgive(&mut self, gap: Duration) {
        if self.since.is_none() {
            return;
        }
        let now = Instant::now();
        self.shown = now.checked_sub(gap).map_or(self.shown, |before| self.at(before)) + PULSE;
        self.since = Some(now + CATCH_UP);
        if gap > NOTABLE {
            tracing::warn!(
                ?gap,
                "the server was stopped for a while, or the machine is too busy; clocks stood"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn while_it_stands_no_time_passes_and_nobody_who_waits_is_woken() {
        let clock = PausableClock::new(false);
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
    async fn time_in_which_the_server_was_stopped_is_forgiven_and_then_it_stands_until_everything_is_read() {
        let clock = PausableClock::new(false);
        let pass = |millis| tokio::time::advance(Duration::from_millis(millis));
        pass(10_000).await;
        pass(3_000).await;
        clock.state.lock().forgive(Duration::from_secs(3));
        let shown = Duration::from_secs(10) + PULSE;
        assert_eq!(clock.now(), shown);
        tokio::time::advance(CATCH_UP).await;
        assert_eq!(clock.now(), shown);
        pass(700).await;
        assert_eq!(clock.now(), shown + Duration::from_millis(700));
    }

    #[tokio::test(start_paused = true)]
    async fn on_a_machine_that_is_always_too_busy_it_gets_on_all_the_same_and_never_back() {
        let (clock, gap) = (PausableClock::new(false), PULSE + 2 * USUALLY_LATE);
        let mut shown = clock.now();
        for _ in 0..100 {
            tokio::time::advance(gap).await;
            clock.state.lock().forgive(gap);
            assert!(clock.now() >= shown, "{:?} after {shown:?}", clock.now());
            shown = clock.now();
        }
        assert!(shown >= 30 * PULSE, "{shown:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_gap_in_which_it_stood_anyway_is_not_counted_twice() {
        let clock = PausableClock::new(false);
        tokio::time::advance(Duration::from_secs(5)).await;
        clock.stop();
        tokio::time::advance(Duration::from_mins(1)).await;
        clock.state.lock().forgive(Duration::from_secs(20));
        clock.go_on();
        assert_eq!(clock.now(), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_look_finds_the_gap() {
        let (clock, gap) = (PausableClock::new(true), Duration::from_secs(3));
        clock.state.lock().beat = std::time::Instant::now().checked_sub(gap);
        tokio::time::advance(gap).await;
        assert!(clock.now() <= PULSE, "{:?}", clock.now());
    }
}
