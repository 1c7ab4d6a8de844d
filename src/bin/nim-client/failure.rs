//! The errors of commands without a game, their exit codes, and the reading of files.

use std::fs::File;
use std::io::{self, Read, Write, stdin, stdout};
use std::path::{Path, PathBuf};

use nim::cli::output::NotWritten;
use nim::client;
use nim::client::fold;
use nim::file::NotOverwritten;
use nim::lobby::{BadCode, Code};
use nim::record::RecordError;
use nim::study;
use nim::system::ErrorText;
use nim::wire::{GameName, HallRefusal, Refusal};

/// The error of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CliError {
    #[error("{0}")]
    NotShown(#[from] study::StudyError),
    #[error("{0}")]
    Usage(String),
    #[error("cannot read {}: {}{}", named(.0), ErrorText(.1), or_a_game(.0, .1))]
    Unreadable(PathBuf, io::Error),
    #[error("{file}: {1}", file = named(.0))]
    Wrong(PathBuf, RecordError),
    #[error("cannot write {}: {}", .0.display(), ErrorText(.1))]
    Unwritable(PathBuf, io::Error),
    #[error("{0}")]
    NotOverwritten(#[from] NotOverwritten),
    #[error(
        "the record of {code}, a game at this keyboard, is damaged: {command} saves all that can be read"
    )]
    Damaged { code: Code, command: String },
    #[error(
        "the record of a game at this keyboard that is over is damaged, in {folder}: remove that folder if you do not need it",
        folder = .0.display()
    )]
    Lost(PathBuf),
    #[error(transparent)]
    Server(#[from] client::Failure),
    /// The errors are reported already; this is the exit code.
    #[error("")]
    Reported(u8),
    #[error("{0:#}")]
    Other(#[from] anyhow::Error),
    #[error("some lines were wrong: each is answered by error: and the reason")]
    Lines,
    #[error("could not read the input: {}", ErrorText(.0))]
    Input(io::Error),
    #[error("could not write the output: {}", ErrorText(.0))]
    Output(io::Error),
    #[error("could not start: {}", ErrorText(.0))]
    Start(io::Error),
}

impl From<NotWritten> for CliError {
    fn from(error: NotWritten) -> Self {
        match error {
            NotWritten::Exists(exists) => exists.into(),
            NotWritten::Unwritable(file, error) => Self::Unwritable(file, error),
            NotWritten::Output(error) => Self::Output(error),
        }
    }
}

impl CliError {
    /// A search that ended without an answer, because it panicked.
    pub(crate) fn no_answer() -> Self {
        Self::Start(io::Error::other("the search has failed"))
    }

    /// A refusal with the words of a server's.
    pub(crate) fn refused(why: HallRefusal) -> Self {
        client::Failure::Refused(Refusal::Hall(why)).into()
    }

    /// The program's exit code.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Wrong(..) => 12,
            Self::Server(failure) => failure.exit_code(),
            Self::Reported(code) => *code,
            _ => 1,
        }
    }

    /// Reports it on standard error. A closed pipe is not reported: the program that reads it has seen
    /// enough.
    pub(crate) fn report(&self) {
        match self {
            Self::Output(error) | Self::Server(client::Failure::Output(error))
                if error.kind() == io::ErrorKind::BrokenPipe => {}
            Self::Reported(_) => {}
            // No error: the person has left.
            Self::Server(departed @ client::Failure::Departed { .. }) => {
                say_to_stderr(&departed.to_string());
            }
            _ => say_to_stderr(&format!("nim-client: {self}")),
        }
    }
}

/// Writes a text that a person reads.
fn say_to_stderr(text: &str) {
    // A closed standard error is no reason to panic.
    let _ = writeln!(io::stderr(), "{}", fold::for_output(text, &io::stderr()));
}

/// Writes to the standard output.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(CliError::Output)
}

/// Reads a file, or the standard input for `-`, up to one byte more than `most`.
pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    let read = if is_stdin(path) {
        stdin().lock().take(most + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| CliError::Unreadable(path.to_owned(), error))?;
    Ok(bytes)
}

/// Whether a path stands for the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The name of a file for a message.
pub(crate) fn named(path: &Path) -> String {
    if is_stdin(path) { "the standard input".into() } else { path.display().to_string() }
}

/// A hint if the name of a missing file looks like the name of a game.
fn or_a_game(path: &Path, error: &io::Error) -> String {
    if error.kind() != io::ErrorKind::NotFound {
        return String::new();
    }
    let text = path.to_str().unwrap_or_default();
    let code = text.split('/').next().unwrap_or_default().parse::<Code>();
    let unknown = "no game at this keyboard has this name";
    match code {
        _ if text.parse::<GameName>().is_ok() => {
            format!(", and {unknown}; for a game on a server add --server HOST")
        }
        Ok(_) => format!(", and {unknown}; for a game on a server add --server HOST"),
        Err(BadCode::First { meant: Some(meant), .. } | BadCode::Second { meant: Some(meant), .. }) => {
            format!(", and {unknown}; did you mean {meant}? nim-client record list shows all")
        }
        Err(_) => String::new(),
    }
}
