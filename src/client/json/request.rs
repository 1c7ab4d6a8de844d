//! The requests of a script, and the action of each. `proto/JSON.md` describes them.
//!
//! A mistake that the client can see, such as an illegal move, is refused here; the server checks the rest.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::part::JsonOrigin;
use super::words::{BadLine, LineError, LocalRefusal};
use crate::client::input::MAX_LINE;
use crate::client::session::Timing;
use crate::client::{Action, Terms};
use crate::game::any::{Move, Variant};
use crate::game::notation::{BadText, printable, shown};
use crate::lobby::{self, BadClock, Hints, Level, Lobby, Name, Offer, Phase, Text, WhenAway};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{AwayWish, BotWish, MAX_PASSWORD, Misplaced, Secret, Starts};

/// A request of a script.
///
/// Variants without fields are structs, since serde ignores unknown fields of unit variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum RequestLine {
    /// In the hall: list the lobbies.
    Look {},
    /// In the hall: open a lobby.
    New(JsonLobby),
    /// In the hall: join an open lobby of the same game, or open one.
    Quick(JsonLobby),
    /// In the hall: join a lobby.
    Join {
        /// The lobby's code.
        code: String,
        /// Its password, if it has one.
        password: Option<String>,
    },
    /// In the hall: watch a lobby.
    Watch {
        /// The lobby's code.
        code: String,
        /// Its password, if it has one.
        password: Option<String>,
    },
    /// Make a move.
    Play {
        /// The move, as a person types it.
        #[serde(rename = "move")]
        mv: String,
        /// The turn for which it is meant; by default the current one.
        turn: Option<u32>,
    },
    /// Ask for a good move.
    Hint {},
    /// Resign the game.
    Resign {},
    /// Play another game, with the sides swapped.
    Again {},
    /// Wait for the other player, who is away, whatever was agreed.
    Wait {},
    /// Stop waiting, so that what was agreed applies again.
    WaitNoMore {},
    /// Claim the game: the other player's time to return is over.
    Claim {},
    /// Offer something to the other player.
    Offer {
        /// What.
        offer: Offer,
    },
    /// Answer the other player's offer.
    Answer {
        /// What was offered.
        offer: Offer,
        /// The turn in which it was offered; by default the current one.
        turn: Option<u32>,
        /// Whether it is accepted.
        accept: bool,
    },
    /// Resume a paused game.
    Resume {},
    /// Send a line of chat to the people in the same room.
    Say {
        /// The line.
        words: String,
    },
    /// Hide or show the chat of somebody.
    Mute {
        /// Their name.
        name: String,
        /// Whether to hide it; true by default.
        muted: Option<bool>,
    },
    /// Kick a watcher: their address may not watch the lobby any more.
    Kick {
        /// Their name.
        name: String,
    },
    /// Ask for a review of a move of the last game.
    Review {
        /// The move's number in the game, from 1.
        number: u32,
    },
    /// Ask what the lobby waits for.
    Why {},
    /// Ask for the conditions of the lobby.
    Terms {},
    /// Go back to the hall.
    Leave {
        /// Whether to keep the seat; by default during a game.
        keep: Option<bool>,
    },
    /// End the program.
    Quit {
        /// The same.
        keep: Option<bool>,
    },
}

/// The conditions of a new lobby. The flags and settings have the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JsonLobby {
    /// The variant.
    pub variant: String,
    /// Who makes the first move.
    pub starts: Option<Starts>,
    /// Whether a bot may take the other seat.
    pub bot: Option<BotWish>,
    /// Who may ask for hints.
    pub hints: Option<Hints>,
    /// The level of the bot.
    pub level: Option<Level>,
    /// The level of a stand-in.
    pub stand_in_level: Option<Level>,
    /// What happens on the turn of a player who is away.
    pub when_away: Option<WhenAway>,
    /// After how many milliseconds, if the connection was closed.
    pub away_after: Option<u32>,
    /// The clock, as it is typed.
    pub clock: Option<String>,
    /// The number of games of a match; 0 for no limit.
    pub best_of: Option<u8>,
    /// Whether others may watch.
    pub watched: Option<bool>,
    /// Whether the lobby is listed, rather than found by its code alone.
    pub listed: Option<bool>,
    /// The password for joining and watching.
    pub password: Option<String>,
    /// The record that the games continue.
    pub origin: Option<JsonOrigin>,
}

