//! Who played whom, for a host to look up and for the list of records: two tables that follow from the events and are written
//! along with them. Nothing but this file writes them, and nothing is read from them that a lobby is made of.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, Row};

use super::recording::{integer, text};
use super::row::{Table, values};
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{Cause, Event, GameResult, Kind, Name, Player, PlayerId};
use crate::server::storage::{LobbyId, WallTime};
use crate::wire::{self, ToClient};

/// Somebody in a seat, as the tables have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sitter {
    /// The player's number in the lobby.
    number: u32,
    name: String,
    /// Whether it is a person or a bot.
    kind: String,
}

impl From<&Player> for Sitter {
    fn from(player: &Player) -> Self {
        let kind = kind_of_player(player.kind).into();
        Self { number: player.id.0, name: player.name.to_string(), kind }
    }
}

impl Sitter {
    /// Who sat on this side, by a row of the games.
    pub(super) fn of(row: &Row<'_>, side: Side) -> Result<Option<Self>> {
        let (number, name, kind) = match side {
            Side::First => ("first_player", "first", "first_kind"),
            Side::Second => ("second_player", "second", "second_kind"),
        };
        let (number, name) = (row.get::<_, Option<u32>>(number)?, row.get::<_, Option<String>>(name)?);
        let all = number.zip(name).zip(row.get::<_, Option<String>>(kind)?);
        Ok(all.map(|((number, name), kind)| Self { number, name, kind }))
    }

    /// Who that is; `None` if nobody can be.
    pub(super) fn player(self) -> Option<Player> {
        let kinds = [Kind::Person, Kind::Bot];
        let kind = kinds.into_iter().find(|known| kind_of_player(*known) == self.kind)?;
        Some(Player { id: PlayerId(self.number), name: Name::try_from(self.name).ok()?, kind })
    }
}

/// Brings the tables up to date with the event of a row that fits its checksum.
pub(super) fn note_row(connection: &Connection, row: &Row<'_>) -> Result<()> {
    let Ok(ToClient::Lobby { event, .. }) = wire::decode(row.get_ref("body")?.as_blob()?) else {
        return Ok(());
    };
    let lobby = LobbyId(row.get::<_, i64>("lobby")?.cast_unsigned());
    let wall = WallTime(row.get::<_, i64>("wall")?.cast_unsigned());
    note(connection, lobby, row.get("id")?, wall, &event)
}

/// Brings the tables up to date with an event; `id` is its row.
pub(super) fn note(
    connection: &Connection,
    lobby: LobbyId,
    id: i64,
    wall: WallTime,
    event: &Event,
) -> Result<()> {
    match event {
        Event::Sat { side, player } => sit(connection, lobby, *side, &player.into()),
        Event::Left { side, .. } => rise(connection, lobby, *side),
        Event::Started { game, swap } => {
            let mut seats = sitters(connection, lobby)?;
            if *swap {
                seats = seats.swapped();
                seat_anew(connection, lobby, &seats)?;
            }
            start(connection, lobby, *game, id, wall, &seats)
        }
        Event::Ended { result } => end(connection, lobby, id, wall, *result),
        Event::Closed => {
            let sql = "DELETE FROM seats WHERE lobby = ?1";
            connection.prepare_cached(sql)?.execute([integer(lobby.0)]).map(drop)
        }
        _ => Ok(()),
    }
}

fn sit(connection: &Connection, lobby: LobbyId, side: Side, sitter: &Sitter) -> Result<()> {
    let Sitter { number, name, kind } = sitter;
    let row = [
        ValueRef::Integer(integer(lobby.0)),
        text(word(side)),
        ValueRef::Integer((*number).into()),
        text(name),
        text(kind),
    ];
    Table::Seats.write(connection, &row)
}

fn rise(connection: &Connection, lobby: LobbyId, side: Side) -> Result<()> {
    let sql = "DELETE FROM seats WHERE lobby = ?1 AND side = ?2";
    connection.prepare_cached(sql)?.execute((integer(lobby.0), word(side))).map(drop)
}

/// Who sits where, as far as rows of the table fit their checksums.
pub(super) fn sitters(connection: &Connection, lobby: LobbyId) -> Result<BySide<Option<Sitter>>> {
    let mut seats = connection.prepare_cached("SELECT * FROM seats WHERE lobby = ?1")?;
    let mut rows = seats.query([integer(lobby.0)])?;
    let mut sitters = BySide::default();
    while let Some(row) = rows.next()? {
        if Table::Seats.fits(row)? {
            let is_first = row.get_ref("side")?.as_str()? == word(Side::First);
            let side = if is_first { Side::First } else { Side::Second };
            let (number, name, kind) = (row.get("player")?, row.get("name")?, row.get("kind")?);
            sitters[side] = Some(Sitter { number, name, kind });
        }
    }
    Ok(sitters)
}

