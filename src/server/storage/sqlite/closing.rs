//! Whether a server closed its journal, as far as the journal itself knows. Where none did, the log that SQLite keeps beside it is a part
//! of it: one that has none was taken away from it.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension, Result};

use super::opening::connect_to_read;

/// The name in the table `meta`, and what stands beside it. A journal of an older program has no such row.
const STATE: &str = "state";
const IN_USE: &str = "in use";
const CLOSED: &str = "closed";

/// Where a file's header says whether what is written goes into a log, and the two bytes if so. In a copy that was made by
/// SQLite they are others: it has no log, whatever stands in it.
const WAY: (usize, [u8; 2]) = (18, [2, 2]);

/// Notes that the journal is in use from now on, where whoever has no more than its main file finds it. The log is there by
/// then. Should nothing be written now, the journal knows nothing of it, which does no harm.
pub(super) fn note_use(connection: &Connection) {
    let noted = note(connection, IN_USE);
    let _ = noted.and_then(|()| connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())));
}

/// Notes that everything is in the journal once the log beside it is gone.
pub(super) fn note_closed(connection: &Connection) -> Result<()> {
    if state(connection)?.is_some() { note(connection, CLOSED) } else { Ok(()) }
}

/// Whether the journal in this file was in use, and not closed since then. What is beside it is not asked.
pub(super) fn was_in_use(journal: &Path) -> bool {
    is_kept_with_a_log(journal)
        && connect_to_read(journal).and_then(|connection| is_in_use(&connection)).unwrap_or(false)
}

/// The same of one that is looked into.
pub(super) fn is_in_use(connection: &Connection) -> Result<bool> {
    Ok(state(connection)?.as_deref() == Some(IN_USE))
}

/// Whether the file says of itself that there is a log for it.
pub(super) fn is_kept_with_a_log(journal: &Path) -> bool {
    let mut header = [0; WAY.0 + WAY.1.len()];
    let read = File::open(journal).and_then(|mut file| file.read_exact(&mut header));
    read.is_ok() && header[WAY.0..] == WAY.1
}

fn state(connection: &Connection) -> Result<Option<String>> {
    let sql = "SELECT value FROM meta WHERE name = ?1";
    connection.query_row(sql, [STATE], |row| row.get(0)).optional()
}

fn note(connection: &Connection, state: &str) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO meta VALUES (?1, ?2)";
    connection.execute(sql, (STATE, state)).map(drop)
}
