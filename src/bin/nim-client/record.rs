//! `nim-client record …`: records of games, from files and from servers. What a record is, and whether it is right, is known
//! in `nim::record`, and how a server is asked in `nim::client::records`; here both are read, and what is in them is shown.

mod exporting;
mod judging;
mod listing;
mod source;
mod stepping;

use std::io::{self, Write, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use nim::client;
use nim::game::Side;
use nim::lobby::Kind;
use nim::record::{Fault, Record, Scene};
use nim::system::Said;
pub(crate) use source::read;
use source::{Source, SourceFlags};

use crate::examples;
use crate::shelf::Unreadable;
use nim::cli::below;

pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0   it was shown or written, or every record is right
  1   a file could not be read or is there already, or the output could not be written
  2   the command line is wrong, or the record has no move of that number
  3   no server answers there
  4   the server speaks another version
  5   there is no such game, or its record is for others
  7   the connection broke, or the server ended it
  9   the server refused for another reason, which it says
  12  a record is wrong: the first wrong line is named";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the games of which there are records: on a server, in files, or at this keyboard
    #[command(
        long_about = "List the games of which there are records: on a server, in files, or those that were played at this \
                      keyboard.\n\nA server tells of public games, \
                      and of those that you played from this computer, by the tickets that it gave you under the same \
                      address. Public is a game in a lobby that was in the list, had no password, and could be watched.",
        after_help = below(&[EXIT_CODES], examples::LIST)
    )]
    List(listing::ListFlags),
    /// Write the record of a game on a server, or at this keyboard, into a file, or to the standard output
    #[command(after_help = below(&[EXIT_CODES], examples::EXPORT))]
    Export(exporting::ExportFlags),
    /// Show a game with the position after every move, or one position of it
    #[command(after_help = below(&[EXIT_CODES], examples::SHOW))]
    Show(ShowFlags),
    /// Go through a game step by step, with what every move was worth
    #[command(
        long_about = "Go through a game step by step, with what every move was worth.\n\nAt a terminal, Enter shows \
                      the next step, and q ends; otherwise everything is shown at once. The worth of a move is exact, \
                      in the words of nim-client study moves: the result with perfect play, in how many plies (single \
                      moves of either side), and why; and the same of a move that would have been better."
    )]
    #[command(after_help = below(&[EXIT_CODES], examples::REPLAY))]
    Replay(ReplayFlags),
    /// Check records: every move, time and hand by the rules, the result, and the checksum
    #[command(
        long_about = "Check records: every move, time and hand by the rules, the result, and the checksum.\n\nA line \
                      for each file: that it is right, or the first line that is wrong and what would be right there. \
                      A record may have come through a mail: quotation marks before its lines, other line ends and \
                      text around it do not matter."
    )]
    #[command(after_help = below(&[EXIT_CODES], examples::VERIFY))]
    Verify(VerifyFlags),
}

#[derive(Debug, Args)]
pub(crate) struct ShowFlags {
    /// The file with the record, - is the standard input; with --server a game
    #[arg(value_name = "FILE|GAME")]
    record: PathBuf,

    /// Only the position after so many moves; 0 is the start
    #[arg(long, value_name = "N")]
    at: Option<usize>,

    #[command(flatten)]
    source: SourceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayFlags {
    /// The file with the record, - is the standard input; with --server a game
    #[arg(value_name = "FILE|GAME")]
    record: PathBuf,

    #[command(flatten)]
    source: SourceFlags,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyFlags {
    /// The files with the records, one in each, - is the standard input; with --server games
    #[arg(value_name = "FILE|GAME", required = true)]
    records: Vec<PathBuf>,

    #[command(flatten)]
    source: SourceFlags,
}

/// Why nothing, or not all, was shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("cannot read {}: {}{}", source::named(.0), Said(.1), source::or_a_game(.0, .1))]
    Unreadable(PathBuf, io::Error),
    #[error("{file}: {1}", file = source::named(.0))]
    Wrong(PathBuf, Fault),
    #[error("cannot write {}: {}", .0.display(), Said(.1))]
    Unwritable(PathBuf, io::Error),
    #[error("{file} is there already: choose another name, or write over it with --force", file = .0.display())]
    Taken(PathBuf),
    #[error(transparent)]
    Journal(Unreadable),
    #[error("cannot read your tickets: {}", Said(.0))]
    Tickets(io::Error),
    #[error(transparent)]
    Server(#[from] client::Failure),
    #[error("{0}")]
    Usage(String),
    #[error("could not read the input: {}", Said(.0))]
    Input(io::Error),
    #[error("could not write the output: {}", Said(.0))]
    Output(io::Error),
    #[error("could not start: {}", Said(.0))]
    Start(io::Error),
}

impl Failure {
    /// The same for somebody who would play on from the record.
    pub(crate) fn on_the_way_to_a_game(self) -> nim::client::Failure {
        match self {
            Self::Wrong(..) => nim::client::Failure::BadRecord(self.to_string()),
            _ => nim::client::Failure::Start(io::Error::other(self.to_string())),
        }
    }

    fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Wrong(..) => 12,
            Self::Server(failure) => failure.exit_code(),
            _ => 1,
        }
    }

