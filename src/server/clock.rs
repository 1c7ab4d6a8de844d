//! The time by which all lobbies go: it stands still while nothing can be recorded, so that nobody's clock
//! runs then and nothing falls due. Nor is it anybody's time when the server itself was stopped, or the
//! machine too busy for it: the first look at the clock after such a gap sets it back, and then it
//! stands until what people sent in the gap is read.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// How often a clock that stands is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// The interval in which a running server shows that it goes on. It is shorter than a player's grace at the
/// flag.
const PULSE: Duration = Duration::from_millis(100);

/// How much later than requested a busy machine wakes the server.
const USUALLY_LATE: Duration = Duration::from_millis(100);

/// What there is to read after the server was stopped, it reads in this time.
const CATCH_UP: Duration = Duration::from_millis(200);

/// A gap that a host should know of.
const NOTABLE: Duration = Duration::from_secs(1);

/// A clock that can be stopped. One task stops it and lets it go on; everybody may read it.
#[derive(Debug)]
pub(super) struct PausableClock {
    /// Whether time in which the server was stopped is nobody's.
    forgives: bool,
    /// Held for one look.
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// What it shows up to `since`.
    shown: Duration,
    /// From when it goes on; `None` while it stands.
    since: Option<Instant>,
    /// When the server was last seen to go on, by the machine's own time, also where tokio's is a test's;
    /// before the first time there are no gaps.
    beat: Option<std::time::Instant>,
}

impl PausableClock {
    /// A clock that shows nothing yet, and may forgive stops.
    pub(super) fn new(forgives: bool) -> Self {
        let state = State { shown: Duration::ZERO, since: Some(Instant::now()), beat: None };
        Self { forgives, state: Mutex::new(state) }
    }

    /// Shows that the server goes on, until what is returned is dropped. From then on, time without it is a
    /// gap.
    pub(super) fn keep_going(self: &Arc<Self>) -> AbortOnDropHandle<()> {
        let clock = Arc::clone(self);
        AbortOnDropHandle::new(tokio::spawn(async move {
            if clock.forgives {
                loop {
                    clock.with(State::beats);
                    tokio::time::sleep(PULSE).await;
                }
            }
        }))
    }

    /// Looks at it, and first of all whether the server has just been stopped for a while.
    fn with<T>(&self, look: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.state.lock();
        if let Some(gap) = state.gap() {
            state.forgive(gap);
            state.beats();
        }
        look(&mut state)
    }

    /// What it shows at this instant.
    pub(super) fn at(&self, instant: Instant) -> Duration {
        self.with(|state| state.at(instant))
    }

    /// What it shows now.
    pub(super) fn now(&self) -> Duration {
        self.at(Instant::now())
    }

    /// It stands from now on.
    pub(super) fn stop(&self) {
        self.with(|state| (state.shown, state.since) = (state.at(Instant::now()), None));
    }

    /// It goes on from what it shows.
    pub(super) fn go_on(&self) {
        self.with(|state| state.since = state.since.or_else(|| Some(Instant::now())));
    }

    /// Waits until it shows this time.
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

impl State {
    fn at(&self, instant: Instant) -> Duration {
        self.shown + self.since.map_or(Duration::ZERO, |since| instant.saturating_duration_since(since))
    }

    fn beats(&mut self) {
        self.beat = Some(std::time::Instant::now());
    }

    /// For how long nothing has been heard of the server, if that is longer than usual.
    fn gap(&self) -> Option<Duration> {
        self.beat.map(|beat| beat.elapsed()).filter(|gap| *gap > PULSE + USUALLY_LATE)
    }

    /// The server did nothing during this gap. The clock is set back to where it stood, and one pulse
    /// further, so that it advances even on a machine that is always too busy. It stands until everything is
    /// read.
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
