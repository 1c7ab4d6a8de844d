//! A text put into a file: whole, or not at all. It is filled under another name beside its place, and takes its own at the end.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Writes a text into the file at this place.
///
/// Unless it is to be written over by `force`, a file that is there already stays as it is, and the error is of the kind
/// [`AlreadyExists`](io::ErrorKind::AlreadyExists).
pub fn write(file: &Path, text: &str, force: bool) -> io::Result<()> {
    let old = if force { fs::metadata(file).ok() } else { None };
    match old {
        // What is no file, such as a pipe, is not to be replaced by one.
        Some(old) if !old.is_file() => {
            File::options().write(true).open(file).and_then(|mut pipe| pipe.write_all(text.as_bytes()))
        }
        Some(old) => replace(file, text, old.permissions()),
        None => make(file, text, force),
    }
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
