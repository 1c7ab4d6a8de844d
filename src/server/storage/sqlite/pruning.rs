//! Removes closed lobbies, a bounded piece at a time, since nothing is recorded meanwhile. Open lobbies are
//! never touched, nor are lobbies whose own rows do not fit their checksums.

use rusqlite::{Connection, Result};

use super::row::LOBBIES;
use crate::server::storage::Bounds;

/// How many lobbies are removed in one piece, which takes some milliseconds.
const LOBBIES_AT_ONCE: u8 = 50;

/// How many events are read in one piece, which also takes some milliseconds: those of different lobbies are
/// interleaved.
const EVENTS_AT_ONCE: i64 = 20_000;

/// How many free pages are given back to the disk in one piece: a megabyte.
const PAGES_AT_ONCE: u32 = 256;

/// A lobby whose events were read in part: the events found so far, and where to continue. A lobby is removed
/// as a whole, so that no reader ever finds half of one.
#[derive(Debug)]
pub(super) struct Unfinished {
    lobby: i64,
    next: i64,
    found: Vec<i64>,
}

/// A lobby that may be removed.
struct ClosedLobby {
    lobby: i64,
    /// When it was closed.
    closed: i64,
    /// The ids between which its events are.
    range: (i64, i64),
}

/// Removes the oldest lobbies that are out of bounds, and returns how many. `unfinished` is passed from each
/// call to the next. An unfinished lobby counts each time.
pub(super) fn prune(
    connection: &Connection,
    bounds: &Bounds,
    unfinished: &mut Option<Unfinished>,
) -> Result<u64> {
    let since = i64::try_from(bounds.since.0).unwrap_or(i64::MAX);
    let (mut pruned, mut left) = (0, EVENTS_AT_ONCE);
    for ClosedLobby { lobby, closed, range: (first, last) } in oldest(connection)? {
        if left == 0 || (closed >= since && bytes(connection)? <= bounds.bytes) {
            break;
        }
        let begun = unfinished.take().filter(|begun| begun.lobby == lobby);
        let mut begun = begun.unwrap_or_else(|| Unfinished { lobby, next: first, found: Vec::new() });
        left -= begun.read_on(connection, last, left)?;
        pruned += 1;
        if left == 0 {
            *unfinished = Some(begun);
        } else {
            remove(connection, lobby, &begun.found)?;
        }
    }
    Ok(pruned)
}

impl Unfinished {
    /// Reads at most this number of events up to the last one, and returns how many.
    fn read_on(&mut self, connection: &Connection, last: i64, most: i64) -> Result<i64> {
        let sql = "SELECT id, lobby = ?1 FROM events WHERE id BETWEEN ?2 AND ?3 ORDER BY id LIMIT ?4";
        let mut select = connection.prepare_cached(sql)?;
        let mut rows = select.query((self.lobby, self.next, last, most))?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            let id: i64 = row.get(0)?;
            if row.get(1)? {
                self.found.push(id);
            }
            (self.next, count) = (id.saturating_add(1), count + 1);
        }
        Ok(count)
    }
}

/// Gives some of the free pages back to the disk.
pub(super) fn release_pages(connection: &Connection) -> Result<()> {
    let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
    let mut pages = vacuum.query([])?;
    while pages.next()?.is_some() {}
    Ok(())
}

fn oldest(connection: &Connection) -> Result<Vec<ClosedLobby>> {
    let mut past = Vec::new();
    let closed = "SELECT * FROM lobbies WHERE closed IS NOT NULL ORDER BY closed, id LIMIT ?1";
    let mut select = connection.prepare_cached(closed)?;
    let mut rows = select.query([LOBBIES_AT_ONCE])?;
    while let Some(row) = rows.next()? {
        if LOBBIES.fits(row)? {
            let range = (row.get("first_event")?, row.get("last_event")?);
            past.push(ClosedLobby { lobby: row.get("id")?, closed: row.get("closed")?, range });
        }
    }
    Ok(past)
}

/// Removes a lobby with these events, which are all that it has.
fn remove(connection: &Connection, lobby: i64, events: &[i64]) -> Result<()> {
    let mut event = connection.prepare_cached("DELETE FROM events WHERE id = ?1")?;
    events.iter().try_for_each(|id| event.execute([id]).map(drop))?;
    for sql in [
        "DELETE FROM checkpoints WHERE lobby = ?1",
        "DELETE FROM games WHERE lobby = ?1",
        "DELETE FROM owners WHERE lobby = ?1",
        "DELETE FROM lobbies WHERE id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([lobby])?;
    }
    Ok(())
}

/// The size of the journal in bytes, without free pages.
fn bytes(connection: &Connection) -> Result<u64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(pages.saturating_mul(number("page_size")?).cast_unsigned())
}
