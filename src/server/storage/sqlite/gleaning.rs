//! The rows on a page that nobody leads to any more, or of which the head is damaged: whatever the page is said to be, each
//! row on it that fits its checksum is one that was written. How rows stand on pages is told in
//! <https://sqlite.org/fileformat2.html>.

use rusqlite::Result;
use rusqlite::types::ValueRef;

use super::frame::PAGE;
use super::image::Page;
use super::row::{Table, checksum};

/// The bytes in front of the places of the rows. On some pages there are four more, which are no place of a row then.
const HEAD: usize = 8;

/// The most columns that a table has.
const MAX_COLUMNS: usize = 15;

/// Gives every row on this page that is as it was written, and fits on it whole.
pub(super) fn glean(page: &Page, each: &mut dyn FnMut(Table, &[ValueRef<'_>]) -> Result<()>) -> Result<()> {
    let (mut place, mut lowest) = (HEAD, PAGE);
    // The places stand in front of the lowest row. How many there are is not to be trusted.
    while place + 2 <= lowest {
        let start = usize::from(u16::from_be_bytes([page[place], page[place + 1]]));
        place += 2;
        if start < place || start >= PAGE {
            continue;
        }
        if let Some((table, values)) = row(&page[start..]) {
            lowest = lowest.min(start);
            each(table, &values)?;
        }
    }
    Ok(())
}

/// The row that begins here, if one does, in any of the ways in which a row can stand on a page.
fn row(bytes: &[u8]) -> Option<(Table, Vec<ValueRef<'_>>)> {
    let with_key = || {
        let mut bytes = bytes;
        let length = varint(&mut bytes)?;
        let key = varint(&mut bytes)?.cast_signed();
        let mut values = record(bytes, length)?;
        // The key is not written twice.
        *values.first_mut().filter(|first| **first == ValueRef::Null)? = ValueRef::Integer(key);
        fitting(values, &[Table::Lobbies, Table::Events, Table::SetAside])
    };
    with_key().or_else(|| keyless(bytes)).or_else(|| keyless(bytes.get(4..)?))
}

/// A row of a table whose key is made of its first columns.
fn keyless(mut bytes: &[u8]) -> Option<(Table, Vec<ValueRef<'_>>)> {
    let length = varint(&mut bytes)?;
    fitting(record(bytes, length)?, &[Table::Owners, Table::FormerOwners])
}

/// The values but their checksum, and the table among these that it is right for.
fn fitting<'a>(mut values: Vec<ValueRef<'a>>, tables: &[Table]) -> Option<(Table, Vec<ValueRef<'a>>)> {
    let ValueRef::Integer(kept) = values.pop()? else { return None };
    let fits = |table: &Table| i64::from(checksum(*table, values.iter().copied())) == kept;
    let table = *tables.iter().find(|table| fits(table))?;
    Some((table, values))
}

/// The values of a record of this length.
fn record(bytes: &[u8], length: u64) -> Option<Vec<ValueRef<'_>>> {
    let record = bytes.get(..usize::try_from(length).ok()?)?;
    let mut kinds = record;
    let head = usize::try_from(varint(&mut kinds)?).ok()?;
    kinds = record.get(record.len() - kinds.len()..head)?;
    let (mut rest, mut values) = (record.get(head..)?, Vec::new());
    while !kinds.is_empty() && values.len() < MAX_COLUMNS {
        values.push(value(varint(&mut kinds)?, &mut rest)?);
    }
    (kinds.is_empty() && rest.is_empty()).then_some(values)
}

/// The next value of a record, which is of this kind.
fn value<'a>(kind: u64, rest: &mut &'a [u8]) -> Option<ValueRef<'a>> {
    let length = match kind {
        0 | 8 | 9 => 0,
        1..=4 => kind,
        5 => 6,
        6 => 8,
        // There is no such number in a row of ours.
        7 | 10 | 11 => return None,
        _ => (kind - 12) / 2,
    };
    let (bytes, others) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    *rest = others;
    Some(match kind {
        0 => ValueRef::Null,
        1..=9 => ValueRef::Integer(integer(kind, bytes)),
        _ if kind.is_multiple_of(2) => ValueRef::Blob(bytes),
        _ => ValueRef::Text(bytes),
    })
}

fn integer(kind: u64, bytes: &[u8]) -> i64 {
    match kind {
        8 => 0,
        9 => 1,
        _ => {
            let sign = bytes.first().map_or(0, |first| i64::from(first.cast_signed()) >> 7);
            bytes.iter().fold(sign, |number, byte| number << 8 | i64::from(*byte))
        }
    }
}

/// A number of one to nine bytes, of which all but the ninth have seven bits of it and say whether there are more.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..9 {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        if place == 8 {
            return Some(number << 8 | u64::from(*first));
        }
        number = number << 7 | u64::from(first & 0x7f);
        if first & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}
