//! What the words of the objects stand for in the rest of the program.

use super::vocabulary::{
    BotWish, Cause, Deed, Departure, Hand, Hints, Kind, Level, Loss, Offer, Phase, Presence, Refusal, Room,
    Side, Starts, State, WhenAway,
};
use crate::client::Action;
use crate::{game, lobby, wire};

/// Ties words to the types that they stand for, where both have the same names.
macro_rules! same {
    ($($from:ty => $to:ty: $($word:ident),+;)+) => {$(
        impl From<$from> for $to {
            fn from(from: $from) -> Self {
                match from { $(<$from>::$word => Self::$word,)+ }
            }
        }
    )+};
}

same! {
    game::Side => Side: First, Second;
    lobby::Kind => Kind: Person, Bot;
    wire::LobbyState => State: Open, Playing, Over, Away;
    lobby::Cause => Cause: Rules, Resigned, Left, Repetition, Forfeited, Abandoned, Agreed, Time;
    lobby::Offer => Offer: Draw, Takeback, Pause;
    Offer => lobby::Offer: Draw, Takeback, Pause;
    wire::Room => Room: Players, Watchers;
    lobby::Loss => Loss: Closed, Silent;
    lobby::Hand => Hand: Own, StandIn;
    lobby::WhenAway => WhenAway: Wait, StandIn, Forfeit;
    WhenAway => lobby::WhenAway: Wait, StandIn, Forfeit;
    wire::Presence => Presence: Here, Away, StandIn;
    lobby::Departure => Departure: Quit, Lost;
    lobby::Hints => Hints: Nobody, AgainstBots, All, Watchers;
    Hints => lobby::Hints: Nobody, AgainstBots, All, Watchers;
    lobby::Level => Level: Beginner, Easy, Fair, Strong, Perfect;
    Level => lobby::Level: Beginner, Easy, Fair, Strong, Perfect;
    Starts => wire::Starts: Variant, Me, Them;
    BotWish => wire::BotWish: WhenNobodyComes, AtOnce, PeopleOnly, Both;
}

