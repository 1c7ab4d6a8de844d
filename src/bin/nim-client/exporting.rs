//! `nim-client record export`: the record of a game on a server or at this keyboard, written into a file or to the standard output.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use nim::client::Address;
use tempfile::{Builder, NamedTempFile};

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

/// Writes the file whole, or leaves what was there: it is filled under another name beside its place, and takes its own at the end.
fn write(file: &Path, text: &str, force: bool) -> Result<(), Failure> {
    let old = if force { fs::metadata(file).ok() } else { None };
    let written = match old {
        // What is no file, such as a pipe, is not to be replaced by one.
        Some(old) if !old.is_file() => {
            File::options().write(true).open(file).and_then(|mut pipe| pipe.write_all(text.as_bytes()))
        }
        Some(old) => replace(file, text, old.permissions()),
        None => make(file, text, force),
    };
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Failure::Taken(file.to_owned()),
        _ => Failure::Unwritable(file.to_owned(), error),
    })
}

/// A new file, which whoever may read the others that this person makes may read.
fn make(file: &Path, text: &str, force: bool) -> io::Result<()> {
    let made = filled(file, text)?;
    let named = if force { made.persist(file) } else { made.persist_noclobber(file) };
    named.map(drop).map_err(|failed| failed.error)
}

/// A file instead of the old one, to which a link may lead, and with its rights.
fn replace(file: &Path, text: &str, rights: fs::Permissions) -> io::Result<()> {
    let file = fs::canonicalize(file)?;
    let made = filled(&file, text)?;
    made.as_file().set_permissions(rights)?;
    made.persist(file).map(drop).map_err(|failed| failed.error)
}

/// A file beside this place with this text, which is gone again unless it is given the name.
fn filled(place: &Path, text: &str) -> io::Result<NamedTempFile> {
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = Builder::new();
    // The usual rights, of which the person's mask is taken.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut made = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    made.write_all(text.as_bytes())?;
    // Some disks say only now that they are full.
    made.as_file().sync_all()?;
    Ok(made)
}
