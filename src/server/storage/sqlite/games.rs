//! The table of games, which follows from the events: for the list of records, and for a host to look things up. No lobby is
//! loaded from it.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, Row};

use super::row::{Conflict, GAMES, integer, number, text};
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{Cause, Event, GameResult, Kind, Name, Player, PlayerId};
use crate::server::storage::{LobbyId, WallTime};

/// Adds a game that began with the event of this `id`.
pub(super) fn start(
    connection: &Connection,
    lobby: LobbyId,
    game: u32,
    id: i64,
    wall: WallTime,
    players: &BySide<Player>,
) -> Result<()> {
    let BySide { first, second } = players;
    let key = [integer(lobby.0), integer(game.into())];
    let began = [integer(wall.0), ValueRef::Integer(id)];
    let row = [&key[..], &columns(first), &columns(second), &began, &[ValueRef::Null; 4]].concat();
    GAMES.write(connection, &row, Conflict::Replace)
}

/// The three columns of a player.
fn columns(Player { id, name, kind }: &Player) -> [ValueRef<'_>; 3] {
    [integer(id.0.into()), text(name.as_str()), text(kind_word(*kind))]
}

/// The first of the four columns that are empty until a game ends.
const ENDED: usize = 10;

/// Notes that the last game of a lobby ended with the event of this `id`.
pub(super) fn end(
    connection: &Connection,
    lobby: LobbyId,
    id: i64,
    wall: WallTime,
    result: GameResult,
) -> Result<()> {
    let last = "SELECT * FROM games WHERE lobby = ?1 ORDER BY game DESC LIMIT 1";
    let (outcome, cause) = (text(outcome_word(result.outcome)), text(cause_word(result.cause)));
    let ended = [integer(wall.0), ValueRef::Integer(id), outcome, cause];
    GAMES.amend(connection, last, [lobby.0.cast_signed()], ENDED, &ended)
}

/// Who plays a game, by its row; `None` if the row makes no sense.
pub(super) fn players(row: &Row<'_>) -> Result<Option<BySide<Player>>> {
    let player = |id: &str, name: &str, kind: &str| -> Result<Option<Player>> {
        let (name, word): (String, String) = (row.get(name)?, row.get(kind)?);
        let kind = [Kind::Person, Kind::Bot].into_iter().find(|kind| kind_word(*kind) == word);
        let (id, name) = (PlayerId(row.get(id)?), Name::try_from(name).ok());
        Ok(name.zip(kind).map(|(name, kind)| Player { id, name, kind }))
    };
    let first = player("first_player", "first", "first_kind")?;
    let second = player("second_player", "second", "second_kind")?;
    Ok(first.zip(second).map(|(first, second)| BySide { first, second }))
}

/// How a game ended, by its row; `None` if it goes on.
pub(super) fn result(row: &Row<'_>) -> Result<Option<GameResult>> {
    let words = row.get::<_, Option<String>>("outcome")?.zip(row.get::<_, Option<String>>("cause")?);
    Ok(words.and_then(|(outcome, cause)| {
        let outcomes = [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw];
        Some(GameResult {
            outcome: outcomes.into_iter().find(|known| outcome_word(*known) == outcome)?,
            cause: CAUSES.into_iter().find(|known| cause_word(*known) == cause)?,
        })
    }))
}

/// When a game began, by its row.
pub(super) fn started(row: &Row<'_>) -> Result<WallTime> {
    number(row, "started").map(WallTime)
}

const fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Person => "person",
        Kind::Bot => "bot",
    }
}

const fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "first",
        Outcome::Win(Side::Second) => "second",
        Outcome::Draw => "draw",
    }
}

const CAUSES: [Cause; 8] = [
    Cause::Rules,
    Cause::Resigned,
    Cause::Left,
    Cause::Repetition,
    Cause::Forfeited,
    Cause::Abandoned,
    Cause::Agreed,
    Cause::Time,
];

const fn cause_word(cause: Cause) -> &'static str {
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

/// What happened, in a word.
pub(super) const fn kind_of(event: &Event) -> &'static str {
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
