//! Atomic replacement of files: a temporary file with the new text takes the old one's place.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use tempfile::{Builder, NamedTempFile};

/// Writes a text into a file that others may read.
///
/// Without `force` an existing file stays as it is, and the error has the kind
/// [`AlreadyExists`](io::ErrorKind::AlreadyExists). With it, an existing file keeps its permissions.
pub fn write(file: &Path, text: impl AsRef<[u8]>, force: bool) -> io::Result<()> {
    let text = text.as_ref();
    match fs::metadata(file).ok().filter(|_| force) {
        // A pipe or a device cannot be replaced.
        Some(old) if !old.is_file() => {
            File::options().write(true).open(file).and_then(|mut pipe| pipe.write_all(text))
        }
        Some(old) => {
            // A symbolic link stays one.
            let file = fs::canonicalize(file)?;
            let new = filled(&file, text, PRIVATE)?;
            new.as_file().set_permissions(old.permissions())?;
            persist(new, &file)
        }
        None if force => persist(filled(file, text, SHARED)?, file),
        None => filled(file, text, SHARED)?.persist_noclobber(file).map(drop).map_err(|e| e.error),
    }
}

/// Writes a file that only its owner may read, in place of an older one.
pub(crate) fn write_private(file: &Path, text: &[u8]) -> io::Result<()> {
    persist(filled(file, text, PRIVATE)?, file)
}

/// Creates a folder that only its owner may read, if it does not exist.
pub fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(path)
}

/// Permissions for everybody, minus the user's umask.
const SHARED: u32 = 0o666;

/// Permissions for the owner alone.
const PRIVATE: u32 = 0o600;

/// Writes a temporary file with this text beside this path. It is removed unless it is persisted.
fn filled(path: &Path, text: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    file.write_all(text)?;
    // Some disks report only now that they are full.
    file.as_file().sync_all()?;
    Ok(file)
}

fn persist(new: NamedTempFile, path: &Path) -> io::Result<()> {
    new.persist(path).map(drop).map_err(|failed| failed.error)
}
