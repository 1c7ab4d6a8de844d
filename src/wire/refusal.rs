//! The reasons for which a server refuses a request or ends a connection. The sentences are for the receiver.
//!
//! The order of the variants is the protocol's: new ones go to the end.

use serde::{Deserialize, Serialize};

use super::limits::{MAX_FRAME, MAX_SENTENCE};
use crate::lobby::{self, Code, NameFault, Text};

/// Why a connection is not welcome. It is then closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum HelloRefusal {
    /// The client speaks another version. The layout of this one never changes.
    #[error(
        "this program speaks version {yours} of the protocol, the server speaks version {ours}; install the same release on both"
    )]
    Version {
        /// What the client said that it speaks.
        yours: Fixed16,
        /// What the server speaks.
        ours: Fixed16,
    },
    /// The name cannot be shown.
    #[error("{0}")]
    Name(NameFault),
    /// No more connections.
    #[error(
        "the server is full: it has as many connections as it allows, {most}; try again when somebody has left"
    )]
    Full {
        /// The limit.
        most: u32,
    },
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
    /// The first message was not a hello.
    #[error("the first message has to be a hello")]
    NotHello,
    /// It was a hello of the right version, and the rest of it could not be read.
    #[error("{0}")]
    Malformed(Text<MAX_SENTENCE>),
    /// No more connections of this address.
    #[error("your address has as many connections as the server allows, {most}; try again in a moment")]
    Crowded {
        /// The limit.
        most: u32,
    },
    /// The host has banned the address.
    #[error("the host of this server has banned your address")]
    Banned,
}

/// Why a request was not granted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Refusal {
    /// The request is not for where the connection is now.
    #[error(transparent)]
    Misplaced(#[from] Misplaced),
    /// The hall refuses.
    #[error(transparent)]
    Hall(#[from] HallRefusal),
    /// The lobby refuses.
    #[error(transparent)]
    Lobby(#[from] lobby::Refusal),
    /// The line is not passed on.
    #[error(transparent)]
    Chat(#[from] ChatRefusal),
    /// The connection asks more than it may.
    #[error("too many requests: the limit is {most} a second")]
    TooFast {
        /// The number of requests a second that are granted.
        most: u32,
    },
    /// Nothing can be recorded, or the server that has the lobby does not answer, so nothing is to happen.
    #[error("nothing can happen at the moment: {why}")]
    Halted {
        /// Why not.
        why: Text<MAX_SENTENCE>,
    },
    /// The server stops when the last game has ended, so no game may begin.
    #[error("the host is stopping; no new games begin")]
    Draining,
}

impl Refusal {
    /// Its name, in lower case, for metrics and scripts.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Misplaced(misplaced) => misplaced.into(),
            Self::Hall(refusal) => refusal.into(),
            Self::Lobby(refusal) => refusal.into(),
            Self::Chat(refusal) => refusal.into(),
            Self::TooFast { .. } | Self::Halted { .. } | Self::Draining => self.into(),
        }
    }
}

/// Why a line of chat is not passed on.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, strum::IntoStaticStr,
)]
#[strum(serialize_all = "snake_case", prefix = "chat_")]
pub enum ChatRefusal {
    /// There is nothing in it that can be read.
    #[error("there is nothing in that line")]
    Empty,
    /// It comes too soon after others.
    #[error("too many lines: the limit is {most} in {seconds} seconds")]
    TooFast {
        /// The number of lines
        most: u32,
        /// in this many seconds.
        seconds: u32,
    },
    /// The host wants no chat.
    #[error("there is no chat on this server")]
    Off,
    /// The host has muted the connection or its address.
    #[error("the host has muted you")]
    Muted,
}

/// A message at the wrong moment.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Serialize,
    Deserialize,
    thiserror::Error,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[strum(serialize_all = "snake_case")]
pub enum Misplaced {
    /// A request to the hall from inside a lobby.
    #[error("leave the lobby first")]
    InLobby,
    /// A request to a lobby from the hall.
    #[error("you are in no lobby")]
    InHall,
    /// A second hello.
    #[error("you have said hello already")]
    SecondHello,
}

