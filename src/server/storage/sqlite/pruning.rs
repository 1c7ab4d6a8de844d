//! Removes closed lobbies, a bounded piece at a time, since nothing is recorded meanwhile. Open lobbies are
//! never touched, nor are lobbies whose own rows do not fit their checksums.
//!
//! For age the oldest lobby goes first. For size everything is taken from the address whose lobbies, open and
//! closed, take most: its oldest closed lobby goes first. What one address does thus removes no record of
//! another that takes less.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Params, Result, Row};

use super::removal::{Marked, OTHER_ROWS, Pass};
use super::row::LOBBIES;
use crate::lobby::Event;
use crate::number::saturating;
use crate::server::storage::{Bounds, Entry, LobbyId, Note, Pruned};

/// How many lobbies are removed in one pass over the events, at most.
const LOBBIES_AT_ONCE: usize = 200;

/// How many bytes they have together, about, at most: twice the room that a full disk needs to go on.
const BYTES_AT_ONCE: u64 = 32 << 20;

/// How many free pages are given back to the disk in one piece: a megabyte.
const PAGES_AT_ONCE: u32 = 256;

/// Of the finished games that were too old when the journal was opened, one of this number is removed. So a
/// clock that is years ahead does not remove the whole history.
const OLD_SHARE: u64 = 10;

/// What is passed from each call of [`prune`] to the next.
#[derive(Debug, Default)]
pub(super) struct Pruning {
    /// How many rows the lobbies of each address take. Counted when a run begins.
    shares: Option<BTreeMap<String, i64>>,
    /// The openers of all open lobbies, and the numbers of their last events.
    open: HashMap<LobbyId, (String, u32)>,
    /// See [`Pruned::blocked_by`].
    blocked_by: Option<String>,
    /// The pass over the events of the marked lobbies.
    pass: Pass,
    /// How many finished games may still be removed of those that were too old at the start.
    old_games: Option<u64>,
}

/// A lobby that may be removed.
#[derive(Debug, Clone)]
struct ClosedLobby {
    lobby: i64,
    opener: String,
    /// When it was closed.
    closed: i64,
    /// The ids between which its events are.
    range: (i64, i64),
    /// How many rows it takes, about.
    rows: i64,
    /// Whether it is removed for its age.
    is_old: bool,
}

/// Removes a piece of the lobbies that are out of bounds. They are marked first, so that no reader finds a part
/// of one, and after a crash they are removed before others.
pub(super) fn prune(connection: &Connection, bounds: &Bounds, pruning: &mut Pruning) -> Result<Pruned> {
    let mut pruned = Pruned::default();
    let mut marked = marked(connection)?;
    if marked.is_empty() {
        let mut rows = 0;
        while marked.len() < LOBBIES_AT_ONCE
            && let Some(next) = pruning.next(connection, bounds, rows)?
        {
            let games = pruning.begin(connection, bounds, &next)?;
            let by = if next.is_old { &mut pruned.games_by_age } else { &mut pruned.games_by_size };
            *by += games;
            rows += next.rows;
            marked.push(next.as_marked());
        }
    }
    if marked.is_empty() {
        pruning.shares = None;
        pruned.is_done = true;
        pruned.blocked_by = pruning.blocked_by.take().and_then(|opener| opener.parse().ok());
    } else if pruning.pass.go_on(connection, &marked)? {
        pruned.lobbies = saturating(marked.len());
    }
    pruned.keeps_old = pruning.old_games == Some(0);
    Ok(pruned)
}

/// All lobbies that are marked.
fn marked(connection: &Connection) -> Result<Vec<Marked>> {
    let mut select = connection.prepare_cached("SELECT * FROM lobbies WHERE closed = 0")?;
    let (mut rows, mut marked) = (select.query([])?, Vec::new());
    while let Some(row) = rows.next()? {
        if LOBBIES.fits(row)? {
            marked.push(ClosedLobby::of_row(row)?.as_marked());
        }
    }
    Ok(marked)
}

