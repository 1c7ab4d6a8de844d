//! What is in a journal's file: the tables, the version, and how one knows it. `proto/JOURNAL.md` explains it to a host.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Result};

use super::trouble::is_damage;
use super::versions::STEPS;

/// The letters `nim1` in the file's header, by which `file` and this program know a journal.
pub(super) const APPLICATION: i32 = i32::from_be_bytes(*b"nim1");

/// A layout of the journal: its number, its tables, and the way to it from older ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    /// Goes up by one with every change; it is the file's `user_version`.
    pub(super) version: i32,
    /// Everything that is created, by its name.
    pub(super) items: &'static [(&'static str, &'static str)],
    /// From version to version, one step each.
    pub(super) steps: &'static [Step],
}

/// What makes the next version of an older one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Step {
    /// The version that it is for.
    pub(super) from: i32,
    /// The items that the next one has and this one has not.
    pub(super) adds: &'static [&'static str],
    /// Those that this one has in another form, and in which.
    pub(super) had: &'static [(&'static str, &'static str)],
    /// Does it, inside of one transaction.
    pub(super) take: fn(&Connection) -> Result<()>,
}

/// The layout that this program writes.
pub(super) const LAYOUT: Layout = Layout { version: 3, items: ITEMS, steps: STEPS };

/// How the item of this name is made today.
pub(super) fn item(name: &str) -> &'static str {
    ITEMS.iter().find(|(known, _)| *known == name).map_or("", |(_, made)| made)
}

/// What a file turns out to be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Found {
    /// A journal of this layout.
    #[error("a journal of this version")]
    Ours,
    /// A journal of an older one.
    #[error("it is of version {0}, and will be brought up to date when a server starts")]
    Older(i32),
    /// A journal of a newer one, and the program that wrote it.
    #[error("it is of version {0}, and {1} wrote it")]
    Newer(i32, String),
    /// A database of another program.
    #[error("another program made it")]
    Foreign,
    /// A journal that is not as it was made, and what is wrong.
    #[error("{0}")]
    Damaged(String),
}

impl Layout {
    /// Makes the tables in an empty file.
    pub(super) fn create(&self, connection: &Connection) -> Result<()> {
        connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
        connection.execute_batch("BEGIN IMMEDIATE")?;
        for (_, item) in self.items {
            connection.execute_batch(item)?;
        }
        self.sign(connection)?;
        connection.execute_batch("COMMIT")
    }

    /// Writes who made the file what it is.
    pub(super) fn sign(&self, connection: &Connection) -> Result<()> {
        let mut put = connection.prepare("INSERT OR REPLACE INTO meta VALUES (?1, ?2)")?;
        put.execute((PROGRAM, "nim-server"))?;
        put.execute((PROGRAM_VERSION, env!("CARGO_PKG_VERSION")))?;
        put.execute((JOURNAL, self.version.to_string()))?;
        connection.pragma_update(None, "application_id", APPLICATION)?;
        connection.pragma_update(None, "user_version", self.version)
    }

    /// Looks at a file, whatever it is.
    pub(super) fn recognise(&self, connection: &Connection) -> Result<Found> {
        let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
        let (application, version) = (number("application_id")?, number("user_version")?);
        let kept = read_items(connection)?;
        let shape = self.shape_of(&kept);
        let meta = |name| if kept.contains_key("meta") { read_meta(connection, name) } else { Ok(None) };
        let (program, journal) = (meta(PROGRAM)?, meta(JOURNAL)?);
        let is_signed = journal.as_deref() == Some(&version.to_string());
        // Where the two numbers differ one of them is wrong, and what is there decides which.
        let is_newer = version > self.version
            && (is_signed || journal.is_none() || shape.is_none() || self.has_more(&kept));
        Ok(match (application == APPLICATION, is_signed) {
            (false, _) if program.is_none() && shape != Some(self.version) => Found::Foreign,
            (true, true) if version == self.version && shape == Some(version) => Found::Ours,
            (true, true) if self.steps.iter().any(|step| step.from == version) => Found::Older(version),
            (true, _) if is_newer => {
                let by =
                    [program, meta(PROGRAM_VERSION)?].map(|word| word.unwrap_or_else(|| "unknown".into()));
                Found::Newer(version, by.join(" "))
            }
            _ if shape.is_some() => Found::Damaged("what it says of itself is not what was written".into()),
            _ => Found::Damaged("its tables are not those that were made".into()),
        })
    }

