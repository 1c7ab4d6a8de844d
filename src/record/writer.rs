//! Writes a record: in columns for people, and as the canonical text for the checksum.

use std::fmt;

use super::header::Header;
use super::replay::{Replay, Step};
use super::{text, words};
use crate::lobby::{Checksum, Event};

/// The label of the result.
pub(super) const RESULT: &str = "Result";

/// The width of the label at the start of a line.
const LABEL_WIDTH: usize = 11;
/// The width of a step without its time, and of the time.
const STEP_WIDTH: usize = 58;
const TIME_WIDTH: usize = 12;
/// The width of a move's number and the point after it.
const NUMBER_WIDTH: usize = 4;

/// A step as a line of the canonical text.
pub(super) fn canonical(step: &Step, before: &Replay) -> String {
    format!("{} {}", words::event(&step.event, before), step.after)
}

/// A line, as it is displayed and as it is in the canonical text.
struct Line {
    shown: String,
    canonical: String,
}

impl Line {
    fn field(word: &str, value: &str) -> Self {
        let canonical = format!("{word}: {value}");
        let shown = format!("{:<LABEL_WIDTH$}{value}", format!("{word}:"));
        Self { shown, canonical }
    }

    fn step(step: &Step, before: &Replay) -> Self {
        let words = words::event(&step.event, before);
        let indent = if matches!(step.event, Event::Moved { .. }) {
            NUMBER_WIDTH.saturating_sub(words.find('.').unwrap_or_default())
        } else {
            NUMBER_WIDTH + 2
        };
        let shown = format!("{}{words}", " ".repeat(indent));
        Self {
            shown: format!("{shown:<STEP_WIDTH$} {:>TIME_WIDTH$}", step.after),
            canonical: canonical(step, before),
        }
    }
}

/// The header, the steps, and the result.
fn parts(header: &Header, steps: &[Step]) -> [Vec<Line>; 3] {
    let fields = header.fields().iter().map(|(word, value)| Line::field(word, value)).collect();
    let mut replay = Replay::of(header);
    let mut lines = Vec::new();
    for step in steps {
        lines.push(Line::step(step, &replay));
        // This cannot fail: each step was applied when the record was built.
        let _ = replay.apply(step);
    }
    [fields, lines, vec![Line::field(RESULT, &words::result(&replay))]]
}

fn checksum_of(parts: &[Vec<Line>; 3]) -> Checksum {
    let title = text::title();
    let lines = parts.iter().flatten().map(|line| line.canonical.as_str());
    text::checksum_over([title.as_str()].into_iter().chain(lines))
}

/// The checksum of the canonical text.
pub(super) fn checksum(header: &Header, steps: &[Step]) -> Checksum {
    checksum_of(&parts(header, steps))
}

/// Writes the whole text, with a line feed after each line.
pub(super) fn write(header: &Header, steps: &[Step], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let parts = parts(header, steps);
    writeln!(f, "{}", text::title())?;
    for part in parts.iter().filter(|part| !part.is_empty()) {
        writeln!(f)?;
        for line in part.iter().flat_map(|line| text::folded(&line.shown)) {
            writeln!(f, "{line}")?;
        }
    }
    writeln!(f, "{}", Line::field("Checksum", &checksum_of(&parts).to_string()).shown)
}