impl Deed {
    /// The word by which a script asks for this; `None` for a return, which only the command line asks for.
    pub(super) fn of(action: &Action) -> Option<Self> {
        Some(match action {
            Action::List => Self::Look,
            Action::Create(_) => Self::New,
            Action::Join(..) => Self::Join,
            Action::Quick(_) => Self::Quick,
            Action::Watch(..) => Self::Watch,
            Action::Play(_) => Self::Play,
            Action::Resign => Self::Resign,
            Action::Hint => Self::Hint,
            Action::Rematch => Self::Again,
            Action::Wait => Self::Wait,
            Action::StopWaiting => Self::WaitNoMore,
            Action::Claim => Self::Claim,
            Action::Leave => Self::Leave,
            Action::Quit => Self::Quit,
            Action::Offer(_) => Self::Offer,
            Action::Answer { .. } => Self::Answer,
            Action::Resume => Self::Resume,
            Action::Say(_) => Self::Say,
            Action::Review(_) => Self::Review,
            Action::Return(_) => return None,
        })
    }
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

impl From<&wire::Refusal> for Refusal {
    fn from(refusal: &wire::Refusal) -> Self {
        match refusal {
            wire::Refusal::Misplaced(wire::Misplaced::InLobby) => Self::InLobby,
            wire::Refusal::Misplaced(wire::Misplaced::InHall) => Self::InHall,
            wire::Refusal::Misplaced(wire::Misplaced::SecondHello) => Self::SecondHello,
            wire::Refusal::Hall(wire::HallRefusal::Variant(_)) => Self::BadVariant,
            wire::Refusal::Hall(wire::HallRefusal::NoSuchLobby) => Self::NoSuchLobby,
            wire::Refusal::Hall(wire::HallRefusal::NoBots) => Self::NoBots,
            wire::Refusal::Hall(wire::HallRefusal::BadTicket) => Self::BadTicket,
            wire::Refusal::Hall(wire::HallRefusal::WrongPassword) => Self::WrongPassword,
            wire::Refusal::Hall(wire::HallRefusal::GivenUp) => Self::GivenUp,
            wire::Refusal::Hall(wire::HallRefusal::Lapsed) => Self::Lapsed,
            wire::Refusal::Hall(wire::HallRefusal::SetAside { .. }) => Self::SetAside,
            wire::Refusal::Hall(
                wire::HallRefusal::NoSuchRecord
                | wire::HallRefusal::NoRecords
                | wire::HallRefusal::RecordsBusy
                | wire::HallRefusal::RecordTooLong
                | wire::HallRefusal::RecordDamaged,
            ) => Self::NoRecord,
            wire::Refusal::Hall(wire::HallRefusal::LobbiesFull { .. }) => Self::LobbiesFull,
            wire::Refusal::Hall(wire::HallRefusal::TooManyLobbies { .. }) => Self::TooManyLobbies,
            wire::Refusal::Hall(wire::HallRefusal::TooManyGuesses { .. }) => Self::TooManyGuesses,
            wire::Refusal::Hall(wire::HallRefusal::Conditions(_)) => Self::BadConditions,
            wire::Refusal::Chat(wire::ChatRefusal::Empty) => Self::EmptyLine,
            wire::Refusal::Chat(wire::ChatRefusal::TooFast { .. }) => Self::ChatTooFast,
            wire::Refusal::Chat(wire::ChatRefusal::Off) => Self::NoChat,
            wire::Refusal::TooFast { .. } => Self::TooFast,
            wire::Refusal::Halted { .. } => Self::Halted,
            wire::Refusal::Lobby(refusal) => refusal.into(),
        }
    }
}

impl From<&lobby::Refusal> for Refusal {
    fn from(refusal: &lobby::Refusal) -> Self {
        match refusal {
            lobby::Refusal::SeatTaken => Self::SeatTaken,
            lobby::Refusal::AlreadySeated => Self::AlreadySeated,
            lobby::Refusal::NotSeated => Self::NotSeated,
            lobby::Refusal::NoGame => Self::NoGame,
            lobby::Refusal::NotOver => Self::NotOver,
            lobby::Refusal::NotYourTurn => Self::NotYourTurn,
            lobby::Refusal::OtherTurn => Self::OtherTurn,
            lobby::Refusal::Illegal(_) => Self::IllegalMove,
            lobby::Refusal::AlreadyAsked => Self::AlreadyAsked,
            lobby::Refusal::NoHints => Self::NoHints,
            lobby::Refusal::HintPending => Self::HintPending,
            lobby::Refusal::HintLate => Self::HintLate,
            lobby::Refusal::NobodyHere => Self::NobodyHere,
            lobby::Refusal::NobodyAway => Self::NobodyAway,
            lobby::Refusal::WaitsAlready => Self::WaitsAlready,
            lobby::Refusal::WaitsNot => Self::WaitsNot,
            lobby::Refusal::NothingToClaim => Self::NothingToClaim,
            lobby::Refusal::ClaimTooEarly { .. } => Self::ClaimTooEarly,
            lobby::Refusal::Paused => Self::Paused,
            lobby::Refusal::NotPaused => Self::NotPaused,
            lobby::Refusal::AnswerFirst => Self::AnswerFirst,
            lobby::Refusal::OfferedAlready => Self::OfferedAlready,
            lobby::Refusal::NoOffer => Self::NoOffer,
            lobby::Refusal::NothingToTakeBack => Self::NothingToTakeBack,
            lobby::Refusal::NoSuchMove { .. } => Self::NoSuchMove,
            lobby::Refusal::NoWatchers => Self::NoWatchers,
            lobby::Refusal::TooManyWatchers { .. } => Self::TooManyWatchers,
            lobby::Refusal::Closed => Self::Closed,
        }
    }
}
