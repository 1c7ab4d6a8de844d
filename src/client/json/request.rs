//! The objects that come in, one a line, and what they come to. Their page is `proto/JSON.md`.
//!
//! What the client can know to be wrong, such as a move that the rules do not allow, goes no further; all else is
//! for the server to judge.

use serde::{Deserialize, Serialize};
use serde_json::error::Category;

use super::complaint;
use super::part::Origin;
use super::vocabulary::{BotWish, Deed, Fault, Hints, Level, Offer, Refusal, Starts, WhenAway};
use crate::client::action::Terms;
use crate::client::input::MAX_LINE;
use crate::client::{Action, Preferences};
use crate::game::any::Variant;
use crate::game::notation::{BadText, printable, shown};
use crate::lobby::{self, BadClock, Lobby, Name, Phase, Text};
use crate::wire::limits::MAX_CHAT;
use crate::wire::{AwayWish, MAX_PASSWORD, Misplaced, Secret};

/// One object that a script says.
///
/// Even those without a field are written as structs, since of others serde would let unknown fields pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// In the hall: to list the lobbies.
    Look {},
    /// In the hall: to open a lobby.
    New(NewLobby),
    /// In the hall: to join the oldest open lobby of the same game, else to open one.
    Quick(NewLobby),
    /// In the hall: to join a lobby.
    Join {
        /// The lobby's code.
        code: String,
        /// Its password, if it has one.
        password: Option<String>,
    },
    /// In the hall: to watch in a lobby.
    Watch {
        /// The lobby's code.
        code: String,
        /// Its password, if it has one.
        password: Option<String>,
    },
    /// To make a move.
    Play {
        /// The move, as a person would type it.
        #[serde(rename = "move")]
        mv: String,
        /// The turn for which it is meant; the present one if it is left out.
        turn: Option<u32>,
    },
    /// To be told a good move.
    Hint {},
    /// To give the game up.
    Resign {},
    /// To play another game, with the sides swapped.
    Again {},
    /// To wait for the other one, who is away, whatever was agreed.
    Wait {},
    /// To wait no more, so that what was agreed takes its course.
    WaitNoMore {},
    /// To be given the game of which the other one's time to come back has run out.
    Claim {},
    /// To agree on something with the other player.
    Offer {
        /// What.
        offer: Offer,
    },
    /// To answer what the other player offers.
    Answer {
        /// What was offered.
        offer: Offer,
        /// The turn in which it was offered; the present one if it is left out.
        turn: Option<u32>,
        /// Whether it is accepted.
        accept: bool,
    },
    /// To go on with a game that rests.
    Resume {},
    /// To say something to those in the same room.
    Say {
        /// The line.
        words: String,
    },
    /// To hear no more of somebody, or again.
    Mute {
        /// Whom.
        name: String,
        /// Whether no more; so it is if it is left out.
        muted: Option<bool>,
    },
    /// To be told what a move of the game that is over was worth.
    Review {
        /// The move's number in the game, from 1.
        number: u32,
    },
    /// To be told what the lobby waits for.
    Why {},
    /// To be told what was agreed when the lobby was opened.
    Terms {},
    /// To go back to the hall; a game that is going on is lost by it.
    Leave {},
    /// To end the program; a game that is going on is lost by it.
    Quit {},
}

/// The terms of a lobby that a script wants to open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewLobby {
    /// What is played.
    pub variant: String,
    /// Who makes the first move.
    pub starts: Option<Starts>,
    /// Whether a bot may take the other seat.
    pub bot: Option<BotWish>,
    /// Who may ask for hints.
    pub hints: Option<Hints>,
    /// How strong the bot plays, if it comes.
    pub level: Option<Level>,
    /// What happens on the turn of somebody who is away.
    pub when_away: Option<WhenAway>,
    /// After how many milliseconds, once the connection has closed.
    pub away_after: Option<u32>,
    /// How much time players have, as it is typed.
    pub clock: Option<String>,
    /// How many games a match has; 0 if people play as long as they like.
    pub best_of: Option<u8>,
    /// Whether others may watch.
    pub watched: Option<bool>,
    /// Whether the lobby is in the list, or found by its code alone.
    pub listed: Option<bool>,
    /// What whoever joins or watches has to know.
    pub password: Option<String>,
    /// Where games come from that are not to begin as the variant does.
    pub origin: Option<Origin>,
}

/// Why a line is no request: what is wrong, and for people what would be right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misread {
    /// What is wrong.
    pub fault: Fault,
    /// The same in words.
    pub words: String,
}