/// What to do for a request, once its texts are parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScriptCommand {
    /// Send an action.
    Act(Box<Action>),
    /// Hide or show the chat of somebody.
    Mute(Name, bool),
    /// Leave the lobby, and end the program if it `quits`.
    Leave {
        /// Whether to keep the seat; by default during a game.
        keep: Option<bool>,
        /// Whether the program ends.
        quits: bool,
    },
    /// Write what the lobby waits for.
    Why,
    /// Write the conditions of the lobby.
    Terms,
}

impl RequestLine {
    /// Reads one line.
    pub fn read(line: &str) -> Result<Self, BadLine> {
        read_object(line, "this is none of the requests in proto/JSON.md")
    }

    /// The word after `do`.
    pub fn name(&self) -> &'static str {
        self.into()
    }

    /// When it can be carried out.
    pub(super) fn timing(&self) -> Timing {
        match self {
            Self::Why {} | Self::Terms {} | Self::Mute { .. } => Timing::Always,
            Self::Say { .. } | Self::Kick { .. } => Timing::Reached,
            Self::Resign {} | Self::Offer { .. } | Self::Wait {} | Self::WaitNoMore {} | Self::Claim {} => {
                Timing::AnyTurn
            }
            Self::Review { .. } => Timing::Afterwards,
            Self::Play { .. } => Timing::Move,
            Self::Leave { .. } | Self::Quit { .. } => Timing::Departure,
            Self::Look {}
            | Self::New(_)
            | Self::Quick(_)
            | Self::Join { .. }
            | Self::Watch { .. }
            | Self::Hint {}
            | Self::Again {}
            | Self::Answer { .. }
            | Self::Resume {} => Timing::Answer,
        }
    }

    /// What to do for a script in this lobby, or in the hall. `preferences` are the defaults of a new lobby.
    pub fn command(&self, lobby: Option<&Lobby>, preferences: &Terms) -> Result<ScriptCommand, LocalRefusal> {
        let action = match self {
            Self::Look {} => Action::Look,
            Self::New(new) => Action::Create(new.terms(preferences)?),
            Self::Quick(new) => Action::Quick(new.terms(preferences)?),
            Self::Join { code, password } => {
                Action::Join(read_code(code)?, read_password(password.as_ref())?)
            }
            Self::Watch { code, password } => {
                Action::Watch(read_code(code)?, read_password(password.as_ref())?)
            }
            Self::Offer { offer } => Action::Offer(*offer),
            Self::Answer { offer, turn, accept } => {
                check_turn(lobby, *turn)?;
                Action::Answer { offer: *offer, accept: *accept }
            }
            Self::Resume {} => Action::Resume,
            Self::Review { number } => Action::Review(*number),
            Self::Say { words } => Action::Say(read_line(words)?),
            Self::Mute { name, muted } => {
                let name = Name::clean(name).map_err(|fault| LocalRefusal::new("bad_name", fault))?;
                return Ok(ScriptCommand::Mute(name, muted.unwrap_or(true)));
            }
            Self::Kick { name } => Action::Kick(Text::cut(name)),
            Self::Play { mv, turn } => Action::Play(read_move(lobby, mv, *turn)?),
            Self::Hint {} => Action::Hint,
            Self::Resign {} => Action::Resign,
            Self::Again {} => {
                check_over(lobby)?;
                Action::Again
            }
            Self::Wait {} => Action::Wait,
            Self::WaitNoMore {} => Action::WaitNoMore,
            Self::Claim {} => Action::Claim,
            Self::Why {} | Self::Terms {} | Self::Leave { .. } if lobby.is_none() => return Err(in_hall()),
            Self::Why {} => return Ok(ScriptCommand::Why),
            Self::Terms {} => return Ok(ScriptCommand::Terms),
            Self::Leave { keep } => return Ok(ScriptCommand::Leave { keep: *keep, quits: false }),
            Self::Quit { keep } => return Ok(ScriptCommand::Leave { keep: *keep, quits: true }),
        };
        Ok(ScriptCommand::Act(Box::new(action)))
    }
}

/// Reads a line with one object. If it is another one, the words for people begin with `otherwise`.
pub fn read_object<T: DeserializeOwned>(line: &str, otherwise: &str) -> Result<T, BadLine> {
    if line.len() as u64 >= MAX_LINE {
        let words = format!("a line has less than {MAX_LINE} bytes");
        return Err(BadLine { fault: LineError::TooLong, words });
    }
    // Serde takes an array for an object without names.
    if !line.trim_start().starts_with('{') {
        return Err(not_json("it does not begin with {"));
    }
    serde_json::from_str(line).map_err(|error| {
        let why = without_position(&error);
        match error.classify() {
            Category::Data => BadLine { fault: LineError::NotARequest, words: format!("{otherwise}: {why}") },
            _ => not_json(&why),
        }
    })
}

