//! What can be read of a damaged journal, row by row: first as far as SQLite leads to it, and then from all pages. Whatever fits
//! its checksum goes into a new journal; what it comes to there is for the [survey](super::survey) to say.

use std::collections::HashSet;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, Row};

use super::blaming::Whose;
use super::gleaning::glean;
use super::image::Image;
use super::row::{Table, values};
use super::scan::scan;

/// Of so many damaged rows it is asked whose else they may be, as each one is held against every lobby.
const MAX_TRACED: usize = 1_000;

/// So many numbers of lobbies are held against a lobby's own row.
const MAX_GUESSED: i64 = 10_000;

/// The columns of `lobbies` that say what it is called and that it was closed.
const CODE: usize = 1;
const CLOSED: usize = 12;

/// What is known beside the rows that fit.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    /// The tables of which SQLite could not read a part.
    pub(super) cut: Vec<&'static str>,
    /// Rows that do not fit their checksums.
    pub(super) damaged: Vec<Damaged>,
    /// Lobbies that were set aside long ago.
    pub(super) aside: HashSet<i64>,
}

/// A row that does not fit its checksum.
#[derive(Debug)]
pub(super) struct Damaged {
    pub(super) table: Table,
    /// Its first two columns, by which it is known again.
    pub(super) keys: (i64, i64),
    pub(super) whose: Whose,
    /// The lobby's code, if it is the lobby's own row.
    pub(super) code: String,
}

/// Puts all rows into the new journal that fit their checksums.
pub(super) fn gather(old: Option<&Connection>, image: &Image, new: &Connection) -> Result<Gathered> {
    let mut gathered = Gathered::default();
    // Whatever is found of a lobby is believed only if the lobby is known.
    for tables in [&[Table::Lobbies, Table::FormerOwners][..], &[Table::Events, Table::Owners]] {
        let lobbies = known(new)?;
        for table in tables {
            gathered.read(old, *table, &lobbies, new)?;
        }
        for number in image.numbers() {
            // A part of the disk that cannot be read costs what stood there.
            let Ok(page) = image.page(number) else { continue };
            glean(&page, &mut |table, values| {
                if tables.contains(&table) { pick_up(new, table, values, &lobbies) } else { Ok(()) }
            })?;
        }
    }
    gathered.read(old, Table::SetAside, &Vec::new(), new)?;
    Ok(gathered)
}

/// The numbers of all lobbies, in their order.
fn known(new: &Connection) -> Result<Vec<i64>> {
    let mut lobbies = new.prepare("SELECT id FROM lobbies ORDER BY id")?;
    lobbies.query_map([], |row| row.get(0))?.collect()
}

impl Gathered {
    /// Takes what SQLite leads to. An older journal may not have the table.
    fn read(
        &mut self,
        old: Option<&Connection>,
        table: Table,
        lobbies: &[i64],
        new: &Connection,
    ) -> Result<()> {
        let Some(old) = old else {
            self.cut.push(table.name());
            return Ok(());
        };
        if !old.table_exists(None, table.name())? {
            return Ok(());
        }
        let is_whole = scan(old, table, &mut |row| self.take(table, row, lobbies, new))?;
        if !is_whole {
            self.cut.push(table.name());
        }
        Ok(())
    }

    fn take(&mut self, table: Table, row: &Row<'_>, lobbies: &[i64], new: &Connection) -> Result<()> {
        if !table.fits(row)? {
            let damaged =
                Damaged::of(table, row, if self.damaged.len() < MAX_TRACED { lobbies } else { &[] })?;
            self.damaged.push(damaged);
        } else if table == Table::SetAside {
            self.aside.extend(table.lobby(row)?);
        } else {
            let values: Vec<ValueRef<'_>> = values(row)?.collect();
            table.add(new, &values, true)?;
        }
        Ok(())
    }
}

impl Damaged {
    fn of(table: Table, row: &Row<'_>, lobbies: &[i64]) -> Result<Self> {
        // There may be anything in a damaged row.
        let key = |column: usize| row.get(column).unwrap_or(-1);
        let (whose, code) = match table {
            Table::Lobbies => (
                Whose::of(table, row, 1..=MAX_GUESSED)?,
                row.get_ref(CODE)?.as_str().unwrap_or_default().into(),
            ),
            _ => (Whose::of(table, row, lobbies.iter().copied())?, String::new()),
        };
        Ok(Self { table, keys: (key(0), key(1)), whose, code })
    }

    /// Whether the same row was found elsewhere as it was written.
    pub(super) fn is_found(&self, new: &Connection) -> Result<bool> {
        let sql = match self.table {
            Table::Lobbies => "SELECT 1 FROM lobbies WHERE id = ?1 AND ?2 IS NOT NULL",
            Table::Events => "SELECT 1 FROM events WHERE id = ?1 AND ?2 IS NOT NULL",
            Table::Owners => "SELECT 1 FROM owners WHERE lobby = ?1 AND player = ?2",
            Table::FormerOwners => "SELECT 1 FROM former_owners WHERE lobby = ?1 AND player = ?2",
            Table::SetAside | Table::Seats | Table::Games => return Ok(false),
        };
        new.prepare_cached(sql)?.exists(self.keys)
    }
}

/// Takes a row that stands on a page, if it is not there yet. What was replaced or removed may still stand somewhere: of a lobby
/// that was closed the row before that, of a player who left the seat they had.
fn pick_up(new: &Connection, table: Table, values: &[ValueRef<'_>], lobbies: &[i64]) -> Result<()> {
    let key = |place: usize| values.get(place).and_then(|value| value.as_i64().ok()).unwrap_or(-1);
    let lobby = key(table.lobby_column());
    let is_late = match table {
        Table::Lobbies | Table::FormerOwners | Table::SetAside | Table::Seats | Table::Games => false,
        Table::Events => lobbies.binary_search(&lobby).is_err(),
        Table::Owners => lobbies.binary_search(&lobby).is_err() || has_risen(new, (lobby, key(1)))?,
    };
    if is_late {
        return Ok(());
    }
    let closes =
        table == Table::Lobbies && values.get(CLOSED).is_some_and(|closed| *closed != ValueRef::Null);
    table.add(new, values, closes)
}

/// Whether this player of a lobby had a seat and has it no more.
fn has_risen(new: &Connection, player: (i64, i64)) -> Result<bool> {
    let left = "SELECT 1 FROM former_owners WHERE lobby = ?1 AND player = ?2";
    let closed = "SELECT 1 FROM lobbies WHERE id = ?1 AND closed IS NOT NULL";
    Ok(new.prepare_cached(left)?.exists(player)? || new.prepare_cached(closed)?.exists([player.0])?)
}
