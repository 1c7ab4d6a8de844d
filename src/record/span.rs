//! How long something took, as a stopwatch shows it: `0:04.250`, `1:02:03.004`.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::game::notation::number;

/// A length of time in milliseconds, up to [`Span::MAX`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(u64);

/// The text is no length of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("write a time as in 0:04.250 or 1:02:03.004")]
pub struct BadSpan;

const HOUR: u64 = 3_600_000;
const MINUTE: u64 = 60_000;
const SECOND: u64 = 1_000;

/// The most hours: eleven years, and still five digits.
const MAX_HOURS: u64 = 99_999;

impl Span {
    /// The longest: whatever takes longer is written as this.
    pub const MAX: Self = Self(MAX_HOURS * HOUR + HOUR - 1);

    /// So many milliseconds.
    pub fn of(time: Duration) -> Self {
        Self(u64::try_from(time.as_millis()).unwrap_or(u64::MAX)).min(Self::MAX)
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
        // One way to write it: no digit too many or too few.
        if span.to_string() == text { Ok(span) } else { Err(BadSpan) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_read_as_it_is_written() {
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
    fn there_is_one_way_to_write_it() {
        for text in ["", "4", "0:4.250", "00:04.250", "0:60.000", "0:00.00", "100000:00:00.000", "-0:04.250"]
        {
            assert_eq!(text.parse::<Span>(), Err(BadSpan), "{text}");
        }
    }
}