impl ClosedLobby {
    fn of_row(row: &Row<'_>) -> Result<Self> {
        Ok(Self {
            lobby: row.get("id")?,
            opener: row.get("opener")?,
            closed: row.get("closed")?,
            range: (row.get("first_event")?, row.get("last_event")?),
            rows: row.get::<_, i64>("events")?.saturating_add(OTHER_ROWS),
            is_old: false,
        })
    }

    fn as_marked(&self) -> Marked {
        Marked { lobby: self.lobby, first: self.range.0, last: self.range.1 }
    }
}

impl Pruning {
    /// The next lobby to remove, while those that are marked have this number of rows.
    fn next(&mut self, connection: &Connection, bounds: &Bounds, marked: i64) -> Result<Option<ClosedLobby>> {
        if let Some(lobby) = self.too_old(connection, bounds)? {
            return Ok(Some(lobby));
        }
        let bytes = bytes(connection)?;
        if bytes <= bounds.bytes {
            return Ok(None);
        }
        let shares = match &mut self.shares {
            Some(shares) => shares,
            none => none.insert(shares(connection, &self.open)?),
        };
        let left = shares.values().sum::<i64>().max(0);
        let least = bounds.bytes.max(bytes.saturating_sub(BYTES_AT_ONCE));
        if marked > 0 && part_of(bytes, left, left.saturating_add(marked)) <= least {
            return Ok(None);
        }
        while let Some(opener) =
            shares.iter().max_by_key(|(_, rows)| **rows).map(|(opener, _)| opener.clone())
        {
            let oldest = "SELECT * FROM lobbies WHERE opener = ?1 AND closed > 0 ORDER BY closed, id";
            if let Some(lobby) = find(connection, oldest, [&opener], usize::MAX, |_| Ok(true))? {
                return Ok(Some(lobby));
            }
            if self.open.values().any(|(other, _)| *other == opener) {
                self.blocked_by = Some(opener);
                break;
            }
            shares.remove(&opener);
        }
        Ok(None)
    }

    /// After an error nothing was removed. What may still go for its age is not more for that.
    pub(super) fn begin_again(&mut self) {
        self.shares = None;
        self.pass.begin_again();
    }

    /// Notes an open lobby that was loaded.
    pub(super) fn note_open(&mut self, lobby: LobbyId, opener: &IpAddr, events: u32) {
        self.open.insert(lobby, (opener.to_string(), events));
    }

    /// Notes what was recorded of open lobbies.
    pub(super) fn note(&mut self, entries: &[Entry]) {
        for Entry { lobby, note, .. } in entries {
            match note {
                Note::Opened(meta) => self.note_open(*lobby, &meta.opener, 0),
                Note::Happened { event: Event::Closed, .. } => drop(self.open.remove(lobby)),
                Note::Happened { number, .. } => {
                    if let Some((_, events)) = self.open.get_mut(lobby) {
                        *events = *number;
                    }
                }
                Note::Seated(_) | Note::Unseated(_) | Note::Checkpoint(_) => {}
            }
        }
    }

    /// The oldest lobby that is too old. Of those that were too old at the start only a share may go.
    fn too_old(&mut self, connection: &Connection, bounds: &Bounds) -> Result<Option<ClosedLobby>> {
        let oldest = "SELECT * FROM lobbies WHERE closed >= ?1 AND closed < ?2 ORDER BY closed, id";
        let [old, since] = [bounds.old, bounds.since].map(|time| i64::try_from(time.0).unwrap_or(i64::MAX));
        let aged = |lobby| ClosedLobby { is_old: true, ..lobby };
        let range = (1, old.min(since));
        if self.old_games != Some(0) && find(connection, oldest, range, 1, |_| Ok(true))?.is_some() {
            let left = match self.old_games {
                Some(left) => left,
                None => *self.old_games.insert(finished_games(connection)?.div_ceil(OLD_SHARE)),
            };
            let fits = |lobby: &ClosedLobby| Ok(games_of(connection, lobby.lobby)? <= left);
            match find(connection, oldest, range, LOBBIES_AT_ONCE, fits)? {
                Some(lobby) => return Ok(Some(aged(lobby))),
                None => self.old_games = Some(0),
            }
        }
        Ok(find(connection, oldest, (old.max(1), since), usize::MAX, |_| Ok(true))?.map(aged))
    }

