//! Finds hosts on this network: the address at which each accepts connections, and its round-trip time.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout, timeout_at};

use crate::lan::{Browser, Change, Host, HostId, HostName, InterfaceFilter};

/// How long a host may take to accept a connection; on a local network a second is long.
const ROUND_TRIP_DEADLINE: Duration = Duration::from_secs(1);

/// A host that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Neighbour {
    /// What it announces.
    pub host: Host,
    /// The address that accepted a connection first; if none did, the host's first one.
    pub address: SocketAddr,
    /// The time that a connection took to open, which is one round trip; `None` if no address accepted one.
    pub round_trip: Option<Duration>,
}

impl Neighbour {
    /// The order of a list: hosts that accept connections first, then by name. Not by round-trip time, which
    /// would change the order by chance.
    fn order(&self) -> (bool, &HostName, SocketAddr) {
        (self.round_trip.is_none(), &self.host.name, self.address)
    }
}

/// Why a command without an address leads to no host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoHost {
    /// No host was found within this time.
    None(Duration),
    /// Several hosts were found, and there is nobody to choose one.
    Several(Vec<Neighbour>),
}

/// The address of a host that accepted a connection first, and the time that took.
type Trip = Option<(SocketAddr, Duration)>;

/// A running search for hosts on this network.
pub struct HostSearch {
    browser: Browser,
    found: Vec<Neighbour>,
    /// At most one for each host in `measuring`.
    trips: JoinSet<(HostId, Trip)>,
    measuring: Vec<HostId>,
}

impl HostSearch {
    /// Starts a search on these interfaces.
    ///
    /// Must be called within a tokio runtime.
    pub fn start(interfaces: InterfaceFilter) -> Self {
        let browser = Browser::start(interfaces);
        Self { browser, found: Vec::new(), trips: JoinSet::new(), measuring: Vec::new() }
    }

    /// Waits until the list changes, and returns it. Cancel safe.
    pub async fn next(&mut self) -> Vec<Neighbour> {
        loop {
            let has_changed = tokio::select! {
                change = self.browser.next() => self.apply(change),
                // A task that panicked has reported that.
                Some(Ok(measured)) = self.trips.join_next() => {
                    self.list_measured(measured);
                    true
                }
            };
            if has_changed {
                return self.sorted();
            }
        }
    }

    /// Returns the hosts that are found within this time.
    pub async fn look(&mut self, time: Duration) -> Vec<Neighbour> {
        let until = Instant::now() + time;
        // The list keeps changing during the search.
        while timeout_at(until, self.next()).await.is_ok() {}
        while let Some(measured) = self.trips.join_next().await {
            if let Ok(measured) = measured {
                self.list_measured(measured);
            }
        }
        self.sorted()
    }

    fn sorted(&mut self) -> Vec<Neighbour> {
        self.found.sort_by(|one, other| one.order().cmp(&other.order()));
        self.found.clone()
    }

    /// Applies a change. Returns whether the list changed. A new host is listed once its round trip is
    /// measured.
    fn apply(&mut self, change: Change) -> bool {
        let host = match change {
            Change::Gone(id) => {
                self.found.retain(|neighbour| neighbour.host.id != id);
                return true;
            }
            Change::Found(host) | Change::Changed(host) => host,
        };
        let known = self.found.iter_mut().find(|neighbour| neighbour.host.id == host.id);
        match known {
            Some(neighbour) if neighbour.host.addresses == host.addresses => {
                neighbour.host = host;
                true
            }
            _ => {
                if !self.measuring.contains(&host.id) {
                    self.measuring.push(host.id);
                    self.trips.spawn(async move { (host.id, round_trip(host.addresses).await) });
                }
                false
            }
        }
    }

    /// Lists a host after the measurement of its round trip, unless it is gone.
    fn list_measured(&mut self, (id, trip): (HostId, Trip)) {
        self.measuring.retain(|measuring| *measuring != id);
        self.found.retain(|neighbour| neighbour.host.id != id);
        if let Some(host) = self.browser.hosts().find(|host| host.id == id).cloned()
            && let Some(address) = trip.map(|(address, _)| address).or(host.addresses.first().copied())
        {
            self.found.push(Neighbour { host, address, round_trip: trip.map(|(_, time)| time) });
        }
    }
}

/// Connects to all these addresses; the first connection counts.
async fn round_trip(addresses: Vec<SocketAddr>) -> Trip {
    let mut trips = JoinSet::new();
    for address in addresses {
        trips.spawn(async move {
            let start = Instant::now();
            let connected = timeout(ROUND_TRIP_DEADLINE, TcpStream::connect(address)).await;
            connected.ok()?.ok().map(|_| (address, start.elapsed()))
        });
    }
    while let Some(trip) = trips.join_next().await {
        if let Ok(Some(trip)) = trip {
            return Some(trip);
        }
    }
    None
}
