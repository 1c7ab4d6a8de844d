//! Records from a server: which games there are, and the text of one. It keeps no files and knows no seats;
//! tickets are given to it.

use std::time::Duration;

use super::text::marked;
use super::{Connection, Failure};
use crate::game::any::Variant;
use crate::game::notation::printable;
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{Cause, Code, GameResult, Level, List, Name, PlayedBy, Text};
use crate::record::{Date, MAX_BYTES, Record};
use crate::wire::limits::{MAX_PART, MAX_TICKETS};
use crate::wire::{GameName, GamesWish, HallRefusal, HallRequest, PlayedGame, Refusal, Ticket, ToClient};

/// How often a request is retried when too many are reading.
const TRIES: usize = 20;

/// How long they wait before that.
const PAUSE: Duration = Duration::from_millis(200);

/// How often a record is read from its beginning, if the game went on while it was read.
const READINGS: usize = 5;

/// The most parts that a record can have: a text of [`MAX_BYTES`], in parts that are not all full.
const MAX_PARTS: usize = MAX_BYTES / (MAX_PART / 2);

/// The most messages of a list: a server looks at some thousand games for each.
const MAX_MESSAGES: usize = 1_000;

/// A game of which there is a record, on a server or in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameSummary {
    /// By what it is asked for: its name on the server, or the file's.
    pub name: String,
    /// The code that its lobby had.
    pub code: Code,
    /// What was played, as text.
    pub variant: String,
    /// Who sat where.
    pub players: BySide<PlayedBy>,
    /// How strong a bot played there, if one did.
    pub level: Level,
    /// When it began.
    pub started: Date,
    /// How it ended; `None` if it goes on.
    pub result: Option<GameResult>,
    /// Whether this person had a seat in that lobby.
    pub mine: bool,
}

impl GameSummary {
    /// The record that was read from a file of this name.
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

    /// The player of this side, marked.
    pub fn called(&self, side: Side) -> String {
        let player = &self.players[side];
        marked(&player.name, player.kind, self.level)
    }

    /// How the game ended, as a clause: `anna won, ben resigned`, for the player of this name `you won, ben
    /// resigned`.
    pub fn ending(&self, you: Option<&Name>) -> String {
        let is_you = |side: Side| you == Some(&self.players[side].name);
        let called = |side: Side| if is_you(side) { "you".into() } else { self.called(side) };
        let Some(GameResult { outcome, cause }) = self.result else { return "it goes on".into() };
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
                    Cause::Rules | Cause::Repetition | Cause::Abandoned | Cause::Agreed => {
                        format!("{winner} won")
                    }
                }
            }
            Outcome::Draw => match cause {
                Cause::Agreed => "draw, both agreed".into(),
                Cause::Abandoned => "draw, nobody came back".into(),
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

/// Which games somebody looks for. What is left out does not matter.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Those that somebody of this name played.
    pub with: Option<Name>,
    /// Those of this variant, or of all variants of the game with this name.
    pub game: Option<GameFilter>,
    /// Those that began then or later.
    pub since: Option<Date>,
}

/// A variant, or a game whatever its variant, as a person types it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameFilter(String);

impl std::str::FromStr for GameFilter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim().to_lowercase();
        let is_name = |form: &str| form.split([':', '[']).next() == Some(text.as_str());
        if Variant::forms().any(|(form, _)| is_name(form)) {
            return Ok(Self(text));
        }
        let variant: Variant = text.parse().map_err(|bad: crate::game::notation::BadText| bad.to_string())?;
        Ok(Self(variant.text()))
    }
}

impl Filter {
    /// What a server is asked for.
    pub fn wish(&self) -> GamesWish {
        GamesWish {
            with: self.with.as_ref().map(|name| Text::cut(name.as_str())),
            game: self.game.as_ref().map(|game| Text::cut(&game.0)),
            since: self.since.map_or(0, Date::millis),
            ..GamesWish::default()
        }
    }

    /// Whether a game that was read from a file is looked for, as a server would say.
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

/// The tickets to be tickets_to_show with one request: the first of these, if there are more.
pub fn tickets_to_show(tickets: &[Ticket]) -> List<Ticket, MAX_TICKETS> {
    List::first_of(tickets.iter().copied())
}

/// The games that are wished for, the newest first, `most` at most; and whether there are others.
pub async fn list(
    connection: &mut Connection,
    mut wish: GamesWish,
    most: usize,
) -> Result<(Vec<GameSummary>, bool), Failure> {
    let mut found: Vec<GameSummary> = Vec::new();
    for _ in 0..MAX_MESSAGES {
        let (games, rest) = page(connection, wish.clone()).await?;
        found.extend(games.into_vec().into_iter().map(GameSummary::from));
        let goes_on = rest.is_none_or(|rest| wish.before.is_none_or(|before| rest < before));
        if !goes_on {
            return Err(Failure::nonsense("a list that goes round in circles"));
        }
        let is_cut = found.len() > most;
        found.truncate(most);
        if rest.is_none() || found.len() == most {
            return Ok((found, is_cut || rest.is_some()));
        }
        wish.before = rest;
    }
    Ok((found, true))
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

/// The record of a game.
pub async fn fetch(
    connection: &mut Connection,
    name: GameName,
    tickets: &[Ticket],
) -> Result<Record, Failure> {
    let mut fault = None;
    for _ in 0..READINGS {
        let Some(text) = text(connection, name, tickets).await? else { continue };
        match Record::read(text.as_bytes()) {
            Ok(record) => return Ok(record),
            Err(wrong) => fault = Some(wrong.to_string()),
        }
    }
    let why = fault.unwrap_or_else(|| "it changes faster than it can be read".into());
    Err(Failure::nonsense(format!("the record {name}, of which {}", printable(&why).collect::<String>())))
}

/// The text of a record; `None` if it has changed in between.
async fn text(
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

/// Asks, again and again while others are served, and waits for the answer.
async fn ask(connection: &mut Connection, request: HallRequest) -> Result<ToClient, Failure> {
    let mut tries = 0;
    loop {
        let id = connection.ask_hall(request.clone()).await?;
        match answer(connection, id).await {
            Err(Failure::Refused(Refusal::Hall(HallRefusal::RecordsBusy))) if tries < TRIES => {
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
            told @ (ToClient::Games { .. } | ToClient::Record { .. }) => return Ok(told),
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
