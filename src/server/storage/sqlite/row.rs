//! Rows that carry a checksum, of whatever table: how one is written, and how it is seen that one is as it was written.
//!
//! The checksum is a CRC-32 over the table's name and all other columns, in their order. It begins with the name and a zero
//! byte; a NULL is `n`; an integer `i` and its 8 bytes, the low one first; a text `t` and a blob `b`, with their length as 8
//! such bytes and then the bytes. A row that was moved to another lobby, number or table no longer fits its checksum.

use crc32fast::Hasher;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{CachedStatement, Connection, Result, Row, Statement};

/// A table whose last column is a checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Table {
    /// How lobbies were opened and closed.
    Lobbies,
    /// What happened there.
    Events,
    /// Whose the seats are.
    Owners,
    /// Whose they were.
    FormerOwners,
    /// Lobbies that are left alone.
    SetAside,
    /// Who sits where, as it follows from the events.
    Seats,
    /// What was played, as it follows from the events.
    Games,
}

impl Table {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Lobbies => "lobbies",
            Self::Events => "events",
            Self::Owners => "owners",
            Self::FormerOwners => "former_owners",
            Self::SetAside => "set_aside",
            Self::Seats => "seats",
            Self::Games => "games",
        }
    }

    /// The rows whose key is not below ?1, by their keys.
    pub(super) const fn rows_from(self) -> &'static str {
        match self {
            Self::Lobbies => "SELECT * FROM lobbies WHERE id >= ?1 ORDER BY id",
            Self::Events => "SELECT * FROM events WHERE id >= ?1 ORDER BY id",
            Self::Owners => "SELECT * FROM owners WHERE lobby >= ?1 ORDER BY lobby, player",
            Self::FormerOwners => "SELECT * FROM former_owners WHERE lobby >= ?1 ORDER BY lobby, player",
            Self::SetAside => "SELECT * FROM set_aside WHERE lobby >= ?1 ORDER BY lobby",
            Self::Seats => "SELECT * FROM seats WHERE lobby >= ?1 ORDER BY lobby, side",
            Self::Games => "SELECT * FROM games WHERE lobby >= ?1 ORDER BY lobby, game",
        }
    }

    /// Writes a row; one of the same owner or of the same lobby set aside is replaced.
    const fn put(self) -> &'static str {
        match self {
            Self::Lobbies => {
                "INSERT INTO lobbies VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)"
            }
            Self::Events => "INSERT INTO events VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
            Self::Owners => "INSERT OR REPLACE INTO owners VALUES (?1,?2,?3,?4,?5,?6,?7)",
            Self::FormerOwners => "INSERT OR REPLACE INTO former_owners VALUES (?1,?2,?3,?4,?5)",
            Self::SetAside => "INSERT OR REPLACE INTO set_aside VALUES (?1,?2,?3,?4,?5)",
            Self::Seats => "INSERT OR REPLACE INTO seats VALUES (?1,?2,?3,?4,?5,?6)",
            Self::Games => {
                "INSERT OR REPLACE INTO games VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15)"
            }
        }
    }

    /// Whether there may be several rows of a lobby, with the same first key.
    pub(super) const fn has_several(self) -> bool {
        matches!(self, Self::Owners | Self::FormerOwners | Self::Seats | Self::Games)
    }

    /// The column that says whose row it is.
    pub(super) const fn lobby_column(self) -> usize {
        match self {
            Self::Events => 1,
            _ => 0,
        }
    }

    /// The column that says which of the lobby's rows it is: the number of an event or of a player.
    pub(super) const fn number_column(self) -> usize {
        match self {
            Self::Events => 2,
            Self::Owners | Self::FormerOwners | Self::Games => 1,
            Self::Lobbies | Self::SetAside | Self::Seats => 0,
        }
    }

    /// What writes a row, for whoever writes many.
    pub(super) fn writer(self, connection: &Connection) -> Result<CachedStatement<'_>> {
        connection.prepare_cached(self.put())
    }

    /// Writes a row of these values, and their checksum behind them.
    pub(super) fn write(self, connection: &Connection, values: &[ValueRef<'_>]) -> Result<()> {
        let mut writer = self.writer(connection)?;
        self.write_by(&mut writer, values)
    }

    /// The same with what writes such rows.
    pub(super) fn write_by(self, writer: &mut Statement<'_>, values: &[ValueRef<'_>]) -> Result<()> {
        let crc = checksum(self, values.iter().copied());
        for (place, value) in (1..).zip(values) {
            writer.raw_bind_parameter(place, ToSqlOutput::Borrowed(*value))?;
        }
        writer.raw_bind_parameter(values.len() + 1, crc)?;
        writer.raw_execute().map(drop)
    }

    /// Writes a row where there may be one of the same key, which is left as it is or replaced.
    pub(super) fn add(self, connection: &Connection, values: &[ValueRef<'_>], replaces: bool) -> Result<()> {
        let word = if replaces { "REPLACE" } else { "IGNORE" };
        let places = vec!["?"; values.len() + 1].join(",");
        let sql = format!("INSERT OR {word} INTO {} VALUES ({places})", self.name());
        let mut writer = connection.prepare_cached(&sql)?;
        self.write_by(&mut writer, values)
    }

    /// Whether a row of `SELECT *` is as it was written.
    pub(super) fn fits(self, row: &Row<'_>) -> Result<bool> {
        Ok(kept_checksum(row)? == Some(checksum(self, values(row)?)))
    }

    /// With which of these numbers in this column a row would be as it was written, if with any.
    pub(super) fn fits_with(
        self,
        row: &Row<'_>,
        column: usize,
        mut numbers: impl Iterator<Item = i64>,
    ) -> Result<Option<i64>> {
        let (kept, mut values) = (kept_checksum(row)?, values(row)?.collect::<Vec<_>>());
        Ok(numbers.find(|number| {
            values[column] = ValueRef::Integer(*number);
            kept == Some(checksum(self, values.iter().copied()))
        }))
    }

    /// Whose row it is, or says that it is.
    pub(super) fn lobby(self, row: &Row<'_>) -> Result<Option<i64>> {
        Ok(row.get_ref(self.lobby_column())?.as_i64().ok())
    }
}