/// Why the hall does not do what it was asked.
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
pub enum HallRefusal {
    /// The text is no variant. The sentence says which part is wrong.
    #[error("{0}")]
    Variant(Text<MAX_SENTENCE>),
    /// No lobby has this code.
    #[error("no lobby has this code; it may be over already")]
    NoSuchLobby,
    /// A bot was asked for where there are none.
    #[error("this server has no bots")]
    NoBots,
    /// Nobody in that lobby has a seat by this ticket.
    #[error("your ticket is not valid for a seat of that lobby")]
    BadTicket,
    /// The lobby has a password, and none or another one was said.
    #[error("that lobby has a password, and the right one was not given")]
    WrongPassword,
    /// The limit of open lobbies is reached.
    #[error("the server has as many open lobbies as it allows: {most}")]
    LobbiesFull {
        /// The limit.
        most: u32,
    },
    /// The limit of open lobbies for each address is reached.
    #[error("your address has as many open lobbies as the server allows: {most}")]
    TooManyLobbies {
        /// The limit.
        most: u32,
    },
    /// The conditions make no sense. The sentence says which.
    #[error("{0}")]
    Conditions(Text<MAX_SENTENCE>),
    /// Too many codes, passwords or tickets were wrong.
    #[error("too many wrong codes or passwords: the limit is {most} a minute; wait a little")]
    TooManyGuesses {
        /// How many are answered in a minute.
        most: u32,
    },
    /// The ticket is one for a seat that was given up while its owner was away.
    #[error("your seat there was given up, since nobody came back to it in time")]
    GivenUp,
    /// There is no such game, or its record is for others.
    #[error("no record of a game with this name is open to you")]
    NoSuchRecord,
    /// Nothing is recorded here.
    #[error("this server keeps no records")]
    NoRecords,
    /// Others are served first, or the host lacks what it takes to read.
    #[error(
        "records cannot be read at the moment: others are served first, or the host is short of something; try again"
    )]
    RecordsBusy,
    /// The game has more moves than a record holds, or its lobby was open for too long to be looked through.
    #[error("that game has no record: it has more than 20000 moves, or too much has happened in its lobby")]
    RecordTooLong,
    /// What was recorded cannot be read or trusted.
    #[error("that record cannot be read; nim-server check tells the host more")]
    RecordDamaged,
    /// What was recorded of the lobby is damaged, so that nobody can go on there.
    #[error(
        "the host's record of this lobby is damaged, and was set aside as lobby {lobby}: its game cannot continue unless the host restores a backup; open a new lobby, or ask the host"
    )]
    SetAside {
        /// The lobby's number in the host's journal.
        lobby: u64,
    },
    /// The client has a seat by this ticket's hash already. The ticket itself leads back to it.
    #[error("you have that seat already, in lobby {code}")]
    SeatHeld {
        /// The lobby's code.
        code: Code,
    },
    /// The ticket is one for a seat of a lobby that was closed. The sentence says why.
    #[error("{0}")]
    LobbyClosed(Text<MAX_SENTENCE>),
}

/// Why the server ends a connection that was welcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Farewell {
    /// The server is stopping.
    #[error("the server is stopping")]
    Stopping,
    /// The client does not read what the server sends.
    #[error("you fell too far behind in reading")]
    Behind,
    /// Nothing was heard from the client.
    #[error("nothing was heard from you for too long")]
    Silent,
    /// A frame was begun and not ended.
    #[error("a frame was begun and not ended in time")]
    HalfFrame,
    /// No hello came.
    #[error("no hello came in time")]
    NoHello,
    /// A frame was too long.
    #[error("a frame has at most {MAX_FRAME} bytes")]
    FrameTooLong,
    /// A frame held no message.
    #[error("{0}")]
    Malformed(Text<MAX_SENTENCE>),
    /// The seat has been taken up over another connection.
    #[error("you have come back to your seat over another connection")]
    Elsewhere,
    /// The server is stopping, and will know its lobbies when it is started again.
    #[error("the server is stopping; all games are kept until it is started again")]
    Kept,
    /// The connection was evicted for a new one.
    #[error("the server is full, and you were idle for longest; come back in a moment")]
    NoRoom,
    /// The host closed the connection.
    #[error("the host closed your connection")]
    ClosedByHost,
    /// The host closed the lobby.
    #[error("the host closed your lobby")]
    LobbyClosed,
    /// The client's lobby was closed to make room for other games.
    #[error("the host's room for games is used up, and this lobby was closed to make some")]
    NoDiskSpace,
    /// The client's lobby, or the whole server, goes on in another server of the same cluster: the client connects
    /// again at once.
    #[error("the game goes on in another server; connect again")]
    Moved,
}

/// A number of 16 bits that always takes two bytes, the low one first, whatever the codec does with numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed16([u8; 2]);

impl From<u16> for Fixed16 {
    fn from(number: u16) -> Self {
        Self(number.to_le_bytes())
    }
}

impl From<Fixed16> for u16 {
    fn from(fixed: Fixed16) -> Self {
        Self::from_le_bytes(fixed.0)
    }
}

impl std::fmt::Display for Fixed16 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        u16::from(*self).fmt(f)
    }
}
