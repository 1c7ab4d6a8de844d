//! What both programs write beside a game.

use std::io::{ErrorKind, Write, stdout};

use anyhow::Context;

/// Writes this to the standard output. A program behind a pipe that has seen enough is no failure.
pub(crate) fn print(text: &[u8]) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(error).context("could not write the output")
        }
        _ => Ok(()),
    }
}
