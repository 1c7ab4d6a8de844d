//! What was told and said, in the order in which it was: the newest lines are shown, and older ones can be scrolled to.

use std::collections::VecDeque;

use super::pen::wrap;

/// The most entries that are kept: more than anybody scrolls back to.
const MOST: usize = 500;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A move.
    Move,
    /// Something else that happened.
    Told,
    /// Something that somebody said.
    Said,
}

/// The entries, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Log {
    entries: VecDeque<(Kind, String)>,
    /// How many lines the newest one that is shown lies behind the newest one that there is.
    back: u16,
}

impl Log {
    /// Tells something more. Whoever has scrolled back stays there.
    pub fn add(&mut self, kind: Kind, text: impl Into<String>) {
        self.entries.push_back((kind, text.into()));
        if self.entries.len() > MOST {
            self.entries.pop_front();
        }
    }

    /// Goes back by so many lines on a part of this size, or forward by a negative number of them.
    pub fn scroll(&mut self, lines: i16, (width, height): (u16, u16)) {
        let furthest = self.cut(width).count().saturating_sub(height.into());
        let furthest = u16::try_from(furthest).unwrap_or(u16::MAX);
        self.back = self.back.saturating_add_signed(lines).min(furthest);
    }

    /// Back to the newest line.
    pub fn rewind(&mut self) {
        self.back = 0;
    }

    /// The lines that are shown on a part of this size, the oldest first.
    pub fn lines(&self, width: u16, height: u16) -> Vec<(Kind, String)> {
        let mut shown: Vec<_> = self.cut(width).skip(self.back.into()).take(height.into()).collect();
        shown.reverse();
        shown
    }

    /// All lines, the newest first.
    fn cut(&self, width: u16) -> impl Iterator<Item = (Kind, String)> + '_ {
        self.entries.iter().rev().flat_map(move |(kind, text)| cut(*kind, text, width).into_iter().rev())
    }

    /// All that was told, for tests and for whoever reads it at once.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(_, text)| text.as_str())
    }
}

/// The lines of an entry; all but the first are moved in.
fn cut(kind: Kind, text: &str, width: u16) -> Vec<(Kind, String)> {
    let lines = wrap(text, width.saturating_sub(2));
    let moved_in = |(at, line): (usize, String)| (kind, if at == 0 { line } else { format!("  {line}") });
    lines.into_iter().enumerate().map(moved_in).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(log: &Log, height: u16) -> Vec<String> {
        log.lines(8, height).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn the_newest_lines_are_shown_and_older_ones_are_scrolled_to() {
        let mut log = Log::default();
        for text in ["one", "two", "a line to be broken", "four"] {
            log.add(Kind::Told, text);
        }
        assert_eq!(texts(&log, 3), ["  to be", "  broken", "four"]);
        log.scroll(2, (8, 3));
        assert_eq!(texts(&log, 3), ["two", "a line", "  to be"]);
        log.scroll(100, (8, 3));
        assert_eq!(texts(&log, 3), ["one", "two", "a line"]);
        log.rewind();
        assert_eq!(texts(&log, 1), ["four"]);
        assert_eq!(texts(&log, 50).len(), 6);
    }

    #[test]
    fn no_more_is_kept_than_anybody_scrolls_back_to() {
        let mut log = Log::default();
        (0..2 * MOST).for_each(|number| log.add(Kind::Told, number.to_string()));
        assert_eq!(log.texts().count(), MOST);
        assert_eq!(log.texts().last(), Some("999"));
    }
}