/// Why a request is not even passed on to the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// What is wrong.
    pub refusal: Refusal,
    /// The same in words.
    pub words: String,
}

/// What a request comes to, once the texts in it have been read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Errand {
    /// To ask the server.
    Act(Box<Action>),
    /// To hear no more of somebody, or again.
    Mute(Name, bool),
    /// To say what the lobby waits for.
    Why,
    /// To say what was agreed there.
    Terms,
}

impl Request {
    /// Reads one line.
    pub fn read(line: &str) -> Result<Self, Misread> {
        if line.len() as u64 >= MAX_LINE {
            let words = format!("a line has less than {MAX_LINE} bytes");
            return Err(Misread { fault: Fault::TooLong, words });
        }
        // Serde would take an array for an object whose names were left out.
        if !line.trim_start().starts_with('{') {
            return Err(no_object("it does not begin with {"));
        }
        serde_json::from_str(line).map_err(|error| match error.classify() {
            Category::Data => Misread { fault: Fault::NotARequest, words: complaint::about(line) },
            _ => no_object(&said(&error)),
        })
    }

    /// The word behind `do`.
    pub fn deed(&self) -> Deed {
        match self {
            Self::Look {} => Deed::Look,
            Self::New(_) => Deed::New,
            Self::Quick(_) => Deed::Quick,
            Self::Join { .. } => Deed::Join,
            Self::Play { .. } => Deed::Play,
            Self::Hint {} => Deed::Hint,
            Self::Resign {} => Deed::Resign,
            Self::Again {} => Deed::Again,
            Self::Wait {} => Deed::Wait,
            Self::WaitNoMore {} => Deed::WaitNoMore,
            Self::Claim {} => Deed::Claim,
            Self::Watch { .. } => Deed::Watch,
            Self::Offer { .. } => Deed::Offer,
            Self::Answer { .. } => Deed::Answer,
            Self::Resume {} => Deed::Resume,
            Self::Say { .. } => Deed::Say,
            Self::Mute { .. } => Deed::Mute,
            Self::Review { .. } => Deed::Review,
            Self::Why {} => Deed::Why,
            Self::Terms {} => Deed::Terms,
            Self::Leave {} => Deed::Leave,
            Self::Quit {} => Deed::Quit,
        }
    }

    /// What is to be asked of whom, for a script that sits in this lobby, or else is in the hall.
    ///
    /// What it leaves out of the terms of a new lobby is as in `preferences`.
    pub fn errand(&self, lobby: Option<&Lobby>, preferences: &Preferences) -> Result<Errand, Slip> {
        let action = match self {
            Self::Look {} => Action::List,
            Self::New(new) => Action::Create(new.terms(preferences)?),
            Self::Quick(new) => Action::Quick(new.terms(preferences)?),
            Self::Join { code, password } => {
                Action::Join(read_code(code)?, read_password(password.as_ref())?)
            }
            Self::Watch { code, password } => {
                Action::Watch(read_code(code)?, read_password(password.as_ref())?)
            }
            Self::Offer { offer } => Action::Offer((*offer).into()),
            Self::Answer { offer, turn, accept } => {
                is_this_turn(lobby, *turn)?;
                Action::Answer { offer: (*offer).into(), accept: *accept }
            }
            Self::Resume {} => Action::Resume,
            Self::Review { number } => Action::Review(*number),
            Self::Say { words } => Action::Say(read_line(words)?),
            Self::Mute { name, muted } => {
                let name = Name::clean(name).map_err(|fault| Slip::new(Refusal::BadName, fault))?;
                return Ok(Errand::Mute(name, muted.unwrap_or(true)));
            }
            Self::Play { mv, turn } => read_move(lobby, mv, *turn)?,
            Self::Hint {} => Action::Hint,
            Self::Resign {} => Action::Resign,
            Self::Again {} => read_again(lobby)?,
            Self::Wait {} => Action::Wait,
            Self::WaitNoMore {} => Action::StopWaiting,
            Self::Claim {} => Action::Claim,
            Self::Why {} | Self::Terms {} | Self::Leave {} if lobby.is_none() => {
                return Err(Slip::new(Refusal::InHall, Misplaced::InHall));
            }
            Self::Why {} => return Ok(Errand::Why),
            Self::Terms {} => return Ok(Errand::Terms),
            Self::Leave {} => Action::Leave,
            Self::Quit {} => Action::Quit,
        };
        Ok(Errand::Act(Box::new(action)))
    }
}

