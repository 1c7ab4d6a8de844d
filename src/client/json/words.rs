//! Words in the objects that exist only here. They are a promise to scripts: names in the program may change,
//! these words may not. Most other words are the names of enums in `lobby` and `wire`.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::client::Action;
use crate::lobby::{self, Refusal as OfLobby};
use crate::wire::{ChatRefusal, HallRefusal, Misplaced, Refusal};

/// A word that is read from a text or known beforehand.
pub type Word = Cow<'static, str>;

/// What the lobby is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A seat is empty.
    Waiting,
    /// A game is being played.
    Playing,
    /// The last game has ended.
    Over,
    /// Nobody is left.
    Closed,
}

impl From<lobby::Phase> for Phase {
    fn from(phase: lobby::Phase) -> Self {
        match phase {
            lobby::Phase::Waiting => Self::Waiting,
            lobby::Phase::Playing => Self::Playing,
            lobby::Phase::Over { .. } => Self::Over,
            lobby::Phase::Closed => Self::Closed,
        }
    }
}

/// The result of a game, or the worth of a position, for one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
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
pub enum Role {
    /// It has a seat.
    Player,
    /// It watches.
    Watcher,
}

/// Why a line is not a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// It is longer than a line may be.
    TooLong,
    /// It is not a JSON object.
    NotJson,
    /// It is a JSON object, but none of the requests.
    NotARequest,
}

/// Makes the list of words and the function that finds one for a refusal.
macro_rules! refusals {
    (only here: $($own:literal),+; $($pattern:pat => $word:literal,)+) => {
        /// All words for refusals.
        pub const REFUSALS: &[&str] = &[$($own,)+ $($word,)+];

        /// The word for a refusal of the server.
        pub(super) fn refusal_word(refusal: &Refusal) -> &'static str {
            match refusal { $($pattern => $word,)+ }
        }
    };
}

refusals! {
    only here: "bad_clock", "bad_password", "bad_name", "bad_origin", "bad_code", "long_line";
    Refusal::Misplaced(Misplaced::InLobby) => "in_lobby",
    Refusal::Misplaced(Misplaced::InHall) => "in_hall",
    Refusal::Misplaced(Misplaced::SecondHello) => "second_hello",
    Refusal::Hall(HallRefusal::Variant(_)) => "bad_variant",
    Refusal::Hall(HallRefusal::NoSuchLobby) => "no_such_lobby",
    Refusal::Hall(HallRefusal::NoBots) => "no_bots",
    Refusal::Hall(HallRefusal::BadTicket) => "bad_ticket",
    Refusal::Hall(HallRefusal::WrongPassword) => "wrong_password",
    Refusal::Hall(HallRefusal::GivenUp) => "given_up",
    Refusal::Hall(HallRefusal::SetAside { .. }) => "set_aside",
    Refusal::Hall(
        HallRefusal::NoSuchRecord
        | HallRefusal::NoRecords
        | HallRefusal::RecordsBusy
        | HallRefusal::RecordTooLong
        | HallRefusal::RecordDamaged
    ) => "no_record",
    Refusal::Hall(HallRefusal::LobbiesFull { .. }) => "lobbies_full",
    Refusal::Hall(HallRefusal::TooManyLobbies { .. }) => "too_many_lobbies",
    Refusal::Hall(HallRefusal::TooManyGuesses { .. }) => "too_many_guesses",
    Refusal::Hall(HallRefusal::Conditions(_)) => "bad_conditions",
    Refusal::Chat(ChatRefusal::Empty) => "empty_line",
    Refusal::Chat(ChatRefusal::TooFast { .. }) => "chat_too_fast",
    Refusal::Chat(ChatRefusal::Off) => "no_chat",
    Refusal::TooFast { .. } => "too_fast",
    Refusal::Halted { .. } => "halted",
    Refusal::Lobby(OfLobby::SeatTaken) => "seat_taken",
    Refusal::Lobby(OfLobby::AlreadySeated) | Refusal::Hall(HallRefusal::SeatHeld { .. }) => "already_seated",
    Refusal::Lobby(OfLobby::NotSeated) => "not_seated",
    Refusal::Lobby(OfLobby::NoGame) => "no_game",
    Refusal::Lobby(OfLobby::NotOver) => "not_over",
    Refusal::Lobby(OfLobby::NotYourTurn) => "not_your_turn",
    Refusal::Lobby(OfLobby::OtherTurn) => "other_turn",
    Refusal::Lobby(OfLobby::Illegal(_)) => "illegal_move",
    Refusal::Lobby(OfLobby::AlreadyAsked) => "already_asked",
    Refusal::Lobby(OfLobby::NoHints) => "no_hints",
    Refusal::Lobby(OfLobby::HintPending) => "hint_pending",
    Refusal::Lobby(OfLobby::HintLate) => "hint_late",
    Refusal::Lobby(OfLobby::NobodyHere) => "nobody_here",
    Refusal::Lobby(OfLobby::NobodyAway) => "nobody_away",
    Refusal::Lobby(OfLobby::WaitsAlready) => "waits_already",
    Refusal::Lobby(OfLobby::WaitsNot) => "waits_not",
    Refusal::Lobby(OfLobby::NothingToClaim) => "nothing_to_claim",
    Refusal::Lobby(OfLobby::ClaimTooEarly { .. }) => "claim_too_early",
    Refusal::Lobby(OfLobby::Paused) => "paused",
    Refusal::Lobby(OfLobby::NotPaused) => "not_paused",
    Refusal::Lobby(OfLobby::AnswerFirst) => "answer_first",
    Refusal::Lobby(OfLobby::OfferedAlready) => "offered_already",
    Refusal::Lobby(OfLobby::NoOffer) => "no_offer",
    Refusal::Lobby(OfLobby::NothingToTakeBack) => "nothing_to_take_back",
    Refusal::Lobby(OfLobby::NoSuchMove { .. }) => "no_such_move",
    Refusal::Lobby(OfLobby::NoWatchers) => "no_watchers",
    Refusal::Lobby(OfLobby::TooManyWatchers { .. }) => "too_many_watchers",
    Refusal::Lobby(OfLobby::Closed) => "closed",
}

/// The word for the request that asks for this; `None` for a return, which only the command line asks for.
pub(super) fn request_word(action: &Action) -> Option<&'static str> {
    Some(match action {
        Action::List => "look",
        Action::Create(_) | Action::CreateForTwo(..) => "new",
        Action::Quick(_) => "quick",
        Action::Join(..) => "join",
        Action::Watch(..) => "watch",
        Action::Return(_) => return None,
        Action::Play(_) => "play",
        Action::Hint => "hint",
        Action::Resign => "resign",
        Action::Rematch => "again",
        Action::Offer(_) => "offer",
        Action::Answer { .. } => "answer",
        Action::Resume => "resume",
        Action::Wait => "wait",
        Action::StopWaiting => "wait_no_more",
        Action::Claim => "claim",
        Action::Say(_) => "say",
        Action::Review(_) => "review",
        Action::Leave => "leave",
        Action::Quit => "quit",
    })
}
