//! The requests of a host to the running server, and its answers: each is a line of JSON.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use humantime::format_duration;
use serde::{Deserialize, Serialize};

use crate::game::notation::printable;
use crate::lobby::Code;
use crate::server::limits::{address_key, address_text};
use crate::server::restrictions::Rule;

/// The most bytes of a request.
pub(super) const MAX_REQUEST: u64 = 4 * 1024;

/// The most bytes of an answer: room for all rows, with names of the longest kind.
pub(super) const MAX_ANSWER: u64 = 4 * 1024 * 1024;

/// What a host asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdminRequest {
    /// How the server is.
    Status,
    /// Who is connected, and which lobbies there are.
    Who,
    /// To close connections. Seats are kept as after any lost connection.
    Kick {
        /// Whose.
        target: Target,
    },
    /// To refuse the chat of a connection until it ends, or of an address.
    Mute {
        /// Whose.
        target: Target,
        /// For how many seconds; `None` until it is lifted. Only for an address.
        seconds: Option<u64>,
    },
    /// To lift a mute.
    Unmute {
        /// Whose.
        target: Target,
    },
    /// To close the connections of an address and refuse new ones.
    Ban {
        /// The address.
        address: IpAddr,
        /// For how many seconds; `None` until it is lifted.
        seconds: Option<u64>,
    },
    /// To lift a ban.
    Unban {
        /// The address.
        address: IpAddr,
    },
    /// To close a lobby. A running game is abandoned: a draw.
    Close {
        /// Its code.
        code: Code,
    },
    /// To tell everybody something.
    Say {
        /// What.
        words: String,
    },
    /// To begin no new games, and to stop when the last has ended; or to take that back. One of several servers gives its
    /// lobbies to the others instead, and stops then.
    Drain {
        /// Whether it is taken back.
        cancel: bool,
    },
    /// To begin no new games at any server, where there are several, and to stop each when its last has ended; or to take
    /// that back.
    DrainAll {
        /// Whether it is taken back.
        cancel: bool,
    },
}

impl fmt::Display for AdminRequest {
    /// As it is typed after `nim-server admin`, for the log and the audit file. Of the code of a private lobby
    /// the secret part is left out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let within = |seconds: &Option<u64>| {
            let time = |seconds| format!(" --for {}", format_duration(Duration::from_secs(seconds)));
            seconds.map(time).unwrap_or_default()
        };
        match self {
            Self::Status => f.write_str("status"),
            Self::Who => f.write_str("who"),
            Self::Kick { target } => write!(f, "kick {target}"),
            Self::Mute { target, seconds } => write!(f, "mute {target}{}", within(seconds)),
            Self::Unmute { target } => write!(f, "unmute {target}"),
            Self::Ban { address, seconds } => write!(f, "ban {}{}", address_text(*address), within(seconds)),
            Self::Unban { address } => write!(f, "unban {}", address_text(*address)),
            Self::Close { code } => write!(f, "close {}", code.redacted()),
            Self::Say { words } => write!(f, "say {}", printable(words).collect::<String>()),
            Self::Drain { cancel: false } => f.write_str("drain"),
            Self::Drain { cancel: true } => f.write_str("drain --cancel"),
            Self::DrainAll { cancel: false } => f.write_str("drain --all"),
            Self::DrainAll { cancel: true } => f.write_str("drain --all --cancel"),
        }
    }
}

/// What the server answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AdminAnswer {
    /// How the server is.
    Status(Box<Status>),
    /// Who is connected, and which lobbies there are.
    Who(Box<Who>),
    /// It is done: what was done, in a sentence.
    Done(String),
    /// It is not done, for this reason.
    Refused(String),
}

/// A connection, or all of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// The connection with this number.
    Connection(u64),
    /// An address, as the limits count it.
    Address(IpAddr),
}

impl Target {
    /// Reads an address. A network of 64 bits may be written with `/64`.
    pub fn address(text: &str) -> Result<IpAddr, String> {
        let bare = text.strip_suffix("/64").unwrap_or(text);
        let address: IpAddr =
            bare.parse().map_err(|_| format!("{text} is no address, such as 192.168.1.7"))?;
        let key = address_key(address);
        if bare.len() < text.len() && address_text(key) != text {
            return Err(format!(
                "{text} is no network that counts as one address; write {}",
                address_text(key)
            ));
        }
        Ok(key)
    }
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(number) = text.parse() {
            return Ok(Self::Connection(number));
        }
        let no_target = |_| format!("{text} is neither the number of a connection nor an address");
        Self::address(text).map(Self::Address).map_err(no_target)
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connection(number) => number.fmt(f),
            Self::Address(address) => address_text(*address).fmt(f),
        }
    }
}

