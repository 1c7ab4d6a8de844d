//! How the past is forgotten: a bounded piece at a time, since nobody's move is recorded meanwhile. What is in use is never
//! touched, nor is a row that does not fit its checksum, for who knows whose it is.

use rusqlite::{Connection, Result};

use super::row::Table;
use crate::server::storage::Bounds;

/// How many lobbies are forgotten at once, which takes some milliseconds.
const AT_ONCE: usize = 50;

/// How many events are looked at, at once, which takes some milliseconds too: those of a lobby lie between those of all others.
const EVENTS_AT_ONCE: i64 = 20_000;

/// How many free pages are given back to the disk at once: a megabyte.
const PAGES_AT_ONCE: u32 = 256;

/// A lobby of which the events are not all found yet: those that were, and from which one on there may be more. Nothing of it is
/// forgotten before all is, so that nobody ever meets half a lobby.
#[derive(Debug, Default)]
pub(super) struct Rest {
    lobby: i64,
    next: i64,
    found: Vec<i64>,
}

/// Forgets the oldest lobbies that are out of bounds, and says how many. `rest` is what was left by the piece before, and then what
/// this one leaves; the lobby counts each time.
pub(super) fn prune(connection: &Connection, bounds: &Bounds, rest: &mut Option<Rest>) -> Result<u64> {
    let since = i64::try_from(bounds.since.0).unwrap_or(i64::MAX);
    let (mut pruned, mut left) = (0, EVENTS_AT_ONCE);
    for Past { lobby, last, range: (first, end) } in oldest(connection)? {
        if left == 0 || (last >= since && bytes(connection)? <= bounds.bytes) {
            break;
        }
        let begun = rest.take().filter(|rest| rest.lobby == lobby);
        let mut begun = begun.unwrap_or_else(|| Rest { lobby, next: first, found: Vec::new() });
        left -= begun.look_on(connection, end, left)?;
        pruned += 1;
        if left == 0 {
            *rest = Some(begun);
        } else {
            forget(connection, lobby, &begun.found)?;
        }
    }
    Ok(pruned)
}

impl Rest {
    /// Looks at so many events up to this one at the most, and says at how many.
    fn look_on(&mut self, connection: &Connection, end: i64, most: i64) -> Result<i64> {
        let sql = "SELECT id, lobby = ?1 FROM events WHERE id BETWEEN ?2 AND ?3 ORDER BY id LIMIT ?4";
        let mut look = connection.prepare_cached(sql)?;
        let mut rows = look.query((self.lobby, self.next, end, most))?;
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

/// Gives some of the room back that has become free.
pub(super) fn give_back(connection: &Connection) -> Result<()> {
    let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
    let mut pages = vacuum.query([])?;
    while pages.next()?.is_some() {}
    Ok(())
}

/// What can be forgotten.
struct Past {
    lobby: i64,
    /// When its last event was, or when it was set aside.
    last: i64,
    /// The ids between which its events are.
    range: (i64, i64),
}

fn oldest(connection: &Connection) -> Result<Vec<Past>> {
    let mut past = closed(connection)?;
    past.extend(set_aside(connection)?);
    past.sort_by_key(|past| (past.last, past.lobby));
    past.truncate(AT_ONCE);
    Ok(past)
}

fn closed(connection: &Connection) -> Result<Vec<Past>> {
    let sql = format!(
        "SELECT * FROM lobbies WHERE closed IS NOT NULL AND id NOT IN (SELECT lobby FROM set_aside)
        ORDER BY closed LIMIT {AT_ONCE}"
    );
    let mut lobbies = connection.prepare(&sql)?;
    let mut rows = lobbies.query([])?;
    let mut past = Vec::new();
    while let Some(row) = rows.next()? {
        if Table::Lobbies.fits(row)? {
            let range = (row.get("first_event")?, row.get("last_event")?);
            past.push(Past { lobby: row.get("id")?, last: row.get("closed")?, range });
        }
    }
    Ok(past)
}

fn set_aside(connection: &Connection) -> Result<Vec<Past>> {
    let sql = format!("SELECT * FROM set_aside ORDER BY wall LIMIT {AT_ONCE}");
    let mut lobbies = connection.prepare(&sql)?;
    let mut rows = lobbies.query([])?;
    let mut past = Vec::new();
    while let Some(row) = rows.next()? {
        if Table::SetAside.fits(row)? {
            let lobby = row.get("lobby")?;
            past.push(Past { lobby, last: row.get("wall")?, range: range(connection, lobby)? });
        }
    }
    Ok(past)
}

/// Between which ids the events of a lobby are that was set aside, as far as its own row can be believed.
fn range(connection: &Connection, lobby: i64) -> Result<(i64, i64)> {
    let mut find = connection.prepare_cached("SELECT * FROM lobbies WHERE id = ?1")?;
    let mut rows = find.query([lobby])?;
    let Some(row) = rows.next()? else { return Ok((i64::MIN, i64::MAX)) };
    if !Table::Lobbies.fits(row)? {
        return Ok((i64::MIN, i64::MAX));
    }
    let last: Option<i64> = row.get("last_event")?;
    Ok((row.get("first_event")?, last.unwrap_or(i64::MAX)))
}

/// Forgets a lobby with these events, which are all that it has.
fn forget(connection: &Connection, lobby: i64, events: &[i64]) -> Result<()> {
    let mut event = connection.prepare_cached("DELETE FROM events WHERE id = ?1")?;
    events.iter().try_for_each(|id| event.execute([id]).map(drop))?;
    for sql in [
        "DELETE FROM games WHERE lobby = ?1",
        "DELETE FROM seats WHERE lobby = ?1",
        "DELETE FROM owners WHERE lobby = ?1",
        "DELETE FROM former_owners WHERE lobby = ?1",
        "DELETE FROM set_aside WHERE lobby = ?1",
        "DELETE FROM lobbies WHERE id = ?1",
    ] {
        connection.prepare_cached(sql)?.execute([lobby])?;
    }
    Ok(())
}

/// What the journal takes, without pages that are free.
fn bytes(connection: &Connection) -> Result<u64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(pages.saturating_mul(number("page_size")?).cast_unsigned())
}
