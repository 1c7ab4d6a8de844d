//! Redials a server whose connection was lost: attempts with growing pauses, until one succeeds or the time
//! is over. A server that is a cluster has several addresses, which are tried in turn. What to ask the server
//! then is for the session to decide.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::dial::{Dial, Stream};
use super::{Address, Connection, Failure};
use crate::lobby::Name;
use crate::wire::{ClientKind, Farewell, HallRequest, HelloRefusal};

/// The longest pause before the first attempt, too short to read that the connection is lost.
const FIRST: Duration = Duration::from_millis(100);

/// The longest pause: nobody likes to wait longer once the network works again.
const LONGEST: Duration = Duration::from_secs(5);

/// The fewest attempts within the patience, by shorter pauses if necessary.
const MIN_ATTEMPTS: u32 = 20;

/// How long the first attempt at an address may take if there are others: one that is dead delays the next
/// one no longer. With each round it is twice as long, since a slow network can look like a dead server.
const ATTEMPT: Duration = Duration::from_secs(1);

/// The longest time for an attempt if there are other addresses: as long as the deadlines for connecting and
/// for the welcome together.
const LONGEST_ATTEMPT: Duration = Duration::from_secs(10);

/// The longest time until a client goes to the server that has its lobby. When a server dies, its lobbies and clients come
/// to the others, which have no time for this before half of it has passed.
const NEARER_WITHIN: Duration = Duration::from_secs(6);

/// How long a client tries to reconnect by default.
pub const DEFAULT_PATIENCE: Duration = Duration::from_mins(10);

/// A server to connect to, the name to use there, and how long to try to reconnect.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// The server's address.
    pub address: Address,
    /// The addresses of the other servers of its cluster, for when this one does not answer.
    pub others: Vec<Address>,
    /// The port if the address names none.
    pub default_port: u16,
    /// The name to ask for.
    pub name: Name,
    /// Whether a person or a program plays.
    pub kind: ClientKind,
    /// How long to try to reconnect.
    pub patience: Duration,
    /// The network to use.
    pub network: Arc<dyn Dial>,
}

/// Why a client dials again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cause {
    /// The connection was closed, or broke.
    Closed,
    /// Nothing was heard from the server, or it read nothing.
    Silent,
    /// The game goes on in another server.
    Moved {
        /// How often the client was told so before since it was in its seat: the first time it dials at once.
        before: u32,
    },
    /// The server refuses for now, and perhaps not at every address.
    Refused {
        /// How often all addresses have done so before.
        rounds: u32,
    },
}

/// A new connection.
#[derive(Debug)]
pub struct Reached {
    /// The connection.
    pub connection: Connection,
    /// The server's address.
    pub address: Address,
    /// Whether an attempt was given up in which a server was asked for the seat. It may still carry that out.
    pub has_rival: bool,
}

impl Cause {
    /// Why a client dials that lost its connection in this way, and was told of this many moves before.
    pub(super) fn of(failure: &Failure, before: u32) -> Self {
        match failure {
            failure if failure.is_move() => Self::Moved { before },
            Failure::Silent(_) | Failure::Unread => Self::Silent,
            _ => Self::Closed,
        }
    }

    /// The upper limits of the pauses before the rounds.
    fn pauses(self, longest: Duration) -> impl Iterator<Item = Duration> {
        // Servers that send a client to and fro, or refuse again and again, are not to be kept busy by it.
        let doubled = |times: u32| FIRST.saturating_mul(1 << times.min(16)).min(longest);
        let (at_once, first) = match self {
            Self::Moved { before: 0 } => (Some(Duration::ZERO), FIRST),
            Self::Moved { before } => (None, doubled(before - 1)),
            Self::Refused { rounds } => (None, doubled(rounds)),
            Self::Closed | Self::Silent => (None, FIRST),
        };
        at_once.into_iter().chain(pauses(first, longest))
    }

    /// Whether the address comes first at which the server was last.
    fn trusts_last(self) -> bool {
        matches!(self, Self::Closed | Self::Moved { .. })
    }
}

impl Endpoint {
    /// The server's address, always with a port.
    pub fn whole_address(&self) -> String {
        let Address { host, port } = self.address.clone();
        Address { host, port: port.or(Some(self.default_port)) }.to_string()
    }

    /// Connects once. Returns the connection and the name that the server gave. If there are other addresses,
    /// the first counts that answers soon.
    pub async fn connect(&self) -> Result<(Connection, Name), Failure> {
        for address in self.addresses().filter(|_| !self.others.is_empty()) {
            match timeout(ATTEMPT, self.connect_to(address)).await {
                Ok(Err(failure)) if !is_permanent(&failure) => {}
                Ok(answer) => return answer,
                Err(_) => {}
            }
        }
        self.connect_to(&self.address).await
    }

    async fn connect_to(&self, address: &Address) -> Result<(Connection, Name), Failure> {
        let stream = self.network.dial(address, self.default_port).await?;
        self.greet(stream, address, None).await
    }

    async fn greet(
        &self,
        stream: Box<dyn Stream>,
        address: &Address,
        first: Option<&HallRequest>,
    ) -> Result<(Connection, Name), Failure> {
        Connection::open_for(stream, address, (self.name.as_str(), self.kind), first.cloned()).await
    }

