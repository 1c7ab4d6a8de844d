//! What is read of the past over a connection of its own, which changes nothing, while another one writes: in WAL mode neither
//! waits for the other. Nothing is believed of a lobby whose checksum does not fit.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension, Result, Row};

use super::folder::{Folder, Identity};
use super::loading::{frame, opening};
use super::opening::connect_to_read;
use super::recording::integer;
use super::row::Table;
use super::summary::{self, Sitter};
use super::trouble::of_engine;
use crate::game::{BySide, Side};
use crate::lobby::{Player, PlayerId};
use crate::server::storage::{
    Archive, GameCursor, GamePage, LobbyId, MAX_READ, Opening, OwnSeats, PastGame, Seal, StorageError,
    WallTime,
};

/// So many rows of the table of events are looked through for one lobby: about a second of reading, and as many as fit into the
/// usual size of a journal. There is no index, so a lobby that was open for long on a busy server lies between many others.
const MAX_LOOKED_THROUGH: i64 = 10_000_000;

/// A connection that reads.
#[derive(Debug)]
pub(super) struct Reader {
    connection: Connection,
    /// Which file it reads.
    identity: Option<Identity>,
    folder: PathBuf,
}

impl Reader {
    /// One of the journal in this folder.
    pub(super) fn of(folder: &Path) -> Result<Self, StorageError> {
        let journal = Folder::at(folder).journal();
        let identity = Identity::at(&journal);
        let connection = connect_to_read(&journal).map_err(|error| of_engine(folder, &error))?;
        Ok(Self { connection, identity, folder: folder.into() })
    }

    /// Goes over to another journal if one has taken this one's place.
    fn keep_up(&mut self) -> Result<(), StorageError> {
        if Identity::at(&Folder::at(&self.folder).journal()) != self.identity {
            *self = Self::of(&self.folder)?;
        }
        Ok(())
    }

    /// What is found, all of it as it is at one moment.
    fn look<T>(&mut self, look: impl FnOnce(&Connection) -> Result<T>) -> Result<T, StorageError> {
        self.keep_up()?;
        let found = self.connection.unchecked_transaction().and_then(|moment| look(&moment));
        found.map_err(|error| of_engine(&self.folder, &error))
    }
}

impl Archive for Reader {
    fn seats_of(&mut self, seals: &[Seal]) -> Result<OwnSeats, StorageError> {
        self.look(|connection| {
            let mut own = owned(connection, seals)?;
            for seal in seals {
                add_former(connection, seal, &mut own)?;
            }
            Ok(own)
        })
    }

    fn games(
        &mut self,
        before: GameCursor,
        own: Option<&OwnSeats>,
        most: usize,
    ) -> Result<GamePage, StorageError> {
        self.look(|connection| {
            let mut list = Shelf { connection, openings: BTreeMap::new() };
            match own {
                None => list.all(before, most),
                Some(own) => list.of(own, before, most),
            }
        })
    }

    fn players(&mut self, lobby: LobbyId, game: u32) -> Result<Option<BySide<PlayerId>>, StorageError> {
        self.look(|connection| {
            let sql = "SELECT * FROM games WHERE lobby = ?1 AND game = ?2";
            let mut rows = connection.prepare_cached(sql)?;
            let mut rows = rows.query((integer(lobby.0), game))?;
            let Some(row) = rows.next()? else { return Ok(None) };
            if !Table::Games.fits(row)? {
                return Ok(None);
            }
            let known = player(row, Side::First)?.zip(player(row, Side::Second)?);
            Ok(known.map(|(first, second)| BySide { first: first.id, second: second.id }))
        })
    }

