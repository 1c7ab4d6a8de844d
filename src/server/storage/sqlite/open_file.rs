//! Opens the file of a journal, after it has recognised, recovered or created it.

use std::io;
use std::path::Path;

use rusqlite::{Connection, Result};

use super::connect::{Durability, connect, connect_to_inspect, prepare};
use super::error::{is_damage, of_engine, of_file};
use super::files::{Folder, FolderLock, is_in_use};
use super::recovery::{finish_interrupted, recover};
use super::schema::{FileKind, VERSION, create, recognise};
use crate::server::storage::StorageError;

/// Locks a folder, and opens or creates the journal in it. Also returns sentences for the host.
pub(super) fn open(
    path: &Path,
    durability: Durability,
) -> Result<(Connection, FolderLock, Vec<String>), StorageError> {
    let folder = Folder::make(path)?;
    let was_used = folder.was_used();
    let lock = folder.lock()?;
    let mut news: Vec<String> = open_to_others(&folder).into_iter().collect();
    news.extend(finish_interrupted(&folder)?);
    let journal = folder.journal();
    if journal.exists() {
        match inspect(&folder)? {
            FileKind::Ours => {}
            FileKind::Damaged(why) => news.push(recover(&folder, &why)?),
            found => return Err(refused(&folder, &found)),
        }
    } else {
        if is_in_use(&journal) {
            let away = folder.set_aside()?;
            news.push(format!(
                "the files beside a journal that is gone were renamed to {}-…",
                away.display()
            ));
        }
        create_journal(&folder)?;
        news.extend(was_used.then(|| GONE.into()));
    }
    let ready = connect(&journal).and_then(|connection| {
        prepare(&connection, durability)?;
        Ok(connection)
    });
    Ok((ready.map_err(|error| of_engine(path, &error))?, lock, news))
}

/// The warning if a journal is created in a folder that was used before.
const GONE: &str = "this folder was used before, and its journal is gone: unless you moved it, all games recorded in it are lost; a new \
                    journal was made";

/// The warning if other users may change the journal.
fn open_to_others(folder: &Folder) -> Option<String> {
    let paths: Vec<String> =
        folder.open_to_others().iter().map(|path| format!("'{}'", path.display())).collect();
    let paths = paths.join(" ");
    (!paths.is_empty()).then(|| {
        format!("other users of this machine may change the records of games; keep them out with: chmod go-w {paths}")
    })
}

/// The error for a file that is refused, and stays as it is.
pub(super) fn refused(folder: &Folder, found: &FileKind) -> StorageError {
    let (place, file) = (folder.path().display(), folder.journal());
    StorageError::of_host(match found {
        FileKind::Later(version) => format!(
            "the journal in {place} is of version {version}, and this program knows version {VERSION}: start a later release, or choose \
             another folder. Nothing was changed"
        ),
        FileKind::Damaged(why) => {
            format!(
                "the journal in {place} is damaged ({why}): start the server, which saves all that can be read"
            )
        }
        FileKind::Foreign | FileKind::Ours => format!(
            "{} is a database of another program: choose another folder. Nothing was changed",
            file.display()
        ),
    })
}

/// Recognises the file and has SQLite check its pages. Changes nothing.
fn inspect(folder: &Folder) -> Result<FileKind, StorageError> {
    let journal = folder.journal();
    if journal.metadata().map_err(|error| of_file(&journal, &error))?.len() == 0 {
        return Ok(FileKind::Damaged(EMPTY.into()));
    }
    let found = connect_to_inspect(&journal).and_then(|connection| match recognise(&connection)? {
        FileKind::Ours => check_pages(&connection),
        found => Ok(found),
    });
    match found {
        Err(error) if is_damage(&error) => Ok(FileKind::Damaged(error.to_string())),
        found => found.map_err(|error| of_engine(folder.path(), &error)),
    }
}

/// Returns an error if the folder has no readable journal.
pub(super) fn expect_journal(folder: &Folder) -> Result<(), StorageError> {
    let (place, journal) = (folder.path(), folder.journal());
    match journal.metadata() {
        Ok(file) if file.len() == 0 => Err(refused(folder, &FileKind::Damaged(EMPTY.into()))),
        Ok(_) => Ok(()),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(of_file(place, &error)),
        Err(_) if !place.is_dir() => Err(StorageError::of_host(format!(
            "there is no folder {}: choose a folder that has a journal",
            place.display()
        ))),
        Err(_) => Err(StorageError::of_host(format!(
            "there is no journal in {}: choose the folder of one",
            place.display()
        ))),
    }
}

/// An empty file is never opened: SQLite would remove the files beside it, which may hold all that was
/// recorded.
const EMPTY: &str = "the file is empty";

/// Reads the whole file once, which takes 2 seconds a gigabyte if the system has it in memory.
fn check_pages(connection: &Connection) -> Result<FileKind> {
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    let last = said.lines().last().unwrap_or_default();
    Ok(if last == "ok" { FileKind::Ours } else { FileKind::Damaged(last.into()) })
}

/// Creates a journal, which gets its name once it is complete.
fn create_journal(folder: &Folder) -> Result<(), StorageError> {
    let new = folder.begin_new()?;
    connect(&new)
        .and_then(|connection| create(&connection))
        .map_err(|error| of_engine(folder.path(), &error))?;
    folder.rename(&new, &folder.journal())
}
