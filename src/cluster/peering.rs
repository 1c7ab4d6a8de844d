//! What a server asks of the other nodes: where a lobby is, connections to other nodes, names and numbers.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::watch;
use tokio_util::either::Either;

use super::engine::Revision;
use super::engine::etcd::SeenHealth;
use super::keeper::Others;
use super::keys::{Epoch, Slot};
use super::names::Names;
use super::network::NodeNetwork;
use super::node::Membership;
use super::numbers::Numbers;
use super::orders::Orders;
use super::places::Places;
use super::suspicion::Suspicion;
use super::tls::{NodeStream, NodeTls, is_of_tls};
use super::tunnel::{HandshakeError, Introduction, SharedSecret, Tunnel, dial};
use crate::lobby::{Code, Name};
use crate::server::storage::LobbyId;
use crate::server::{Later, PeerAnswer, PeerId, PeerMetric, PeerStream, PeerValue, Peers, Place};
use crate::wire::limits::MAX_SERVERS;

/// How long a connection to another node may take until bytes of a client can go over it, with the handshake. A
/// machine that takes longer is tried again by who asks, or is taken over from.
const CONNECT_WITHIN: Duration = Duration::from_millis(600);

/// The pauses between attempts to reach a node that has joined: from the first one they double up to the last.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LAST_PAUSE: Duration = Duration::from_secs(16);

/// The pause before another connection to a node that has ended the last one, and is living nevertheless.
const ATTEND_PAUSE: Duration = Duration::from_secs(1);

/// The open files for another node, beside tunnels of clients: each of the two has a connection that lasts, and the others
/// come for a moment, to find out whether a node is reached, or has died, or takes this one for dead.
const FILES_EACH_NODE: usize = 8;

/// The open files for the other nodes, beside tunnels of clients: for as many nodes as clients are told of.
pub(super) const PEERING_FILES: usize = MAX_SERVERS * FILES_EACH_NODE;

/// The other nodes, as the server of this one sees them.
#[derive(Debug)]
pub struct Peering {
    /// This node's membership.
    pub membership: Membership,
    /// How other nodes are reached.
    pub network: Arc<dyn NodeNetwork>,
    /// The secret of the cluster.
    pub secret: SharedSecret,
    /// The certificates, where nodes speak TLS.
    pub tls: Option<NodeTls>,
    /// Where each slot is.
    pub places: Arc<Places>,
    /// Who has died.
    pub suspicion: Suspicion,
    /// The name of this machine.
    pub machine: String,
    /// Numbers for lobbies.
    pub numbers: Numbers,
    /// The names of people.
    pub names: Names,
    /// What the host of this node asks of all.
    pub orders: Orders,
    /// How etcd is.
    pub health: SeenHealth,
}

impl Peering {
    async fn dial(&self, epoch: Epoch, client: SocketAddr) -> io::Result<Tunnel<NodeStream>> {
        let nodes = self.places.nodes();
        let (name, about) = nodes.get(&epoch).ok_or(io::ErrorKind::NotConnected)?;
        if !about.is_reachable_from(&self.machine) {
            return Err(advice(format!(
                "node {name} is on another machine and listens only to that one: start it with --cluster-bind \
                 ADDRESS:PORT, with an address that this machine reaches"
            )));
        }
        if about.tls != self.tls.is_some() {
            return Err(advice(format!(
                "of node {name} and this one only one speaks TLS with other nodes: start all nodes with --cluster-ca, \
                 --cluster-cert and --cluster-key, or none"
            )));
        }
        let introduction = Introduction { dialer: self.membership.epoch(), meant: epoch, client };
        let proof = (&self.secret, self.tls.as_ref());
        dial_at(&*self.network, about.tunnel, proof, introduction).await.map_err(|error| match error {
            HandshakeError::NoTls(error) => advice(format!(
                "no TLS with node {name} at {}: {error}; the certificates of both nodes have to be valid, and of the \
                 authority of --cluster-ca",
                about.tunnel
            )),
            error => io::Error::other(error),
        })
    }
}

/// Makes a tunnel to the node at this address, over TLS where the nodes speak it with each other.
pub(super) async fn dial_at(
    network: &dyn NodeNetwork,
    address: SocketAddr,
    (secret, tls): (&SharedSecret, Option<&NodeTls>),
    introduction: Introduction,
) -> Result<Tunnel<NodeStream>, HandshakeError> {
    let stream = network.connect(address).await?;
    let Some(tls) = tls else { return dial(Either::Left(stream), secret, introduction).await };
    let stream = tls.dial(stream, address.ip()).await.map_err(HandshakeError::NoTls)?;
    dial(stream, secret, introduction).await.map_err(|error| match error {
        // The other node has read this one's certificate after its own was accepted here.
        HandshakeError::Ended(error) if is_of_tls(&error) => HandshakeError::NoTls(error),
        error => error,
    })
}

