//! The failures that end the client, each with its text and its exit code.

mod no_seat;

use std::io;
use std::time::Duration;

pub use no_seat::NoSeat;

use super::text::spoken_time;
use crate::client::Address;
use crate::client::nearby::NoHost;
use crate::client::settings::SettingError;
use crate::game::notation::printable;
use crate::lobby::{self, Lobby, Phase};
use crate::system::ErrorText;
use crate::wire::{Farewell, HallRefusal, HelloRefusal, Refusal};

/// Why the client ends early. The text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// No server answers at this address.
    #[error(
        "no server answers at {address}: {why}\nIs nim-server running there, is the address right, and does that machine's firewall let port {port} in?"
    )]
    Unreachable {
        /// The address.
        address: Address,
        /// The port that was tried.
        port: u16,
        /// What the system said.
        why: String,
    },
    /// No machine has this name.
    #[error(
        "no machine is known by the name {host}: {why}\nIs it spelled right, and is this machine on the same network?\nThe host's screen shows its address in numbers, such as 192.168.1.7, which need no name."
    )]
    Unknown {
        /// The name that was looked up.
        host: String,
        /// What the system said.
        why: String,
    },
    /// Something accepts the connection but is not a server of this program, or hangs.
    #[error(
        "{0} accepts the connection, but does not answer like a nim-server: it is another program, or hangs"
    )]
    Stranger(Address),
    /// The server refuses the hello.
    #[error("the server refused the connection: {0}")]
    Unwelcome(HelloRefusal),
    /// The server refuses the client's first action.
    #[error("{}{}", .0, how_to_be_let_in(.0))]
    Refused(Refusal),
    /// The connection broke.
    #[error("the connection to the server broke: {}", ErrorText(.0))]
    Broken(io::Error),
    /// Nothing was received for too long.
    #[error("the connection to the server broke: nothing was heard for {0} seconds")]
    Silent(u64),
    /// The server reads nothing of what is sent to it.
    #[error("the connection to the server broke: it does not read what is sent to it")]
    Unread,
    /// The server ended the connection.
    #[error("the server ended the connection: {0}")]
    Goodbye(Farewell),
    /// The server sent an invalid message.
    #[error("the server sent an invalid message: {0}")]
    Nonsense(String),
    /// The connection was lost, and the attempts to reconnect took too long.
    #[error(
        "the connection to the server was lost, and it could not be reached again within {}\nYour seat may still be kept: nim-client resume tries again.", spoken_time(*.0)
    )]
    GaveUp(Duration),
    /// The connection was lost, and the client does not reconnect by itself.
    #[error("{failure}{}", .kept.how_to_go_on())]
    Dropped {
        /// The reason.
        failure: Box<Self>,
        /// What a later run of the program can resume.
        kept: Resumable,
    },
    /// The person quit while the connection was lost.
    #[error("{}", .kept.in_words(*.code))]
    Departed {
        /// The lobby.
        code: lobby::Code,
        /// What a later run of the program can resume.
        kept: Kept,
    },
    /// The person quit, and the server did not answer.
    #[error("you have gone without an answer of the server{}", .kept.how_to_go_on())]
    Unanswered {
        /// What a later run of the program can resume.
        kept: Resumable,
    },
    /// When the client returned, the last game was over and its seat given up.
    #[error("the last game in {code} is over, and your seat there is not kept any more: {ended}")]
    SeatOver {
        /// The lobby.
        code: lobby::Code,
        /// How it ended.
        ended: String,
    },
    /// The seat is not the client's any more.
    #[error("you cannot come back to your seat: {0}")]
    SeatLost(Refusal),
    /// The server refuses the return, but may allow it another time.
    #[error(
        "you cannot come back to your seat now: {}\nThe seat is still kept: nim-client resume tries again{}.",
        .0,
        where_it_may_be(.0)
    )]
    ReturnRefused(Refusal),
    /// Another window of the same person has taken the seat over.
    #[error("another window of yours has taken over your seat")]
    SeatMoved,
    /// All games that could be resumed are open in other windows.
    #[error("{}", open_elsewhere(.0))]
    BeingPlayed(Vec<lobby::Code>),
    /// There is no seat to resume, or it is not clear which one.
    #[error("{0}")]
    NoSeat(NoSeat),
    /// There is no password where one is needed.
    #[error("a password is needed: {0}")]
    NoPassword(String),
    /// No address was given, and it is not clear which host to connect to.
    #[error("{0}")]
    NoHost(NoHost),
    /// The record to continue is invalid, or has no such position.
    #[error("this record cannot be played on: {0}")]
    BadRecord(String),
    /// The input ended during a game.
    #[error("the input ended in the middle of a game{}", .kept.how_to_go_on())]
    EndOfInput {
        /// What a later run of the program can resume.
        kept: Resumable,
    },
    /// Some settings are invalid, so that none is used.
    #[error("{}", settings(.0))]
    Settings(Vec<SettingError>),
    /// The person's tickets could not be read.
    #[error("cannot read your tickets: {}", ErrorText(.0))]
    Tickets(io::Error),
    /// The program could not start.
    #[error("could not start: {}", ErrorText(.0))]
    Start(io::Error),
    /// Writing to the screen or the output file failed.
    #[error("could not write the output: {}", ErrorText(.0))]
    Output(io::Error),
}

