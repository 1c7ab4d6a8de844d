//! Everything that a journal's file can turn out to be when it is opened, and what is done about it.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

use super::beside::{ALONE, Beside};
use super::checkpoints::Checkpoints;
use super::folder::{Folder, is_beside, is_there, is_wal_empty, remove, remove_beside};
use super::presence::Presence;
use super::schema::{Found, Layout};
use super::trouble::{is_damage, of_engine, of_file};
use super::{Durability, Sqlite, anew, closing, loading, migration, salvage};
use crate::server::storage::StorageError;

/// How long another program may hold the journal to itself, such as a host's `sqlite3` that writes into it.
const BUSY: Duration = Duration::from_secs(2);

/// How many statements are kept prepared: more than there are.
const STATEMENTS: usize = 64;

/// So many bytes of the file beside the journal are kept when it has been larger for a while.
pub(super) const WAL_KEPT: i64 = 16 * 1024 * 1024;

/// The bytes of a file's header in which SQLite says how it is read and written.
const HEADER: usize = 20;

pub(super) fn open(
    path: &Path,
    durability: Durability,
    layout: &Layout,
) -> Result<(Sqlite, Vec<String>), StorageError> {
    let folder = Folder::make(path)?;
    folder.expect_files()?;
    let was_used = folder.lock().exists();
    let held = folder.hold()?;
    let mut news = finish_salvage(&folder)?;
    if folder.put_back()? {
        news.push("journal.sqlite was removed, and what belongs beside it was not".into());
    }
    // What SQLite finds beside a journal it brings into its own order, and with that it forgets what it has not found.
    let beside = Beside::of(&folder)?;
    let found = match (look(&folder, layout)?, beside.damage) {
        (Some(Found::Ours | Found::Older(_)), Some(why)) => Some(Found::Damaged(why.into())),
        (found, _) => found,
    };
    news.extend(gap(&folder, found.as_ref(), &beside));
    match found {
        None => {
            begin(&folder, layout)?;
            news.extend(was_used.then(|| GONE.into()));
        }
        // A server that ended between the last two steps of a migration has left the copy.
        Some(Found::Ours) => migration::forget_copies(&folder, layout)?,
        Some(Found::Older(version)) => news.push(migration::migrate(&folder, layout, version)?),
        Some(Found::Newer(version, by)) => return Err(newer(path, version, &by, layout)),
        Some(Found::Foreign) => return Err(foreign(&folder)),
        Some(Found::Damaged(why)) => news.extend(salvage::salvage(&folder, layout, beside.index, &why)?),
    }
    let trouble = |error| of_engine(path, &error);
    let connection = connect(&folder.journal()).map_err(trouble)?;
    prepare(&connection, durability).map_err(trouble)?;
    closing::note_use(&connection);
    // Where that cannot be written now, such rows say nothing until it can be.
    news.extend(anew::mend(&connection).unwrap_or_default());
    news.extend(say_set_aside(&connection).map_err(trouble)?);
    let presence = Presence::of(&folder, &connection).map_err(|error| of_file(&folder.journal(), &error))?;
    let (folder, checkpoints) = (path.into(), Checkpoints::of(path, durability)?);
    Ok((
        Sqlite {
            presence,
            checkpoints,
            connection,
            folder,
            durability,
            held,
            ahead: 0,
            synced_in: Duration::ZERO,
            rest: None,
            spoiled: None,
        },
        news,
    ))
}

/// What is to be said of a journal if something is missing beside it.
fn gap(folder: &Folder, found: Option<&Found>, beside: &Beside) -> Option<String> {
    let gap = match found? {
        Found::Newer(..) | Found::Foreign => None,
        Found::Ours | Found::Older(_) if !beside.has_log && closing::was_in_use(&folder.journal()) => {
            beside.gap.or(Some(ALONE))
        }
        _ => beside.gap,
    };
    gap.map(Into::into)
}

/// Goes on where a salvage was when the process ended, or a journal that was written anew.
fn finish_salvage(folder: &Folder) -> Result<Vec<String>, StorageError> {
    let (journal, salvaged) = (folder.journal(), folder.salvaged());
    remove(&folder.mended())?;
    if folder.renewed().exists() {
        if is_there(&journal) {
            folder.put_away()?;
        }
        folder.rename(&folder.renewed(), &journal)?;
        return Ok(vec![
            "the files of the journal were gone, and what was written anew is gone on with".into(),
        ]);
    }
    if journal.exists() || !salvaged.exists() {
        return remove(&salvaged).map(|()| Vec::new());
    }
    if is_there(&journal) {
        folder.put_away()?;
    }
    folder.rename(&salvaged, &journal)?;
    Ok(vec!["a damaged journal was put away, and what could be saved of it is gone on with".into()])
}

