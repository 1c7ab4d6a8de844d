//! Connections to a database, and how they are set up.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, OpenFlags, Result, ffi};

use super::files::is_in_use;

/// How long to wait while another program locks the journal, such as a host's `sqlite3`.
const BUSY: Duration = Duration::from_secs(2);

/// How many prepared statements are cached: more than there are.
const STATEMENTS: usize = 64;

/// The size in bytes to which a larger `-wal` file is truncated: it grows as long as a reader uses an old
/// snapshot.
const WAL_KEPT: i64 = 16 * 1024 * 1024;

/// What a recorded batch survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Durability {
    /// Any end of the process.
    Process,
    /// Also a power failure: every move is synced to the disk before it is sent.
    Power,
}

/// A read-only connection.
pub(super) fn connect_to_read(file: &Path) -> Result<Connection> {
    connect_by(file, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// A connection that may write.
pub(super) fn connect(file: &Path) -> Result<Connection> {
    connect_by(file, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// A read-only connection that leaves no files beside the journal. If there are none, nobody uses the
/// journal, and SQLite is told that it does not change.
pub(super) fn connect_to_inspect(file: &Path) -> Result<Connection> {
    let address = if is_in_use(file) { None } else { address(file) };
    let Some(address) = address else { return connect_to_read(file) };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    connect_by(Path::new(&format!("{address}?immutable=1")), flags)
}

/// The URI of a file, if its name is UTF-8.
fn address(file: &Path) -> Option<String> {
    let file = std::path::absolute(file).ok()?;
    let path = file.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~:".contains(&byte);
    let encode = |byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") };
    let encoded: String = path.bytes().map(encode).collect();
    Some(format!("file:///{}", encoded.trim_start_matches('/')))
}

fn connect_by(file: &Path, flags: OpenFlags) -> Result<Connection> {
    let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY)?;
    // A host may have added tables with foreign keys, which are not checked here.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false)?;
    // Pages are checked when they are read, and no code in the file is run.
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

/// Sets a connection up for recording.
pub(super) fn prepare(connection: &Connection, durability: Durability) -> Result<()> {
    // SQLite opens a file that may not be written for reading, without an error.
    if connection.is_readonly("main")? {
        return Err(Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_READONLY), None));
    }
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // A statement is planned once, and not again for each value that it is used with.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    let synchronous = match durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "journal_size_limit", WAL_KEPT)?;
    // Missing permissions are noticed now, and not with the first move.
    connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK")
}
