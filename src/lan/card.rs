//! What a host tells of itself, by whatever way it is asked.

use std::fmt;
use std::str::FromStr;

use super::{HostName, Version};

/// A number that a host chooses anew whenever it starts, so that it is known to be one host at all its addresses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u64);

impl HostId {
    /// One that no other host has.
    pub fn random() -> Self {
        Self(fastrand::u64(..))
    }
}

impl fmt::Display for HostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for HostId {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u64::from_str_radix(text, 16).map(Self)
    }
}

/// A host as it introduces itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    /// Which host it is.
    pub id: HostId,
    /// What it is called.
    pub name: HostName,
    /// The version of its program.
    pub version: Version,
    /// The TCP port on which games are hosted; never 0.
    pub port: u16,
    /// How many lobbies anybody may join; 65,535 stands for more too.
    pub open_lobbies: u16,
}
