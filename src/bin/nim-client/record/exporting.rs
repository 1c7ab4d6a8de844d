//! `nim-client record export`: the record of a game on a server or at this keyboard, written into a file or to the standard output.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use nim::client::{Address, atomic_file};

use super::source::{Source, SourceFlags};
use super::{Failure, print};
use crate::returning::StateFlag;

#[derive(Debug, Args)]
pub(crate) struct ExportFlags {
    /// The server's machine [default: a game that was played at this keyboard]
    #[arg(long, value_name = "HOST[:PORT]")]
    server: Option<Address>,

    /// The game, named as in `record list`, such as 17/2, or by its lobby's code, such as brave-otter (the newest game) or
    /// brave-otter/1
    #[arg(value_name = "GAME")]
    game: PathBuf,

    /// The file to write [default: the standard output]
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,

    /// Write over the file if it is there already
    #[arg(long, requires = "to")]
    force: bool,

    #[command(flatten)]
    state: StateFlag,
}

/// Fetches the record and writes it. A file that is there already is seen before the server is asked.
pub(super) fn export(flags: &ExportFlags) -> Result<(), Failure> {
    if let Some(file) = flags.to.as_ref().filter(|file| !flags.force && file.symlink_metadata().is_ok()) {
        return Err(Failure::Taken(file.clone()));
    }
    let source = SourceFlags { server: flags.server.clone(), state: flags.state.clone() };
    let text = Source::of_games(&source)?.record(&flags.game)?.to_string();
    match &flags.to {
        None => print(&text),
        Some(file) => write(file, &text, flags.force),
    }
}

/// Writes the file whole, or leaves what was there.
fn write(file: &Path, text: &str, force: bool) -> Result<(), Failure> {
    atomic_file::write(file, text, force).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Taken(file.to_owned()),
        _ => Failure::Unwritable(file.to_owned(), error),
    })
}
