//! Why a lobby does not do what it was asked. The sentences are for the one who asked.
//!
//! The order of the variants is the protocol's: new ones go to the end.

use serde::{Deserialize, Serialize};

use super::text::Text;

/// The most bytes of the sentence that says why a move is illegal; the rules' own are shorter.
pub const MAX_ILLEGAL: usize = 200;

/// The reason of a refusal. Nothing has changed by the request.
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
    /// Both seats are taken, or the game is on.
    #[error("both seats of that lobby are taken")]
    SeatTaken,
    /// The one who asks sits here already.
    #[error("you are sitting in this lobby already")]
    AlreadySeated,
    /// The one who asks has no seat here.
    #[error("you have no seat in this lobby")]
    NotSeated,
    /// No game is going on.
    #[error("no game is going on")]
    NoGame,
    /// A game is going on, or has not yet been played.
    #[error("the game is not over")]
    NotOver,
    /// It is the other one's move.
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
    /// One hint is being thought of.
    #[error("a hint is being thought of already")]
    HintPending,
    /// The hint is not told any more, since the one who asked for it has moved or left.
    #[error("the game went on while the hint was thought of")]
    HintLate,
    /// All players of the lobby are away.
    #[error("nobody is in that lobby at the moment")]
    NobodyHere,
    /// There is nobody to wait for.
    #[error("the other one is not away")]
    NobodyAway,
    /// The game waits as long as it takes, or a bot stands in already.
    #[error("there is nothing to put off")]
    WaitsAlready,
    /// The game cannot be claimed.
    #[error("there is nothing to claim: the other one is not away on their turn, or that was not agreed")]
    NothingToClaim,
    /// The absent player still has some time.
    #[error("the other one still has {} seconds to come back", millis.div_ceil(1_000))]
    ClaimTooEarly {
        /// The time that is left.
        millis: u32,
    },
    /// The game rests.
    #[error("the game rests until one of the players goes on with it")]
    Paused,
    /// The game does not rest.
    #[error("the game does not rest")]
    NotPaused,
    /// There is an offer of the other one, and it has not been answered.
    #[error("answer the other one's offer first")]
    AnswerFirst,
    /// The same was offered in this turn already.
    #[error("you have offered that in this turn already")]
    OfferedAlready,
    /// There is no offer to answer.
    #[error("there is no offer to answer")]
    NoOffer,
    /// The one who asks has made no move that is known.
    #[error("there is no move of yours to take back")]
    NothingToTakeBack,
    /// The game has no move of that number.
    #[error("the game has no move of that number: it has {count}")]
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
    #[error("no more than {most} may watch there")]
    TooManyWatchers {
        /// The limit.
        most: u16,
    },
    /// The one who asks has not said that they would rather wait.
    #[error("you have not put anything off")]
    WaitsNot,
}
