//! Reads the past over a connection of its own, while another one writes: in WAL mode neither waits for the
//! other. No row is trusted whose checksum does not fit.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::connect::connect_to_read;
use super::error::of_engine;
use super::files::Folder;
use super::games;
use super::loading::{lobby_of, meta};
use super::row::{EVENTS, GAMES, LOBBIES, OWNERS, number};
use crate::lobby::PlayerId;
use crate::server::storage::{
    Archive, GameCursor, LobbyId, LobbyMeta, MAX_READ, OwnSeats, PastGame, StorageError, WallTime,
};
use crate::wire::{TokenHash, frame_of};

/// The most rows of the table of events that are read for one lobby: about a second of reading, and more
/// than a journal of the default size has. There is no index by lobby, and the events of a lobby lie
/// between those of others.
const MAX_SCANNED: i64 = 20_000_000;

/// A connection that reads.
#[derive(Debug)]
pub(super) struct Reader {
    connection: Connection,
    folder: PathBuf,
}

impl Reader {
    /// Opens the journal in this folder.
    pub(super) fn open(folder: &Path) -> Result<Self, StorageError> {
        let connection = connect_to_read(&Folder::at(folder).journal());
        Ok(Self { connection: connection.map_err(|error| of_engine(folder, &error))?, folder: folder.into() })
    }

    /// Runs queries on one snapshot of the journal.
    fn read<T>(&mut self, query: impl FnOnce(&Connection) -> Result<T>) -> Result<T, StorageError> {
        let found = self.connection.unchecked_transaction().and_then(|snapshot| query(&snapshot));
        found.map_err(|error| of_engine(&self.folder, &error))
    }
}

impl Archive for Reader {
    fn seats_of(&mut self, hashes: &[TokenHash]) -> Result<OwnSeats, StorageError> {
        self.read(|connection| {
            let mut seats = OwnSeats::new();
            for hash in hashes {
                let mut select = connection.prepare_cached("SELECT * FROM owners WHERE ticket = ?1")?;
                let mut rows = select.query([hash.bytes()])?;
                while let Some(row) = rows.next()? {
                    if OWNERS.fits(row)? {
                        seats.insert((lobby_of(row, "lobby")?, PlayerId(row.get("player")?)));
                    }
                }
            }
            Ok(seats)
        })
    }

    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
        take: &mut dyn FnMut(PastGame) -> ControlFlow<Option<GameCursor>>,
    ) -> Result<Option<GameCursor>, StorageError> {
        self.read(|connection| {
            let (mut metas, mut looked) = (BTreeMap::new(), 0);
            let mut select = connection.prepare(&listing(own))?;
            let mut rows = select.query([i64::try_from(before.0).unwrap_or(i64::MAX)])?;
            let mut last = None;
            while let Some(row) = rows.next()? {
                if looked == most {
                    return Ok(last);
                }
                (last, looked) = (Some(place(row)?), looked + 1);
                let game = game(connection, &mut metas, row)?;
                let wanted = game.filter(|game| own.is_none_or(|own| game.is_from(own)));
                if let Some(ControlFlow::Break(rest)) = wanted.map(&mut *take) {
                    return Ok(rest);
                }
            }
            Ok(None)
        })
    }

    fn lobby_meta(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, LobbyMeta)>, StorageError> {
        self.read(|connection| opened(connection, lobby))
    }

    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
        match self.read(|connection| events(connection, lobby))? {
            Events::All(frames) => Ok(Some(frames)),
            Events::TooMany => Ok(None),
            Events::Damaged => {
                let cause = format!("one of the events of lobby {} is damaged", lobby.0);
                Err(StorageError::new(StorageError::DAMAGED, cause))
            }
        }
    }
}

