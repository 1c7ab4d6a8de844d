//! Writes a record: in columns for people, and line by line for the checksum.

use std::fmt;

use super::head::Head;
use super::replay::{Replay, Step};
use super::{text, words};
use crate::lobby::{Checksum, Event};

/// The word before the result.
pub(super) const RESULT: &str = "Result";

/// The width of the words at the start of a line.
const WORDS: usize = 11;
/// The width of a step without its time, and of the time.
const STEPS: usize = 58;
const TIMES: usize = 12;
/// The width of a move's number and the point after it.
const NUMBERS: usize = 4;

/// A step as a line of the canonical text.
pub(super) fn canonical(step: &Step, before: &Replay) -> String {
    format!("{} {}", words::event(&step.event, before, before.moment(step.after)), step.after)
}

/// A line, as people see it and as it is in the canonical text.
struct Line {
    shown: String,
    canonical: String,
}

impl Line {
    fn field(word: &str, value: &str) -> Self {
        let canonical = format!("{word}: {value}");
        let shown = format!("{:<WORDS$}{value}", format!("{word}:"));
        Self { shown, canonical }
    }

    fn step(step: &Step, before: &Replay) -> Self {
        let words = words::event(&step.event, before, before.moment(step.after));
        let indent = if matches!(step.event, Event::Moved { .. }) {
            NUMBERS.saturating_sub(words.find('.').unwrap_or_default())
        } else {
            NUMBERS + 2
        };
        let shown = format!("{}{words}", " ".repeat(indent));
        Self { shown: format!("{shown:<STEPS$} {:>TIMES$}", step.after), canonical: canonical(step, before) }
    }
}

/// The head, the steps, and the result.
fn parts(head: &Head, steps: &[Step]) -> [Vec<Line>; 3] {
    let fields = head.fields().iter().map(|(word, value)| Line::field(word, value)).collect();
    let mut replay = Replay::of(head);
    let mut lines = Vec::new();
    for step in steps {
        lines.push(Line::step(step, &replay));
        // Each step was applied once before, when the record was made.
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
pub(super) fn checksum(head: &Head, steps: &[Step]) -> Checksum {
    checksum_of(&parts(head, steps))
}

/// Writes the whole text, with a line feed after each line.
pub(super) fn write(head: &Head, steps: &[Step], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let parts = parts(head, steps);
    writeln!(f, "{}", text::title())?;
    for part in parts.iter().filter(|part| !part.is_empty()) {
        writeln!(f)?;
        for line in part.iter().flat_map(|line| text::folded(&line.shown)) {
            writeln!(f, "{line}")?;
        }
    }
    writeln!(f, "{}", Line::field("Checksum", &checksum_of(&parts).to_string()).shown)
}
