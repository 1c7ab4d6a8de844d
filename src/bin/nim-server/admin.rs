//! `nim-server admin`: what the host asks of the running server.

mod who;

use std::net::IpAddr;
use std::time::Duration;

use anyhow::bail;
use clap::{Args, Subcommand};
use nim::cli::after_help;
use nim::game::notation::printable;
use nim::lobby::Code;
use nim::server::admin::{AdminAnswer, AdminRequest, Target};
use nim::server::duration;

use crate::examples;
use crate::place::PlaceFlags;
use crate::values::say;

/// Which server is asked, and what.
#[derive(Debug, Args)]
pub(crate) struct Admin {
    #[command(flatten)]
    place: PlaceFlags,
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Show who is connected, from which addresses, and the lobbies
    #[command(after_help = after_help(&[], examples::WHO))]
    Who,
    /// Close a connection, or all connections of an address; seats are kept as after any lost connection
    #[command(after_help = after_help(&[], examples::KICK))]
    Kick {
        /// The number of a connection, or an address
        #[arg(value_name = "CONNECTION|ADDRESS")]
        target: Target,
    },
    /// Mute a connection until it ends, or an address until it is unmuted
    #[command(after_help = after_help(&[], examples::MUTE))]
    Mute {
        /// The number of a connection, or an address
        #[arg(value_name = "CONNECTION|ADDRESS")]
        target: Target,
        /// For how long an address is muted, such as 10m or 1h
        #[arg(long = "for", value_name = "TIME", value_parser = duration)]
        time: Option<Duration>,
    },
    /// Lift a mute
    #[command(after_help = after_help(&[], examples::UNMUTE))]
    Unmute {
        /// The number of a connection, or an address
        #[arg(value_name = "CONNECTION|ADDRESS")]
        target: Target,
    },
    /// Close the connections of an address and refuse new ones; a restart keeps that, except with --memory
    #[command(after_help = after_help(&[], examples::BAN))]
    Ban {
        /// The address; for an IPv6 address of the internet, its /64 network
        #[arg(value_parser = Target::address)]
        address: IpAddr,
        /// For how long, such as 1h; a bare number is seconds [default: until it is lifted]
        #[arg(long = "for", value_name = "TIME", value_parser = duration)]
        time: Option<Duration>,
    },
    /// Lift a ban
    #[command(after_help = after_help(&[], examples::UNBAN))]
    Unban {
        /// The address
        #[arg(value_parser = Target::address)]
        address: IpAddr,
    },
    /// Close a lobby for all who are in it; a running game ends as abandoned, a draw
    #[command(after_help = after_help(&[], examples::CLOSE))]
    Close {
        /// The lobby's code
        #[arg(value_name = "LOBBY")]
        code: Code,
    },
    /// Tell everybody who is connected something
    #[command(after_help = after_help(&[], examples::SAY))]
    Say {
        /// What to tell
        #[arg(required = true, value_name = "TEXT")]
        words: Vec<String>,
    },
    /// Begin no new games, and stop the server when the last has ended
    #[command(after_help = after_help(&[], examples::DRAIN))]
    Drain {
        /// Begin games again
        #[arg(long)]
        cancel: bool,
        /// At all nodes of the cluster; one node alone gives its lobbies to the others, and stops then
        #[cfg(feature = "cluster")]
        #[arg(long)]
        all: bool,
    },
}

impl Admin {
    /// Asks the server and prints its answer.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self.place.ask(&self.act.request())? {
            AdminAnswer::Who(who) => who::lines(&who).iter().try_for_each(|line| say(&visible(line))),
            AdminAnswer::Done(words) => say(&format!("{}.", visible(&words))),
            AdminAnswer::Refused(why) => bail!("{}", visible(&why)),
            AdminAnswer::Status(_) => bail!("the server answered another question"),
        }
    }
}

impl Act {
    fn request(self) -> AdminRequest {
        match self {
            Self::Who => AdminRequest::Who,
            Self::Kick { target } => AdminRequest::Kick { target },
            Self::Mute { target, time } => AdminRequest::Mute { target, seconds: seconds(time) },
            Self::Unmute { target } => AdminRequest::Unmute { target },
            Self::Ban { address, time } => AdminRequest::Ban { address, seconds: seconds(time) },
            Self::Unban { address } => AdminRequest::Unban { address },
            Self::Close { code } => AdminRequest::Close { code },
            Self::Say { words } => AdminRequest::Say { words: words.join(" ") },
            #[cfg(feature = "cluster")]
            Self::Drain { cancel, all: true } => AdminRequest::DrainAll { cancel },
            Self::Drain { cancel, .. } => AdminRequest::Drain { cancel },
        }
    }
}

/// The seconds of a time, rounded up.
fn seconds(time: Option<Duration>) -> Option<u64> {
    time.map(|time| time.as_millis().div_ceil(1_000).try_into().unwrap_or(u64::MAX))
}

/// The text without characters that control a terminal: it has names that strangers chose.
fn visible(text: &str) -> String {
    printable(text).collect()
}
