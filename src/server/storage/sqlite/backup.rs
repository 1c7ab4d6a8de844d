//! A consistent copy of a journal, also while a server writes into it.

use std::io;
use std::path::Path;

use rusqlite::{Connection, ErrorCode};
use tempfile::Builder;

use super::check::page_faults;
use super::connect::{connect, connect_to_inspect};
use super::error::{is_damage, of_engine, of_file};
use super::files::Folder;
use super::open_file::{expect_journal, refused};
use super::recovery::copy_rows;
use super::schema::{FileKind, create, recognise};
use crate::server::storage::StorageError;

/// Copies the journal in this folder into a new file, which nobody else may read. The file has its name
/// once it is complete. To use the copy, put it into an empty folder under the name `journal.sqlite`.
///
/// Every row and every page is verified. Returns sentences about the damaged ones. Damaged rows are left out.
///
/// # Errors
///
/// If there is such a file already, or if the journal is one that a server would refuse or repair.
pub fn backup(folder: &Path, file: &Path) -> Result<Vec<String>, StorageError> {
    let folder = Folder::at(folder);
    expect_journal(&folder)?;
    let engine = |error| of_engine(folder.path(), &error);
    let journal = connect_to_inspect(&folder.journal()).map_err(engine)?;
    match recognise(&journal).map_err(engine)? {
        FileKind::Ours => {}
        found => return Err(refused(&folder, &found)),
    }
    if file.symlink_metadata().is_ok() {
        return Err(taken(file));
    }
    let place = file.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !place.is_dir() {
        let place = place.display();
        let cause = format!("there is no folder {place}: make it, or choose another place for the copy");
        return Err(StorageError::of_host(cause));
    }
    let part = Builder::new().prefix(".journal-copy-").tempfile_in(place);
    let part = part.map_err(|error| of_file(file, &error))?;
    let left_out = copy(&journal, part.path()).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StorageError::of_host(format!(
            "the disk of {} is full: make room there, or choose another place for the copy",
            place.display()
        )),
        _ => of_engine(folder.path(), &error),
    })?;
    part.as_file().sync_all().map_err(|error| of_file(file, &error))?;
    part.persist_noclobber(file).map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists => taken(file),
        _ => of_file(file, &failed.error),
    })?;
    Folder::at(place).sync();
    Ok(left_out)
}

/// Copies all rows that can be read and fit their checksums, of one moment. Returns a sentence about each
/// other one, and about each damaged page.
fn copy(journal: &Connection, file: &Path) -> rusqlite::Result<Vec<String>> {
    let target = connect(file)?;
    create(&target)?;
    let snapshot = journal.unchecked_transaction()?;
    let mut copied = copy_rows(&snapshot, &target)?;
    match page_faults(&snapshot) {
        Ok(faults) => copied.named.extend(faults),
        Err(error) if is_damage(&error) => copied.is_cut = true,
        Err(error) => return Err(error),
    }
    if copied.is_cut {
        copied.named.push("a part of the journal could not be read".into());
    }
    Ok(copied.named)
}

fn taken(file: &Path) -> StorageError {
    StorageError::of_host(format!("{} is there already: choose another name for the copy", file.display()))
}