    /// Marks a lobby that is removed from now on. Returns how many finished games it had.
    fn begin(&mut self, connection: &Connection, bounds: &Bounds, lobby: &ClosedLobby) -> Result<u64> {
        let games = games_of(connection, lobby.lobby)?;
        mark(connection, lobby.lobby, lobby.range)?;
        if let Some(left) = &mut self.old_games
            && lobby.is_old
            && lobby.closed.cast_unsigned() < bounds.old.0
        {
            *left = left.saturating_sub(games);
        }
        if let Some(share) = self.shares.as_mut().and_then(|shares| shares.get_mut(&lobby.opener)) {
            *share -= lobby.rows;
        }
        Ok(games)
    }
}

/// Marks a lobby as one that is being removed: it was closed at the time 0, and its events are these.
fn mark(connection: &Connection, lobby: i64, (first, last): (i64, i64)) -> Result<()> {
    let changed = [first, 0, last].map(ValueRef::Integer);
    LOBBIES.amend(connection, "SELECT * FROM lobbies WHERE id = ?1", [lobby], FIRST_EVENT, &changed)
}

/// The column of `lobbies` before `closed` and `last_event`.
const FIRST_EVENT: usize = 9;

/// Gives some of the free pages back to the disk.
pub(super) fn release_pages(connection: &Connection) -> Result<()> {
    let mut vacuum = connection.prepare(&format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})"))?;
    let mut pages = vacuum.query([])?;
    while pages.next()?.is_some() {}
    Ok(())
}

/// The first lobby of a query, among this number of rows, that can be trusted and `fits`.
fn find(
    connection: &Connection,
    query: &str,
    params: impl Params,
    most: usize,
    fits: impl Fn(&ClosedLobby) -> Result<bool>,
) -> Result<Option<ClosedLobby>> {
    let mut select = connection.prepare_cached(query)?;
    let (mut rows, mut looked) = (select.query(params)?, 0);
    while looked < most
        && let Some(row) = rows.next()?
    {
        if !LOBBIES.fits(row)? {
            continue;
        }
        looked += 1;
        let lobby = ClosedLobby::of_row(row)?;
        if fits(&lobby)? {
            return Ok(Some(lobby));
        }
    }
    Ok(None)
}

/// How many rows the lobbies of each address take, about.
fn shares(connection: &Connection, open: &HashMap<LobbyId, (String, u32)>) -> Result<BTreeMap<String, i64>> {
    let sql = "SELECT opener, sum(events + ?1) FROM lobbies WHERE closed > 0 GROUP BY opener";
    let mut select = connection.prepare_cached(sql)?;
    let rows = select.query_map([OTHER_ROWS], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut shares = rows.collect::<Result<BTreeMap<String, i64>>>()?;
    for (opener, events) in open.values() {
        *shares.entry(opener.clone()).or_default() += i64::from(*events) + OTHER_ROWS;
    }
    Ok(shares)
}

fn finished_games(connection: &Connection) -> Result<u64> {
    let sql = "SELECT count(*) FROM games WHERE ended IS NOT NULL";
    connection.query_row(sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

fn games_of(connection: &Connection, lobby: i64) -> Result<u64> {
    let sql = "SELECT count(*) FROM games WHERE lobby = ?1 AND ended IS NOT NULL";
    let mut select = connection.prepare_cached(sql)?;
    select.query_row([lobby], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

/// How many of these bytes belong to `rows` of `all` rows, about.
fn part_of(bytes: u64, rows: i64, all: i64) -> u64 {
    let [rows, all] = [rows, all.max(1)].map(|rows| u128::from(rows.cast_unsigned()));
    saturating(u128::from(bytes) * rows / all)
}

/// The size of the journal in bytes, without free pages.
fn bytes(connection: &Connection) -> Result<u64> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(pages.saturating_mul(number("page_size")?).cast_unsigned())
}