fn in_hall() -> LocalRefusal {
    LocalRefusal::new("in_hall", Misplaced::InHall)
}

fn not_json(why: &str) -> BadLine {
    let words = format!(
        r#"each line is one JSON object, such as {{"do":"play","move":"take 3"}}; of this one: {why}"#
    );
    BadLine { fault: LineError::NotJson, words }
}

/// What serde says, without the line number, which is always 1.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words);
    printable(words).collect()
}

impl JsonLobby {
    fn terms(&self, defaults: &Terms) -> Result<Terms, LocalRefusal> {
        let variant =
            self.variant.parse().map_err(|error: BadText| LocalRefusal::new("bad_variant", error))?;
        let origin = self.origin.as_ref().map(|origin| read_origin(origin, &variant)).transpose()?;
        Ok(Terms {
            variant,
            origin,
            starts: self.starts.unwrap_or(defaults.starts),
            bot: self.bot.unwrap_or(defaults.bot),
            hints: self.hints.unwrap_or(defaults.hints),
            level: self.level.unwrap_or(defaults.level),
            away: AwayWish {
                then: self.when_away.unwrap_or(defaults.away.then),
                level: self.stand_in_level.or(defaults.away.level),
                after: self.away_after.unwrap_or(defaults.away.after),
            },
            clock: self.clock.as_ref().map_or(Ok(defaults.clock), |text| {
                text.parse().map_err(|error: BadClock| LocalRefusal::new("bad_clock", error))
            })?,
            best_of: self.best_of.unwrap_or(defaults.best_of),
            watched: self.watched.unwrap_or(defaults.watched),
            listed: self.listed.unwrap_or(defaults.listed),
            password: read_password(self.password.as_ref())?.or_else(|| defaults.password.clone()),
        })
    }
}

fn read_origin(origin: &JsonOrigin, variant: &Variant) -> Result<lobby::Origin, LocalRefusal> {
    let unreadable = "its record is eight digits of 0 to 9 and a to f, and its position one of the variant";
    let read = origin.read().ok_or_else(|| LocalRefusal::new("bad_origin", unreadable))?;
    read.start(variant).map_err(|bad| LocalRefusal::new("bad_origin", bad))?;
    Ok(read)
}

fn read_password(text: Option<&String>) -> Result<Option<Secret>, LocalRefusal> {
    let read = |text: &String| {
        let words = format!("a password has 1 to {MAX_PASSWORD} bytes");
        Secret::of(text).ok_or_else(|| LocalRefusal::new("bad_password", words))
    };
    text.map(read).transpose()
}

fn read_line(words: &str) -> Result<Text<MAX_CHAT>, LocalRefusal> {
    Text::try_from(words.to_owned())
        .map_err(|_| LocalRefusal::new("long_line", format!("a line has {MAX_CHAT} bytes at most")))
}

fn read_code(text: &str) -> Result<lobby::Code, LocalRefusal> {
    text.parse().map_err(|error| LocalRefusal::new("bad_code", format!("{}: {error}", shown(text))))
}

fn read_move(lobby: Option<&Lobby>, text: &str, turn: Option<u32>) -> Result<Move, LocalRefusal> {
    let lobby = lobby.ok_or_else(in_hall)?;
    if lobby.phase() != Phase::Playing {
        return Err(LocalRefusal::new("no_game", lobby::Refusal::NoGame));
    }
    check_turn(Some(lobby), turn)?;
    lobby.board().read_move(text).map_err(|error| LocalRefusal::new("illegal_move", error))
}

/// Refuses a request that is meant for another turn.
fn check_turn(lobby: Option<&Lobby>, turn: Option<u32>) -> Result<(), LocalRefusal> {
    let is_other = turn.is_some_and(|turn| lobby.is_some_and(|lobby| lobby.turn() != turn));
    if is_other { Err(LocalRefusal::new("other_turn", lobby::Refusal::OtherTurn)) } else { Ok(()) }
}

/// Checks that the game is over. The server would refuse twice for two players at one keyboard.
fn check_over(lobby: Option<&Lobby>) -> Result<(), LocalRefusal> {
    match lobby.map(Lobby::phase) {
        None => Err(in_hall()),
        Some(Phase::Over { .. }) => Ok(()),
        Some(_) => Err(LocalRefusal::new("not_over", lobby::Refusal::NotOver)),
    }
}
