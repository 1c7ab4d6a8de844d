//! A search told line by line, at the pace of whoever presses Enter.

use std::io::{BufRead, Read, Write, stdin, stdout};

use nim::study::Stop;

use super::Failure;

/// The most bytes that are read for one press of Enter.
const MAX_LINE: u64 = 1 << 20;

/// Writes what it is told, line by line, and stops the search if nobody takes it any more.
pub(super) struct Listener {
    step: bool,
    stop: Stop,
    /// Why nobody is told any more.
    pub(super) failure: Option<Failure>,
}

impl Listener {
    /// A listener that waits for Enter after every line if it is to go step by step.
    pub(super) fn new(step: bool, search: &Stop) -> Self {
        Self { step, stop: search.clone(), failure: None }
    }

    pub(super) fn hear(&mut self, line: &str) {
        if self.failure.is_some() {
            return;
        }
        if let Err(failure) = self.pass_on(line) {
            self.failure = Some(failure);
            self.stop.raise();
        }
    }

    fn pass_on(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(stdout(), "{line}").map_err(Failure::Output)?;
        if self.step {
            let mut enter = Vec::new();
            let line = stdin().lock().take(MAX_LINE).read_until(b'\n', &mut enter).map_err(Failure::Input)?;
            // Where no more is typed, there is nothing to wait for.
            self.step = line > 0;
        }
        Ok(())
    }
}
