//! Removes the rows of lobbies that are marked for it, all of them in one pass over their events, a bounded
//! piece at a time.
//!
//! Events of different lobbies are interleaved. SQLite gives up a page only once two thirds of it are free, so
//! a piece from which much was removed is written anew: its room is free at once.

use std::ops::RangeInclusive;

use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, Result, params_from_iter};

/// How many rows are looked at in one piece, which takes some milliseconds.
const ROWS_AT_ONCE: i64 = 20_000;

/// A piece is written anew if one row of this number was removed from it.
const REWRITTEN: i64 = 8;

/// How many rows a lobby has besides its events, about: its own, and those of its owners and games, which
/// are larger than an event's.
pub(super) const OTHER_ROWS: i64 = 8;

/// A lobby that is marked, and the ids between which its events are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Marked {
    pub(super) lobby: i64,
    pub(super) first: i64,
    pub(super) last: i64,
}

/// Where the next piece begins. After a restart the pass begins anew.
#[derive(Debug, Default)]
pub(super) struct Pass {
    next: Option<i64>,
}

impl Pass {
    /// Removes a piece of these lobbies. Returns whether all of them are removed completely.
    pub(super) fn go_on(&mut self, connection: &Connection, marked: &[Marked]) -> Result<bool> {
        let mut left = ROWS_AT_ONCE;
        for Marked { lobby, .. } in marked {
            left -= remove_games_and_owners(connection, *lobby, left)?;
            if left <= 0 {
                return Ok(false);
            }
        }
        let next = self.next.unwrap_or(i64::MIN);
        for range in joined(marked).into_iter().filter(|range| *range.end() >= next) {
            let (first, last) = (next.max(*range.start()), *range.end());
            let (looked, reached) = look(connection, first, last, left)?;
            left -= looked;
            let end = if left <= 0 { reached } else { last };
            remove_events(connection, marked, first..=end)?;
            if left <= 0 {
                self.next = Some(end.saturating_add(1));
                return Ok(false);
            }
        }
        for Marked { lobby, .. } in marked {
            for sql in ["DELETE FROM checkpoints WHERE lobby = ?1", "DELETE FROM lobbies WHERE id = ?1"] {
                connection.prepare_cached(sql)?.execute([lobby])?;
            }
        }
        self.next = None;
        Ok(true)
    }

    /// After an error nothing was removed, and the pass begins anew.
    pub(super) fn begin_again(&mut self) {
        self.next = None;
    }
}

/// The ranges of ids that these lobbies cover together, without overlaps, in their order.
fn joined(marked: &[Marked]) -> Vec<RangeInclusive<i64>> {
    let mut ranges: Vec<_> = marked.iter().map(|marked| (marked.first, marked.last)).collect();
    ranges.sort_unstable();
    let mut joined: Vec<RangeInclusive<i64>> = Vec::new();
    for (first, last) in ranges {
        match joined.last_mut() {
            Some(range) if first <= *range.end() => *range = *range.start()..=last.max(*range.end()),
            _ => joined.push(first..=last),
        }
    }
    joined
}

/// How many events there are between these ids, at most `most`, and the id of the last of them.
fn look(connection: &Connection, first: i64, last: i64, most: i64) -> Result<(i64, i64)> {
    let sql = "SELECT count(*), ifnull(max(id), ?2) FROM \
               (SELECT id FROM events WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3)";
    connection.prepare_cached(sql)?.query_row((first, last, most), |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Removes at most about `most` rows of games and owners of a lobby. Returns how many it looked at, as events.
fn remove_games_and_owners(connection: &Connection, lobby: i64, most: i64) -> Result<i64> {
    let mut looked = 0;
    for sql in [
        "DELETE FROM games WHERE lobby = ?1 AND game IN (SELECT game FROM games WHERE lobby = ?1 LIMIT ?2)",
        "DELETE FROM owners WHERE lobby = ?1 AND player IN (SELECT player FROM owners WHERE lobby = ?1 LIMIT ?2)",
    ] {
        let removed = connection.prepare_cached(sql)?.execute((lobby, (most - looked) / OTHER_ROWS + 1))?;
        looked += OTHER_ROWS * i64::try_from(removed).unwrap_or(i64::MAX / OTHER_ROWS);
        if looked >= most {
            break;
        }
    }
    Ok(looked)
}

/// Removes the events of these lobbies between these ids.
fn remove_events(connection: &Connection, marked: &[Marked], ids: RangeInclusive<i64>) -> Result<()> {
    let range = (*ids.start(), *ids.end());
    let lobbies: Vec<String> = marked.iter().map(|marked| marked.lobby.to_string()).collect();
    let sql = format!("DELETE FROM events WHERE id BETWEEN ?1 AND ?2 AND lobby IN ({})", lobbies.join(","));
    let removed = i64::try_from(connection.execute(&sql, range)?).unwrap_or(i64::MAX);
    let (kept, _) = look(connection, range.0, range.1, ROWS_AT_ONCE)?;
    if kept == 0 || removed.saturating_mul(REWRITTEN) < removed.saturating_add(kept) {
        return Ok(());
    }
    connection.execute_batch("SAVEPOINT piece")?;
    match rewrite(connection, range) {
        // A damaged row may not be written again. It stays, as do its neighbours.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
            connection.execute_batch("ROLLBACK TO piece; RELEASE piece")
        }
        Err(error) => Err(error),
        Ok(()) => connection.execute_batch("RELEASE piece"),
    }
}

/// Writes the events between these ids anew, byte for byte, so that their pages are full again.
fn rewrite(connection: &Connection, range: (i64, i64)) -> Result<()> {
    let mut select =
        connection.prepare_cached("SELECT * FROM events WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?;
    let columns = select.column_count();
    let row = |row: &rusqlite::Row<'_>| (0..columns).map(|column| row.get(column)).collect();
    let kept = select.query_map(range, row)?.collect::<Result<Vec<Vec<Value>>>>()?;
    connection.prepare_cached("DELETE FROM events WHERE id BETWEEN ?1 AND ?2")?.execute(range)?;
    let places = vec!["?"; columns].join(",");
    let mut insert = connection.prepare_cached(&format!("INSERT INTO events VALUES ({places})"))?;
    kept.into_iter().try_for_each(|row| insert.execute(params_from_iter(row)).map(drop))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_overlap_are_joined() {
        let marked = [(30, 40), (1, 5), (4, 9), (10, 12), (31, 33)].map(|(first, last)| Marked {
            lobby: first,
            first,
            last,
        });
        assert_eq!(joined(&marked), [1..=9, 10..=12, 30..=40]);
    }
}
