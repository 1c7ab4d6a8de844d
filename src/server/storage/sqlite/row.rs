//! Rows that carry a checksum: writing them, and verifying them.
//!
//! The checksum is a CRC-32 over the table's name and all other columns, in their order. It begins with the
//! name and a zero byte; a NULL is `n`; an integer `i` and its 8 bytes, the low one first; a text `t` and a
//! blob `b`, with their length as 8 such bytes and then the bytes. A row that was moved to another lobby,
//! number or table no longer fits its checksum.

use crc32fast::Hasher;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, Params, Result, Row};

/// A table whose last column is a checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) name: &'static str,
    /// The column by which its rows are read in order.
    pub(super) key: &'static str,
    /// How many columns it has besides the checksum.
    columns: usize,
}

/// How lobbies were opened and closed.
pub(super) const LOBBIES: Table = Table { name: "lobbies", key: "id", columns: 13 };
/// What happened there.
pub(super) const EVENTS: Table = Table { name: "events", key: "id", columns: 7 };
/// Who holds and held the seats.
pub(super) const OWNERS: Table = Table { name: "owners", key: "lobby", columns: 5 };
/// Which games were played.
pub(super) const GAMES: Table = Table { name: "games", key: "lobby", columns: 14 };

/// Open lobbies after one of their events.
pub(super) const CHECKPOINTS: Table = Table { name: "checkpoints", key: "lobby", columns: 4 };

/// What is known of the journal itself, in one row: the number of the last lobby that was opened.
pub(super) const META: Table = Table { name: "meta", key: "id", columns: 2 };

/// All of them, each after those to which its rows refer.
pub(super) const TABLES: [Table; 6] = [META, LOBBIES, CHECKPOINTS, EVENTS, OWNERS, GAMES];

/// What happens to a row whose key exists already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conflict {
    Fail,
    Replace,
    Ignore,
}

impl Table {
    /// A statement that writes rows, for a caller who writes many.
    pub(super) fn writer(self, connection: &Connection, conflict: Conflict) -> Result<Writer<'_>> {
        let word = match conflict {
            Conflict::Fail => "ABORT",
            Conflict::Replace => "REPLACE",
            Conflict::Ignore => "IGNORE",
        };
        let places = vec!["?"; self.columns + 1].join(",");
        let sql = format!("INSERT OR {word} INTO {} VALUES ({places})", self.name);
        Ok(Writer { table: self, statement: connection.prepare_cached(&sql)? })
    }

    /// Writes a row of these values, and their checksum.
    pub(super) fn write(
        self,
        connection: &Connection,
        values: &[ValueRef<'_>],
        conflict: Conflict,
    ) -> Result<()> {
        self.writer(connection, conflict)?.write(values)
    }

    /// Changes the columns from `first` on, in each row that a query finds. A row that does not fit its
    /// checksum stays as it is.
    pub(super) fn amend(
        self,
        connection: &Connection,
        query: &str,
        params: impl Params,
        first: usize,
        changed: &[ValueRef<'_>],
    ) -> Result<()> {
        let mut select = connection.prepare_cached(query)?;
        let mut rows = select.query(params)?;
        while let Some(row) = rows.next()? {
            if self.fits(row)? {
                let mut values = values(row)?;
                values[first..first + changed.len()].copy_from_slice(changed);
                self.write(connection, &values, Conflict::Replace)?;
            }
        }
        Ok(())
    }

    /// Calls `take` with all rows whose key is at least `from`, in the order of their keys.
    pub(super) fn each(
        self,
        connection: &Connection,
        from: i64,
        mut take: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        let Self { name, key, .. } = self;
        let sql = format!("SELECT * FROM {name} WHERE {key} >= ?1 ORDER BY {key}");
        let mut select = connection.prepare_cached(&sql)?;
        let mut rows = select.query([from])?;
        while let Some(row) = rows.next()? {
            take(row)?;
        }
        Ok(())
    }

    /// A sentence about a row that does not fit its checksum.
    pub(super) fn misfit(self, row: &Row<'_>) -> String {
        let Self { name, key, .. } = self;
        // What is damaged need not be a number.
        let value = |column: &str| row.get::<_, i64>(column).map_or("?".into(), |value| value.to_string());
        let what = format!("row {} of {name} does not fit its checksum", value(key));
        match self {
            META => what,
            LOBBIES => format!("lobby {}: {what}", value(key)),
            _ => format!("lobby {}: {what}", value("lobby")),
        }
    }

    /// Whether a row of `SELECT *` is as it was written.
    pub(super) fn fits(self, row: &Row<'_>) -> Result<bool> {
        let crc = row.get_ref(self.columns)?.as_i64().ok().and_then(|crc| u32::try_from(crc).ok());
        Ok(crc == Some(checksum(self, &values(row)?)))
    }
}

/// Writes rows of a table.
pub(super) struct Writer<'a> {
    table: Table,
    statement: CachedStatement<'a>,
}