/// How the server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// The program and its release.
    pub program: String,
    /// The number of its process.
    pub process: u32,
    /// For how many seconds it has been running.
    pub seconds: u64,
    /// Whether events are recorded.
    pub recording: Recording,
    /// How many connections there are.
    pub connections: usize,
    /// From how many addresses.
    pub addresses: usize,
    /// How many lobbies there are.
    pub lobbies: usize,
    /// In how many of them a game is being played.
    pub games: usize,
    /// Whether the server drains: no new games begin.
    pub draining: bool,
    /// Computations of bots and hints that are running.
    pub jobs_running: usize,
    /// Computations of bots and hints that wait for a thread.
    pub jobs_waiting: usize,
    /// Notes that wait to be recorded.
    pub notes_waiting: usize,
    /// What was counted and measured since the start, in the text format of `OpenMetrics`.
    pub metrics: String,
}

/// Whether events are recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Recording {
    /// They are.
    Ok,
    /// The server keeps nothing.
    Off,
    /// They cannot be recorded, for this reason, and all games wait.
    Stopped(String),
}

/// Who is connected, and which lobbies there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Who {
    /// The addresses with connections, those with most first.
    pub addresses: Vec<AddressRow>,
    /// How many more connections there are.
    pub more_connections: usize,
    /// The lobbies, by their codes.
    pub lobbies: Vec<LobbyRow>,
    /// How many more lobbies there are.
    pub more_lobbies: usize,
    /// The bans and mutes of addresses.
    pub rules: Vec<Rule>,
    /// How many more bans and mutes there are.
    pub more_rules: usize,
    /// Whether there are other servers with the same lobbies, whose connections are not among these.
    #[serde(default)]
    pub has_peers: bool,
}

/// An address with connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressRow {
    /// The address.
    pub address: IpAddr,
    /// How many connections it has.
    pub count: usize,
    /// How much of its requests is used up, in percent.
    pub requests: u32,
    /// How much of its part of the journal is used up, in percent.
    pub journal: u32,
    /// Its connections, by their numbers.
    pub connections: Vec<ConnectionRow>,
}

/// A connection.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConnectionRow {
    /// Its number.
    pub number: u64,
    /// The name of its client; `None` before the welcome.
    pub name: Option<String>,
    /// Where it is; `None` in the hall.
    pub place: Option<Whereabouts>,
    /// Whether the host has muted it, apart from its address.
    pub muted: bool,
    /// For how many seconds no request has come.
    pub idle: u64,
}

/// The place of a connection in a lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Whereabouts {
    /// The lobby's code.
    pub lobby: String,
    /// As whom.
    pub role: Role,
}

/// As whom a connection is in a lobby.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// It has a seat.
    Player,
    /// It watches.
    Watcher,
}

/// A lobby.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LobbyRow {
    /// Its code.
    pub code: String,
    /// What is played.
    pub variant: String,
    /// Whether it waits, is playing, or its game is over.
    pub state: String,
    /// The names of those who have a seat.
    pub players: Vec<String>,
    /// How many watch.
    pub watchers: u32,
    /// The address from which it was opened.
    pub opener: IpAddr,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_number_or_an_address_as_the_limits_count_it() {
        for (text, target) in [
            ("12", Ok(Target::Connection(12))),
            ("10.0.0.7", Ok(Target::Address([10, 0, 0, 7].into()))),
            ("::ffff:10.0.0.7", Ok(Target::Address([10, 0, 0, 7].into()))),
            ("2001:db8:1:2:3::4", Ok(Target::Address("2001:db8:1:2::".parse().unwrap()))),
            ("2001:db8:1:2::/64", Ok(Target::Address("2001:db8:1:2::".parse().unwrap()))),
        ] {
            assert_eq!(text.parse::<Target>(), target, "{text}");
        }
        for text in [
            "",
            "anna",
            "-1",
            "10.0.0",
            "10.0.0.0/24",
            "10.0.0.1/64",
            "fe80::1/64",
            "2001:db8:1:2:3::4/64",
            "2001:db8::/32",
            "99999999999999999999",
        ] {
            assert!(text.parse::<Target>().is_err(), "{text}");
        }
    }
}
