//! Who played whom, for a host to look up and for the list of records: two tables that follow from the events and are written
//! along with them. Nothing but this file writes them, and nothing is read from them that a lobby is made of.

use rusqlite::{Connection, Result, Row, params};

use super::recording::integer;
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
            start(connection, lobby, *game, id, wall, seats)
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
    let sql = "INSERT OR REPLACE INTO seats VALUES (?1, ?2, ?3, ?4, ?5)";
    connection.prepare_cached(sql)?.execute((integer(lobby.0), word(side), number, name, kind)).map(drop)
}

fn rise(connection: &Connection, lobby: LobbyId, side: Side) -> Result<()> {
    let sql = "DELETE FROM seats WHERE lobby = ?1 AND side = ?2";
    connection.prepare_cached(sql)?.execute((integer(lobby.0), word(side))).map(drop)
}

/// Who sits where, as the table has it.
pub(super) fn sitters(connection: &Connection, lobby: LobbyId) -> Result<BySide<Option<Sitter>>> {
    let mut seats =
        connection.prepare_cached("SELECT side, player, name, kind FROM seats WHERE lobby = ?1")?;
    let mut rows = seats.query([integer(lobby.0)])?;
    let mut sitters = BySide::default();
    while let Some(row) = rows.next()? {
        let side = if row.get_ref(0)?.as_str()? == word(Side::First) { Side::First } else { Side::Second };
        sitters[side] = Some(Sitter { number: row.get(1)?, name: row.get(2)?, kind: row.get(3)? });
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
    seats: BySide<Option<Sitter>>,
) -> Result<()> {
    let sql = "INSERT OR REPLACE INTO games
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, NULL, NULL, NULL, NULL)";
    let [first, second] = [seats.first, seats.second].map(columns);
    let row = params![
        integer(lobby.0),
        game,
        first.0,
        first.1,
        first.2,
        second.0,
        second.1,
        second.2,
        integer(wall.0),
        id
    ];
    connection.prepare_cached(sql)?.execute(row).map(drop)
}

/// The three columns of a seat; of one in which nobody sits they are empty.
fn columns(sitter: Option<Sitter>) -> (Option<u32>, Option<String>, Option<String>) {
    sitter.map_or((None, None, None), |Sitter { number, name, kind }| (Some(number), Some(name), Some(kind)))
}

fn end(connection: &Connection, lobby: LobbyId, id: i64, wall: WallTime, result: GameResult) -> Result<()> {
    let sql = "UPDATE games SET ended = ?2, last_event = ?3, outcome = ?4, cause = ?5
        WHERE lobby = ?1 AND game = (SELECT max(game) FROM games WHERE lobby = ?1)";
    let (outcome, cause) = (outcome(result.outcome), cause(result.cause));
    connection.prepare_cached(sql)?.execute((integer(lobby.0), integer(wall.0), id, outcome, cause)).map(drop)
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
