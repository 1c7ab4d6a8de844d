//! How a table is read of which some pages are damaged: all that can be read before them, and all behind.

use rusqlite::{Connection, Result, Row};

use super::row::Table;
use super::trouble::is_damage;

/// Gives every row that can be read; whether these are all.
pub(super) fn scan(
    connection: &Connection,
    table: Table,
    each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<bool> {
    let mut place = Place { last: -1, is_whole: true };
    let (mut from, mut step) = (0, 1_i64);
    loop {
        let before = place.last;
        match read_from(connection, table, from, &mut place, each) {
            Ok(()) => return Ok(place.is_whole),
            Err(error) if is_damage(&error) => place.is_whole = false,
            Err(error) => return Err(error),
        }
        let behind = place.last.max(from).checked_add(step);
        // A page in another one's place leads to the same rows from wherever one looks, and there are 2^63 places to look from.
        step = if place.last > before { 1 } else { step.saturating_mul(2) };
        match behind.and_then(|behind| next_readable(connection, table, behind)) {
            Some(next) => from = next,
            None => return Ok(false),
        }
    }
}

/// How far a table has been read.
struct Place {
    /// The highest key so far.
    last: i64,
    /// Nothing was left out.
    is_whole: bool,
}

fn read_from(
    connection: &Connection,
    table: Table,
    from: i64,
    place: &mut Place,
    each: &mut dyn FnMut(&Row<'_>) -> Result<()>,
) -> Result<()> {
    let mut rows = connection.prepare(table.rows_from())?;
    let mut rows = rows.query([from])?;
    while let Some(row) = rows.next()? {
        let key: i64 = row.get(0)?;
        // A page on which the keys go back is damaged, and what follows may have been there before.
        if key > place.last || (key == place.last && table.has_several()) {
            place.last = key;
            each(row)?;
        } else {
            place.is_whole = false;
        }
    }
    Ok(())
}

/// The lowest key, not below this one, from which on something can be read. Keys in a row are on the same page, so that they
/// are all readable or none: it is looked for in steps that double, and then by halves.
fn next_readable(connection: &Connection, table: Table, from: i64) -> Option<i64> {
    let is_readable = |key: i64| {
        let read = connection.prepare_cached(table.rows_from());
        read.and_then(|mut rows| rows.query([key])?.next().map(drop)).is_ok()
    };
    let (mut bad, mut good, mut step) = (from.checked_sub(1)?, from, 1_i64);
    while !is_readable(good) {
        bad = good;
        good = good.checked_add(step)?;
        step = step.saturating_mul(2);
    }
    while good.abs_diff(bad) > 1 {
        let middle = bad.midpoint(good);
        if is_readable(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}
