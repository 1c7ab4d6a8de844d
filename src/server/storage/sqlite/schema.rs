//! The tables of a journal, and how a file is recognised as one. `proto/JOURNAL.md` describes them.

use rusqlite::{Connection, Result};

/// The letters `nim1` in the file's header, which the `file` command shows.
const APPLICATION: i32 = i32::from_be_bytes(*b"nim1");

/// The file's `user_version`. It goes up by one with every change.
pub(super) const VERSION: i32 = 1;

/// The kinds of files that may be found under the journal's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FileKind {
    /// A journal of this version.
    Ours,
    /// A journal of this later version.
    Later(i32),
    /// A database of another program.
    Foreign,
    /// A damaged journal, and what is wrong with it.
    Damaged(String),
}

/// Creates the tables in an empty file.
pub(super) fn create(connection: &Connection) -> Result<()> {
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    for (_, sql) in ITEMS {
        connection.execute_batch(sql)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", VERSION)?;
    connection.execute_batch("COMMIT")
}

/// Writes the version that is there again, which writes a page and changes nothing.
pub(super) fn write_version(connection: &Connection) -> Result<()> {
    let version: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    connection.pragma_update(None, "user_version", version)
}

/// Recognises a file by its header and its tables.
pub(super) fn recognise(connection: &Connection) -> Result<FileKind> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let mut known = 0;
    let mut find = connection.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?1 AND sql = ?2")?;
    for item in ITEMS {
        known += usize::from(find.exists(*item)?);
    }
    let all: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let damaged = |what: &str| FileKind::Damaged(what.into());
    Ok(match (application == APPLICATION, version) {
        (true, VERSION) if known == ITEMS.len() => FileKind::Ours,
        (true, version) if version > VERSION => FileKind::Later(version),
        (true, VERSION) => damaged("its tables were changed"),
        _ if all == 0 => damaged("nothing is in it"),
        (false, _) if known == 0 => FileKind::Foreign,
        _ => damaged("its header is not what was written"),
    })
}

/// Everything that is created, by its name.
const ITEMS: &[(&str, &str)] = &[
    (
        "lobbies",
        "CREATE TABLE lobbies (
    id INTEGER PRIMARY KEY,
    code TEXT NOT NULL,
    variant TEXT NOT NULL,
    opened INTEGER NOT NULL,
    opener TEXT NOT NULL,
    password BLOB,
    conditions BLOB NOT NULL,
    level TEXT NOT NULL,
    listed INTEGER NOT NULL,
    first_event INTEGER NOT NULL,
    closed INTEGER,
    last_event INTEGER,
    events INTEGER,
    crc INTEGER NOT NULL
) STRICT",
    ),
    ("lobbies_by_close", "CREATE INDEX lobbies_by_close ON lobbies (closed) WHERE closed IS NOT NULL"),
    (
        "lobbies_by_opener",
        "CREATE INDEX lobbies_by_opener ON lobbies (opener, closed) WHERE closed IS NOT NULL",
    ),
    (
        "events",
        "CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    lobby INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    wall INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body BLOB NOT NULL,
    crc INTEGER NOT NULL
) STRICT",
    ),
    (
        "meta",
        "CREATE TABLE meta (
    id INTEGER PRIMARY KEY,
    last_lobby INTEGER NOT NULL,
    crc INTEGER NOT NULL
) STRICT, WITHOUT ROWID",
    ),
    (
        "checkpoints",
        "CREATE TABLE checkpoints (
    lobby INTEGER PRIMARY KEY,
    number INTEGER NOT NULL,
    event INTEGER NOT NULL,
    body BLOB NOT NULL,
    crc INTEGER NOT NULL
) STRICT",
    ),
    (
        "owners",
        "CREATE TABLE owners (
    lobby INTEGER NOT NULL,
    player INTEGER NOT NULL,
    held INTEGER NOT NULL,
    name TEXT NOT NULL,
    ticket BLOB NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (lobby, player)
) STRICT, WITHOUT ROWID",
    ),
    ("owners_by_ticket", "CREATE INDEX owners_by_ticket ON owners (ticket)"),
    (
        "games",
        "CREATE TABLE games (
    lobby INTEGER NOT NULL,
    game INTEGER NOT NULL,
    first_player INTEGER NOT NULL,
    first TEXT NOT NULL,
    first_kind TEXT NOT NULL,
    second_player INTEGER NOT NULL,
    second TEXT NOT NULL,
    second_kind TEXT NOT NULL,
    started INTEGER NOT NULL,
    first_event INTEGER NOT NULL,
    ended INTEGER,
    last_event INTEGER,
    outcome TEXT,
    cause TEXT,
    crc INTEGER NOT NULL,
    PRIMARY KEY (lobby, game)
) STRICT, WITHOUT ROWID",
    ),
    ("games_by_start", "CREATE INDEX games_by_start ON games (first_event)"),
    (
        "played",
        "CREATE VIEW played AS
SELECT games.lobby, code, variant, game, first, first_kind, second, second_kind,
    datetime(started / 1000, 'unixepoch') AS started,
    datetime(ended / 1000, 'unixepoch') AS ended,
    (SELECT count(*) FROM events
        WHERE events.id BETWEEN games.first_event AND ifnull(games.last_event, 9223372036854775807)
        AND events.lobby = games.lobby AND events.kind = 'moved') AS moves,
    outcome, cause
FROM games JOIN lobbies ON lobbies.id = games.lobby",
    ),
];
