//! A game gone through at the pace of whoever presses Enter.

use std::io::{BufRead, IsTerminal, Read, stdin};
use std::path::Path;

use super::{Failure, ending, heading, is_stdin, judging, print, read, told};

/// The most bytes that are read for one press of Enter.
const MAX_LINE: u64 = 1 << 10;

/// What is said before the first step to somebody at a terminal.
const HOW: &str = "\nEnter shows the next step; q and Enter ends.\n";

/// Goes through the game of this file.
pub(super) fn replay(file: &Path) -> Result<(), Failure> {
    let record = read(file)?;
    let steps = !is_stdin(file) && stdin().is_terminal();
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
