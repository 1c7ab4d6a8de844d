//! The reasons for which a lobby refuses a request. The sentences are for the client that asked.
//!
//! The order of the variants is the protocol's: new ones go to the end.

use serde::{Deserialize, Serialize};

use super::list::List;
use super::name::Name;
use super::text::Text;

/// The most bytes of the sentence that says why a move is illegal; the rules' own are shorter.
pub const MAX_ILLEGAL: usize = 200;

/// The most watchers that a refusal names: more than watch by default, and 6 KiB of the longest names.
pub const MAX_NAMED_WATCHERS: usize = 64;

/// The reason for a refusal. The request has changed nothing.
#[derive(
    Debug,
    Clone,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    thiserror::Error,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Refusal {
    /// Both seats are taken, or a game is going on.
    #[error("both seats of that lobby are taken")]
    SeatTaken,
    /// The client sits here already.
    #[error("you are sitting in this lobby already")]
    AlreadySeated,
    /// The client has no seat here.
    #[error("you have no seat in this lobby")]
    NotSeated,
    /// No game is going on.
    #[error("no game is going on")]
    NoGame,
    /// A game is going on, or has not yet been played.
    #[error("the game is not over")]
    NotOver,
    /// It is the opponent's turn.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The move answers another turn than the present one: it comes too late, or a second time.
    #[error("that move was for another turn")]
    OtherTurn,
    /// The rules do not allow the move.
    #[error("{0}")]
    Illegal(Text<MAX_ILLEGAL>),
    /// Another game was asked for already.
    #[error("you have asked for another game already")]
    AlreadyAsked,
    /// The conditions allow no hints here.
    #[error("hints are not allowed in this game")]
    NoHints,
    /// A hint is being computed already.
    #[error("a hint is being computed already")]
    HintPending,
    /// The hint is too late: the client has moved or left since.
    #[error("the game went on while the hint was computed")]
    HintLate,
    /// All players of the lobby are away.
    #[error("nobody is in that lobby at the moment")]
    NobodyHere,
    /// There is nobody to wait for.
    #[error("your opponent is not away")]
    NobodyAway,
    /// The game waits without a deadline already, or a bot stands in.
    #[error("the game waits without a deadline already")]
    WaitsAlready,
    /// The game cannot be claimed.
    #[error("there is nothing to claim: your opponent is not away on their turn, or that was not agreed")]
    NothingToClaim,
    /// The absent player's deadline has not passed.
    #[error("your opponent still has {} seconds to come back", millis.div_ceil(1_000))]
    ClaimTooEarly {
        /// The time that is left.
        millis: u32,
    },
    /// The game is paused.
    #[error("the game is paused until a player resumes it")]
    Paused,
    /// The game is not paused.
    #[error("the game is not paused")]
    NotPaused,
    /// The opponent's offer waits for an answer.
    #[error("answer your opponent's offer first")]
    AnswerFirst,
    /// The client has made this offer in this turn already.
    #[error("you have offered that in this turn already")]
    OfferedAlready,
    /// There is no offer to answer.
    #[error("there is no offer to answer")]
    NoOffer,
    /// The client has no known move to take back.
    #[error("there is no move of yours to take back")]
    NothingToTakeBack,
    /// The game has no move with that number.
    #[error("the game has no move with that number: it has {count}")]
    NoSuchMove {
        /// The number of moves that are known.
        count: u32,
    },
    /// The lobby is closed.
    #[error("this lobby is closed")]
    Closed,
    /// The conditions allow nobody to watch.
    #[error("nobody may watch in that lobby")]
    NoWatchers,
    /// The watcher limit is reached.
    #[error("at most {most} may watch that lobby")]
    TooManyWatchers {
        /// The limit.
        most: u16,
    },
    /// The client has not chosen to wait.
    #[error("you have not chosen to wait")]
    WaitsNot,
    /// The client watches a game in which only watchers may have hints, and a player sits at its address.
    #[error("a player of this game has, or may have, the same address as you, so you get no hints")]
    PlayerAtAddress,
    /// The client did not open the lobby, or has left its seat since.
    #[error("only the person who opened the lobby can kick watchers")]
    NotOpener,
    /// Nobody of this name watches. Players cannot be kicked.
    #[error("nobody of that name watches here; watchers: {}", listed(watchers))]
    NoSuchWatcher {
        /// The names of those who watch, as far as there is room.
        watchers: List<Name, MAX_NAMED_WATCHERS>,
    },
    /// The client watches too, from the address that would be kicked.
    #[error("that watcher has the same address as you, so you would be kicked too")]
    OwnAddress,
    /// A watcher was kicked who had the client's address.
    #[error("your address was kicked there by the person who opened the lobby")]
    Kicked,
    /// The conditions let only people join, and the client has said that it is a program.
    #[error("only people may join that lobby, and you play by a program")]
    PeopleOnly,
    /// The game is paused, and the opponent is away: it goes on once both are there.
    #[error("your opponent is away, and a paused game goes on once both of you are there")]
    OpponentAway,
}

fn listed(names: &[Name]) -> String {
    let names: Vec<&str> = names.iter().map(Name::as_str).collect();
    if names.is_empty() { "none".into() } else { names.join(", ") }
}