    /// The version whose tables a file has, whatever it says of itself.
    pub(super) fn shape(&self, connection: &Connection) -> Result<Option<i32>> {
        Ok(self.shape_of(&read_items(connection)?))
    }

    fn shape_of(&self, kept: &HashMap<String, String>) -> Option<i32> {
        let mut expected: HashMap<&str, &str> = self.items.iter().copied().chain([SEQUENCE]).collect();
        let fits = |expected: &HashMap<&str, &str>| {
            expected.iter().all(|(name, made)| kept.get(*name).is_some_and(|kept| kept == made))
        };
        if fits(&expected) {
            return Some(self.version);
        }
        for step in self.steps.iter().rev() {
            expected.retain(|name, _| !step.adds.contains(name));
            expected.extend(step.had.iter().copied());
            if fits(&expected) {
                return Some(step.from);
            }
        }
        None
    }

    /// Whether there are tables of which this layout knows nothing.
    fn has_more(&self, kept: &HashMap<String, String>) -> bool {
        let is_known = |name: &str| name == SEQUENCE.0 || self.items.iter().any(|(known, _)| *known == name);
        kept.iter().any(|(name, sql)| sql.starts_with("CREATE TABLE") && !is_known(name))
    }
}

fn read_items(connection: &Connection) -> Result<HashMap<String, String>> {
    let mut items = connection.prepare("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    items.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// What stands beside a name in the table `meta`, which is the same in all versions; `None` also if that cannot be read.
fn read_meta(connection: &Connection, name: &str) -> Result<Option<String>> {
    let read = connection.query_row("SELECT value FROM meta WHERE name = ?1", [name], |row| row.get(0));
    match read.optional() {
        Err(error) if is_damage(&error) => Ok(None),
        read => read,
    }
}

const PROGRAM: &str = "program";
const PROGRAM_VERSION: &str = "version";
const JOURNAL: &str = "journal";

/// What SQLite makes by itself to remember which numbers were given.
const SEQUENCE: (&str, &str) = ("sqlite_sequence", "CREATE TABLE sqlite_sequence(name,seq)");

const ITEMS: &[(&str, &str)] = &[
    (
        "meta",
        "CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID",
    ),
    (
        "lobbies",
        "CREATE TABLE lobbies (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    code TEXT NOT NULL,
    variant TEXT NOT NULL,
    opened INTEGER NOT NULL,
    opener TEXT NOT NULL,
    lock BLOB,
    conditions BLOB NOT NULL,
    level TEXT NOT NULL,
    clock TEXT NOT NULL,
    best_of INTEGER NOT NULL,
    listed INTEGER NOT NULL,
    first_event INTEGER NOT NULL,
    closed INTEGER,
    last_event INTEGER,
    crc INTEGER NOT NULL
) STRICT",
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
        "owners",
        "CREATE TABLE owners (
    lobby INTEGER NOT NULL,
    player INTEGER NOT NULL,
    name TEXT NOT NULL,
    newest BLOB NOT NULL,
    shown BLOB,
    arrived INTEGER NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (lobby, player)
) STRICT, WITHOUT ROWID",
    ),
    (
        "former_owners",
        "CREATE TABLE former_owners (
    lobby INTEGER NOT NULL,
    player INTEGER NOT NULL,
    newest BLOB NOT NULL,
    shown BLOB,
    crc INTEGER NOT NULL,
    PRIMARY KEY (lobby, player)
) STRICT, WITHOUT ROWID",
    ),
    ("former_by_newest", "CREATE INDEX former_by_newest ON former_owners (newest)"),
    ("former_by_shown", "CREATE INDEX former_by_shown ON former_owners (shown) WHERE shown IS NOT NULL"),
    (
        "set_aside",
        "CREATE TABLE set_aside (
    lobby INTEGER PRIMARY KEY,
    code TEXT,
    wall INTEGER NOT NULL,
    why TEXT NOT NULL,
    crc INTEGER NOT NULL
) STRICT",
    ),
    (
        "seats",
        "CREATE TABLE seats (
    lobby INTEGER NOT NULL,
    side TEXT NOT NULL,
    player INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (lobby, side)
) STRICT, WITHOUT ROWID",
    ),
    (
        "games",
        "CREATE TABLE games (
    lobby INTEGER NOT NULL,
    game INTEGER NOT NULL,
    first_player INTEGER,
    first TEXT,
    first_kind TEXT,
    second_player INTEGER,
    second TEXT,
    second_kind TEXT,
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
