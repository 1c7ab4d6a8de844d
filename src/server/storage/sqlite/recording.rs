//! How entries become rows. It knows the tables, and no file.

use bytes::Bytes;
use rusqlite::types::ValueRef;
use rusqlite::{CachedStatement, Connection, OptionalExtension, Result};

use super::row::{Table, checksum, values};
use super::{HEADER, summary};
use crate::lobby::{Event, Moment};
use crate::server::storage::{Damage, Entry, LobbyId, Lock, Note, Opening, Owner, WallTime};
use crate::wire;

/// A transaction into which entries are recorded.
pub(super) struct Recorder<'a> {
    connection: &'a Connection,
    /// What writes an event: nearly all that is recorded.
    events: CachedStatement<'a>,
    /// The id of the next event of all.
    next_event: i64,
}

impl<'a> Recorder<'a> {
    pub(super) fn on(connection: &'a Connection) -> Result<Self> {
        let events = Table::Events.writer(connection)?;
        Ok(Self { connection, events, next_event: next_event(connection)? })
    }

    pub(super) fn record(&mut self, entry: &Entry) -> Result<()> {
        let Entry { lobby, wall, note } = entry;
        match note {
            Note::Opened(opening) => self.open(*lobby, *wall, opening),
            Note::Happened { number, at, event, frame } => {
                self.happen(*lobby, *number, *at, *wall, event, body(frame))?;
                summary::note(self.connection, *lobby, self.next_event, *wall, event)?;
                if *event == Event::Closed {
                    self.close(*lobby, *wall)?;
                }
                self.next_event += 1;
                Ok(())
            }
            Note::Seated(owner) => seat(self.connection, *lobby, owner),
            Note::Unseated(player) => unseat(self.connection, *lobby, player.0, player.0),
        }
    }

    fn open(&self, lobby: LobbyId, wall: WallTime, opening: &Opening) -> Result<()> {
        let Opening { code, variant, conditions, lock, opener } = opening;
        let (code, opener) = (code.to_string(), opener.to_string());
        let (level, clock) = (conditions.level.to_string(), conditions.clock.to_string());
        let (lock, encoded) = (lock.as_ref().map(Lock::bytes), wire::encode(conditions));
        let row = [
            ValueRef::Integer(integer(lobby.0)),
            text(&code),
            text(variant),
            ValueRef::Integer(integer(wall.0)),
            text(&opener),
            lock.as_ref().map_or(ValueRef::Null, |lock| ValueRef::Blob(lock)),
            ValueRef::Blob(body(&encoded)),
            text(&level),
            text(&clock),
            ValueRef::Integer(conditions.best_of.into()),
            ValueRef::Integer(conditions.listed.into()),
            ValueRef::Integer(self.next_event),
            ValueRef::Null,
            ValueRef::Null,
        ];
        Table::Lobbies.write(self.connection, &row)
    }

    fn happen(
        &mut self,
        lobby: LobbyId,
        number: u32,
        at: Moment,
        wall: WallTime,
        event: &Event,
        body: &[u8],
    ) -> Result<()> {
        let row = [
            ValueRef::Integer(self.next_event),
            ValueRef::Integer(integer(lobby.0)),
            ValueRef::Integer(number.into()),
            ValueRef::Integer(integer(at.0)),
            ValueRef::Integer(integer(wall.0)),
            text(summary::kind(event)),
            ValueRef::Blob(body),
        ];
        Table::Events.write_by(&mut self.events, &row)
    }

    /// Notes that a lobby was closed. One whose row was damaged stays so.
    fn close(&self, lobby: LobbyId, wall: WallTime) -> Result<()> {
        unseat(self.connection, lobby, u32::MIN, u32::MAX)?;
        let (closed, last) = (integer(wall.0), self.next_event);
        let mut find = self.connection.prepare_cached("SELECT * FROM lobbies WHERE id = ?1")?;
        let crc = find.query_row([integer(lobby.0)], |row| {
            let values = values(row)?.enumerate().map(|(place, value)| match place {
                CLOSED => ValueRef::Integer(closed),
                LAST_EVENT => ValueRef::Integer(last),
                _ => value,
            });
            Ok(Table::Lobbies.fits(row)?.then(|| checksum(Table::Lobbies, values)))
        });
        let Some(crc) = crc.optional()?.flatten() else { return Ok(()) };
        let sql = "UPDATE lobbies SET closed = ?2, last_event = ?3, crc = ?4 WHERE id = ?1";
        self.connection.prepare_cached(sql)?.execute((integer(lobby.0), closed, last, crc)).map(drop)
    }
}

/// The columns of `lobbies` that are empty until it is closed.
const CLOSED: usize = 12;
const LAST_EVENT: usize = 13;

/// The id that the next event will have.
fn next_event(connection: &Connection) -> Result<i64> {
    let sql = "SELECT ifnull(max(id), 0) + 1 FROM events";
    connection.prepare_cached(sql)?.query_row([], |row| row.get(0))
}

fn seat(connection: &Connection, lobby: LobbyId, owner: &Owner) -> Result<()> {
    let Owner { player, name, newest, shown, arrived } = owner;
    let (newest, shown) = (newest.bytes(), shown.map(|seal| seal.bytes()));
    let row = [
        ValueRef::Integer(integer(lobby.0)),
        ValueRef::Integer(player.0.into()),
        text(name.as_str()),
        ValueRef::Blob(&newest),
        shown.as_ref().map_or(ValueRef::Null, |seal| ValueRef::Blob(seal)),
        ValueRef::Integer((*arrived).into()),
    ];
    Table::Owners.write(connection, &row)
}

/// Takes their seats from the players with these numbers, of whose tickets is kept what opens records.
fn unseat(connection: &Connection, lobby: LobbyId, first: u32, last: u32) -> Result<()> {
    let whose = (integer(lobby.0), first, last);
    let sql = "SELECT * FROM owners WHERE lobby = ?1 AND player BETWEEN ?2 AND ?3";
    let mut owners = connection.prepare_cached(sql)?;
    let mut rows = owners.query(whose)?;
    while let Some(row) = rows.next()? {
        if Table::Owners.fits(row)? {
            let kept = [
                row.get_ref("lobby")?,
                row.get_ref("player")?,
                row.get_ref("newest")?,
                row.get_ref("shown")?,
            ];
            Table::FormerOwners.write(connection, &kept)?;
        }
    }
    let sql = "DELETE FROM owners WHERE lobby = ?1 AND player BETWEEN ?2 AND ?3";
    connection.prepare_cached(sql)?.execute(whose).map(drop)
}

/// Marks a lobby as one that is left alone.
pub(super) fn set_aside(connection: &Connection, damage: &Damage, wall: WallTime) -> Result<()> {
    let code = damage.code.map(|code| code.to_string());
    let row = [
        ValueRef::Integer(integer(damage.lobby.0)),
        code.as_deref().map_or(ValueRef::Null, text),
        ValueRef::Integer(integer(wall.0)),
        text(&damage.why),
    ];
    Table::SetAside.write(connection, &row)
}

/// A frame without the length in front of it.
fn body(frame: &Bytes) -> &[u8] {
    frame.get(HEADER..).unwrap_or_default()
}

/// A text as it stands in a row.
pub(super) fn text(text: &str) -> ValueRef<'_> {
    ValueRef::Text(text.as_bytes())
}

/// SQLite's integers have a sign. What is too large for them comes back as it was, and stands in the file as a negative.
pub(super) const fn integer(number: u64) -> i64 {
    number.cast_signed()
}