    fn opening(&mut self, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>, StorageError> {
        self.look(|connection| opened(connection, lobby))
    }

    fn events(&mut self, lobby: LobbyId) -> Result<Option<Vec<Bytes>>, StorageError> {
        match self.look(|connection| events(connection, lobby))? {
            Events::All(frames) => Ok(Some(frames)),
            Events::TooMany => Ok(None),
            Events::Damaged => {
                Err(StorageError::of_host(format!("one of the events of lobby {} is damaged", lobby.0)))
            }
        }
    }
}

/// The seats in open lobbies that somebody has by one of these: there are never so many of them that an index would be worth
/// what it costs whenever somebody comes or goes.
fn owned(connection: &Connection, seals: &[Seal]) -> Result<OwnSeats> {
    let wanted: HashSet<[u8; 32]> = seals.iter().map(Seal::bytes).collect();
    let mut own = OwnSeats::default();
    if wanted.is_empty() {
        return Ok(own);
    }
    let mut rows = connection.prepare_cached(Table::Owners.rows_from())?;
    let mut rows = rows.query([i64::MIN])?;
    while let Some(row) = rows.next()? {
        // There may be anything in a damaged row.
        let has = |column: &str| row.get(column).is_ok_and(|seal: [u8; 32]| wanted.contains(&seal));
        if (has("newest") || has("shown")) && Table::Owners.fits(row)? {
            own.extend([seat(row)?]);
        }
    }
    Ok(own)
}

/// The seats that somebody had by this.
fn add_former(connection: &Connection, seal: &Seal, own: &mut OwnSeats) -> Result<()> {
    for sql in [
        "SELECT * FROM former_owners WHERE newest = ?1",
        "SELECT * FROM former_owners WHERE shown IS NOT NULL AND shown = ?1",
    ] {
        let mut rows = connection.prepare_cached(sql)?;
        let mut rows = rows.query([seal.bytes()])?;
        while let Some(row) = rows.next()? {
            if Table::FormerOwners.fits(row)? {
                own.extend([seat(row)?]);
            }
        }
    }
    Ok(())
}

/// Whose row of owners it is.
fn seat(row: &Row<'_>) -> Result<(LobbyId, PlayerId)> {
    Ok((LobbyId(row.get::<_, i64>("lobby")?.cast_unsigned()), PlayerId(row.get("player")?)))
}

/// How a lobby was opened that can be trusted.
fn opened(connection: &Connection, lobby: LobbyId) -> Result<Option<(WallTime, Opening)>> {
    let sql = "SELECT * FROM lobbies WHERE id = ?1 AND id NOT IN (SELECT lobby FROM set_aside)";
    let mut rows = connection.prepare_cached(sql)?;
    let mut rows = rows.query([integer(lobby.0)])?;
    let Some(row) = rows.next()? else { return Ok(None) };
    if !Table::Lobbies.fits(row)? {
        return Ok(None);
    }
    let wall = WallTime(row.get::<_, i64>("opened")?.cast_unsigned());
    Ok(opening(row)?.map(|opening| (wall, opening)))
}

/// Games on their way from rows, with what is known of their lobbies.
struct Shelf<'a> {
    connection: &'a Connection,
    openings: BTreeMap<LobbyId, Option<Opening>>,
}