/// When and how a lobby was opened, if its row can be trusted.
fn opened(connection: &Connection, lobby: LobbyId) -> Result<Option<(WallTime, LobbyMeta)>> {
    let mut select =
        connection.prepare_cached("SELECT * FROM lobbies WHERE id = ?1 AND ifnull(closed, 1) > 0")?;
    let mut rows = select.query([lobby.0.cast_signed()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    if LOBBIES.fits(row)? { meta(row) } else { Ok(None) }
}

/// The query for the games that began before the event with a given id, the newest first; with `own`, for
/// those of their lobbies. The plus signs then keep SQLite from scanning all games by their start.
fn listing(own: Option<&OwnSeats>) -> String {
    let Some(own) = own else {
        return "SELECT * FROM games WHERE first_event < ?1 ORDER BY first_event DESC".into();
    };
    let mut lobbies: Vec<String> = own.iter().map(|(lobby, _)| lobby.0.cast_signed().to_string()).collect();
    lobbies.dedup();
    let lobbies = lobbies.join(",");
    format!("SELECT * FROM games WHERE lobby IN ({lobbies}) AND +first_event < ?1 ORDER BY +first_event DESC")
}

/// The game of a row, if the row and its lobby can be trusted. The openings of lobbies are read once each.
fn game(
    connection: &Connection,
    metas: &mut BTreeMap<LobbyId, Option<LobbyMeta>>,
    row: &Row<'_>,
) -> Result<Option<PastGame>> {
    let lobby = lobby_of(row, "lobby")?;
    let meta = match metas.entry(lobby) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(place) => place.insert(opened(connection, lobby)?.map(|(_, meta)| meta)),
    };
    let players = if GAMES.fits(row)? { games::players(row)? } else { None };
    let Some((players, LobbyMeta { code, variant, conditions, .. })) = players.zip(meta.as_ref()) else {
        return Ok(None);
    };
    Ok(Some(PastGame {
        lobby,
        game: row.get("game")?,
        place: place(row)?,
        code: *code,
        variant: variant.clone(),
        conditions: *conditions,
        players,
        started: WallTime(number(row, "started")?),
        result: games::result(row)?,
    }))
}

fn place(row: &Row<'_>) -> Result<GameCursor> {
    number(row, "first_event").map(GameCursor)
}

/// What was found of a lobby's events.
enum Events {
    All(Vec<Bytes>),
    TooMany,
    Damaged,
}

fn events(connection: &Connection, lobby: LobbyId) -> Result<Events> {
    let sql = "SELECT first_event, ifnull(last_event, (SELECT ifnull(max(id), 0) FROM events)) FROM lobbies WHERE id = ?1 AND ifnull(closed, 1) > 0";
    let mut select = connection.prepare_cached(sql)?;
    let range: Option<(i64, i64)> =
        select.query_row([lobby.0.cast_signed()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((first, last)) = range else { return Ok(Events::All(Vec::new())) };
    // Rows of others that were pruned leave gaps between the ids.
    if last.saturating_sub(first) > MAX_SCANNED && has_more_rows(connection, (first, last), MAX_SCANNED)? {
        return Ok(Events::TooMany);
    }
    let sql = "SELECT * FROM events WHERE id BETWEEN ?2 AND ?3 AND lobby = ?1 ORDER BY id";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query((lobby.0.cast_signed(), first, last))?;
    let mut frames = Vec::new();
    while let Some(row) = rows.next()? {
        if !EVENTS.fits(row)? {
            return Ok(Events::Damaged);
        }
        if frames.len() == MAX_READ {
            return Ok(Events::TooMany);
        }
        frames.push(frame_of(row.get_ref("body")?.as_blob()?));
    }
    Ok(Events::All(frames))
}

/// Whether more rows than `most` have ids from `first` to `last`.
fn has_more_rows(connection: &Connection, (first, last): (i64, i64), most: i64) -> Result<bool> {
    let sql = "SELECT count(*) FROM (SELECT 1 FROM events WHERE id BETWEEN ?1 AND ?2 LIMIT ?3)";
    let mut count = connection.prepare_cached(sql)?;
    let rows: i64 = count.query_row((first, last, most.saturating_add(1)), |row| row.get(0))?;
    Ok(rows > most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::storage::sqlite::schema::create;

    #[test]
    fn rows_are_counted_and_gaps_between_their_ids_are_not() {
        let journal = Connection::open_in_memory().unwrap();
        create(&journal).unwrap();
        for id in [1, 2, 1_000_000, 2_000_000] {
            journal.execute("INSERT INTO events VALUES (?1, 1, 1, 0, 0, 'closed', x'00', 0)", [id]).unwrap();
        }
        let has_more = |range, most| has_more_rows(&journal, range, most).unwrap();
        assert!(has_more((1, 2_000_000), 3) && !has_more((1, 2_000_000), 4));
        assert!(!has_more((2, 1_999_999), 2) && has_more((2, 1_999_999), 1));
    }
}
