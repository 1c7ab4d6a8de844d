//! What older versions of the journal had, and how each becomes the next one, inside of one transaction.

use rusqlite::{Connection, Result};

use super::anew;
use super::schema::{Step, item};

/// From the first version to today's.
pub(super) const STEPS: &[Step] = &[
    Step { from: 1, adds: &SINCE_2, had: &[], take: add_records },
    Step { from: 2, adds: &[], had: &IN_2, take: number },
];

/// What version 2 added: whose the seats were, so that they can have the records of their games, and the games by their order.
const SINCE_2: [&str; 4] = ["former_owners", "former_by_newest", "former_by_shown", "games_by_start"];

/// Of who had left before, nothing is known.
fn add_records(connection: &Connection) -> Result<()> {
    SINCE_2.iter().try_for_each(|name| connection.execute_batch(item(name)))
}

/// What version 2 had otherwise: of those who sat and played it knew the names, and not which players they were.
const IN_2: [(&str, &str); 2] = [
    (
        "seats",
        "CREATE TABLE seats (
    lobby INTEGER NOT NULL,
    side TEXT NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    PRIMARY KEY (lobby, side)
) STRICT, WITHOUT ROWID",
    ),
    (
        "games",
        "CREATE TABLE games (
    lobby INTEGER NOT NULL,
    game INTEGER NOT NULL,
    first TEXT,
    first_kind TEXT,
    second TEXT,
    second_kind TEXT,
    started INTEGER NOT NULL,
    first_event INTEGER NOT NULL,
    ended INTEGER,
    last_event INTEGER,
    outcome TEXT,
    cause TEXT,
    PRIMARY KEY (lobby, game)
) STRICT, WITHOUT ROWID",
    ),
];

/// Makes both tables anew of the events, with the players' numbers. What a host has built upon them is there afterwards; what
/// is done there for every new row is not done for the past.
fn number(connection: &Connection) -> Result<()> {
    let built = built_on(connection, &["seats", "games"])?;
    connection.execute_batch("DROP TABLE seats; DROP TABLE games")?;
    ["seats", "games"].iter().try_for_each(|table| connection.execute_batch(item(table)))?;
    anew::fill(connection)?;
    built.iter().try_for_each(|made| connection.execute_batch(made))
}

/// How the indexes and triggers of these tables were made.
fn built_on(connection: &Connection, tables: &[&str]) -> Result<Vec<String>> {
    let sql = "SELECT sql FROM sqlite_schema WHERE tbl_name = ?1 AND type IN ('index', 'trigger') AND sql IS NOT NULL";
    let mut built = Vec::new();
    for table in tables {
        let mut found = connection.prepare(sql)?;
        built.extend(found.query_map([table], |row| row.get(0))?.collect::<Result<Vec<String>>>()?);
    }
    Ok(built)
}
