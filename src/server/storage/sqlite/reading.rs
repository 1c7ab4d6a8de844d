//! Reading the past over a connection of its own, while another one writes: in WAL mode neither waits for
//! the other. Nothing is believed whose checksum does not fit.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::connect::connect_to_read;
use super::error::of_engine;
use super::files::Folder;
use super::games;
use super::loading::{lobby_of, opening};
use super::row::{EVENTS, GAMES, LOBBIES, OWNERS, number};
use crate::game::BySide;
use crate::lobby::PlayerId;
use crate::number::saturating;
use crate::server::storage::{
    Archive, GameCursor, GamePage, LobbyId, MAX_READ, Opening, OwnSeats, PastGame, StorageError, WallTime,
};
use crate::wire::{TokenHash, frame_of};

/// The most rows of the table of events that are read for one lobby: about a second of reading, and more
/// than a journal of the default size has. There is no index by lobby, and the events of a lobby lie
/// between those of others.
const MAX_SCANNED: i64 = 10_000_000;

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
            let mut seats = Vec::new();
            for hash in hashes {
                let mut select = connection.prepare_cached("SELECT * FROM owners WHERE ticket = ?1")?;
                let mut rows = select.query([hash.bytes()])?;
                while let Some(row) = rows.next()? {
                    if OWNERS.fits(row)? {
                        seats.push((lobby_of(row, "lobby")?, PlayerId(row.get("player")?)));
                    }
                }
            }
            Ok(seats.into_iter().collect())
        })
    }

    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
    ) -> Result<GamePage, StorageError> {
        self.read(|connection| {
            let mut list = GameList { connection, openings: BTreeMap::new() };
            match own {
                None => list.all(before, most),
                Some(own) => list.own(own, before, most),
            }
        })
    }

    fn players(&mut self, lobby: LobbyId, game: u32) -> Result<Option<BySide<PlayerId>>, StorageError> {
        self.read(|connection| {
            let sql = "SELECT * FROM games WHERE lobby = ?1 AND game = ?2";
            let mut select = connection.prepare_cached(sql)?;
            let mut rows = select.query((lobby.0.cast_signed(), game))?;
            let Some(row) = rows.next()? else { return Ok(None) };
            let players = if GAMES.fits(row)? { games::players(row)? } else { None };
            Ok(players.map(|players| players.map(|player| player.id)))
        })
    }

    fn opening(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>, StorageError> {
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

/// When and how a lobby was opened that can be trusted.
fn opened(connection: &Connection, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>> {
    let sql = "SELECT * FROM lobbies WHERE id = ?1 AND id NOT IN (SELECT lobby FROM set_aside)";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([lobby.0.cast_signed()])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    if LOBBIES.fits(row)? { opening(row) } else { Ok(None) }
}

/// Reads rows of games, and the openings of their lobbies once each.
struct GameList<'a> {
    connection: &'a Connection,
    openings: BTreeMap<LobbyId, Option<Opening>>,
}

impl GameList<'_> {
    /// Reads one row more than `most`, to see whether there are others.
    fn all(&mut self, before: GameCursor, most: usize) -> Result<GamePage> {
        let sql = "SELECT * FROM games WHERE first_event < ?1 ORDER BY first_event DESC LIMIT ?2";
        let mut select = self.connection.prepare_cached(sql)?;
        let mut rows = select.query((event_id(before), limit(most)))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((place(row)?, self.game(row)?));
        }
        Ok(page(found, most))
    }

    fn own(&mut self, own: &OwnSeats, before: GameCursor, most: usize) -> Result<GamePage> {
        let sql = "SELECT * FROM games WHERE lobby = ?1 AND ?2 IN (first_player, second_player) AND first_event < ?3
            ORDER BY game DESC LIMIT ?4";
        let mut found = Vec::new();
        for (lobby, player) in own.iter() {
            let mut select = self.connection.prepare_cached(sql)?;
            let mut rows = select.query((lobby.0.cast_signed(), player.0, event_id(before), limit(most)))?;
            while let Some(row) = rows.next()? {
                found.push((place(row)?, self.game(row)?));
            }
        }
        found.sort_unstable_by_key(|(place, _)| Reverse(*place));
        // A game of which both sides are own seats is found twice.
        found.dedup_by_key(|(place, _)| *place);
        Ok(page(found, most))
    }

    /// The game of a row, if the row and its lobby can be trusted.
    fn game(&mut self, row: &Row<'_>) -> Result<Option<PastGame>> {
        let lobby = lobby_of(row, "lobby")?;
        let players = if GAMES.fits(row)? { games::players(row)? } else { None };
        let (Some(players), Some(opening)) = (players, self.opening(lobby)?) else { return Ok(None) };
        let Opening { code, variant, conditions, .. } = opening.clone();
        Ok(Some(PastGame {
            lobby,
            game: row.get("game")?,
            place: place(row)?,
            code,
            variant,
            conditions,
            players,
            started: WallTime(number(row, "started")?),
            result: games::result(row)?,
        }))
    }

    fn opening(&mut self, lobby: LobbyId) -> Result<Option<&Opening>> {
        if !self.openings.contains_key(&lobby) {
            let opening = opened(self.connection, lobby)?.map(|(_, opening)| opening);
            self.openings.insert(lobby, opening);
        }
        Ok(self.openings.get(&lobby).and_then(Option::as_ref))
    }
}

fn place(row: &Row<'_>) -> Result<GameCursor> {
    number(row, "first_event").map(GameCursor)
}

/// The games of these rows but the last one, if that is one too many. Games that cannot be trusted are left
/// out.
fn page(mut found: Vec<(GameCursor, Option<PastGame>)>, most: usize) -> GamePage {
    let is_last = found.len() <= most;
    found.truncate(most);
    let rest = found.last().map(|(place, _)| *place).filter(|_| !is_last);
    GamePage { games: found.into_iter().filter_map(|(_, game)| game).collect(), rest }
}

/// The id of the event with which a game begins.
fn event_id(place: GameCursor) -> i64 {
    i64::try_from(place.0).unwrap_or(i64::MAX)
}

/// One row more than that.
fn limit(most: usize) -> u32 {
    saturating::<u32, _>(most).saturating_add(1)
}

/// What was found of a lobby's events.
enum Events {
    All(Vec<Bytes>),
    TooMany,
    Damaged,
}

fn events(connection: &Connection, lobby: LobbyId) -> Result<Events> {
    let sql = "SELECT first_event, ifnull(last_event, (SELECT ifnull(max(id), 0) FROM events)) FROM lobbies WHERE id = ?1";
    let mut select = connection.prepare_cached(sql)?;
    let range: Option<(i64, i64)> =
        select.query_row([lobby.0.cast_signed()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((first, last)) = range else { return Ok(Events::All(Vec::new())) };
    if last.saturating_sub(first) > MAX_SCANNED {
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
