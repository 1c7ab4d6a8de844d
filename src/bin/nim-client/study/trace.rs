//! `nim-client study trace`: a search, a line for each step, at once or one for each Enter.

use std::io::{Write, stderr, stdin, stdout};

use clap::Args;
use nim::client::input::read_line;
use nim::study::Stop;
use nim::study::trace::{self, SearchKind};

use super::root::{Root, RootFlags};
use crate::failure::CliError;
use nim::cli::output::OutputFlags;

/// The instructions before the first step.
const HOW: &str = "Enter shows the next step; q and Enter ends.";

#[derive(Debug, Args)]
pub(crate) struct TraceFlags {
    #[command(flatten)]
    subject: RootFlags,

    /// The search to trace
    #[arg(long, value_enum, default_value = "plain")]
    with: SearchKind,

    /// Wait for Enter after every line; q and Enter ends
    #[arg(long, conflicts_with = "to")]
    step: bool,

    #[command(flatten)]
    output: OutputFlags,
}

/// Writes the trace.
pub(super) fn write(flags: &TraceFlags, stop: &Stop) -> Result<(), CliError> {
    let output = flags.output.check()?;
    if output.is_file() {
        let mut text = String::new();
        search(flags, stop, &mut |line| {
            text.push_str(line);
            text.push('\n');
        })?;
        return Ok(output.write(&text)?);
    }
    if flags.step {
        // It is no part of the trace.
        writeln!(stderr(), "{HOW}").map_err(CliError::Output)?;
    }
    let mut writer = TraceWriter::new(flags.step, stop);
    let traced = search(flags, stop, &mut |line| writer.write(line));
    match writer.failure {
        Some(failure) => Err(failure),
        None if writer.ended => Ok(()),
        None => traced,
    }
}

fn search(flags: &TraceFlags, stop: &Stop, write_line: &mut dyn FnMut(&str)) -> Result<(), CliError> {
    let (with, depth) = (flags.with, flags.subject.depth);
    match flags.subject.read()? {
        Root::Board(board) => trace::trace(&board, with, depth, stop, write_line)?,
        Root::Tree(root) => trace::abstract_trace(&root, with, depth, stop, write_line)?,
    }
    Ok(())
}

/// Writes a trace line by line. A failure to write stops the search.
struct TraceWriter {
    step: bool,
    stop: Stop,
    /// Whether the reader has had enough.
    ended: bool,
    /// The first failure to write.
    failure: Option<CliError>,
}

impl TraceWriter {
    fn new(step: bool, search: &Stop) -> Self {
        Self { step, stop: search.clone(), ended: false, failure: None }
    }

    fn write(&mut self, line: &str) {
        if self.failure.is_some() || self.ended {
            return;
        }
        if let Err(failure) = self.try_write(line) {
            self.failure = Some(failure);
            self.stop.raise();
        }
    }

    fn try_write(&mut self, line: &str) -> Result<(), CliError> {
        writeln!(stdout(), "{line}").map_err(CliError::Output)?;
        if self.step {
            // At the end of the input it stops waiting.
            let line = read_line(&mut stdin().lock()).map_err(CliError::Input)?;
            self.step = line.is_some();
            if line.is_some_and(|line| line.trim().eq_ignore_ascii_case("q")) {
                self.ended = true;
                self.stop.raise();
            }
        }
        Ok(())
    }
}