impl Failure {
    /// The failure for an invalid message of the server.
    pub(super) fn nonsense(error: impl std::fmt::Display) -> Self {
        Self::Nonsense(printable(&error.to_string()).collect())
    }

    /// Whether the connection was lost, possibly for a while, and nobody else took the seat over.
    pub(super) fn is_of_connection(&self) -> bool {
        match self {
            Self::Broken(_) | Self::Silent(_) | Self::Unread => true,
            Self::Goodbye(word) => matches!(
                word,
                Farewell::Stopping
                    | Farewell::Kept
                    | Farewell::Behind
                    | Farewell::Silent
                    | Farewell::HalfFrame
                    | Farewell::NoRoom
                    | Farewell::Moved
            ),
            _ => false,
        }
    }

    /// Whether the server has said that the game goes on in another server of its cluster.
    pub(crate) fn is_move(&self) -> bool {
        matches!(self, Self::Goodbye(Farewell::Moved))
    }

    /// The text in one line.
    pub fn in_one_line(&self) -> String {
        if let Self::NoSeat(none) = self {
            return none.why.clone();
        }
        let text = self.to_string();
        let ended = |line: &str| {
            if line.ends_with(['.', '?', '!', ':']) { line.to_owned() } else { format!("{line}.") }
        };
        match text.split_once('\n') {
            Some(_) => text.lines().map(str::trim).map(ended).collect::<Vec<_>>().join(" "),
            None => text,
        }
    }

    /// The reason alone, without what to do at a terminal.
    pub fn reason(&self) -> String {
        if let Self::Dropped { failure, .. } = self {
            return failure.reason();
        }
        self.to_string().lines().next().unwrap_or_default().to_owned()
    }

    /// The exit code, as the help text lists them.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Unreachable { .. } | Self::Unknown { .. } | Self::Stranger(_) => 3,
            Self::Unwelcome(HelloRefusal::Version { .. }) => 4,
            Self::Refused(Refusal::Hall(
                HallRefusal::NoSuchLobby | HallRefusal::NoSuchRecord | HallRefusal::SetAside { .. },
            )) => 5,
            Self::Refused(Refusal::Lobby(lobby::Refusal::SeatTaken)) => 6,
            Self::Goodbye(Farewell::Elsewhere) | Self::SeatMoved | Self::BeingPlayed(_) => 13,
            Self::Broken(_)
            | Self::Silent(_)
            | Self::Unread
            | Self::Unanswered { .. }
            | Self::Goodbye(_)
            | Self::Nonsense(_)
            | Self::Departed { .. } => 7,
            Self::EndOfInput { .. } => 8,
            Self::GaveUp(_) => 10,
            Self::Dropped { failure, .. } => failure.exit_code(),
            Self::SeatOver { .. }
            | Self::SeatLost(_)
            | Self::ReturnRefused(Refusal::Hall(
                HallRefusal::NoSuchLobby | HallRefusal::BadTicket | HallRefusal::SetAside { .. },
            ))
            | Self::NoSeat(_) => 11,
            Self::BadRecord(_) => 12,
            Self::Unwelcome(_) | Self::Refused(_) | Self::ReturnRefused(_) | Self::NoPassword(_) => 9,
            Self::NoHost(_) => 14,
            Self::Settings(_) => 2,
            Self::Tickets(_) | Self::Start(_) | Self::Output(_) => 1,
        }
    }
}

