//! What happened and what people said, in order: the newest rows are shown, and one can scroll back.

use std::collections::VecDeque;

use super::painter::wrap_indented;
use crate::number::saturating;

/// The largest number of entries: more than anybody scrolls back to.
const MOST: usize = 500;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A move.
    Move,
    /// Another event.
    Event,
    /// A chat message.
    Chat,
}

/// The entries, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Log {
    entries: VecDeque<(EntryKind, String)>,
    /// The number of rows below the last one that is shown.
    back: u16,
}

impl Log {
    /// Adds an entry.
    pub fn add(&mut self, kind: EntryKind, text: impl Into<String>) {
        self.entries.push_back((kind, text.into()));
        if self.entries.len() > MOST {
            self.entries.pop_front();
        }
    }

    /// Scrolls back by this many rows in an area of this size; a negative number scrolls forward.
    pub fn scroll(&mut self, rows: i16, (width, height): (u16, u16)) {
        let furthest = saturating(self.rows(width).count().saturating_sub(height.into()));
        self.back = self.back.saturating_add_signed(rows).min(furthest);
    }

    /// Scrolls to the newest row.
    pub fn scroll_to_end(&mut self) {
        self.back = 0;
    }

    /// The rows shown in an area of this size, the oldest first.
    pub fn lines(&self, width: u16, height: u16) -> Vec<(EntryKind, String)> {
        let mut shown: Vec<_> = self.rows(width).skip(self.back.into()).take(height.into()).collect();
        shown.reverse();
        shown
    }

    /// All rows, the newest first.
    fn rows(&self, width: u16) -> impl Iterator<Item = (EntryKind, String)> + '_ {
        let rows = move |(kind, text): &(EntryKind, String)| {
            let kind = *kind;
            wrap_indented(text, width, 2).into_iter().rev().map(move |row| (kind, row))
        };
        self.entries.iter().rev().flat_map(rows)
    }

    /// The texts of all entries.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(_, text)| text.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(log: &Log, height: u16) -> Vec<String> {
        log.lines(8, height).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn the_newest_rows_are_shown_and_one_can_scroll_back() {
        let mut log = Log::default();
        for text in ["one", "two", "a line to be broken", "four"] {
            log.add(EntryKind::Event, text);
        }
        assert_eq!(texts(&log, 3), ["  to be", "  broken", "four"]);
        log.scroll(2, (8, 3));
        assert_eq!(texts(&log, 3), ["two", "a line", "  to be"]);
        log.scroll(100, (8, 3));
        assert_eq!(texts(&log, 3), ["one", "two", "a line"]);
        log.scroll_to_end();
        assert_eq!(texts(&log, 1), ["four"]);
        assert_eq!(texts(&log, 50).len(), 6);
    }

    #[test]
    fn old_entries_are_dropped() {
        let mut log = Log::default();
        (0..2 * MOST).for_each(|number| log.add(EntryKind::Event, number.to_string()));
        assert_eq!(log.texts().count(), MOST);
        assert_eq!(log.texts().last(), Some("999"));
    }
}
