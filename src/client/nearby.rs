//! The hosts on this network, as somebody may choose from them: where each takes a connection, and how near it is.

mod watch;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

pub use watch::Watch;

use super::Failure;
use super::words::nearby::choice;
use crate::lan::{Host, HostName, Lookout, Reach, round_trips};

/// A host that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// What it says of itself.
    pub host: Host,
    /// The address at which it answered first, or else the first that it has.
    pub address: SocketAddr,
    /// How long it took to connect, which is one round trip; `None` if it took no connection.
    pub round_trip: Option<Duration>,
}

/// Looks for hosts for so long, and how near they are. They come in the order of their names, and those that take no
/// connection are last.
pub async fn neighbours(reach: Reach, time: Duration) -> io::Result<Vec<Neighbour>> {
    let hosts = Lookout::start(reach)?.look_around(time).await;
    let trips = round_trips(&hosts).await;
    let mut found: Vec<Neighbour> =
        hosts.into_iter().zip(trips).filter_map(|(host, trip)| Neighbour::of(host, trip)).collect();
    // Not by how near they are: on a local network that is chance, and the list would be another one each time.
    found.sort_by(|one, other| one.place().cmp(&other.place()));
    Ok(found)
}

impl Neighbour {
    fn of(host: Host, trip: Option<(SocketAddr, Duration)>) -> Option<Self> {
        let address = trip.map(|(address, _)| address).or_else(|| host.addresses.first().copied())?;
        Some(Self { host, address, round_trip: trip.map(|(_, time)| time) })
    }

    /// Where it stands in a list.
    fn place(&self) -> (bool, &HostName, SocketAddr) {
        (self.round_trip.is_none(), &self.host.name, self.address)
    }
}

/// Why it is not clear to which host somebody would go who named none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoHost {
    /// None was found within this time.
    None(Duration),
    /// There are several, and nobody to ask.
    Several(Vec<Neighbour>),
}

impl From<NoHost> for Failure {
    fn from(none: NoHost) -> Self {
        Self::NoHost(none)
    }
}

impl fmt::Display for NoHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None(time) => {
                let time = super::words::spoken_time(*time);
                write!(
                    f,
                    "no host was found on this network within {time}\nIs nim-server running there, and this machine on the \
                     same network?\nSome networks let no machine find another: type the address that the host's screen \
                     shows, as in nim-client connect 192.168.1.7"
                )
            }
            Self::Several(hosts) => {
                f.write_str("there are several hosts on this network; say which one")?;
                hosts.iter().try_for_each(|host| write!(f, "\n  nim-client connect {}", choice(host)))
            }
        }
    }
}
