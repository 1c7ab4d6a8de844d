//! Lengths of time as a person says them: `20 seconds`, `1 hour 30 minutes`.

use std::time::Duration;

/// The units, each with its milliseconds.
const UNITS: [(&str, u32); 5] =
    [("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000), ("millisecond", 1)];

/// So many milliseconds, told in the largest two units that are not empty.
pub(super) fn spoken(milliseconds: u32) -> String {
    let mut rest = milliseconds;
    let mut parts = Vec::new();
    for (unit, size) in UNITS {
        let count = rest / size;
        rest %= size;
        if count > 0 {
            parts.push(format!("{count} {unit}{}", if count == 1 { "" } else { "s" }));
        }
    }
    parts.truncate(2);
    if parts.is_empty() { "no time".into() } else { parts.join(" ") }
}

/// The same to the second, for a time that passes while it is read.
pub fn spoken_time(time: Duration) -> String {
    let seconds = u32::try_from(time.as_secs()).unwrap_or(u32::MAX).min(u32::MAX / 1_000);
    if seconds == 0 { "less than a second".into() } else { spoken(seconds * 1_000) }
}

/// What is left of a time, in seconds that have begun: it says no less than there is.
pub(super) fn rest(time: Duration) -> String {
    let seconds = u32::try_from(time.as_millis().div_ceil(1_000)).unwrap_or(u32::MAX).min(u32::MAX / 1_000);
    if seconds == 0 { "no time".into() } else { spoken(seconds * 1_000) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_words() {
        for (milliseconds, words) in [
            (20_000, "20 seconds"),
            (1_000, "1 second"),
            (600, "600 milliseconds"),
            (3_600_000, "1 hour"),
            (5_400_000, "1 hour 30 minutes"),
            (86_400_000 + 3_600_000 + 60_000, "1 day 1 hour"),
            (0, "no time"),
        ] {
            assert_eq!(spoken(milliseconds), words);
        }
    }
}
