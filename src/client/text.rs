//! Small text functions: durations in words, marked names, columns, and capital letters.

use std::time::Duration;

use crate::lobby::{Kind, Level, Name};
use crate::number;

/// The units, each with its milliseconds.
const UNITS: [(&str, u32); 5] =
    [("day", 86_400_000), ("hour", 3_600_000), ("minute", 60_000), ("second", 1_000), ("millisecond", 1)];

/// A time in milliseconds in its two largest units, such as `1 hour 30 minutes`.
pub fn spoken(milliseconds: u32) -> String {
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

/// The same to the second, for a time that changes while it is read.
pub fn spoken_time(time: Duration) -> String {
    let seconds = number::saturating::<u32, _>(time.as_secs()).min(u32::MAX / 1_000);
    if seconds == 0 { "less than a second".into() } else { spoken(seconds * 1_000) }
}

/// A remaining time, rounded up to seconds.
pub fn remaining(time: Duration) -> String {
    spoken(number::saturating::<u32, _>(time.as_millis().div_ceil(1_000)).saturating_mul(1_000))
}

/// A name, with a mark for bots and programs that no name can contain.
pub fn marked(name: &Name, kind: Kind, level: Level) -> String {
    match kind {
        Kind::Person | Kind::Guest => name.to_string(),
        Kind::Bot => format!("{name} [bot, {level}]"),
        Kind::Program => format!("{name} [program]"),
    }
}

/// Formats rows as lines. Each column but the last is as wide as its longest cell.
pub fn in_columns(rows: &[Vec<String>]) -> Vec<String> {
    let mut widths = Vec::new();
    for row in rows {
        widths.resize(row.len(), 0);
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.chars().count().max(*width);
        }
    }
    let line = |row: &Vec<String>| {
        let padded = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// Makes a sentence of a clause: a capital letter and a full stop.
pub fn sentence(words: &str) -> String {
    capital(words) + "."
}

/// The same words with a full stop, unless they end with a sign already.
pub fn full_stop(words: &str) -> String {
    let end = if words.ends_with(['.', '?', '!']) { "" } else { "." };
    words.to_owned() + end
}

/// The same words with a capital first letter.
pub fn capital(words: &str) -> String {
    let mut rest = words.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    first + rest.as_str()
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
