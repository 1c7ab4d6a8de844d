//! Writes entries as rows.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result};

use super::games;
use super::row::{CHECKPOINTS, Conflict, EVENTS, LOBBIES, META, OWNERS, Writer, integer, text};
use crate::lobby::{Checkpoint, Event};
use crate::server::storage::{Entry, LobbyId, LobbyMeta, Note, Owner, PasswordHash, WallTime};
use crate::wire;

/// Records entries in a transaction.
pub(super) struct Recorder<'a> {
    connection: &'a Connection,
    /// Writes events, which are nearly all that is recorded.
    events: Writer<'a>,
    /// The id of the next event.
    next_event: i64,
}

impl<'a> Recorder<'a> {
    pub(super) fn new(connection: &'a Connection) -> Result<Self> {
        let events = EVENTS.writer(connection, Conflict::Fail)?;
        let sql = "SELECT ifnull(max(id), 0) + 1 FROM events";
        let next_event = connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        Ok(Self { connection, events, next_event })
    }

    pub(super) fn record(&mut self, entry: &Entry) -> Result<()> {
        let Entry { lobby, wall, note } = entry;
        match note {
            Note::Opened(meta) => self.open(*lobby, *wall, meta),
            Note::Happened { number, at, event, frame, players } => {
                self.events.write(&[
                    ValueRef::Integer(self.next_event),
                    integer(lobby.0),
                    integer((*number).into()),
                    integer(at.0),
                    integer(wall.0),
                    text(event.into()),
                    ValueRef::Blob(wire::body_of(frame)),
                ])?;
                let (connection, id) = (self.connection, self.next_event);
                match (event, players) {
                    (Event::Started { game, .. }, Some(players)) => {
                        games::start(connection, *lobby, *game, id, *wall, players)?;
                    }
                    (Event::Ended { result }, _) => games::end(connection, *lobby, id, *wall, *result)?,
                    (Event::Closed, _) => self.close(*lobby, *number, *wall)?,
                    _ => {}
                }
                self.next_event += 1;
                Ok(())
            }
            Note::Seated(owner) => self.seat(*lobby, owner),
            Note::Checkpoint(checkpoint) => self.checkpoint(*lobby, checkpoint),
            Note::Unseated(player) => self.unseat(*lobby, player.0, player.0),
        }
    }

    fn open(&self, lobby: LobbyId, wall: WallTime, meta: &LobbyMeta) -> Result<()> {
        let LobbyMeta { code, variant, conditions, password, opener } = meta;
        let (code, opener, level) = (code.to_string(), opener.to_string(), conditions.level.to_string());
        let (password, encoded) = (password.as_ref().map(PasswordHash::bytes), wire::encode(conditions));
        let row = [
            integer(lobby.0),
            text(&code),
            text(variant),
            integer(wall.0),
            text(&opener),
            password.as_ref().map_or(ValueRef::Null, |password| ValueRef::Blob(password)),
            ValueRef::Blob(wire::body_of(&encoded)),
            text(&level),
            integer(conditions.listed.into()),
            ValueRef::Integer(self.next_event),
            ValueRef::Null,
            ValueRef::Null,
            ValueRef::Null,
        ];
        LOBBIES.write(self.connection, &row, Conflict::Fail)?;
        let sql = "SELECT ifnull(max(last_lobby), 0) FROM meta";
        let last: i64 = self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        let last = integer(lobby.0.max(last.cast_unsigned()));
        META.write(self.connection, &[integer(META_ROW), last], Conflict::Replace)
    }

    /// Notes that a lobby was closed by the event of this number, which was just written.
    fn close(&self, lobby: LobbyId, number: u32, wall: WallTime) -> Result<()> {
        self.unseat(lobby, u32::MIN, u32::MAX)?;
        let sql = "DELETE FROM checkpoints WHERE lobby = ?1";
        self.connection.prepare_cached(sql)?.execute([lobby.0.cast_signed()])?;
        let closed = [integer(wall.0), ValueRef::Integer(self.next_event), integer(number.into())];
        let whose = "SELECT * FROM lobbies WHERE id = ?1";
        LOBBIES.amend(self.connection, whose, [lobby.0.cast_signed()], CLOSED, &closed)
    }

    /// Notes a lobby after the last of its events that was written.
    fn checkpoint(&self, lobby: LobbyId, checkpoint: &Checkpoint) -> Result<()> {
        let encoded = wire::encode(checkpoint);
        let row = [
            integer(lobby.0),
            integer(checkpoint.snapshot.events.into()),
            ValueRef::Integer(self.next_event - 1),
            ValueRef::Blob(wire::body_of(&encoded)),
        ];
        CHECKPOINTS.write(self.connection, &row, Conflict::Replace)
    }

    fn seat(&self, lobby: LobbyId, owner: &Owner) -> Result<()> {
        let Owner { player, name, seat } = owner;
        let ticket = seat.bytes();
        let row = [
            integer(lobby.0),
            integer(player.0.into()),
            integer(1),
            text(name.as_str()),
            ValueRef::Blob(&ticket),
        ];
        OWNERS.write(self.connection, &row, Conflict::Replace)
    }

    /// Notes that the players with these numbers hold no seat any more.
    fn unseat(&self, lobby: LobbyId, first: u32, last: u32) -> Result<()> {
        let whose = "SELECT * FROM owners WHERE lobby = ?1 AND player BETWEEN ?2 AND ?3 AND held = 1";
        let params = (lobby.0.cast_signed(), first, last);
        OWNERS.amend(self.connection, whose, params, HELD, &[integer(0)])
    }
}

/// The `id` of the one row of `meta`.
const META_ROW: u64 = 1;

/// The first column of `lobbies` that is empty until the lobby is closed.
const CLOSED: usize = 10;

/// The column of `owners` that says whether the seat is held.
const HELD: usize = 2;
