//! The other servers with which this one shares all lobbies, as this one sees them. `cluster` implements it; a server
//! that is alone has none.

#[cfg(test)]
pub(super) mod fake;

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::storage::LobbyId;
use crate::lobby::{Code, Name};

/// One life of another server: no two have the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PeerId(pub u64);

/// Where the lobbies with some codes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In this server.
    Here,
    /// In that one.
    At(PeerId),
    /// In none for the moment: they are on their way from one server to another. Who asks for one of them waits.
    Moving,
}

/// A number for the metrics of this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeerMetric {
    /// Its name, without what stands before the names of all metrics.
    pub name: &'static str,
    /// What it says, in words without a full stop.
    pub help: &'static str,
    /// The number.
    pub value: PeerValue,
}

/// The number of a metric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerValue {
    /// What there is at this moment.
    Now(u64),
    /// What has happened since the start.
    InAll(u64),
}

/// What another server answers to an order of the host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeerAnswer {
    /// What the host calls it.
    pub server: String,
    /// Its answer, as [`Member::carry_out`](super::Member::carry_out) gave it; `None` if it gave none in time.
    pub said: Option<String>,
}

/// A connection to another server.
pub trait PeerStream: AsyncRead + AsyncWrite + fmt::Debug + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + fmt::Debug + Send + Unpin> PeerStream for S {}

/// An answer that takes a while.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The other servers. Calls that return no future take no time.
pub trait Peers: fmt::Debug + Send + Sync {
    /// Where the lobby with this code is kept, if there is one.
    fn place_of(&self, code: Code) -> Place;

    /// Where people meet who ask for a quick match of this game, by the text of its variant.
    fn place_of_matches(&self, variant: &str) -> Place;

    /// Where new lobbies of this server's visitors are opened: here, or at another server while no codes belong to this one.
    fn place_of_new(&self) -> Place;

    /// Changes whenever a place may have changed.
    fn changes(&self) -> watch::Receiver<u64>;

    /// Connects to another server for a client with this address. There it is a client like any other: first it says
    /// hello, with the name that it has here.
    fn connect(&self, peer: PeerId, client: SocketAddr) -> Later<'_, io::Result<Box<dyn PeerStream>>>;

    /// Claims a name for this server, unless another one has it. Returns whether this one has it. That may take however
    /// long, and who stops waiting may get it later.
    fn claim_name(&self, name: &Name) -> Later<'_, bool>;

    /// Claims a name for this server, even from another one: its owner has come here.
    fn take_name(&self, name: &Name);

    /// The same for a random name, which nobody else asks for in the next moment: it may be claimed a little later.
    fn take_name_later(&self, name: &Name) {
        self.take_name(name);
    }

    /// Gives a name up, if this server has it.
    fn release_name(&self, name: &Name);

    /// A number for a new lobby that no other lobby ever had; `None` if there is none for the moment.
    fn next_lobby(&self) -> Option<LobbyId>;

    /// Whether all that this server knows is certainly current, so that it may be told without being recorded.
    fn is_certain(&self) -> bool;

    /// The addresses of all servers at which clients reach them, as `HOST:PORT`, for clients that lose this one. Empty
    /// where a balancer stands before them.
    fn addresses(&self) -> watch::Receiver<Arc<Vec<String>>>;

    /// The address of another server among these; `None` if it has none, or wants no more clients.
    fn address_of(&self, peer: PeerId) -> Option<String>;

    /// Whether there are other servers, which would go on with the lobbies of this one.
    fn has_others(&self) -> bool;

    /// What the metrics of this server are to say of it as one of several.
    fn metrics(&self) -> Vec<PeerMetric> {
        Vec::new()
    }

    /// Has every other server carry out what the host of this one asks, as
    /// [`Member::carry_out`](super::Member::carry_out) takes it, and returns their answers in bounded time.
    ///
    /// # Errors
    ///
    /// Why the others do not know of it, as the end of a sentence.
    fn pass_on(&self, order: String) -> Later<'_, Result<Vec<PeerAnswer>, String>> {
        drop(order);
        Box::pin(async { Ok(Vec::new()) })
    }
}