fn seat_anew(connection: &Connection, lobby: LobbyId, seats: &BySide<Option<Sitter>>) -> Result<()> {
    for side in Side::BOTH {
        match &seats[side] {
            Some(sitter) => sit(connection, lobby, side, sitter)?,
            None => rise(connection, lobby, side)?,
        }
    }
    Ok(())
}

fn start(
    connection: &Connection,
    lobby: LobbyId,
    game: u32,
    id: i64,
    wall: WallTime,
    seats: &BySide<Option<Sitter>>,
) -> Result<()> {
    let [first, second] = [&seats.first, &seats.second].map(|sitter| columns(sitter.as_ref()));
    let [lobby, wall] = [lobby.0, wall.0].map(integer);
    let begun = [lobby, game.into()].map(ValueRef::Integer);
    let when = [wall, id].map(ValueRef::Integer);
    let row = [&begun[..], &first, &second, &when, &[ValueRef::Null; RESULT]].concat();
    Table::Games.write(connection, &row)
}

/// The three columns of a seat; of one in which nobody sits they are empty.
fn columns(sitter: Option<&Sitter>) -> [ValueRef<'_>; 3] {
    sitter.map_or([ValueRef::Null; 3], |Sitter { number, name, kind }| {
        [ValueRef::Integer((*number).into()), text(name), text(kind)]
    })
}

/// The last columns of a game, which are empty as long as it goes on: when it ended, by which event, who won, and why.
const RESULT: usize = 4;

/// Notes how the last game of a lobby ended. A row that does not fit its checksum stays so.
fn end(connection: &Connection, lobby: LobbyId, id: i64, wall: WallTime, result: GameResult) -> Result<()> {
    let sql = "SELECT * FROM games WHERE lobby = ?1 ORDER BY game DESC LIMIT 1";
    let mut last = connection.prepare_cached(sql)?;
    let mut rows = last.query([integer(lobby.0)])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    if !Table::Games.fits(row)? {
        return Ok(());
    }
    let mut known: Vec<ValueRef<'_>> = values(row)?.collect();
    known.truncate(known.len().saturating_sub(RESULT));
    let (outcome, cause) = (outcome(result.outcome), cause(result.cause));
    known.extend([ValueRef::Integer(integer(wall.0)), ValueRef::Integer(id), text(outcome), text(cause)]);
    Table::Games.write(connection, &known)
}

/// A side, in a word.
pub(super) const fn word(side: Side) -> &'static str {
    match side {
        Side::First => "first",
        Side::Second => "second",
    }
}

const fn kind_of_player(kind: Kind) -> &'static str {
    match kind {
        Kind::Person => "person",
        Kind::Bot => "bot",
    }
}

/// Who won, in a word.
pub(super) const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(side) => word(side),
        Outcome::Draw => "draw",
    }
}

/// What ended a game, in a word.
pub(super) const fn cause(cause: Cause) -> &'static str {
    match cause {
        Cause::Rules => "rules",
        Cause::Resigned => "resigned",
        Cause::Left => "left",
        Cause::Repetition => "repetition",
        Cause::Forfeited => "forfeited",
        Cause::Abandoned => "abandoned",
        Cause::Agreed => "agreed",
        Cause::Time => "time",
    }
}

/// How a game ended, of these two words; `None` if nothing can have ended so.
pub(super) fn result(outcome_word: &str, cause_word: &str) -> Option<GameResult> {
    let outcomes = Side::BOTH.map(Outcome::Win).into_iter().chain([Outcome::Draw]);
    let causes = [
        Cause::Rules,
        Cause::Resigned,
        Cause::Left,
        Cause::Repetition,
        Cause::Forfeited,
        Cause::Abandoned,
        Cause::Agreed,
        Cause::Time,
    ];
    Some(GameResult {
        outcome: outcomes.into_iter().find(|known| outcome(*known) == outcome_word)?,
        cause: causes.into_iter().find(|known| cause(*known) == cause_word)?,
    })
}

/// What happened, in a word.
pub(super) const fn kind(event: &Event) -> &'static str {
    match event {
        Event::Sat { .. } => "sat",
        Event::Started { .. } => "started",
        Event::Moved { .. } => "moved",
        Event::Ended { .. } => "ended",
        Event::AgainWanted { .. } => "again wanted",
        Event::Left { .. } => "left",
        Event::Closed => "closed",
        Event::Away { .. } => "away",
        Event::Back { .. } => "back",
        Event::StoodIn { .. } => "stood in",
        Event::WaitedFor { .. } => "waited for",
        Event::Offered { .. } => "offered",
        Event::Declined { .. } => "declined",
        Event::TakenBack { .. } => "taken back",
        Event::Paused => "paused",
        Event::Resumed { .. } => "resumed",
        Event::Watched { .. } => "watched",
        Event::Unwatched { .. } => "unwatched",
        Event::Restarted => "restarted",
        Event::Placed { .. } => "placed",
        Event::WaitedNoMore { .. } => "waited no more",
    }
}
