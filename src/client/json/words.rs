//! The words of JSON objects that exist only here. Scripts depend on them: names in the program may change,
//! these words may not. Most other words are the names of enums in `lobby` and `wire`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::lobby;
use crate::wire::{ChatRefusal, HallRefusal, Refusal};

/// A word of an object, read from a text or constant.
pub type Word = Cow<'static, str>;

/// The result of a game, or the value of a position, for one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonOutcome {
    /// That player wins.
    Won,
    /// The other player wins.
    Lost,
    /// Nobody wins.
    Draw,
}

/// What the script is in its lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JsonRole {
    /// It has a seat.
    Player,
    /// It watches.
    Watcher,
}

/// Why a line is not a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineError {
    /// It is longer than a line may be.
    TooLong,
    /// It is not a JSON object.
    NotJson,
    /// It is a JSON object, but none of the requests.
    NotARequest,
}

/// A line that is not a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// What is wrong.
    pub fault: LineError,
    /// The same for people.
    pub words: String,
}

/// A request that is refused before the server is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalRefusal {
    /// The word for it.
    pub refusal: &'static str,
    /// The same for people.
    pub words: String,
}

impl LocalRefusal {
    /// The refusal with this word and these words for people.
    pub(super) fn new(refusal: &'static str, words: impl std::fmt::Display) -> Self {
        Self { refusal, words: words.to_string() }
    }
}

/// The word for a refusal of the server: its name, except where scripts get a coarser or another word.
pub(super) fn refusal_word(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Hall(HallRefusal::Variant(_)) => "bad_variant",
        Refusal::Hall(HallRefusal::Conditions(_)) => "bad_conditions",
        Refusal::Hall(HallRefusal::SeatHeld { .. }) => "already_seated",
        Refusal::Hall(
            HallRefusal::NoSuchRecord
            | HallRefusal::NoRecords
            | HallRefusal::RecordsBusy
            | HallRefusal::RecordTooLong
            | HallRefusal::RecordDamaged,
        ) => "no_record",
        Refusal::Lobby(lobby::Refusal::Illegal(_)) => "illegal_move",
        Refusal::Chat(ChatRefusal::Empty) => "empty_line",
        Refusal::Chat(ChatRefusal::Off) => "no_chat",
        other => other.name(),
    }
}
