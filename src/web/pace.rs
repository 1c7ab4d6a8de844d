//! What is drawn at most so often, however often it changes.

use std::future::pending;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// A part of the page that is not drawn again before a pause is over.
#[derive(Debug, Default)]
pub(super) struct Pace {
    drawn: Option<Instant>,
    /// When a change that was not drawn may be drawn.
    due: Option<Instant>,
}

impl Pace {
    /// Whether a change is drawn now. Otherwise it is due later.
    pub(super) fn allows(&mut self, pause: Duration) -> bool {
        let (now, next) = (Instant::now(), self.drawn.map(|drawn| drawn + pause));
        self.due = next.filter(|next| *next > now);
        if self.due.is_none() {
            self.drawn = Some(now);
        }
        self.due.is_none()
    }

    /// The next change is drawn at once.
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }

    /// Ready when a change that was not drawn is due. Cancel safe.
    pub(super) async fn due(&self) {
        match self.due {
            Some(due) => sleep_until(due).await,
            None => pending().await,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::timeout;

    use super::*;

    const PAUSE: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_change_soon_after_another_waits_for_the_end_of_the_pause() {
        let (mut pace, start) = (Pace::default(), Instant::now());
        assert!(pace.allows(PAUSE), "the first change");
        timeout(10 * PAUSE, pace.due()).await.expect_err("nothing waits");
        assert!(pace.allows(PAUSE), "the pause is over");
        assert!(!pace.allows(PAUSE) && !pace.allows(PAUSE), "two changes at once");
        pace.due().await;
        assert_eq!(start.elapsed(), 11 * PAUSE);
        assert!(pace.allows(PAUSE));
        pace.reset();
        assert!(pace.allows(PAUSE));
    }
}
