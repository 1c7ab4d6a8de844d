//! A second of the world's time, as a text. It reads no clock.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, UNIX_EPOCH};

use humantime::TimestampError;

/// A time that every day has.
const MIDNIGHT: &str = "00:00:00";

/// A second in UTC, up to the end of the year 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(u64);

/// The text is no date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadDate {
    /// It does not have the form of one.
    #[error("write a date as in 2026-11-21 13:36:49 UTC")]
    Form,
    /// It has, and the calendar lacks that day, or it is before 1970.
    #[error("there is no such day between 1970 and 9999")]
    NoSuchDay,
    /// There is such a day, and no day has that time.
    #[error("there is no such time: a day goes from 00:00:00 to 23:59:59")]
    NoSuchTime,
}

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
        let parts = text.strip_suffix(" UTC").and_then(|text| text.split_once(' '));
        let (day, time) = parts.ok_or(BadDate::Form)?;
        let at = |time| humantime::parse_rfc3339(&format!("{day}T{time}Z"));
        let moment = at(time).map_err(|error| match error {
            TimestampError::OutOfRange if at(MIDNIGHT).is_err() => BadDate::NoSuchDay,
            TimestampError::OutOfRange => BadDate::NoSuchTime,
            TimestampError::InvalidDigit | TimestampError::InvalidFormat => BadDate::Form,
        })?;
        let since = moment.duration_since(UNIX_EPOCH).map_err(|_| BadDate::NoSuchDay)?;
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
        for (text, why) in [
            ("", BadDate::Form),
            ("UTC", BadDate::Form),
            ("2026-11-21 13:36:49", BadDate::Form),
            ("2026-2-30 00:00:00 UTC", BadDate::Form),
            ("2026-02-3o 00:00:00 UTC", BadDate::Form),
            ("é é UTC", BadDate::Form),
            ("2026-02-30 00:00:00 UTC", BadDate::NoSuchDay),
            ("2026-02-30 25:00:00 UTC", BadDate::NoSuchDay),
            ("2025-02-29 00:00:00 UTC", BadDate::NoSuchDay),
            ("1969-12-31 23:59:59 UTC", BadDate::NoSuchDay),
            ("2026-11-21 24:00:00 UTC", BadDate::NoSuchTime),
        ] {
            assert_eq!(text.parse::<Date>(), Err(why), "{text}");
        }
    }
}
