//! A lobby's own time, which is not the time of day. The caller passes it in.

use std::ops::Add;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::number::millis;

/// A point in a lobby's time: milliseconds since it was opened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Moment(pub u64);

impl Moment {
    /// When the lobby was opened.
    pub const START: Self = Self(0);

    /// The time from `earlier` to this moment; zero if `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    /// Adds a duration, rounded down to milliseconds; stops at the largest moment.
    fn add(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(millis(wait)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_on_and_stops_at_its_ends() {
        let moment = Moment(1_500) + Duration::from_micros(2_999);
        assert_eq!(moment, Moment(1_502));
        assert_eq!(
            (moment.since(Moment(502)), Moment::START.since(moment)),
            (Duration::from_secs(1), Duration::ZERO)
        );
        assert_eq!(Moment(7) + Duration::MAX, Moment(u64::MAX));
    }
}
