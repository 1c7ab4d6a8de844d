//! Errors of SQLite and of files, worded for the host and for players.

use std::io::{self, Write};
use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::server::storage::StorageError;
use crate::system::ErrorText;

/// The texts for players.
const FULL: &str = StorageError::FULL;
const BARRED: &str = "the server may not write into its journal";
const FAILING: &str = "the disk fails to write";
const HELD: &str = "another program holds the journal";
const UNUSABLE: &str = "the journal cannot be used";

/// An error of SQLite, about the journal in this folder.
pub(super) fn of_engine(folder: &Path, error: &Error) -> StorageError {
    let place = folder.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => full(folder),
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => StorageError::new(
            BARRED,
            format!(
                "the journal in {place} cannot be written: give this user the folder and the files in it"
            ),
        ),
        // SQLite reports this if there is no room for the files beside the journal.
        Some(ErrorCode::SystemIoFailure) if is_full(folder) => full(folder),
        Some(ErrorCode::SystemIoFailure) => StorageError::new(
            FAILING,
            format!("the disk of {place} fails to write, or returns wrong data: check it ({error})"),
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            StorageError::new(HELD, format!("another program holds the journal in {place}: close it there"))
        }
        _ if is_damage(error) => StorageError::new(
            StorageError::DAMAGED,
            format!(
                "the journal in {place} is damaged ({error}): stop the server and start it again, which saves all that can be read"
            ),
        ),
        _ => StorageError::new(UNUSABLE, format!("the journal in {place} cannot be used ({error})")),
    }
}

/// The error for a full disk.
pub(super) fn full(folder: &Path) -> StorageError {
    StorageError::new(FULL, format!("the disk of {} is full: make room there", folder.display()))
}

/// Whether this folder has less room than twice the minimum that SQLite needs.
fn is_full(folder: &Path) -> bool {
    let written = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(&vec![1; 64 * 1024]));
    written.is_err_and(|error| is_out_of_room(&error))
}

/// Whether an error means that there is no room on the disk.
pub(super) fn is_out_of_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// An error of the file system, about this file or folder.
pub(super) fn of_file(path: &Path, error: &io::Error) -> StorageError {
    let place = path.display();
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => StorageError::new(
            BARRED,
            format!("{place} is on a read-only disk: mount it for writing, or choose another folder"),
        ),
        io::ErrorKind::PermissionDenied => {
            // A file that is not there yet was to be created in a folder.
            let place = path.parent().filter(|_| !path.exists()).unwrap_or(path).display();
            StorageError::new(
                BARRED,
                format!("{place} is not this user's to write: give it to them, or choose another folder"),
            )
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            StorageError::new(FULL, format!("there is no room left for {place}: make room there"))
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            StorageError::new(UNUSABLE, format!("{place} is not a folder: choose another one"))
        }
        io::ErrorKind::NotFound => StorageError::new(UNUSABLE, format!("{place} is not there")),
        _ => StorageError::new(UNUSABLE, format!("{place} cannot be used: {}", ErrorText(error))),
    }
}

/// Whether the file is not what was written, so that a retry would not help.
pub(super) fn is_damage(error: &Error) -> bool {
    match error {
        Error::SqliteFailure(failure, _) => matches!(
            failure.code,
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::Unknown | ErrorCode::TooBig
        ),
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::Utf8Error(..)
        | Error::InvalidColumnType(..)
        | Error::QueryReturnedNoRows
        | Error::SqlInputError { .. } => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_only_disk_is_not_reported_as_a_matter_of_permissions() {
        let said = |kind: io::ErrorKind| of_file(Path::new("/games"), &kind.into()).cause;
        assert!(said(io::ErrorKind::ReadOnlyFilesystem).starts_with("/games is on a read-only disk"));
        assert!(said(io::ErrorKind::PermissionDenied).contains(" is not this user's to write"));
    }
}