impl From<NoSeat> for Failure {
    fn from(none: NoSeat) -> Self {
        Self::NoSeat(none)
    }
}

/// The text for invalid settings: a line for each, and what to do.
fn settings(faults: &[SettingError]) -> String {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let faults = faults.join("\n  ");
    format!(
        "your settings cannot be used:\n  {faults}\nnim-client config shows and changes them; NIM_CONFIG= does without the file."
    )
}

fn how_to_be_let_in(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Hall(HallRefusal::WrongPassword) => "\nStart nim-client with --password to be asked for it.",
        Refusal::Hall(HallRefusal::NoSuchRecord) => "\nnim-client record list shows the games.",
        _ => "",
    }
}

/// The text for games that are open in other windows.
fn open_elsewhere(codes: &[lobby::Code]) -> String {
    let codes: Vec<String> = codes.iter().map(ToString::to_string).collect();
    match codes.split_last() {
        Some((last, rest)) if !rest.is_empty() => {
            format!("the games {} and {last} are open in other windows", rest.join(", "))
        }
        _ => format!("the game {} is open in another window", codes.concat()),
    }
}

/// Where the seat may still exist: on another server, or in a copy of the journal.
fn where_it_may_be(refusal: &Refusal) -> &'static str {
    match refusal {
        Refusal::Hall(HallRefusal::NoSuchLobby) => ", in case another server is there for now",
        Refusal::Hall(HallRefusal::SetAside { .. }) => {
            ", in case the host restores a copy from before the damage; with --forget it removes the seat from the list"
        }
        Refusal::Hall(HallRefusal::BadTicket) => {
            ", in case the host restores another copy of its journal; with --forget it removes the seat from the list"
        }
        _ => "",
    }
}

/// What a later run of the program can resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resumable {
    /// Nothing.
    Nothing,
    /// The seat, as long as the server keeps it.
    Seat,
    /// The game, which is kept on this machine.
    Game,
}

/// What a player who leaves keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// A game in progress.
    Game,
    /// A match, between two of its games.
    Match,
    /// A seat without a game in progress.
    Seat,
}

impl Kept {
    /// What a player of this lobby keeps.
    pub fn of(lobby: &Lobby) -> Self {
        match lobby.phase() {
            Phase::Playing => Self::Game,
            _ if lobby.is_between_games() => Self::Match,
            _ => Self::Seat,
        }
    }

    /// That it is kept, and the command that returns to it.
    pub fn in_words(self, code: lobby::Code) -> String {
        let what = match self {
            Self::Game => "The game",
            Self::Match => "The match",
            Self::Seat => "Your seat",
        };
        format!("{what} is kept: nim-client resume {code} returns to it.")
    }
}

impl Resumable {
    fn how_to_go_on(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::Seat => "\nYour seat is kept for a while: nim-client resume goes on.",
            Self::Game => "\nThe game is kept: nim-client resume goes on.",
        }
    }
}

/// What the exit codes mean, for the help text.
pub const EXIT_CODES: &str = "\
Exit codes:
  0   the game was played to its end, or left on purpose
  1   the program could not start, or could not write its output
  2   the command line is wrong, or a setting
  3   no server answers there
  4   the server speaks another version
  5   there is no lobby with that code
  6   both seats of that lobby are taken
  7   the connection broke, or the server ended it
  8   the input ended in the middle of a game
  9   the server refused for another reason, which the message gives
  10  the connection was lost, and the server was not reached again in time
  11  there is no seat to come back to, or it is not clear which one
  12  the record to continue is wrong, or no game can begin at that position
  13  another window has taken over your seat, or has the game open
  14  no host was found on the network, or there are several and nobody to choose";
