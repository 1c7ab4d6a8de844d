//! The script at the other end of the JSON face: where its lines come from, and where those for it go.

use std::io::{self, Write};

use crate::client::input::InputLines;

/// A script that reads and writes lines, without their ends.
pub trait Script: Send {
    /// The script's next line, `None` after the last one. Cancel safe.
    fn next(&mut self) -> impl Future<Output = Option<String>> + Send;

    /// Writes a line to the script. Waits as long as the script may take to read.
    fn write(&mut self, line: String) -> impl Future<Output = io::Result<()>> + Send;
}

/// A script at the other end of a pipe.
#[derive(Debug)]
pub struct PipedScript<W> {
    input: InputLines,
    out: W,
}

impl<W> PipedScript<W> {
    /// A script that writes to this input and reads this output.
    pub fn new(input: InputLines, out: W) -> Self {
        Self { input, out }
    }
}

impl<W: Write + Send> Script for PipedScript<W> {
    async fn next(&mut self) -> Option<String> {
        self.input.next().await
    }

    async fn write(&mut self, line: String) -> io::Result<()> {
        self.out.write_all(line.as_bytes())?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}
