//! A record made into a text: in columns for people, and line by line for the checksum.

use std::fmt;

use super::replay::Replay;
use super::{Deed, Record, Step, phrase, sheet, verdict};
use crate::lobby::Checksum;

/// The word before the result.
pub(super) const RESULT: &str = "Result";

/// The columns of a text: where what stands behind the words of the head begins, and how wide a step is before its time.
const VALUES: usize = 11;
const STEPS: usize = 58;
const TIMES: usize = 12;
/// How wide the numbers of moves are, with what stands behind them.
const NUMBERS: usize = 4;

/// A step as a line of the canonical text.
pub(super) fn canonical(step: &Step, before: &Replay) -> String {
    format!("{} {}", phrase::write(&step.deed, before), step.after)
}

/// What is written, line by line: for people, and in the canonical text.
struct Written {
    shown: String,
    canonical: String,
}

impl Written {
    fn field(word: &str, value: &str) -> Self {
        let canonical = format!("{word}: {value}");
        let shown = format!("{:<VALUES$}{value}", format!("{word}:"));
        Self { shown, canonical }
    }

    fn step(step: &Step, before: &Replay) -> Self {
        let words = phrase::write(&step.deed, before);
        let width = if matches!(step.deed, Deed::Moved { .. }) {
            NUMBERS.saturating_sub(words.find('.').unwrap_or_default())
        } else {
            NUMBERS + 2
        };
        let shown = format!("{}{words}", " ".repeat(width));
        Self { shown: format!("{shown:<STEPS$} {:>TIMES$}", step.after), canonical: canonical(step, before) }
    }
}

/// The three parts: the head, what happened, and the result.
fn parts(record: &Record) -> [Vec<Written>; 3] {
    let head = record.head.fields().iter().map(|(word, value)| Written::field(word, value)).collect();
    let mut replay = Replay::of(&record.head);
    let steps = record.steps.iter().map_while(|step| {
        let written = Written::step(step, &replay);
        replay.apply(step).ok().map(|()| written)
    });
    let steps = steps.collect();
    [head, steps, vec![Written::field(RESULT, &verdict::of(&replay))]]
}

pub(super) fn checksum(record: &Record) -> Checksum {
    of(&parts(record))
}

fn of(parts: &[Vec<Written>; 3]) -> Checksum {
    let title = sheet::title();
    let lines = parts.iter().flatten().map(|written| written.canonical.as_str());
    sheet::checksum_over(std::iter::once(title.as_str()).chain(lines))
}

impl fmt::Display for Record {
    /// The whole text, with a line feed behind each line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = parts(self);
        writeln!(f, "{}", sheet::title())?;
        for part in &parts {
            if !part.is_empty() {
                writeln!(f)?;
            }
            for line in part.iter().flat_map(|written| sheet::folded(&written.shown)) {
                writeln!(f, "{line}")?;
            }
        }
        writeln!(f, "{}", Written::field("Checksum", &of(&parts).to_string()).shown)
    }
}
