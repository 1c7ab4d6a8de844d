//! Files that nobody else may read, and that are always whole: they are written beside the old one and put in its place.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// Makes a folder that nobody else may look into, if it is not there yet.
#[cfg(unix)]
pub(super) fn folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
pub(super) fn folder(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Writes a file.
pub(super) fn write(path: &Path, text: &[u8]) -> io::Result<()> {
    let new = path.with_extension("new");
    let written = begin(&new).and_then(|mut file| file.write_all(text).and_then(|()| file.sync_all()));
    let placed = written.and_then(|()| fs::rename(&new, path));
    if placed.is_err() {
        // A full disk leaves a part of it.
        let _ = fs::remove_file(new);
    }
    placed
}

/// A new file that nobody else may read: not even for the moment until its rights are set.
#[cfg(unix)]
fn begin(path: &Path) -> io::Result<fs::File> {
    use std::os::unix::fs::OpenOptionsExt;
    // What is left of a program that was ended in the middle may have other rights.
    let _ = fs::remove_file(path);
    fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn begin(path: &Path) -> io::Result<fs::File> {
    fs::File::create(path)
}
