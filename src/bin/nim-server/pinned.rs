//! The lines at the bottom of a host's terminal that stay in sight. The log scrolls above them.

use std::io::{self, IsTerminal, Write, stderr, stdout};
use std::sync::Arc;

use crossterm::cursor::{MoveToColumn, MoveUp};
use crossterm::queue;
use crossterm::style::{Attribute, SetAttribute};
use crossterm::terminal::{Clear, ClearType};
use parking_lot::Mutex;
use terminal_size::{Width, terminal_size_of};
use textwrap::core::display_width;
use tracing_subscriber::fmt::MakeWriter;

/// The pinned lines, and everything else that is written to standard error.
#[derive(Debug, Clone, Default)]
pub(crate) struct Pinned(Arc<Mutex<Drawn>>);

/// What is at the bottom of the terminal, with the cursor behind it.
#[derive(Debug, Default)]
struct Drawn {
    lines: Vec<String>,
    columns: usize,
}

impl Pinned {
    /// Whether lines can be pinned: the log and the start screen are on a terminal that can move its cursor.
    pub(crate) fn is_possible() -> bool {
        Self::has_cursor() && stderr().is_terminal()
    }

    /// Whether the standard output is a terminal that knows more than lines.
    pub(crate) fn has_cursor() -> bool {
        let is_dumb = std::env::var_os("TERM").is_some_and(|terminal| terminal == "dumb");
        stdout().is_terminal() && !is_dumb
    }

    /// Pins these lines in place of the ones before, unless nothing would change. The first is bold.
    pub(crate) fn show(&self, lines: Vec<String>) {
        let (mut drawn, columns) = (self.0.lock(), columns());
        if drawn.lines != lines || drawn.columns != columns {
            // A closed terminal is noticed by its signal.
            let _ = drawn.replace(lines, columns, &[], &mut stderr().lock());
        }
    }

    /// Removes the lines.
    pub(crate) fn clear(&self) {
        self.show(Vec::new());
    }
}

impl Drawn {
    /// Writes a text where the lines were, and these lines below it, all at once.
    fn replace(
        &mut self,
        lines: Vec<String>,
        columns: usize,
        text: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut bytes = Vec::new();
        if !self.lines.is_empty() {
            // A terminal that was made narrower has wrapped them again.
            let rows: usize = self.lines.iter().map(|line| rows(line, columns)).sum();
            match u16::try_from(rows - 1) {
                // Zero would be read as one.
                Ok(0) | Err(_) => {}
                Ok(above) => queue!(bytes, MoveUp(above))?,
            }
            queue!(bytes, MoveToColumn(0), Clear(ClearType::FromCursorDown))?;
        }
        bytes.extend(text);
        for (number, line) in lines.iter().enumerate() {
            if number == 0 {
                queue!(bytes, SetAttribute(Attribute::Bold))?;
            }
            bytes.extend(if number == 0 { "" } else { "\r\n" }.bytes().chain(line.bytes()));
            queue!(bytes, SetAttribute(Attribute::Reset))?;
        }
        (self.lines, self.columns) = (lines, columns);
        out.write_all(&bytes)?;
        out.flush()
    }
}

/// How many rows a line takes.
fn rows(line: &str, columns: usize) -> usize {
    display_width(line).div_ceil(columns.max(1)).max(1)
}

/// The width of the terminal.
fn columns() -> usize {
    terminal_size_of(stderr()).map_or(80, |(Width(columns), _)| columns.into())
}

/// A line of the log is written above the pinned lines.
impl Write for &Pinned {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let mut drawn = self.0.lock();
        if drawn.lines.is_empty() {
            return stderr().lock().write(line);
        }
        let lines = drawn.lines.clone();
        drawn.replace(lines, columns(), line, &mut stderr().lock())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        stderr().flush()
    }
}

impl<'a> MakeWriter<'a> for Pinned {
    type Writer = &'a Self;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrower_terminal_has_wrapped_the_lines() {
        let mut drawn = Drawn::default();
        let mut written = Vec::new();
        let lines = || vec!["x".repeat(40), "y".repeat(10)];
        drawn.replace(lines(), 60, b"", &mut written).unwrap();
        written.clear();
        drawn.replace(lines(), 30, b"a line of the log\n", &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert!(
            written.starts_with("\u{1b}[2A\u{1b}[1G\u{1b}[Ja line of the log\n\u{1b}[1mxxxx"),
            "{written:?}"
        );
        assert!(written.ends_with("\u{1b}[0m\r\nyyyyyyyyyy\u{1b}[0m"), "{written:?}");
    }
}
