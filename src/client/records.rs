//! Requests for a server's game records: lists the games, and fetches the record of one.

use std::time::Duration;

use super::text::marked;
use super::{Connection, Failure};
use crate::game::any::Variant;
use crate::game::names::own_name;
use crate::game::notation::printable;
use crate::game::{BySide, MOVE_LIMIT, Outcome, Side};
use crate::lobby::{Cause, Code, GameResult, Level, List, Name, PlayedBy, Text};
use crate::record::{Date, MAX_BYTES, Record};
use crate::wire::limits::{MAX_PART, MAX_TICKETS};
use crate::wire::{GameName, GamesWish, HallRefusal, HallRequest, PlayedGame, Refusal, Ticket, ToClient};

/// How often a request is retried while the server is busy with other readers.
const RETRIES: usize = 20;

/// The pause before a retry.
const PAUSE: Duration = Duration::from_millis(200);

/// How often a record is fetched from its beginning, if the game went on meanwhile.
const FETCHES: usize = 5;

/// The most parts that a record can have: a text of [`MAX_BYTES`], in parts that are not all full.
const MAX_PARTS: usize = MAX_BYTES / (MAX_PART / 2);

/// The most messages of a list; for each, a server searches some thousand games.
const MAX_MESSAGES: usize = 1_000;

/// A recorded game in a list, on a server or in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSummary {
    /// Its name on the server, or the file's.
    pub name: String,
    /// The code of its lobby.
    pub code: Code,
    /// The variant, as text.
    pub variant: String,
    /// The players by side.
    pub players: BySide<PlayedBy>,
    /// The level of the bot, if one played.
    pub level: Level,
    /// When it began.
    pub started: Date,
    /// The result; `None` during the game.
    pub result: Option<GameResult>,
    /// Whether this person had a seat in that lobby.
    pub mine: bool,
}

impl GameSummary {
    /// The summary of a record from a file of this name.
    pub fn in_file(name: &str, record: &Record) -> Self {
        Self {
            name: name.into(),
            code: record.code(),
            variant: record.variant().text(),
            players: record.players().clone(),
            level: record.conditions().level,
            started: record.started(),
            result: record.result(),
            mine: false,
        }
    }

    /// The name of the player on this side, with a mark for a bot.
    pub fn called(&self, side: Side) -> String {
        let player = &self.players[side];
        marked(&player.name, player.kind, self.level)
    }

    /// How the game ended, as a clause: `anna won, ben resigned`, for the player of this name `you won, ben
    /// resigned`.
    pub fn ending(&self, you: Option<&Name>) -> String {
        let is_you = |side: Side| you == Some(&self.players[side].name);
        let called = |side: Side| if is_you(side) { "you".into() } else { self.called(side) };
        let Some(GameResult { outcome, cause }) = self.result else { return "not finished".into() };
        match outcome {
            Outcome::Win(side) => {
                let (winner, loser) = (called(side), called(!side));
                match cause {
                    Cause::Resigned => format!("{winner} won, {loser} resigned"),
                    Cause::Left => format!("{winner} won, {loser} left"),
                    Cause::Forfeited => {
                        let was = if is_you(!side) { "were" } else { "was" };
                        format!("{winner} won, {loser} {was} away for too long")
                    }
                    Cause::Time => format!("{winner} won, {loser} ran out of time"),
                    Cause::Rules
                    | Cause::Repetition
                    | Cause::MoveLimit
                    | Cause::Abandoned
                    | Cause::Agreed => {
                        format!("{winner} won")
                    }
                }
            }
            Outcome::Draw => match cause {
                Cause::Agreed => "draw, both agreed".into(),
                Cause::Abandoned => "draw, nobody came back".into(),
                Cause::MoveLimit => format!("draw, {MOVE_LIMIT}"),
                Cause::Repetition => "draw, a position came up for the third time".into(),
                Cause::Rules | Cause::Resigned | Cause::Left | Cause::Forfeited | Cause::Time => {
                    "draw".into()
                }
            },
        }
    }
}

impl From<PlayedGame> for GameSummary {
    fn from(game: PlayedGame) -> Self {
        Self {
            name: game.name.to_string(),
            code: game.code,
            variant: game.variant.to_string(),
            players: game.players,
            level: game.level,
            started: Date::of_millis(game.started),
            result: game.result,
            mine: game.mine,
        }
    }
}

/// A filter for games. All conditions that are present must hold.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Somebody of this name played.
    pub with: Option<Name>,
    /// The game has this variant, or is any variant of this game.
    pub game: Option<GameFilter>,
    /// The game began then or later.
    pub since: Option<Date>,
}

/// A variant, or a game with any variant, as a person types it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFilter(String);

impl std::str::FromStr for GameFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim().to_lowercase();
        let name = own_name(&text);
        let is_name = |form: &str| form.split([':', '[']).next() == Some(name);
        if Variant::forms().any(|(form, _)| is_name(form)) {
            return Ok(Self(name.to_owned()));
        }
        let variant: Variant = text.parse().map_err(|bad: crate::game::notation::BadText| bad.to_string())?;
        Ok(Self(variant.text()))
    }
}

impl Filter {
    /// The request to a server.
    pub fn wish(&self) -> GamesWish {
        GamesWish {
            with: self.with.as_ref().map(|name| Text::cut(name.as_str())),
            game: self.game.as_ref().map(|game| Text::cut(&game.0)),
            since: self.since.map_or(0, Date::millis),
            ..GamesWish::default()
        }
    }

