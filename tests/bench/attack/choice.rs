//! The kinds of attacks to run, their source addresses and their length.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::means::Means;
use crate::smoke;

/// Command-line options of the attacks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Attacks")]
pub(crate) struct Orders {
    /// Kinds of attacks; all by default
    #[arg(long, value_delimiter = ',')]
    by: Vec<Means>,

    /// Source addresses of the attackers; both kinds by default
    #[arg(long, value_delimiter = ',', default_value = "one,many")]
    from: Vec<From>,

    /// Length of an attack in each round, in seconds
    #[arg(long, default_value_t = 2.0, value_name = "SECONDS")]
    siege: f64,

    /// Games of honest players
    #[arg(long, default_value_t = 100)]
    pairs: usize,

    /// Open files that the server may have; the system's limit by default
    #[arg(long)]
    pub(crate) files: Option<u32>,

    /// Attack a second server on this machine: what the attack costs its neighbours, and not this server
    #[arg(long)]
    pub(crate) elsewhere: bool,

    /// Act as the attackers of this server
    #[arg(long, hide = true)]
    pub(crate) target: Option<SocketAddr>,

    #[command(flatten)]
    pub(crate) lobbies: Lobbies,
}

/// The lobbies of others that the attackers know.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Lobbies {
    /// Code of a lobby with a password
    #[arg(long, hide = true, default_value = "")]
    pub(crate) locked: String,

    /// Codes of lobbies that anybody may watch
    #[arg(long, hide = true, value_delimiter = ',')]
    pub(crate) watched: Vec<String>,
}

/// Source addresses of the attackers. Honest players use other addresses, since each address has its own
/// limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// One address
    One,
    /// Forty addresses
    Many,
}

/// The number of addresses in `From::Many`.
const MANY: usize = 40;

impl From {
    /// The address of the attacker with this number.
    pub(crate) fn address(self, number: usize) -> Ipv4Addr {
        match self {
            Self::One => Ipv4Addr::new(127, 0, 1, 1),
            Self::Many => Ipv4Addr::new(127, 0, 1, u8::try_from(1 + number % MANY).unwrap_or(1)),
        }
    }

    /// The number of attackers: nearly as many as the server admits beside the players, so that the newcomer has a
    /// place, or more.
    pub(crate) fn raiders(self, is_crowd: bool) -> usize {
        match (self, is_crowd) {
            (Self::One, false) => 250,
            (Self::One, true) => 300,
            (Self::Many, false) => 780,
            (Self::Many, true) => 1_200,
        }
    }
}

impl Orders {
    /// The kinds of attacks to run, one after the other.
    pub(crate) fn means(&self) -> Vec<Means> {
        if self.by.is_empty() { Means::value_variants().to_vec() } else { self.by.clone() }
    }

    /// The source addresses to attack from, one after the other.
    pub(crate) fn from(&self) -> Vec<From> {
        smoke::all_or(vec![From::One], self.from.clone())
    }

    /// The number of honest games.
    pub(crate) fn pairs(&self) -> usize {
        smoke::all_or(3, self.pairs)
    }

    /// The length of an attack in each round.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(smoke::all_or(0.05, self.siege))
    }
}