/// What the journal is; `None` if there is none. Nothing is changed.
fn look(folder: &Folder, layout: &Layout) -> Result<Option<Found>, StorageError> {
    let journal = folder.journal();
    if !journal.exists() {
        return Ok(None);
    }
    if let Some(why) = odd_header(&journal)? {
        return Ok(Some(Found::Damaged(why.into())));
    }
    let was_beside = is_beside(&journal);
    let found = examine(&journal, layout);
    if !was_beside && is_wal_empty(&journal) {
        // Even a look makes them, and what is refused is to be as it was.
        remove_beside(&journal)?;
    }
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_damage(&error) => Ok(Some(Found::Damaged(error.to_string()))),
        Err(error) => Err(of_engine(folder.path(), &error)),
    }
}

/// What SQLite would not call damage, but take for something that it is not.
pub(super) fn odd_header(journal: &Path) -> Result<Option<&'static str>, StorageError> {
    let mut header = Vec::new();
    let file = File::open(journal);
    let read = file.and_then(|file| file.take(HEADER as u64).read_to_end(&mut header));
    read.map_err(|error| of_file(journal, &error))?;
    Ok(match header.get(18..HEADER) {
        None => Some("it is cut off"),
        // Whoever may write it is one of two kinds, and whoever may read it too.
        Some([1, 1] | [2, 2]) => None,
        Some(_) => Some("its header is not as it was written"),
    })
}

fn examine(journal: &Path, layout: &Layout) -> Result<Found> {
    let connection = connect_to_read(journal)?;
    let found = layout.recognise(&connection)?;
    if !matches!(found, Found::Ours | Found::Older(_)) {
        return Ok(found);
    }
    let said = check_pages(&connection)?;
    // What could not be loaded later is damaged now, while something can be done about it.
    loading::load(&connection, &mut |_| {})?;
    Ok(if said == "ok" { found } else { Found::Damaged(said) })
}

/// What SQLite says of its own pages: `ok`, or the first thing that is wrong. It reads the file once, which takes 2 seconds a
/// gigabyte where the system has it in memory.
pub(super) fn check_pages(connection: &Connection) -> Result<String> {
    let said: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    Ok(said.lines().last().unwrap_or_default().into())
}

/// A journal where none is yet.
fn begin(folder: &Folder, layout: &Layout) -> Result<(), StorageError> {
    // What may stand there has nothing in it, and belongs to another one.
    remove_beside(&folder.journal())?;
    let new = folder.begin_new()?;
    let made = connect(&new).and_then(|connection| {
        layout.create(&connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")
    });
    made.map_err(|error| of_engine(folder.path(), &error))?;
    folder.rename(&new, &folder.journal())
}

/// What is said where a journal is begun in a folder that was used before.
const GONE: &str = "this folder was used before, and its journal is gone: unless you moved it away, all that was recorded in it is lost, and a \
                    new one was begun";

pub(super) fn newer(path: &Path, version: i32, by: &str, layout: &Layout) -> StorageError {
    StorageError::of_host(format!(
        "the journal in {} was written by {by}, and is of version {version}; this program knows versions up to {}: start that \
         program, or choose another folder. Nothing was changed",
        path.display(),
        layout.version
    ))
}

pub(super) fn foreign(folder: &Folder) -> StorageError {
    StorageError::of_host(format!(
        "{} is a database of another program: choose another folder. Nothing was changed",
        folder.journal().display()
    ))
}

/// A connection that changes nothing.
pub(super) fn connect_to_read(file: &Path) -> Result<Connection> {
    connect_by(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

pub(super) fn connect(file: &Path) -> Result<Connection> {
    connect_by(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

pub(super) fn connect_by(file: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    distrust(&connection)?;
    Ok(connection)
}

/// Makes SQLite look twice at what it reads, and run nothing that stands in the file.
fn distrust(connection: &Connection) -> Result<()> {
    // What tables of a host's own refer to is for them to mind.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)
}

/// Makes a connection ready for play.
pub(super) fn prepare(connection: &Connection, durability: Durability) -> Result<()> {
    // SQLite opens what it may not write to read it, and says nothing.
    if connection.is_readonly("main")? {
        return Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_READONLY), None));
    }
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // A statement is planned once, and not again for every lobby that it is used for.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    synchronise(connection, durability)?;
    connection.pragma_update(None, "journal_size_limit", WAL_KEPT)?;
    // That is for another thread.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    // Whoever may not write learns it now, and not with the first move.
    connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")
}

/// Has a connection sync as much as was asked for.
pub(super) fn synchronise(connection: &Connection, durability: Durability) -> Result<()> {
    let synchronous = match durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)
}

fn say_set_aside(connection: &Connection) -> Result<Option<String>> {
    let count: i64 = connection.query_row("SELECT count(*) FROM set_aside", [], |row| row.get(0))?;
    Ok(match count {
        0 => None,
        1 => Some("1 lobby is set aside and left alone: `nim-server check` says why".into()),
        _ => Some(format!("{count} lobbies are set aside and left alone: `nim-server check` says why")),
    })
}
