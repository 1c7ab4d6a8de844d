//! A game gone through at the pace of whoever presses Enter.

use std::io::{BufRead, IsTerminal, Read, stdin};
use std::path::Path;

use super::source::{Source, SourceFlags, is_stdin};
use super::{Failure, ending, heading, judging, print, told};

/// The most bytes that are read for one press of Enter.
const MAX_LINE: u64 = 1 << 10;

/// What is said before the first step to somebody at a terminal.
const HOW: &str = "\nEnter shows the next step; q and Enter ends.\n";

/// Goes through the game of this name.
pub(super) fn replay(name: &Path, flags: &SourceFlags) -> Result<(), Failure> {
    let source = Source::of(flags)?;
    let steps = !(source.is_of_files() && is_stdin(name)) && stdin().is_terminal();
    let record = { source }.record(name)?;
    print(&heading(&record))?;
    if steps {
        print(HOW)?;
    }
    for scene in record.scenes() {
        if steps && !goes_on()? {
            return Ok(());
        }
        let worth = scene.played.as_ref().map(|(board, mv)| judging::worth(board, *mv)).transpose()?;
        print(&told(&scene, worth.as_deref()))?;
    }
    print(&ending(&record))
}

/// Waits for Enter; whether the next step is wanted.
fn goes_on() -> Result<bool, Failure> {
    let mut line = Vec::new();
    let read = stdin().lock().take(MAX_LINE).read_until(b'\n', &mut line).map_err(Failure::Input)?;
    Ok(read > 0 && !line.trim_ascii().eq_ignore_ascii_case(b"q"))
}
