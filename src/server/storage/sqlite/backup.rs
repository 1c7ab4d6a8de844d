//! A copy of a journal that is sound, whoever writes into it meanwhile. It knows files, and nothing of what is in them.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode};
use tempfile::TempPath;

use super::beside::{ALONE, steady};
use super::closing::{is_in_use, is_kept_with_a_log};
use super::folder::{Folder, open_private, remove_with_journal};
use super::opening::{foreign, newer};
use super::schema::{Found, LAYOUT};
use super::trouble::{of_engine, of_file};
use super::visiting::visit;
use crate::server::storage::StorageError;

/// How every file begins that SQLite writes.
const MAGIC: &[u8] = b"SQLite format 3\0";

/// Copies the journal in this folder, as it is at this moment, into one file that nobody else may read. A server may go on
/// meanwhile. To use the copy, put it into an empty folder under the name `journal.sqlite`.
///
/// Refuses to write over anything that is there, and to copy what a server would refuse to open.
pub fn backup(folder: &Path, file: &Path) -> Result<(), StorageError> {
    let folder = Folder::at(folder);
    if folder.has_use_for(file) {
        return Err(StorageError::of_host(format!(
            "{} is a name that the journal has a use for itself: choose another one for the copy",
            file.display()
        )));
    }
    folder.expect_files()?;
    let beside = steady(&folder)?;
    if let Some(fault) = beside.faults().next() {
        return Err(not_whole(fault));
    }
    let is_alone = !beside.has_log && is_kept_with_a_log(&folder.journal());
    visit(&folder, |journal| {
        match LAYOUT.recognise(journal) {
            Ok(Found::Newer(version, by)) => return Err(newer(folder.path(), version, &by, &LAYOUT)),
            Ok(Found::Foreign) => return Err(foreign(&folder)),
            // What is damaged is seen when it is copied.
            _ => {}
        }
        if is_alone && is_in_use(journal).unwrap_or(false) {
            return Err(not_whole(ALONE));
        }
        hand_over(journal, &folder, file)
    })?
}

/// Copies a journal into a file that is there once it is whole: whatever ends the program before, nobody takes a part for a copy.
fn hand_over(journal: &Connection, folder: &Folder, file: &Path) -> Result<(), StorageError> {
    see_that_it_can_be_made(file)?;
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let begun = begin_part(&part)?;
    let made = write_part(journal, folder, &part, &begun).and_then(|()| give_name(&part, file));
    if made.is_err() {
        // The first trouble is the one to tell.
        let _ = remove_with_journal(&part);
    }
    made
}

/// Makes the file for a copy that is not whole yet, and holds it. One that was not finished makes room.
fn begin_part(part: &Path) -> Result<File, StorageError> {
    let of_part = |error| of_file(part, &error);
    if part.symlink_metadata().is_ok() {
        if !is_part(part).map_err(of_part)? {
            return Err(in_the_way(
                part,
                "is no copy that was not finished: move it away, or choose another name",
            ));
        }
        let held = File::open(part).map_err(of_part)?;
        if matches!(held.try_lock(), Err(TryLockError::WouldBlock)) {
            return Err(in_the_way(
                part,
                "is being made by another backup: wait for it, or choose another name",
            ));
        }
        remove_with_journal(part)?;
    }
    let begun = open_private(part, OpenOptions::new().create_new(true))?;
    // Where the file system knows no locks nobody else is seen, and the copy is made all the same.
    if matches!(begun.try_lock(), Err(TryLockError::WouldBlock)) {
        return Err(in_the_way(part, "is being made by another backup: wait for it, or choose another name"));
    }
    Ok(begun)
}

/// Whether a file can be a part of a copy: it is empty, or begins as such a file does.
fn is_part(file: &Path) -> io::Result<bool> {
    if !file.symlink_metadata()?.is_file() {
        return Ok(false);
    }
    let mut head = Vec::new();
    File::open(file)?.take(MAGIC.len() as u64).read_to_end(&mut head)?;
    Ok(head.is_empty() || head == MAGIC)
}

fn in_the_way(part: &Path, what: &str) -> StorageError {
    StorageError::of_host(format!("{} {what} for the copy", part.display()))
}

fn write_part(journal: &Connection, folder: &Folder, part: &Path, begun: &File) -> Result<(), StorageError> {
    write_into(journal, part)?.map_err(|error| not_copied(folder.path(), place_of(part), &error))?;
    begun.sync_all().map_err(|error| of_file(part, &error))
}

/// Gives a copy that is whole its name, if nobody has taken that meanwhile.
fn give_name(part: &Path, file: &Path) -> Result<(), StorageError> {
    let named = TempPath::try_from_path(part).map_err(|error| of_file(part, &error))?;
    named.persist_noclobber(file).map_err(|failed| match failed.error.kind() {
        io::ErrorKind::AlreadyExists => taken(file),
        _ => of_file(file, &failed.error),
    })?;
    Folder::at(place_of(file)).sync();
    Ok(())
}

fn not_whole(fault: &str) -> StorageError {
    StorageError::of_host(format!(
        "{fault}. Start the server, which saves all that can be read, and make the copy then"
    ))
}

/// Whether there is a place for a copy, and nothing there yet.
fn see_that_it_can_be_made(file: &Path) -> Result<(), StorageError> {
    match file.symlink_metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(of_file(file, &error)),
        Ok(_) => return Err(taken(file)),
    }
    let place = place_of(file);
    if !place.is_dir() {
        return Err(StorageError::of_host(format!(
            "there is no folder {}: make it, or choose another place for the copy",
            place.display()
        )));
    }
    Ok(())
}

fn taken(file: &Path) -> StorageError {
    StorageError::of_host(format!("{} is there already: choose another name for the copy", file.display()))
}

/// Copies the journal of this folder into a file there. Half of one is nothing that anybody uses: the next one takes its place.
pub(super) fn copy(journal: &Connection, folder: &Path, file: &Path) -> Result<(), StorageError> {
    let made = open_private(file, OpenOptions::new().create_new(true))?;
    let written = write_into(journal, file)?.map_err(|error| of_engine(folder, &error));
    let filled = written.and_then(|()| made.sync_all().map_err(|error| of_file(file, &error)));
    if filled.is_err() {
        // What is half done is no copy; and the first trouble is the one to tell.
        let _ = remove_with_journal(file);
    }
    filled
}

/// The folder of a file that is to be made.
fn place_of(file: &Path) -> &Path {
    file.parent().filter(|place| !place.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What is full is the disk of the copy, and whatever else went wrong is told of the journal.
fn not_copied(folder: &Path, place: &Path, error: &rusqlite::Error) -> StorageError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StorageError::of_host(format!(
            "the disk of {} is full: make room there, or choose another place for the copy",
            place.display()
        )),
        _ => of_engine(folder, error),
    }
}

/// Writes all that is in a journal into a file that is there and empty.
pub(super) fn write_into(journal: &Connection, file: &Path) -> Result<rusqlite::Result<()>, StorageError> {
    let Some(name) = file.to_str() else {
        return Err(StorageError::of_host(format!(
            "{} is no name in UTF-8: choose another one",
            file.display()
        )));
    };
    Ok(journal.execute("VACUUM INTO ?1", [name]).map(drop))
}
