//! A host on this network, for scripts.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

use crate::client::nearby::Neighbour;

/// A host that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FoundHost {
    /// What it calls itself.
    pub name: String,
    /// Where to connect.
    pub address: String,
    /// How many microseconds a round trip takes; `None` if it takes no connection.
    pub round_trip_micros: Option<u32>,
    /// How many lobbies anybody may join.
    pub open_lobbies: u16,
    /// The version of its program.
    pub version: String,
}

impl From<&Neighbour> for FoundHost {
    fn from(Neighbour { host, address, round_trip }: &Neighbour) -> Self {
        Self {
            name: host.name.to_string(),
            address: address.to_string(),
            round_trip_micros: round_trip.map(|time| u32::try_from(time.as_micros()).unwrap_or(u32::MAX)),
            open_lobbies: host.open_lobbies,
            version: host.version.to_string(),
        }
    }
}

/// Writes a host, as one line.
pub fn write_host(out: &mut impl Write, host: &Neighbour) -> io::Result<()> {
    serde_json::to_writer(&mut *out, &FoundHost::from(host))?;
    out.write_all(b"\n")
}