impl Shelf<'_> {
    /// Of one more than `most` rows is seen whether there are others.
    fn all(&mut self, before: GameCursor, most: usize) -> Result<GamePage> {
        let sql = "SELECT * FROM games WHERE first_event < ?1 ORDER BY first_event DESC LIMIT ?2";
        let mut rows = self.connection.prepare_cached(sql)?;
        let mut rows = rows.query((id(before), limit(most)))?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push((place(row)?, self.game(row)?));
        }
        Ok(stretch(found, most))
    }

    fn of(&mut self, own: &OwnSeats, before: GameCursor, most: usize) -> Result<GamePage> {
        let sql = "SELECT * FROM games WHERE lobby = ?1 AND ?2 IN (first_player, second_player) AND first_event < ?3
            ORDER BY game DESC LIMIT ?4";
        let mut found = Vec::new();
        for (lobby, player) in own.iter() {
            let mut rows = self.connection.prepare_cached(sql)?;
            let mut rows = rows.query((integer(lobby.0), player.0, id(before), limit(most)))?;
            while let Some(row) = rows.next()? {
                found.push((place(row)?, self.game(row)?));
            }
        }
        found.sort_unstable_by_key(|(place, _)| Reverse(*place));
        // Whoever had both seats has the game by each.
        found.dedup_by_key(|(place, _)| *place);
        Ok(stretch(found, most))
    }

    /// The game of a row, if its lobby can be trusted.
    fn game(&mut self, row: &Row<'_>) -> Result<Option<PastGame>> {
        if !Table::Games.fits(row)? {
            return Ok(None);
        }
        let lobby = LobbyId(row.get::<_, i64>("lobby")?.cast_unsigned());
        let Some(opening) = self.opening(lobby)? else { return Ok(None) };
        let (code, variant, conditions) = (opening.code, opening.variant.clone(), opening.conditions);
        let (Some(first), Some(second)) = (player(row, Side::First)?, player(row, Side::Second)?) else {
            return Ok(None);
        };
        let words = row.get::<_, Option<String>>("outcome")?.zip(row.get::<_, Option<String>>("cause")?);
        Ok(Some(PastGame {
            lobby,
            game: row.get("game")?,
            place: place(row)?,
            code,
            variant,
            conditions,
            players: BySide { first, second },
            started: WallTime(row.get::<_, i64>("started")?.cast_unsigned()),
            result: words.and_then(|(outcome, cause)| summary::result(&outcome, &cause)),
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

fn player(row: &Row<'_>, side: Side) -> Result<Option<Player>> {
    Ok(Sitter::of(row, side)?.and_then(Sitter::player))
}

fn place(row: &Row<'_>) -> Result<GameCursor> {
    Ok(GameCursor(row.get::<_, i64>("first_event")?.cast_unsigned()))
}

/// The games of these rows but the last one, if that is one too many; those that cannot be trusted are left out.
fn stretch(mut found: Vec<(GameCursor, Option<PastGame>)>, most: usize) -> GamePage {
    let are_all = found.len() <= most;
    found.truncate(most);
    let rest = found.last().map(|(place, _)| *place).filter(|_| !are_all);
    GamePage { games: found.into_iter().filter_map(|(_, game)| game).collect(), rest }
}

/// A place as the id of an event.
fn id(place: GameCursor) -> i64 {
    i64::try_from(place.0).unwrap_or(i64::MAX)
}

/// One row more than that.
fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX).saturating_add(1)
}

/// What was found of a lobby's events.
enum Events {
    All(Vec<Bytes>),
    TooMany,
    Damaged,
}

fn events(connection: &Connection, lobby: LobbyId) -> Result<Events> {
    let Some((first, last)) = range(connection, lobby)? else { return Ok(Events::All(Vec::new())) };
    if last.saturating_sub(first) > MAX_LOOKED_THROUGH {
        return Ok(Events::TooMany);
    }
    let sql = "SELECT * FROM events WHERE id BETWEEN ?2 AND ?3 AND lobby = ?1 ORDER BY id";
    let mut rows = connection.prepare_cached(sql)?;
    let mut rows = rows.query((integer(lobby.0), first, last))?;
    let mut frames = Vec::new();
    while let Some(row) = rows.next()? {
        if !Table::Events.fits(row)? {
            return Ok(Events::Damaged);
        }
        if frames.len() == MAX_READ {
            return Ok(Events::TooMany);
        }
        frames.push(frame(row.get_ref("body")?.as_blob()?));
    }
    Ok(Events::All(frames))
}

/// Between which ids the events of a lobby are.
fn range(connection: &Connection, lobby: LobbyId) -> Result<Option<(i64, i64)>> {
    let sql = "SELECT first_event, ifnull(last_event, (SELECT ifnull(max(id), 0) FROM events)) FROM lobbies WHERE id = ?1";
    let mut find = connection.prepare_cached(sql)?;
    find.query_row([integer(lobby.0)], |row| Ok((row.get(0)?, row.get(1)?))).optional()
}