impl Writer<'_> {
    /// Writes a row of these values, and their checksum.
    pub(super) fn write(&mut self, values: &[ValueRef<'_>]) -> Result<()> {
        let crc = checksum(self.table, values);
        for (place, value) in (1..).zip(values) {
            self.statement.raw_bind_parameter(place, ToSqlOutput::Borrowed(*value))?;
        }
        self.statement.raw_bind_parameter(values.len() + 1, crc)?;
        self.statement.raw_execute().map(drop)
    }
}

/// All values of a row but its checksum.
pub(super) fn values<'a>(row: &'a Row<'_>) -> Result<Vec<ValueRef<'a>>> {
    let count = row.as_ref().column_count().saturating_sub(1);
    (0..count).map(|place| row.get_ref(place)).collect()
}

/// A number as a column value. SQLite's integers are signed; numbers above `i64::MAX` survive the round trip.
pub(super) const fn integer(number: u64) -> ValueRef<'static> {
    ValueRef::Integer(number.cast_signed())
}

/// A text as a column value.
pub(super) fn text(text: &str) -> ValueRef<'_> {
    ValueRef::Text(text.as_bytes())
}

/// Reads an unsigned number of a row.
pub(super) fn number(row: &Row<'_>, column: &str) -> Result<u64> {
    Ok(row.get::<_, i64>(column)?.cast_unsigned())
}

fn checksum(table: Table, values: &[ValueRef<'_>]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(table.name.as_bytes());
    hasher.update(&[0]);
    for value in values {
        match value {
            ValueRef::Null => hasher.update(b"n"),
            ValueRef::Integer(number) => tagged(&mut hasher, b'i', number.cast_unsigned()),
            // No column has this type.
            ValueRef::Real(number) => tagged(&mut hasher, b'r', number.to_bits()),
            ValueRef::Text(bytes) => with_length(&mut hasher, b't', bytes),
            ValueRef::Blob(bytes) => with_length(&mut hasher, b'b', bytes),
        }
    }
    hasher.finalize()
}

fn tagged(hasher: &mut Hasher, tag: u8, number: u64) {
    let mut bytes = [tag; 9];
    bytes[1..].copy_from_slice(&number.to_le_bytes());
    hasher.update(&bytes);
}

fn with_length(hasher: &mut Hasher, tag: u8, bytes: &[u8]) {
    tagged(hasher, tag, bytes.len() as u64);
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_covers_table_order_kind_and_length() {
        use ValueRef::{Blob, Integer, Null, Text};
        let rows: [(Table, &[ValueRef<'_>]); 8] = [
            (EVENTS, &[Integer(1), Text(b"a"), Blob(b"bc")]),
            (OWNERS, &[Integer(1), Text(b"a"), Blob(b"bc")]),
            (EVENTS, &[Text(b"a"), Integer(1), Blob(b"bc")]),
            (EVENTS, &[Integer(1), Text(b"ab"), Blob(b"c")]),
            (EVENTS, &[Integer(1), Blob(b"a"), Blob(b"bc")]),
            (EVENTS, &[Integer(256), Text(b"a"), Blob(b"bc")]),
            (EVENTS, &[Integer(1), Null, Blob(b"bc")]),
            (EVENTS, &[Integer(1), Text(b""), Blob(b"bc")]),
        ];
        let sums: std::collections::HashSet<u32> =
            rows.iter().map(|(table, row)| checksum(*table, row)).collect();
        assert_eq!(sums.len(), rows.len());
        // The example of the page.
        let bytes = b"events\0i\x01\0\0\0\0\0\0\0t\x01\0\0\0\0\0\0\0ab\x02\0\0\0\0\0\0\0bc";
        assert_eq!(checksum(rows[0].0, rows[0].1), crc32fast::hash(bytes));
    }
}