impl Others for Peering {
    fn until_reached(&self, epoch: Epoch) -> Later<'_, bool> {
        Box::pin(async move {
            let mut pause = FIRST_PAUSE;
            loop {
                let Some((name, about)) = self.places.nodes().get(&epoch).cloned() else { return false };
                let dialing = self.dial(epoch, Introduction::NOBODY);
                let why = match tokio::time::timeout(CONNECT_WITHIN, dialing).await {
                    Ok(Ok(_)) => return true,
                    Ok(Err(error)) => error.to_string(),
                    Err(_) => "it does not answer".into(),
                };
                // Before, it may only be starting.
                if pause == LAST_PAUSE {
                    let at = about.tunnel;
                    tracing::warn!(
                        "node {name} is not reached at {at}: {why}; nobody here can play in its lobbies, and it gets none from \
                         this node"
                    );
                }
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LAST_PAUSE);
            }
        })
    }

    fn until_gone(&self, epoch: Epoch) -> Later<'_, ()> {
        let attend = async move {
            loop {
                if let Err(error) = self.attend(epoch).await {
                    tracing::debug!(%epoch, %error, "the connection to another node has ended");
                }
                self.suspicion.examine(epoch);
                tokio::time::sleep(ATTEND_PAUSE).await;
            }
        };
        Box::pin(async move {
            tokio::select! {
                () = self.places.gone(epoch) => {}
                () = attend => {}
            }
        })
    }
}

impl Peering {
    /// Has a connection to that node, and nothing to say over it, until it ends.
    async fn attend(&self, epoch: Epoch) -> io::Result<()> {
        let dialed = tokio::time::timeout(CONNECT_WITHIN, self.dial(epoch, Introduction::NOBODY)).await;
        let mut tunnel = dialed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))?;
        tokio::io::copy(&mut tunnel, &mut tokio::io::sink()).await.map(drop)
    }
}

impl Peers for Peering {
    fn place_of(&self, code: Code) -> Place {
        self.places.place(Slot::of(code))
    }

    fn place_of_matches(&self, variant: &str) -> Place {
        self.places.place(Slot::of_text(variant))
    }

    fn place_of_new(&self) -> Place {
        self.places.place_of_new()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.places.changes()
    }

    fn connect(&self, peer: PeerId, client: SocketAddr) -> Later<'_, io::Result<Box<dyn PeerStream>>> {
        let epoch = Epoch(Revision(peer.0));
        Box::pin(async move {
            let dialed = tokio::time::timeout(CONNECT_WITHIN, self.dial(epoch, client)).await;
            let dialed = dialed.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
            match dialed {
                Ok(tunnel) => {
                    Ok(Box::new(PeerTunnel { tunnel, epoch, suspicion: self.suspicion.clone() }) as _)
                }
                Err(error) => {
                    tracing::debug!(%epoch, %error, "another node was not reached");
                    self.suspicion.examine(epoch);
                    Err(error)
                }
            }
        })
    }

    fn claim_name(&self, name: &Name) -> Later<'_, bool> {
        Box::pin(self.names.claim(name))
    }

    fn take_name(&self, name: &Name) {
        self.names.take(name);
    }

    fn take_name_later(&self, name: &Name) {
        self.names.take_later(name);
    }

    fn release_name(&self, name: &Name) {
        self.names.release(name);
    }

    fn next_lobby(&self) -> Option<LobbyId> {
        self.numbers.next()
    }

    fn is_certain(&self) -> bool {
        self.membership.is_certain()
    }

    fn addresses(&self) -> watch::Receiver<Arc<Vec<String>>> {
        self.places.addresses()
    }

    fn address_of(&self, peer: PeerId) -> Option<String> {
        self.places.address_of(Epoch(Revision(peer.0)))
    }

    fn has_others(&self) -> bool {
        self.places.has_others(self.membership.epoch())
    }

    fn pass_on(&self, order: String) -> Later<'_, Result<Vec<PeerAnswer>, String>> {
        Box::pin(async move { self.orders.pass_on(&order).await })
    }

    fn metrics(&self) -> Vec<PeerMetric> {
        let places = &self.places;
        let metric = |name, help, value| PeerMetric { name, help, value };
        let now = |number: usize| PeerValue::Now(number as u64);
        let mut all = vec![
            metric("cluster_nodes", "Nodes of the cluster that are living", now(places.nodes().len())),
            metric("cluster_slots", "Slots of this node, of 256 of the cluster", now(places.here())),
            metric("cluster_slots_moving", "Slots that are on their way to a node", now(places.moving())),
            metric(
                "cluster_slots_taken",
                "Slots that have come to this node",
                PeerValue::InAll(places.taken()),
            ),
        ];
        if let Some((servers, database)) = self.health.answering() {
            all.push(metric(
                "cluster_etcd_servers",
                "Servers of etcd that have answered lately",
                now(servers),
            ));
            let help = "The largest database of a server of etcd";
            let database = database.map(PeerValue::Now);
            all.extend(database.map(|bytes| metric("cluster_etcd_database_bytes", help, bytes)));
        }
        all
    }
}

/// An error that a person has to put right. It is logged.
fn advice(text: String) -> io::Error {
    tracing::error!("{text}");
    io::Error::other(text)
}

/// A tunnel to another node. Where it is cut, the node may have died.
#[derive(Debug)]
struct PeerTunnel {
    tunnel: Tunnel<NodeStream>,
    epoch: Epoch,
    suspicion: Suspicion,
}

impl AsyncRead for PeerTunnel {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.tunnel).poll_read(context, buffer));
        if read.is_err() {
            self.suspicion.examine(self.epoch);
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for PeerTunnel {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tunnel).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tunnel).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tunnel).poll_shutdown(context)
    }
}
