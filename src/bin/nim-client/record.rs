//! `nim-client record …`: lists, exports, shows and verifies records of games, from files and from servers.

mod list;
mod replay;
mod source;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use nim::cli::after_help;
use nim::client::Address;
use nim::client::words::records as words;
use nim::record::Record;
use replay::{ending, heading, step_text};
pub(crate) use source::read;
use source::{ChosenSource, SourceFlags};

use crate::examples;
use crate::failure::{CliError, named, print};
use crate::flags::StateFlag;
use nim::cli::output::OutputFlags;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0   the record was shown or written, or every record is right
  1   a file could not be read or exists already, or the output could not be written
  2   the command line is wrong, or the record has no move with that number
  3   no server answers there
  4   the server speaks another version
  5   there is no such game, or its record is for others
  7   the connection broke, or the server closed it
  9   the server refused for another reason, which the message gives
  12  a record is wrong: the message names the first wrong line";

#[derive(Debug, Subcommand)]
pub(crate) enum RecordCommand {
    /// List the recorded games on a server, in files, or at this keyboard.
    ///
    /// A server shows public games, and those that you played from this computer: the client proves that with
    /// the tickets of your seats at the same address. A game is public if its lobby was in the list, had no
    /// password, and could be watched.
    #[command(after_help = after_help(&[EXIT_CODES], examples::LIST))]
    List(list::ListFlags),
    /// Write the record of a game on a server or at this keyboard into a file or to the standard output
    #[command(after_help = after_help(&[EXIT_CODES], examples::EXPORT))]
    Export(ExportFlags),
    /// Show a game with the position after every move, or one position of it
    #[command(after_help = after_help(&[EXIT_CODES], examples::SHOW))]
    Show(ShowFlags),
    /// Replay a game step by step, with the value of every move.
    ///
    /// At a terminal, Enter shows the next step, and q ends; otherwise everything is shown at once. The value
    /// of a move is exact, as in nim-client study moves: the result with perfect play, in how many moves
    /// of both sides, and why. If another move would have been better, it is shown too.
    #[command(after_help = after_help(&[EXIT_CODES], examples::REPLAY))]
    Replay(ReplayFlags),
    /// Verify records: every move, who made it, every time, the result, and the checksum.
    ///
    /// For each file, a line says that it is right, or names the first wrong line and what it should be. A
    /// record may have been sent in a mail: quotation marks before its lines, other line endings and text
    /// around it do not matter.
    #[command(after_help = after_help(&[EXIT_CODES], examples::VERIFY))]
    Verify(VerifyFlags),
}

#[derive(Debug, Args)]
pub(crate) struct ExportFlags {
    /// Read from this server [default: from the games at this keyboard]
    #[arg(long, value_name = "HOST[:PORT]")]
    server: Option<Address>,

    /// The game: its name in `record list`, such as 17/2, or its lobby's code, such as brave-otter (the
    /// newest game) or brave-otter/1
    #[arg(value_name = "GAME")]
    game: PathBuf,

    #[command(flatten)]
    output: OutputFlags,

    #[command(flatten)]
    state: StateFlag,
}

#[derive(Debug, Args)]
pub(crate) struct ShowFlags {
    /// The file with the record, - for the standard input, or the game: at this keyboard, or with --server there
    #[arg(value_name = "FILE|GAME")]
    record: PathBuf,

    /// Show only the position after this many moves; 0 is the start
    #[arg(long, value_name = "N")]
    at: Option<usize>,

    #[command(flatten)]
    source: SourceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayFlags {
    /// The file with the record, - for the standard input, or the game: at this keyboard, or with --server there
    #[arg(value_name = "FILE|GAME")]
    record: PathBuf,

    #[command(flatten)]
    source: SourceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyFlags {
    /// The files, each with one record, - for the standard input, or the games: at this keyboard, or with
    /// --server there
    #[arg(value_name = "FILE|GAME", required = true)]
    records: Vec<PathBuf>,

    #[command(flatten)]
    source: SourceFlags,
}

/// Runs a command; the exit code is one of [`EXIT_CODES`].
pub(crate) fn run(command: RecordCommand) -> Result<(), CliError> {
    match command {
        RecordCommand::List(flags) => list::list(flags),
        RecordCommand::Export(flags) => export(&flags),
        RecordCommand::Show(flags) => show(&flags),
        RecordCommand::Replay(flags) => replay::replay(&flags.record, &flags.source),
        RecordCommand::Verify(flags) => verify(&flags),
    }
}

/// Verifies all records. The exit code is the largest of them.
fn verify(flags: &VerifyFlags) -> Result<(), CliError> {
    let mut source = ChosenSource::of(&flags.source)?;
    let mut code = 0;
    for name in &flags.records {
        let checked = source
            .record(name)
            .and_then(|record| print(&format!("{}: {}\n", named(name), found_right(&record))));
        if let Err(failure) = checked {
            report_about(name, &source, &failure);
            code = code.max(failure.exit_code());
        }
    }
    if code == 0 { Ok(()) } else { Err(CliError::Reported(code)) }
}

/// Reports a failure of one of several records. A failure of a server's game gets its name here; that of a
/// file has it already.
fn report_about(name: &Path, source: &ChosenSource, failure: &CliError) {
    if matches!(failure, CliError::Server(_) | CliError::Usage(_)) && !source.is_of_files() {
        let _ = writeln!(io::stderr(), "nim-client: {}: {failure}", name.display());
    } else {
        failure.report();
    }
}

/// `9 moves, First won (Second resigned): right`.
fn found_right(record: &Record) -> String {
    let (count, verdict) = (record.boards().len() - 1, record.verdict());
    let verdict = match verdict.split_once(": ") {
        Some((outcome, reason)) => format!("{outcome} ({reason})"),
        None => verdict,
    };
    format!("{count} move{}, {verdict}: right", if count == 1 { "" } else { "s" })
}

/// Writes a record into a file or to the standard output. Checks for an existing file before it asks the
/// server.
fn export(flags: &ExportFlags) -> Result<(), CliError> {
    let output = flags.output.check()?;
    let source = SourceFlags { server: flags.server.clone(), state: flags.state.clone() };
    Ok(output.write(ChosenSource::of_games(&source)?.record(&flags.game)?.to_string())?)
}

fn show(flags: &ShowFlags) -> Result<(), CliError> {
    let record = ChosenSource::of(&flags.source)?.record(&flags.record)?;
    print(&match flags.at {
        None => whole(&record),
        Some(number) => position(&record, number)?,
    })
}

fn whole(record: &Record) -> String {
    let steps: String = record.shown_steps().map(|step| step_text(record, &step, None)).collect();
    heading(record) + &steps + &ending(record)
}

/// The position after this many moves; moves that were taken back do not count.
fn position(record: &Record, number: usize) -> Result<String, CliError> {
    let boards = record.boards();
    let count = boards.len() - 1;
    let board = boards.get(number).ok_or_else(|| {
        CliError::Usage(format!("the game has {count} moves: --at takes a number from 0 to {count}"))
    })?;
    let next = match board.turn() {
        _ if number == count && record.result().is_some() => words::end(record),
        side => words::next(record, side),
    };
    let title = format!("{}, after {number} of {count} moves", record.variant());
    Ok(format!("{title}\n\n{}\n\n{}\n", board.draw(), next))
}
