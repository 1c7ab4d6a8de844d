//! The tables of who sits where and who played whom, made anew of the events. Nothing follows from the events of a lobby unless
//! all of them are there: a game would be somebody else's, or end as another one did.

use std::collections::{BTreeSet, HashMap};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result};

use super::row::{Table, values};
use super::summary::note_row;

/// The lobbies of which an event is damaged or missing.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Broken(BTreeSet<i64>);

impl Broken {
    /// Those of this journal.
    pub(super) fn of(connection: &Connection) -> Result<Self> {
        let (mut broken, mut last) = (BTreeSet::new(), HashMap::<i64, i64>::new());
        let mut events = connection.prepare(Table::Events.rows_from())?;
        let mut events = events.query([i64::MIN])?;
        while let Some(row) = events.next()? {
            // Of one whose lobby cannot be read an event is missing.
            let Some(lobby) = Table::Events.lobby(row)? else { continue };
            let (number, last) = (row.get_ref("number")?.as_i64().ok(), last.entry(lobby).or_default());
            if number != Some(*last + 1) || !Table::Events.fits(row)? {
                broken.insert(lobby);
            }
            *last = number.unwrap_or_default();
        }
        let sql = "SELECT id FROM lobbies WHERE last_event NOT IN (SELECT id FROM events)";
        let mut cut_off = connection.prepare(sql)?;
        for lobby in cut_off.query_map([], |row| row.get(0))? {
            broken.insert(lobby?);
        }
        Ok(Self(broken))
    }

    fn has(&self, lobby: Option<i64>) -> bool {
        lobby.is_some_and(|lobby| self.0.contains(&lobby))
    }

    /// What a host has to know of them, if there are any: whose games are `what`.
    pub(super) fn told(&self, what: &str) -> String {
        match (self.0.len(), self.0.first()) {
            (0, _) | (_, None) => String::new(),
            (1, Some(lobby)) => format!(
                "; but the games of lobby {lobby} {what}, since an event of it is damaged: `nim-server check` says more"
            ),
            (count, Some(lobby)) => format!(
                "; but the games of {count} lobbies, from lobby {lobby} on, {what}, since an event of each is damaged: `nim-server \
                 check` says more"
            ),
        }
    }
}

/// Fills both tables, which are empty, with what follows from the events of all lobbies that are whole.
pub(super) fn fill(connection: &Connection) -> Result<Broken> {
    let broken = Broken::of(connection)?;
    let mut events = connection.prepare(Table::Events.rows_from())?;
    let mut events = events.query([i64::MIN])?;
    while let Some(row) = events.next()? {
        if Table::Events.fits(row)? && !broken.has(Table::Events.lobby(row)?) {
            note_row(connection, row)?;
        }
    }
    Ok(broken)
}

/// Makes both tables anew if a row of them is not as it was written, and says so. Of the lobbies that are not whole, those rows
/// are kept that are.
pub(super) fn mend(connection: &Connection) -> Result<Option<String>> {
    let change = connection.unchecked_transaction()?;
    let tables = [Table::Seats, Table::Games];
    let is_damaged = tables.into_iter().map(|table| all_fit(&change, table)).collect::<Result<Vec<_>>>()?;
    if !is_damaged.contains(&false) {
        return Ok(None);
    }
    let broken = Broken::of(&change)?;
    let kept =
        tables.into_iter().map(|table| rows_of(&change, table, &broken)).collect::<Result<Vec<_>>>()?;
    change.execute_batch("DELETE FROM seats; DELETE FROM games")?;
    fill(&change)?;
    for (table, rows) in tables.into_iter().zip(kept) {
        for row in rows {
            let row: Vec<ValueRef<'_>> = row.iter().map(ValueRef::from).collect();
            table.write(&change, &row)?;
        }
    }
    change.commit()?;
    let but = broken.told("are listed only as far as they were known before");
    Ok(Some(format!(
        "a row of the tables seats and games was damaged: both were made anew of what happened{but}"
    )))
}

/// The rows of these lobbies that are as they were written, without their checksums.
fn rows_of(connection: &Connection, table: Table, broken: &Broken) -> Result<Vec<Vec<Value>>> {
    let mut found = Vec::new();
    let mut rows = connection.prepare(table.rows_from())?;
    let mut rows = rows.query([i64::MIN])?;
    while let Some(row) = rows.next()? {
        if broken.has(table.lobby(row)?) && table.fits(row)? {
            found.push(values(row)?.map(Value::try_from).collect::<std::result::Result<_, _>>()?);
        }
    }
    Ok(found)
}

fn all_fit(connection: &Connection, table: Table) -> Result<bool> {
    let mut rows = connection.prepare(table.rows_from())?;
    let mut rows = rows.query([i64::MIN])?;
    while let Some(row) = rows.next()? {
        if !table.fits(row)? {
            return Ok(false);
        }
    }
    Ok(true)
}
