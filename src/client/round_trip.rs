//! How near a server is: a ping now and then, and how long its answer takes. It knows no connection and no
//! lobby.

use std::time::Duration;

use tokio::time::Instant;

/// The pause between two measurements: often enough to be current, and little traffic compared with a game's
/// messages.
pub(super) const EVERY: Duration = Duration::from_secs(5);

/// The measurements over one connection. One ping is on its way at most.
#[derive(Debug)]
pub(super) struct RoundTripMeter {
    /// The number of the last ping; those of other purposes have the number 0.
    number: u32,
    /// When that was sent, if it has not been answered.
    sent: Option<Instant>,
    /// When the next one is to be sent.
    next: Instant,
    round_trip: Option<Duration>,
}

impl RoundTripMeter {
    /// The first measurement is due at once.
    pub(super) fn new() -> Self {
        Self { number: 0, sent: None, next: Instant::now(), round_trip: None }
    }

    /// When the next ping is to be sent; not as long as one is on its way.
    pub(super) fn due(&self) -> Option<Instant> {
        self.sent.is_none().then_some(self.next)
    }

    /// A ping is sent now, with this number.
    pub(super) fn begin(&mut self) -> u32 {
        self.number = self.number.wrapping_add(1).max(1);
        self.sent = Some(Instant::now());
        self.number
    }

    /// The answer to this number has come. Returns whether this ping is being measured.
    pub(super) fn answered(&mut self, number: u32) -> bool {
        let Some(sent) = self.sent.take_if(|_| number == self.number) else { return false };
        self.round_trip = Some(sent.elapsed());
        self.next = Instant::now() + EVERY;
        true
    }

    /// How long the last answer took; nothing before the first.
    pub(super) fn round_trip(&self) -> Option<Duration> {
        self.round_trip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_time_between_a_ping_and_its_own_answer_is_measured() {
        let mut pulse = RoundTripMeter::new();
        assert_eq!(pulse.due(), Some(Instant::now()));
        let number = pulse.begin();
        assert_eq!(pulse.due(), None);
        tokio::time::advance(Duration::from_millis(12)).await;
        assert!(!pulse.answered(0) && pulse.round_trip().is_none());
        assert!(pulse.answered(number) && !pulse.answered(number));
        assert_eq!(pulse.round_trip(), Some(Duration::from_millis(12)));
        assert_eq!(pulse.due(), Some(Instant::now() + EVERY));
    }
}