    /// Whether this game passes the filter, by the rules of a server.
    pub fn matches(&self, found: &GameSummary) -> bool {
        let fold = |name: &Name| name.as_str().to_lowercase();
        let played = |name: &Name| found.players.iter().any(|(_, player)| fold(&player.name) == fold(name));
        let is_of = |GameFilter(game): &GameFilter| {
            found.variant == *game || found.variant.split(':').next() == Some(game)
        };
        self.with.as_ref().is_none_or(played)
            && self.game.as_ref().is_none_or(is_of)
            && self.since.is_none_or(|since| found.started >= since)
    }
}

/// The tickets to show with one request: the first of these, if there are too many.
pub fn tickets_to_show(tickets: &[Ticket]) -> List<Ticket, MAX_TICKETS> {
    List::first_of(tickets.iter().copied())
}

/// Lists the requested games, the newest first, at most `most`. Returns them and whether there are others.
pub async fn list(
    connection: &mut Connection,
    wish: GamesWish,
    most: usize,
) -> Result<(Vec<GameSummary>, bool), Failure> {
    let (mut found, rest) = list_at_least(connection, wish, most).await?;
    let others = found.len() > most || rest.is_some();
    found.truncate(most);
    Ok((found, others))
}

/// Lists the requested games, the newest first, until there are as many as `least`, or no others. Returns them and
/// where the others begin, for [`GamesWish::before`].
pub async fn list_at_least(
    connection: &mut Connection,
    mut wish: GamesWish,
    least: usize,
) -> Result<(Vec<GameSummary>, Option<u64>), Failure> {
    let mut found: Vec<GameSummary> = Vec::new();
    for _ in 0..MAX_MESSAGES {
        let (games, rest) = page(connection, wish.clone()).await?;
        found.extend(games.into_vec().into_iter().map(GameSummary::from));
        let goes_on = rest.is_none_or(|rest| wish.before.is_none_or(|before| rest < before));
        if !goes_on {
            return Err(Failure::nonsense("a list that goes round in circles"));
        }
        wish.before = rest;
        if rest.is_none() || found.len() >= least {
            break;
        }
    }
    Ok((found, wish.before))
}

async fn page(
    connection: &mut Connection,
    wish: GamesWish,
) -> Result<(List<PlayedGame, { crate::wire::limits::MAX_GAMES }>, Option<u64>), Failure> {
    match ask(connection, HallRequest::Games(wish)).await? {
        ToClient::Games { games, rest } => Ok((games, rest)),
        _ => Err(Failure::nonsense("a record, and a list was asked for")),
    }
}

/// Fetches the record of a game.
pub async fn fetch(
    connection: &mut Connection,
    name: GameName,
    tickets: &[Ticket],
) -> Result<Record, Failure> {
    let mut fault = None;
    for _ in 0..FETCHES {
        let Some(text) = read_text(connection, name, tickets).await? else { continue };
        match Record::read(text.as_bytes()) {
            Ok(record) => return Ok(record),
            Err(wrong) => fault = Some(wrong.to_string()),
        }
    }
    let why = fault.unwrap_or_else(|| "it changes faster than it can be read".into());
    Err(Failure::nonsense(format!("the record {name}, of which {}", printable(&why).collect::<String>())))
}

/// Fetches the text of a record; `None` if it changed meanwhile.
async fn read_text(
    connection: &mut Connection,
    name: GameName,
    tickets: &[Ticket],
) -> Result<Option<String>, Failure> {
    let (mut whole, mut count, mut next) = (String::new(), 1, 0);
    while next < count {
        let request = HallRequest::Record { name, tickets: tickets_to_show(tickets), part: next };
        let ToClient::Record { name: of, part, parts, text } = ask(connection, request).await? else {
            return Err(Failure::nonsense("a list, and a record was asked for"));
        };
        let is_too_long = usize::try_from(parts).is_ok_and(|parts| parts > MAX_PARTS);
        if of != name || part != next || is_too_long {
            return Err(Failure::nonsense("another part of a record than was asked for"));
        }
        if next > 0 && parts != count {
            return Ok(None);
        }
        whole.push_str(text.as_str());
        (count, next) = (parts, next + 1);
    }
    Ok(Some(whole))
}

/// Sends a request and waits for the answer; retries while the server is busy.
async fn ask(connection: &mut Connection, request: HallRequest) -> Result<ToClient, Failure> {
    let mut tries = 0;
    loop {
        let id = connection.ask_hall(request.clone());
        match answer(connection, id).await {
            Err(Failure::Refused(Refusal::Hall(HallRefusal::RecordsBusy))) if tries < RETRIES => {
                tries += 1;
                tokio::time::sleep(PAUSE).await;
            }
            answer => return answer,
        }
    }
}

async fn answer(connection: &mut Connection, asked: u32) -> Result<ToClient, Failure> {
    loop {
        match connection.next().await? {
            message @ (ToClient::Games { .. } | ToClient::Record { .. }) => return Ok(message),
            ToClient::Refused { id, refusal, .. } if id == asked => return Err(Failure::Refused(refusal)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_is_looked_for_by_its_name_or_as_a_variant() {
        for (typed, wanted) in [
            ("java-tech", "java-tech"),
            (" Java-Tech:21 ", "java-tech:21"),
            ("nim", "nim"),
            ("nim:3-4-5", "nim:3-4-5:normal"),
            ("tic-tac-toe", "tic-tac-toe"),
        ] {
            assert_eq!(typed.parse(), Ok(GameFilter(wanted.into())), "{typed}");
        }
        assert!("chess".parse::<GameFilter>().is_err() && "java-tech:0".parse::<GameFilter>().is_err());
    }
}
