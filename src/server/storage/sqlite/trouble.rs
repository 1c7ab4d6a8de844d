//! What went wrong, as a sentence for the host that says what to do, and one for those who play. It knows the errors of SQLite and of
//! files, and no table.

use std::io;
use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::server::storage::Trouble;

/// What those who play are told.
const FULL: &str = "the disk is full";
const BARRED: &str = "the server may not write into its journal";
const FAILING: &str = "the disk does not take what is written";
const HELD: &str = "another program holds the journal";
pub(super) const DAMAGED: &str = "the journal was damaged";
const UNUSABLE: &str = "the journal cannot be used";

/// An error of SQLite, about the journal in this folder.
pub(super) fn of_engine(folder: &Path, error: &Error) -> Trouble {
    let place = folder.display();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            Trouble::new(FULL, format!("the disk of {place} is full: make room there"))
        }
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => Trouble::new(
            BARRED,
            format!(
                "the journal in {place} cannot be written: give this user the folder and the files in it"
            ),
        ),
        Some(ErrorCode::SystemIoFailure) => Trouble::new(
            FAILING,
            format!(
                "the disk of {place} does not take what is written, or gives it back wrong: look after it ({error})"
            ),
        ),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            Trouble::new(HELD, format!("another program holds the journal in {place}: close it there"))
        }
        _ if is_damage(error) => Trouble::new(
            DAMAGED,
            format!(
                "the journal in {place} is damaged{}: stop the server and start it again, which saves all that can be read",
                in_brackets(error)
            ),
        ),
        _ => Trouble::new(UNUSABLE, format!("the journal in {place} cannot be used{}", in_brackets(error))),
    }
}

/// What SQLite itself says; nothing where only what was read makes no sense.
fn in_brackets(error: &Error) -> String {
    match error {
        Error::SqliteFailure(..) => format!(" ({error})"),
        _ => String::new(),
    }
}

/// An error of the file system, about this file or folder.
pub(super) fn of_file(path: &Path, error: &io::Error) -> Trouble {
    let place = path.display();
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => Trouble::new(
            BARRED,
            format!("{place} is not this user's to write: give it to them, or choose another folder"),
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            Trouble::new(FULL, format!("there is no room left for {place}: make room there"))
        }
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            Trouble::new(UNUSABLE, format!("{place} is no folder: choose another one"))
        }
        io::ErrorKind::NotFound => Trouble::new(UNUSABLE, format!("{place} is not there")),
        _ => Trouble::new(UNUSABLE, format!("{place} cannot be used: {}", words(error))),
    }
}

/// What the system says, without its number for it.
fn words(error: &io::Error) -> String {
    let said = error.to_string();
    said.split_once(" (os error").map_or(said.clone(), |(words, _)| words.into())
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