/// All values of a row but its checksum.
pub(super) fn values<'a>(row: &'a Row<'_>) -> Result<impl Iterator<Item = ValueRef<'a>>> {
    let count = row.as_ref().column_count().saturating_sub(1);
    let values: Result<Vec<ValueRef<'a>>> = (0..count).map(|place| row.get_ref(place)).collect();
    Ok(values?.into_iter())
}

fn kept_checksum(row: &Row<'_>) -> Result<Option<u32>> {
    let last = row.as_ref().column_count().saturating_sub(1);
    Ok(row.get_ref(last)?.as_i64().ok().and_then(|crc| u32::try_from(crc).ok()))
}

/// The checksum of a row with these values.
pub(super) fn checksum<'a>(table: Table, values: impl Iterator<Item = ValueRef<'a>>) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(table.name().as_bytes());
    hasher.update(&[0]);
    for value in values {
        match value {
            ValueRef::Null => hasher.update(b"n"),
            ValueRef::Integer(number) => tagged(&mut hasher, b'i', number.cast_unsigned()),
            // There is none in a sound row.
            ValueRef::Real(number) => tagged(&mut hasher, b'r', number.to_bits()),
            ValueRef::Text(bytes) => lengthy(&mut hasher, b't', bytes),
            ValueRef::Blob(bytes) => lengthy(&mut hasher, b'b', bytes),
        }
    }
    hasher.finalize()
}

fn tagged(hasher: &mut Hasher, tag: u8, number: u64) {
    let mut bytes = [tag; 9];
    bytes[1..].copy_from_slice(&number.to_le_bytes());
    hasher.update(&bytes);
}

fn lengthy(hasher: &mut Hasher, tag: u8, bytes: &[u8]) {
    tagged(hasher, tag, bytes.len() as u64);
    hasher.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_covers_table_order_kind_and_length() {
        use ValueRef::{Blob, Integer, Null, Text};
        let of = |table, values: &[ValueRef<'_>]| checksum(table, values.iter().copied());
        let rows: [(Table, &[ValueRef<'_>]); 8] = [
            (Table::Events, &[Integer(1), Text(b"a"), Blob(b"bc")]),
            (Table::Owners, &[Integer(1), Text(b"a"), Blob(b"bc")]),
            (Table::Events, &[Text(b"a"), Integer(1), Blob(b"bc")]),
            (Table::Events, &[Integer(1), Text(b"ab"), Blob(b"c")]),
            (Table::Events, &[Integer(1), Blob(b"a"), Blob(b"bc")]),
            (Table::Events, &[Integer(256), Text(b"a"), Blob(b"bc")]),
            (Table::Events, &[Integer(1), Null, Blob(b"bc")]),
            (Table::Events, &[Integer(1), Text(b""), Blob(b"bc")]),
        ];
        let sums: std::collections::HashSet<u32> = rows.iter().map(|(table, row)| of(*table, row)).collect();
        assert_eq!(sums.len(), rows.len());
        // The example of the page.
        let bytes = b"events\0i\x01\0\0\0\0\0\0\0t\x01\0\0\0\0\0\0\0ab\x02\0\0\0\0\0\0\0bc";
        assert_eq!(of(rows[0].0, rows[0].1), crc32fast::hash(bytes));
    }
}