fn no_object(complaint: &str) -> Misread {
    let words = format!(
        r#"each line is one JSON object, such as {{"do":"play","move":"take 3"}}; of this one: {complaint}"#
    );
    Misread { fault: Fault::NotJson, words }
}

/// What the parser says, without the number of the line, which is always the first.
fn said(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let words = text.rsplit_once(" at line ").map_or(text.as_str(), |(words, _)| words);
    printable(words).collect()
}

impl NewLobby {
    fn terms(&self, usual: &Preferences) -> Result<Terms, Slip> {
        let variant = self.variant.parse().map_err(|error: BadText| Slip::new(Refusal::BadVariant, error))?;
        let preferences = Preferences {
            starts: self.starts.map_or(usual.starts, Into::into),
            bot: self.bot.map_or(usual.bot, Into::into),
            hints: self.hints.map_or(usual.hints, Into::into),
            level: self.level.map_or(usual.level, Into::into),
            away: AwayWish {
                then: self.when_away.map_or(usual.away.then, Into::into),
                after: self.away_after.unwrap_or(usual.away.after),
            },
            clock: self.clock.as_ref().map_or(Ok(usual.clock), |text| {
                text.parse().map_err(|error: BadClock| Slip::new(Refusal::BadClock, error))
            })?,
            best_of: self.best_of.unwrap_or(usual.best_of),
            watched: self.watched.unwrap_or(usual.watched),
            listed: self.listed.unwrap_or(usual.listed),
            password: read_password(self.password.as_ref())?.or_else(|| usual.password.clone()),
        };
        let origin = self.origin.as_ref().map(|origin| read_origin(origin, &variant)).transpose()?;
        Ok(Terms { variant, origin, preferences })
    }
}

fn read_origin(origin: &Origin, variant: &Variant) -> Result<lobby::Origin, Slip> {
    let unreadable = "its record is eight digits of 0 to 9 and a to f, and its position one of the variant";
    let read = origin.read().ok_or_else(|| Slip::new(Refusal::BadOrigin, unreadable))?;
    read.start(variant).map_err(|bad| Slip::new(Refusal::BadOrigin, bad))?;
    Ok(read)
}

fn read_password(text: Option<&String>) -> Result<Option<Secret>, Slip> {
    let read = |text: &String| {
        let words = format!("a password has 1 to {MAX_PASSWORD} bytes");
        Secret::of(text).ok_or_else(|| Slip::new(Refusal::BadPassword, words))
    };
    text.map(read).transpose()
}

fn read_line(words: &str) -> Result<Text<MAX_CHAT>, Slip> {
    Text::try_from(words.to_owned())
        .map_err(|_| Slip::new(Refusal::LongLine, format!("a line has {MAX_CHAT} bytes at most")))
}

fn read_code(text: &str) -> Result<lobby::Code, Slip> {
    text.parse().map_err(|error| Slip::new(Refusal::BadCode, format!("{}: {error}", shown(text))))
}

fn read_move(lobby: Option<&Lobby>, text: &str, turn: Option<u32>) -> Result<Action, Slip> {
    let lobby = lobby.ok_or_else(|| Slip::new(Refusal::InHall, Misplaced::InHall))?;
    if lobby.phase() != Phase::Playing {
        return Err(Slip::new(Refusal::NoGame, lobby::Refusal::NoGame));
    }
    is_this_turn(Some(lobby), turn)?;
    let mv = lobby.board().read_move(text).map_err(|error| Slip::new(Refusal::IllegalMove, error))?;
    Ok(Action::Play(mv))
}

/// A request may name the turn for which it is meant.
fn is_this_turn(lobby: Option<&Lobby>, turn: Option<u32>) -> Result<(), Slip> {
    let is_other = turn.is_some_and(|turn| lobby.is_some_and(|lobby| lobby.turn() != turn));
    if is_other { Err(Slip::new(Refusal::OtherTurn, lobby::Refusal::OtherTurn)) } else { Ok(()) }
}

/// Two players at one keyboard ask together, so that a refusal would come twice.
fn read_again(lobby: Option<&Lobby>) -> Result<Action, Slip> {
    match lobby.map(Lobby::phase) {
        None => Err(Slip::new(Refusal::InHall, Misplaced::InHall)),
        Some(Phase::Over { .. }) => Ok(Action::Rematch),
        Some(_) => Err(Slip::new(Refusal::NotOver, lobby::Refusal::NotOver)),
    }
}

impl Slip {
    fn new(refusal: Refusal, words: impl std::fmt::Display) -> Self {
        Self { refusal, words: words.to_string() }
    }
}
