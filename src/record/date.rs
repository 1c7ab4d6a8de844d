//! A second of the world's time, as a text. It reads no clock.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, UNIX_EPOCH};

/// A second in UTC, up to the end of the year 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(u64);

/// The text is no date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a date as in 2026-11-21 13:36:49 UTC")]
pub struct BadDate;

impl Date {
    /// The last second that has a text: 9999-12-31 23:59:59.
    const MAX: u64 = 253_402_300_799;

    /// So many milliseconds after 1970 began in UTC, to the second.
    pub fn of_millis(millis: u64) -> Self {
        Self((millis / 1_000).min(Self::MAX))
    }

    /// How many milliseconds after 1970 began in UTC that is.
    pub fn millis(self) -> u64 {
        self.0 * 1_000
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(self.0)).to_string();
        f.pad(&text.replace('T', " ").replace('Z', " UTC"))
    }
}

impl FromStr for Date {
    type Err = BadDate;

    fn from_str(text: &str) -> Result<Self, BadDate> {
        let (day, time) = text.strip_suffix(" UTC").and_then(|text| text.split_once(' ')).ok_or(BadDate)?;
        let read = humantime::parse_rfc3339(&format!("{day}T{time}Z")).map_err(|_| BadDate)?;
        let since = read.duration_since(UNIX_EPOCH).map_err(|_| BadDate)?;
        Ok(Self(since.as_secs().min(Self::MAX)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_read_as_it_is_written() {
        for (millis, text) in [
            (0, "1970-01-01 00:00:00 UTC"),
            (1_795_268_209_999, "2026-11-21 13:36:49 UTC"),
            (951_782_400_000, "2000-02-29 00:00:00 UTC"),
            (u64::MAX, "9999-12-31 23:59:59 UTC"),
        ] {
            let date = Date::of_millis(millis);
            assert_eq!((date.to_string().as_str(), text.parse()), (text, Ok(date)));
        }
    }

    #[test]
    fn other_texts_are_no_dates() {
        for text in [
            "",
            "UTC",
            "2026-11-21 13:36:49",
            "2026-02-30 00:00:00 UTC",
            "2026-11-21 24:00:00 UTC",
            "é é UTC",
        ] {
            assert_eq!(text.parse::<Date>(), Err(BadDate), "{text}");
        }
    }
}