    /// All addresses, the server's own one first.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &Address> {
        iter::once(&self.address).chain(&self.others)
    }

    /// Replaces the other addresses by these. Texts that are no addresses are ignored, and none is there twice.
    pub(super) fn set_others<'a>(&mut self, addresses: impl Iterator<Item = &'a str>) {
        self.others.clear();
        for address in addresses.filter_map(|text| text.parse::<Address>().ok()) {
            if !self.addresses().any(|known| self.is_same(known, &address)) {
                self.others.push(address);
            }
        }
    }

    pub(super) fn is_same(&self, one: &Address, other: &Address) -> bool {
        let port = |address: &Address| address.port.unwrap_or(self.default_port);
        port(one) == port(other) && one.host.eq_ignore_ascii_case(&other.host)
    }

    /// The order in which the addresses are tried: the last one first or last, by the cause, and the others in
    /// a random order, so that the clients of a lost server do not all go to the same one.
    fn route(&self, last: &Address, cause: Cause) -> Vec<Address> {
        let mut route: Vec<Address> = self.addresses().filter(|address| *address != last).cloned().collect();
        fastrand::shuffle(&mut route);
        route.insert(if cause.trusts_last() { 0 } else { route.len() }, last.clone());
        route
    }

    /// Tries each address in turn, round by round, with a pause before each round. A permanent failure ends it
    /// early. The request is sent in the first round only: later, another window may have the seat.
    async fn retry(
        self,
        route: Vec<Address>,
        pauses: impl Iterator<Item = Duration>,
        mut first: Option<HallRequest>,
    ) -> Result<Reached, Failure> {
        let mut has_rival = false;
        let mut deadline = if route.len() == 1 { Duration::MAX } else { ATTEMPT };
        for pause in pauses {
            sleep(spread(pause)).await;
            for address in &route {
                let mut has_asked = false;
                let attempt = async {
                    let stream = self.network.dial(address, self.default_port).await?;
                    has_asked = first.is_some();
                    self.greet(stream, address, first.as_ref()).await
                };
                match timeout(deadline, attempt).await {
                    Ok(Ok((connection, _))) => {
                        return Ok(Reached { connection, address: address.clone(), has_rival });
                    }
                    Ok(Err(failure)) if is_permanent(&failure) => return Err(failure),
                    // It carries nothing out.
                    Ok(Err(Failure::Unwelcome(_))) => {}
                    Ok(Err(_)) | Err(_) => has_rival |= has_asked,
                }
            }
            first = None;
            if route.len() > 1 {
                deadline = (deadline * 2).min(LONGEST_ATTEMPT);
            }
        }
        Err(Failure::GaveUp(self.patience))
    }
}

/// The upper limits of the pauses: each twice as long as the one before, up to `longest`, without end.
fn pauses(first: Duration, longest: Duration) -> impl Iterator<Item = Duration> {
    iter::successors(Some(first), move |pause| Some((*pause * 2).min(longest)))
}

/// A random time in the second half of this pause, so that clients do not all return at once.
fn spread(pause: Duration) -> Duration {
    pause.mul_f64(0.5 + fastrand::f64() / 2.0)
}

/// Whether every further attempt would fail in the same way.
fn is_permanent(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Unwelcome(HelloRefusal::Version { .. } | HelloRefusal::Name(_) | HelloRefusal::Banned)
    )
}

/// A task that tries to connect, with pauses; dropping this stops it.
#[derive(Debug)]
pub(super) struct Reconnect(JoinHandle<Result<Reached, Failure>>);

impl Reconnect {
    /// Starts the attempts, for the time left. `last` is the address at which the server was last, and `first` what the
    /// server is asked at once.
    pub(super) fn begin(
        endpoint: &Endpoint,
        last: &Address,
        cause: Cause,
        left: Duration,
        first: Option<HallRequest>,
    ) -> Self {
        let longest = LONGEST.min(endpoint.patience / MIN_ATTEMPTS);
        let gave_up = Failure::GaveUp(endpoint.patience);
        let trying = endpoint.clone().retry(endpoint.route(last, cause), cause.pauses(longest), first);
        Self(tokio::spawn(async move { timeout(left, trying).await.unwrap_or(Err(gave_up)) }))
    }

    /// The same after a move, but each address is tried only once. The failure is that it has moved.
    pub(super) fn begin_once(
        endpoint: &Endpoint,
        last: &Address,
        cause: Cause,
        first: Option<HallRequest>,
    ) -> Self {
        let trying =
            endpoint.clone().retry(endpoint.route(last, cause), cause.pauses(LONGEST).take(1), first);
        Self(tokio::spawn(async move { trying.await.map_err(|_| Failure::Goodbye(Farewell::Moved)) }))
    }

    /// Connects to the server at this address, once, in a moment.
    pub(super) fn begin_nearer(endpoint: &Endpoint, address: Address) -> Self {
        let endpoint = endpoint.clone();
        Self(tokio::spawn(async move {
            sleep(spread(NEARER_WITHIN)).await;
            let (connection, _) = endpoint.connect_to(&address).await?;
            Ok(Reached { connection, address, has_rival: false })
        }))
    }

    /// The new connection, once there is one.
    ///
    /// Cancel safe.
    pub(super) async fn done(&mut self) -> Result<Reached, Failure> {
        let broken = |error: tokio::task::JoinError| Failure::Broken(std::io::Error::other(error));
        (&mut self.0).await.unwrap_or_else(|error| Err(broken(error)))
    }
}

impl Drop for Reconnect {
    fn drop(&mut self) {
        self.0.abort();
    }
}

#[cfg(test)]
mod tests;
