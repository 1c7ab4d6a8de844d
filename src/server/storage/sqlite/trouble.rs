//! What went wrong, as a sentence that says what to do. It knows the errors of SQLite and of files, and no table.

use std::io;
use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::server::storage::Trouble;

/// An error of SQLite, about the journal in this folder.
pub(super) fn of_engine(folder: &Path, error: &Error) -> Trouble {
    let place = folder.display();
    let code = error.sqlite_error_code();
    Trouble(match code {
        Some(ErrorCode::DiskFull) => {
            format!("the disk of {place} is full: make room there, and everything goes on by itself")
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            format!("the journal in {place} cannot be written: give this user the folder and the files in it")
        }
        Some(ErrorCode::SystemIoFailure) => {
            format!(
                "the disk of {place} does not take what is written, or gives it back wrong: look after it ({error})"
            )
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            format!("another program holds the journal in {place}: close it there")
        }
        _ if is_damage(error) => format!(
            "the journal in {place} is damaged: start the server again, which saves all that can be read ({error})"
        ),
        _ => format!("the journal in {place} cannot be used: {error}"),
    })
}

/// An error of the file system, about this file or folder.
pub(super) fn of_file(path: &Path, error: &io::Error) -> Trouble {
    let place = path.display();
    Trouble(match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            format!(
                "{place} is not this user's to write: give it to them, or choose another folder ({error})"
            )
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            format!("there is no room left for {place}: make room there ({error})")
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            format!("{place} is no folder: choose another one ({error})")
        }
        _ => format!("{place} cannot be used: {error}"),
    })
}

/// Whether the file is not as it was written, so that another try would not help.
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