    /// Tells whoever reads it, unless that is a program behind a pipe that has seen enough.
    fn tell(&self) {
        if !matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe) {
            // Nobody may be there to be told, which is no reason to panic.
            let _ = writeln!(io::stderr(), "nim-client: {self}");
        }
    }

    /// The same where it is one of several that was to be shown: a file is named by what is wrong with it, a server's game is not.
    fn tell_of(&self, name: &Path, source: &Source) {
        if matches!(self, Self::Server(_) | Self::Usage(_)) && !source.is_of_files() {
            let _ = writeln!(io::stderr(), "nim-client: {}: {self}", name.display());
        } else {
            self.tell();
        }
    }
}

/// Does what the command line says; the exit code is one of [`EXIT_CODES`].
pub(crate) fn run(command: Command) -> ExitCode {
    let done = match command {
        Command::List(flags) => listing::list(flags),
        Command::Export(flags) => exporting::export(&flags),
        Command::Show(flags) => show(&flags),
        Command::Replay(flags) => stepping::replay(&flags.record, &flags.source),
        Command::Verify(flags) => return verify(&flags),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Checks each record, and goes on behind those that are wrong. The exit code is the largest of them all.
fn verify(flags: &VerifyFlags) -> ExitCode {
    let mut code = 0;
    let mut source = match Source::of(&flags.source) {
        Ok(source) => source,
        Err(failure) => {
            failure.tell();
            return ExitCode::from(failure.exit_code());
        }
    };
    for name in &flags.records {
        let checked = source
            .record(name)
            .and_then(|record| print(&format!("{}: {}\n", source::named(name), found_right(&record))));
        if let Err(failure) = checked {
            failure.tell_of(name, &source);
            code = code.max(failure.exit_code());
        }
    }
    ExitCode::from(code)
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

fn show(flags: &ShowFlags) -> Result<(), Failure> {
    let record = Source::of(&flags.source)?.record(&flags.record)?;
    print(&match flags.at {
        None => whole(&record),
        Some(number) => position(&record, number)?,
    })
}

fn whole(record: &Record) -> String {
    let steps: String = record.scenes().map(|scene| told(&scene, None)).collect();
    heading(record) + &steps + &ending(record)
}

/// The game and who played it, and the board on which it began.
fn heading(record: &Record) -> String {
    let (variant, game, code, started) = (record.variant(), record.game(), record.code(), record.started());
    let level = record.conditions().level;
    let [first, second] =
        [&record.players().first, &record.players().second].map(|sitter| match sitter.kind {
            Kind::Person => sitter.name.to_string(),
            Kind::Bot => format!("{} [bot, {level}]", sitter.name),
        });
    let from = record.origin().map_or_else(String::new, |origin| {
        format!("It goes on from move {} of the record {}.\n", origin.moves, origin.record)
    });
    format!(
        "{variant}, game {game} in {code}, {started}\nFirst: {first}\nSecond: {second}\n{from}\n{}\n",
        record.start().draw()
    )
}

/// One step: what happened, what it was worth if that is known, and the board if it has changed.
fn told(scene: &Scene, worth: Option<&str>) -> String {
    let worth = worth.map_or_else(String::new, |worth| format!("{worth}\n"));
    let board = scene.board.as_ref().map_or_else(String::new, |board| format!("\n{}\n", board.draw()));
    format!("\n{} ({})\n{worth}{board}", scene.words, scene.after)
}

fn ending(record: &Record) -> String {
    format!("\n{}.\n", sentence(&record.verdict()))
}

/// A clause with a capital letter.
fn sentence(clause: &str) -> String {
    let mut rest = clause.chars();
    let first: String = rest.next().into_iter().flat_map(char::to_uppercase).collect();
    first + rest.as_str()
}

/// The position after so many moves of those that stand.
fn position(record: &Record, number: usize) -> Result<String, Failure> {
    let boards = record.boards();
    let count = boards.len() - 1;
    let board = boards.get(number).ok_or_else(|| {
        Failure::Usage(format!("the game has {count} moves: --at takes a number from 0 to {count}"))
    })?;
    let next = match board.turn() {
        _ if number == count && record.result().is_some() => record.verdict(),
        Side::First => "First moves next".into(),
        Side::Second => "Second moves next".into(),
    };
    let title = format!("{}, after {number} of {count} moves", record.variant());
    Ok(format!("{title}\n\n{}\n\n{}.\n", board.draw(), sentence(&next)))
}

fn print(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(Failure::Output)
}
