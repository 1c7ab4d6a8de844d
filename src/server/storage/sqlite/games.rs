//! The table of games, derived from the events: for the list of records, and for a host's own queries. No
//! lobby is loaded from it.

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, Row};

use super::row::{Conflict, GAMES, integer, text};
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{GameResult, Kind, Name, Player, PlayerId};
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
    [integer(id.0.into()), text(name.as_str()), text((*kind).into())]
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
    let (outcome, cause) = (text(outcome_word(result.outcome)), text(result.cause.into()));
    let ended = [integer(wall.0), ValueRef::Integer(id), outcome, cause];
    GAMES.amend(connection, last, [lobby.0.cast_signed()], ENDED, &ended)
}

/// Who plays a game, by its row; `None` if the row makes no sense.
pub(super) fn players(row: &Row<'_>) -> Result<Option<BySide<Player>>> {
    let player = |id: &str, name: &str, kind: &str| -> Result<Option<Player>> {
        let (name, kind): (String, String) = (row.get(name)?, row.get(kind)?);
        let (id, name, kind) = (PlayerId(row.get(id)?), Name::try_from(name).ok(), kind.parse::<Kind>().ok());
        Ok(name.zip(kind).map(|(name, kind)| Player { id, name, kind }))
    };
    let first = player("first_player", "first", "first_kind")?;
    let second = player("second_player", "second", "second_kind")?;
    Ok(first.zip(second).map(|(first, second)| BySide { first, second }))
}

/// How a game ended, by its row; `None` while it runs.
pub(super) fn result(row: &Row<'_>) -> Result<Option<GameResult>> {
    let words = row.get::<_, Option<String>>("outcome")?.zip(row.get::<_, Option<String>>("cause")?);
    Ok(words.and_then(|(outcome, cause)| {
        let outcomes = [Outcome::Win(Side::First), Outcome::Win(Side::Second), Outcome::Draw];
        Some(GameResult {
            outcome: outcomes.into_iter().find(|known| outcome_word(*known) == outcome)?,
            cause: cause.parse().ok()?,
        })
    }))
}

const fn outcome_word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::First) => "first",
        Outcome::Win(Side::Second) => "second",
        Outcome::Draw => "draw",
    }
}
