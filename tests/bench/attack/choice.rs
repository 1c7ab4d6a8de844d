//! Which attacks, from where, and for how long.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::means::Means;
use crate::smoke;

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
    pub(crate) target: Option<SocketAddr>,

    /// The code of a lobby with a password there
    #[arg(long, hide = true, default_value = "")]
    pub(crate) code: String,
}

/// Where attackers come from: never from the address of the honest players, since an address has one limit
/// for all who sit behind it.
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

impl Orders {
    /// By what means, each after the other.
    pub(crate) fn means(&self) -> Vec<Means> {
        if self.by.is_empty() { Means::value_variants().to_vec() } else { self.by.clone() }
    }

    /// From where, each after the other.
    pub(crate) fn from(&self) -> Vec<From> {
        smoke::all_or(vec![From::One], self.from.clone())
    }

    /// How long each attack lasts.
    pub(crate) fn time(&self) -> Duration {
        Duration::from_secs_f64(smoke::all_or(0.05, self.siege))
    }
}
