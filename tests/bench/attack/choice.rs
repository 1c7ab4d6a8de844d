//! Which attacks, from where, and for how long.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::means::Means;

/// What the command line says of attacks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Attacks")]
pub(crate) struct Orders {
    /// By what means; all if none is named
    #[arg(long, value_delimiter = ',')]
    by: Vec<Means>,

    /// From where
    #[arg(long, value_delimiter = ',', default_value = "one,many")]
    from: Vec<From>,

    /// For how many seconds each attack lasts
    #[arg(long, default_value_t = 5.0, value_name = "SECONDS")]
    siege: f64,

    /// Be the attackers of this server
    #[arg(long, hide = true)]
    target: Option<SocketAddr>,

    /// The code of a lobby with a password there
    #[arg(long, hide = true, default_value = "")]
    code: String,
}

/// What is done to servers, and beside what.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) means: Vec<Means>,
    pub(crate) from: Vec<From>,
    /// How long each attack lasts.
    pub(crate) time: Duration,
    /// How many honest games there are.
    pub(crate) lobbies: usize,
}

/// Where attackers come from: never from the address of the honest players, since an address has one limit for all
/// who sit behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum From {
    /// One address
    One,
    /// Forty addresses
    Many,
}

/// How many addresses are many.
const MANY: usize = 40;

impl From {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Many => "many",
        }
    }

    /// The address of attacker number so and so.
    pub(crate) fn address(self, number: usize) -> Ipv4Addr {
        match self {
            Self::One => Ipv4Addr::new(127, 0, 1, 1),
            Self::Many => Ipv4Addr::new(127, 0, 1, u8::try_from(1 + number % MANY).unwrap_or(1)),
        }
    }

    /// How many attackers there are: more than are let in.
    pub(crate) fn raiders(self) -> usize {
        match self {
            Self::One => 300,
            Self::Many => 1_200,
        }
    }
}

/// The arguments of the attackers' process.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) means: Means,
    pub(crate) from: From,
    pub(crate) target: SocketAddr,
    pub(crate) code: String,
}

impl Orders {
    /// What is to be done by this process, if it is that of the attackers.
    pub(crate) fn order(&self) -> Option<Order> {
        let (&means, &from) = (self.by.first()?, self.from.first()?);
        Some(Order { means, from, target: self.target?, code: self.code.clone() })
    }

    /// What is done if the process is not that of the attackers; only for a moment if `is_smoke`.
    pub(crate) fn plan(&self, is_smoke: bool) -> Plan {
        let means = if self.by.is_empty() { Means::value_variants().to_vec() } else { self.by.clone() };
        let (seconds, lobbies) = if is_smoke { (0.05, 3) } else { (self.siege, 100) };
        let from = if is_smoke { vec![From::One] } else { self.from.clone() };
        Plan { means, from, time: Duration::from_secs_f64(seconds), lobbies }
    }
}
