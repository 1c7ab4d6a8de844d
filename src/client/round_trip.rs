//! Measures the round-trip time of a connection by pings at intervals.

use std::time::Duration;

use tokio::time::Instant;

/// The pause between two measurements: often enough to be current, and little traffic compared with a game's
/// messages.
pub(super) const EVERY: Duration = Duration::from_secs(5);

/// The measurements over one connection, with at most one ping in flight.
#[derive(Debug)]
pub(super) struct RoundTripMeter {
    /// The number of the last ping; pings for other purposes have the number 0.
    number: u32,
    /// When that was sent, if it is not answered.
    sent: Option<Instant>,
    /// When to send the next one.
    next: Instant,
    round_trip: Option<Duration>,
}

impl RoundTripMeter {
    /// The first measurement is due at once.
    pub(super) fn new() -> Self {
        Self { number: 0, sent: None, next: Instant::now(), round_trip: None }
    }

    /// When to send the next ping; `None` while one is in flight.
    pub(super) fn due(&self) -> Option<Instant> {
        self.sent.is_none().then_some(self.next)
    }

    /// Starts a measurement. Returns the number of the ping to send now.
    pub(super) fn begin(&mut self) -> u32 {
        self.number = self.number.wrapping_add(1).max(1);
        self.sent = Some(Instant::now());
        self.number
    }

    /// Handles the answer to this number. Returns whether it belongs to the current measurement.
    pub(super) fn answered(&mut self, number: u32) -> bool {
        let Some(sent) = self.sent.take_if(|_| number == self.number) else { return false };
        self.round_trip = Some(sent.elapsed());
        self.next = Instant::now() + EVERY;
        true
    }

    /// The last measured time; `None` before the first.
    pub(super) fn round_trip(&self) -> Option<Duration> {
        self.round_trip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_time_between_a_ping_and_its_own_answer_is_measured() {
        let mut meter = RoundTripMeter::new();
        assert_eq!(meter.due(), Some(Instant::now()));
        let number = meter.begin();
        assert_eq!(meter.due(), None);
        tokio::time::advance(Duration::from_millis(12)).await;
        assert!(!meter.answered(0) && meter.round_trip().is_none());
        assert!(meter.answered(number) && !meter.answered(number));
        assert_eq!(meter.round_trip(), Some(Duration::from_millis(12)));
        assert_eq!(meter.due(), Some(Instant::now() + EVERY));
    }
}
