//! How somebody looks into a journal who is no server: it stays as it is, and nothing is left beside it. A server may use it
//! meanwhile.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rusqlite::{Connection, OpenFlags, Result};

use super::folder::{Folder, beside, is_beside};
use super::opening::connect_by;
use super::trouble::{of_engine, of_file};
use crate::server::storage::StorageError;

/// What somebody sees who looks into the journal of this folder.
pub(super) fn visit<T>(folder: &Folder, look: impl FnOnce(&Connection) -> T) -> Result<T, StorageError> {
    if let Some(why) = cut_off(folder)? {
        return Err(StorageError::of_host(why));
    }
    let journal = folder.journal();
    let [_, index] = beside(&journal);
    let leaves_index = is_beside(&journal) && !index.exists();
    let connection = connect(&journal).map_err(|error| of_engine(folder.path(), &error))?;
    let seen = look(&connection);
    drop(connection);
    if leaves_index {
        remove_index(folder, &index);
    }
    Ok(seen)
}

/// Why it is not to be looked into, if so: of an empty journal SQLite would remove what is beside it, which may be all that
/// there is.
pub(super) fn cut_off(folder: &Folder) -> Result<Option<String>, StorageError> {
    let journal = folder.journal();
    let why = if folder.has_lost_its_journal() {
        "is gone, for somebody has removed it, and what belongs beside it is there"
    } else {
        let file = match journal.metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound && folder.lock().exists() => {
                return Ok(Some(format!(
                    "{} is gone, which a server has used before, and nothing is left of it: put it back if you moved it away; else \
                     all that was recorded in it is lost",
                    journal.display()
                )));
            }
            file => file.map_err(|error| no_journal(folder, &error))?,
        };
        if file.len() > 0 {
            return Ok(None);
        }
        "is empty, for somebody has cut it off"
    };
    Ok(Some(format!("{} {why}: start the server again, which saves all that can be read", journal.display())))
}

/// Why there is nothing to look into.
fn no_journal(folder: &Folder, error: &io::Error) -> StorageError {
    let place = folder.path();
    match error.kind() {
        io::ErrorKind::NotFound if place.is_dir() => StorageError::of_host(format!(
            "there is no journal in {}: choose the folder of one",
            place.display()
        )),
        io::ErrorKind::NotFound => StorageError::of_host(format!(
            "there is no folder {}, and so no journal: choose the folder of one",
            place.display()
        )),
        _ => of_file(place, error),
    }
}

/// A connection that writes nothing. Where there is nothing beside a journal nobody uses it, and SQLite is told that it does
/// not change: it makes no files beside it then.
fn connect(journal: &Path) -> Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let address = if is_beside(journal) { None } else { address(journal) };
    match address {
        Some(address) => connect_by(Path::new(&format!("{address}?immutable=1")), flags),
        None => connect_by(journal, flags),
    }
}

/// The file as SQLite has it in an address, if its name can stand in one.
fn address(file: &Path) -> Option<String> {
    let file = std::path::absolute(file).ok()?;
    let path = file.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
    let encoded: String = path
        .bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") })
        .collect();
    Some(format!("file:///{}", encoded.trim_start_matches('/')))
}

/// Removes the index that a look has made, unless a server has begun to use it.
fn remove_index(folder: &Folder, index: &Path) {
    if folder.is_free() {
        // Were it left, nobody would be the worse for it.
        let _ = fs::remove_file(index);
    }
}

/// The same journal in memory, to be changed.
pub(super) fn copy_in_memory(journal: &Connection) -> Result<Connection> {
    static COPIES: AtomicU64 = AtomicU64::new(0);
    let number = COPIES.fetch_add(1, Ordering::Relaxed);
    let name = format!("file:/copy-{number}?vfs=memdb");
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_URI;
    // It is there as long as somebody has it open.
    let copy = connect_by(Path::new(&name), flags)?;
    journal.execute("VACUUM INTO ?1", [name])?;
    Ok(copy)
}
