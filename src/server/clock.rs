//! The time by which all lobbies go: it stands still while nothing can be recorded, so that nobody's clock
//! runs then and nothing falls due. Nor is it anybody's time when the server itself was stopped, or the
//! machine too busy for it: the first look at the clock after such a gap sets it back, and then it
//! stands until what people sent in the gap is read.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

/// No stop has begun.
const GOING: u64 = u64::MAX;

/// How often a clock that stands is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A server that goes on shows it so often. It is less than what a player is granted whose time is up.
const PULSE: Duration = Duration::from_millis(100);

/// So much later than it asked to be, the server is woken on a busy machine.
const USUALLY_LATE: Duration = Duration::from_millis(100);

/// What there is to read after the server was stopped, it reads in this time.
const CATCH_UP: Duration = Duration::from_millis(200);

/// A gap that a host should know of.
const NOTABLE: Duration = Duration::from_secs(1);

/// A clock that can be stopped. One task stops it and lets it go on; everybody may read it. All its numbers
/// are microseconds.
#[derive(Debug)]
pub(super) struct Clock {
    began: Instant,
    /// For how long it has stood in all, without the present stop.
    stood: AtomicU64,
    /// When the present stop began, since `began`.
    stopped: AtomicU64,
    /// It shows no less: after a gap it stands at what it showed before.
    least: AtomicU64,
    /// `None` where stops are not looked for.
    pulse: Option<Pulse>,
}

/// When the server was seen to go on.
#[derive(Debug)]
struct Pulse {
    /// The machine's own time, also where tokio's is a test's.
    began: std::time::Instant,
    /// The last time, since `began`; before the first one there are no gaps.
    beat: AtomicU64,
    /// Held by the thread that has found a gap.
    gap: Mutex<()>,
}

impl Clock {
    /// A clock that shows nothing yet, and may forgive stops.
    pub(super) fn new(forgives: bool) -> Self {
        let began = std::time::Instant::now();
        let pulse = forgives.then(|| Pulse { began, beat: AtomicU64::new(u64::MAX), gap: Mutex::new(()) });
        let (stood, stopped, least) = (AtomicU64::new(0), AtomicU64::new(GOING), AtomicU64::new(0));
        Self { began: Instant::now(), stood, stopped, least, pulse }
    }

    /// Shows that the server goes on, until what is returned is dropped. From then on, time without it is a
    /// gap.
    pub(super) fn keep_going(self: &Arc<Self>) -> AbortOnDropHandle<()> {
        let clock = Arc::clone(self);
        AbortOnDropHandle::new(tokio::spawn(async move {
            let Some(pulse) = &clock.pulse else { return };
            loop {
                clock.notice();
                pulse.beats();
                tokio::time::sleep(PULSE).await;
            }
        }))
    }

    /// What it shows at this instant.
    pub(super) fn at(&self, instant: Instant) -> Duration {
        self.notice();
        self.shown(instant)
    }

    fn shown(&self, instant: Instant) -> Duration {
        let passed = micros(instant.saturating_duration_since(self.began));
        let until = passed.min(self.stopped.load(Ordering::Acquire));
        let going = until.saturating_sub(self.stood.load(Ordering::Acquire));
        Duration::from_micros(going.max(self.least.load(Ordering::Acquire)))
    }

    /// What it shows now.
    pub(super) fn now(&self) -> Duration {
        self.at(Instant::now())
    }

    /// It stands from now on.
    pub(super) fn stop(&self) {
        self.notice();
        if self.stopped.load(Ordering::Acquire) == GOING {
            self.stopped.store(micros(self.began.elapsed()), Ordering::Release);
        }
    }

    /// It goes on from what it shows.
    pub(super) fn go_on(&self) {
        self.notice();
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

    /// Looks whether the server has just been stopped for a while.
    fn notice(&self) {
        if let Some(pulse) = &self.pulse
            && pulse.gap().is_some()
        {
            let _gap = pulse.gap.lock();
            // Somebody else may have been first.
            if let Some(gap) = pulse.gap() {
                self.forgive(gap);
                pulse.beats();
            }
        }
    }

    /// For so long nothing was heard of the server. The clock shows what it did, and a pulse more, so that it
    /// gets on where the machine is too busy all the time, and stands there until everything is read.
    fn forgive(&self, gap: Duration) {
        if self.stopped.load(Ordering::Acquire) != GOING {
            return;
        }
        let now = Instant::now();
        let shown = self.shown(now.checked_sub(gap).unwrap_or(self.began)) + PULSE;
        let stood = (now + CATCH_UP).saturating_duration_since(self.began).saturating_sub(shown);
        self.least.store(micros(shown), Ordering::Release);
        self.stood.store(micros(stood), Ordering::Release);
        if gap > NOTABLE {
            tracing::warn!(
                ?gap,
                "the server was stopped for a while, or the machine is too busy; clocks stood"
            );
        }
    }
}

impl Pulse {
    fn beats(&self) {
        self.beat.store(micros(self.began.elapsed()), Ordering::Release);
    }

    /// For how long nothing has been heard of the server, if that is longer than usual.
    fn gap(&self) -> Option<Duration> {
        let beat = Duration::from_micros(self.beat.load(Ordering::Acquire));
        let gap = self.began.elapsed().saturating_sub(beat);
        (gap > PULSE + USUALLY_LATE).then_some(gap)
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
        let clock = Clock::new(false);
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
        let clock = Clock::new(false);
        let pass = |millis| tokio::time::advance(Duration::from_millis(millis));
        pass(10_000).await;
        pass(3_000).await;
        clock.forgive(Duration::from_secs(3));
        let shown = Duration::from_secs(10) + PULSE;
        assert_eq!(clock.now(), shown);
        tokio::time::advance(CATCH_UP).await;
        assert_eq!(clock.now(), shown);
        pass(700).await;
        assert_eq!(clock.now(), shown + Duration::from_millis(700));
    }

    #[tokio::test(start_paused = true)]
    async fn on_a_machine_that_is_always_too_busy_it_gets_on_all_the_same_and_never_back() {
        let (clock, gap) = (Clock::new(false), PULSE + 2 * USUALLY_LATE);
        let mut shown = clock.now();
        for _ in 0..100 {
            tokio::time::advance(gap).await;
            clock.forgive(gap);
            assert!(clock.now() >= shown, "{:?} after {shown:?}", clock.now());
            shown = clock.now();
        }
        assert!(shown >= 30 * PULSE, "{shown:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_gap_in_which_it_stood_anyway_is_not_counted_twice() {
        let clock = Clock::new(false);
        tokio::time::advance(Duration::from_secs(5)).await;
        clock.stop();
        tokio::time::advance(Duration::from_mins(1)).await;
        clock.forgive(Duration::from_secs(20));
        clock.go_on();
        assert_eq!(clock.now(), Duration::from_secs(5));
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_look_finds_the_gap() {
        let (mut clock, gap) = (Clock::new(true), Duration::from_secs(3));
        let pulse = clock.pulse.as_mut().expect("its time is real");
        pulse.beats();
        pulse.began = pulse.began.checked_sub(gap).expect("the machine has run for so long");
        tokio::time::advance(gap).await;
        assert!(clock.now() <= PULSE, "{:?}", clock.now());
    }
}
