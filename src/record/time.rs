//! The two kinds of time in a record: a [`Date`] and a [`Span`]. Reads no clock.

use std::fmt;
use std::str::FromStr;
use std::time::{Duration, UNIX_EPOCH};

use humantime::TimestampError;

use crate::game::notation::number;
use crate::number::millis;

/// A valid time of day, to find out whether a day exists.
const MIDNIGHT: &str = "00:00:00";

/// A date and time in UTC, to the second, from 1970 to the end of the year 9999.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(u64);

/// The error for a text that is not a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadDate {
    /// The text does not have the form of a date.
    #[error("write a date as in 2026-11-21 13:36:49 UTC")]
    Form,
    /// The day is not in the calendar, or before 1970.
    #[error("there is no such day between 1970 and 9999")]
    NoSuchDay,
    /// The day exists, the time of day does not.
    #[error("there is no such time: a day goes from 00:00:00 to 23:59:59")]
    NoSuchTime,
}

impl Date {
    /// 9999-12-31 23:59:59, the last second that can be written.
    const MAX: u64 = 253_402_300_799;

    /// Converts milliseconds since 1970-01-01 00:00:00 UTC, rounded down to the second.
    pub fn of_millis(millis: u64) -> Self {
        Self((millis / 1_000).min(Self::MAX))
    }

    /// The milliseconds since 1970-01-01 00:00:00 UTC.
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

/// A duration in milliseconds, up to [`Span::MAX`], written as on a stopwatch: `0:04.250`, `1:02:03.004`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

/// The error for a text that is not a duration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a time as in 0:04.250 or 1:02:03.004")]
pub struct BadSpan;

const HOUR: u64 = 3_600_000;
const MINUTE: u64 = 60_000;
const SECOND: u64 = 1_000;

/// The maximum number of hours, about eleven years: the largest with five digits.
const MAX_HOURS: u64 = 99_999;

impl Span {
    /// The longest span. Longer durations become this one.
    pub const MAX: Self = Self(MAX_HOURS * HOUR + HOUR - 1);

    /// Converts a duration, rounded down to the millisecond.
    pub fn of(time: Duration) -> Self {
        Self(millis(time)).min(Self::MAX)
    }
}

impl From<Span> for Duration {
    fn from(span: Span) -> Self {
        Self::from_millis(span.0)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (hours, minutes) = (self.0 / HOUR, self.0 / MINUTE % 60);
        let (seconds, millis) = (self.0 / SECOND % 60, self.0 % SECOND);
        let text = match hours {
            0 => format!("{minutes}:{seconds:02}.{millis:03}"),
            _ => format!("{hours}:{minutes:02}:{seconds:02}.{millis:03}"),
        };
        f.pad(&text)
    }
}

impl FromStr for Span {
    type Err = BadSpan;

    fn from_str(text: &str) -> Result<Self, BadSpan> {
        let (whole, millis) = text.split_once('.').ok_or(BadSpan)?;
        let parts: Vec<&str> = whole.split(':').collect();
        let (hours, minutes, seconds) = match *parts.as_slice() {
            [minutes, seconds] => ("0", minutes, seconds),
            [hours, minutes, seconds] => (hours, minutes, seconds),
            _ => return Err(BadSpan),
        };
        let read = |text, most| number(text, 0, most).ok_or(BadSpan);
        let (hours, minutes) = (read(hours, MAX_HOURS)?, read(minutes, 59)?);
        let span = Self(hours * HOUR + minutes * MINUTE + read(seconds, 59)? * SECOND + read(millis, 999)?);
        // Every span has exactly one text: no leading zeros, no missing digits.
        if span.to_string() == text { Ok(span) } else { Err(BadSpan) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_round_trip() {
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
    fn other_texts_are_not_dates() {
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

    #[test]
    fn spans_round_trip() {
        for (millis, text) in [
            (0, "0:00.000"),
            (4_250, "0:04.250"),
            (3_599_999, "59:59.999"),
            (3_723_004, "1:02:03.004"),
            (u64::MAX, "99999:59:59.999"),
        ] {
            let span = Span::of(Duration::from_millis(millis));
            assert_eq!((span.to_string().as_str(), text.parse()), (text, Ok(span)));
        }
    }

    #[test]
    fn every_span_has_one_text() {
        for text in ["", "4", "0:4.250", "00:04.250", "0:60.000", "0:00.00", "100000:00:00.000", "-0:04.250"]
        {
            assert_eq!(text.parse::<Span>(), Err(BadSpan), "{text}");
        }
    }
}
