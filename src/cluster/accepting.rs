//! Connections from other nodes: most carry one of their clients to a lobby of this node, and one of each node tells it by
//! its end that this one has died.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::either::Either;

use super::network::{NodeListener, NodeSocket};
use super::node::Membership;
use super::places::Places;
use super::tls::{NodeStream, NodeTls};
use super::tunnel::{Accepted, HandshakeError, Introduction, SharedSecret, accept};
use crate::server::Arrival;

/// How long a handshake may take: one and a half times what the other end waits for it.
const HANDSHAKE_WITHIN: Duration = Duration::from_millis(900);

/// The most handshakes at once with the machines of living nodes. Further connections are closed, and who carries a client
/// comes again a moment later. Each handshake takes a few round trips, so that 10,000 clients who come back at once are let in
/// within seconds.
const MAX_HANDSHAKES: usize = 1_024;

/// The most of them with one machine, so that a silent program there keeps no other machine waiting.
const MAX_EACH: usize = MAX_HANDSHAKES / 2;

/// The most handshakes at once with all other machines, so that strangers keep no node waiting.
const MAX_OTHERS: usize = 64;

/// The open files that accepting takes beside those of tunnels: the listener, all handshakes, and a connection that is about
/// to be closed.
pub(super) const ACCEPTING_FILES: usize = 1 + MAX_HANDSHAKES + MAX_OTHERS + 1;

/// The pause after the system has given no connection, for instance since there are no file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How many handshakes are under way.
#[derive(Debug)]
struct Handshakes {
    /// Those with the machines of nodes.
    nodes: Arc<Semaphore>,
    /// Those with each of these machines.
    each: HashMap<IpAddr, Arc<Semaphore>>,
    /// Those with other machines.
    others: Arc<Semaphore>,
}

/// A handshake that is under way.
#[derive(Debug)]
struct Handshake {
    _of_all: OwnedSemaphorePermit,
    _of_machine: Option<OwnedSemaphorePermit>,
}

impl Handshakes {
    fn new() -> Self {
        let [nodes, others] = [MAX_HANDSHAKES, MAX_OTHERS].map(|most| Arc::new(Semaphore::new(most)));
        Self { nodes, each: HashMap::new(), others }
    }

    /// Begins a handshake with the machine of this address; `None` if there are too many.
    fn begin(&mut self, address: IpAddr, is_of_node: bool) -> Option<Handshake> {
        let all = if is_of_node { &self.nodes } else { &self.others };
        let of_all = Arc::clone(all).try_acquire_owned().ok()?;
        if !is_of_node {
            return Some(Handshake { _of_all: of_all, _of_machine: None });
        }
        self.each.retain(|known, own| *known == address || own.available_permits() < MAX_EACH);
        let own = self.each.entry(address).or_insert_with(|| Arc::new(Semaphore::new(MAX_EACH)));
        let of_machine = Arc::clone(own).try_acquire_owned().ok()?;
        Some(Handshake { _of_all: of_all, _of_machine: Some(of_machine) })
    }
}

/// Accepts the connections of other nodes.
#[derive(Debug)]
pub struct Accepting {
    /// Where they come in.
    pub listener: Box<dyn NodeListener>,
    /// The secret of the cluster.
    pub secret: SharedSecret,
    /// The certificates, where only nodes with TLS are let in.
    pub tls: Option<NodeTls>,
    /// This node.
    pub own: Membership,
    /// Who is living.
    pub places: Arc<Places>,
}

impl Accepting {
    /// Has the server take in each client. Dropping the future cuts all of these connections.
    pub async fn run(self, take_in: impl Fn(Arrival) + Clone + Send + 'static) {
        let (this, mut clients, mut handshakes) = (Arc::new(self), JoinSet::new(), Handshakes::new());
        loop {
            let accepted = tokio::select! {
                accepted = this.listener.accept() => accepted,
                Some(_) = clients.join_next() => continue,
            };
            match accepted {
                Ok((stream, peer)) => {
                    let is_of_node = this.places.is_machine_of_node(peer.ip());
                    let Some(place) = handshakes.begin(peer.ip(), is_of_node) else { continue };
                    let (this, take_in) = (Arc::clone(&this), take_in.clone());
                    clients.spawn(async move { this.carry((stream, peer), place, take_in).await });
                }
                Err(error) => {
                    tracing::debug!(%error, "no connection of another node was accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Carries one client, or nobody, until the connection or the node that brings it ends.
    async fn carry(
        &self,
        (stream, peer): (NodeSocket, SocketAddr),
        place: Handshake,
        take_in: impl Fn(Arrival),
    ) {
        let accepted = tokio::time::timeout(HANDSHAKE_WITHIN, self.accept(stream)).await;
        let accepted = match accepted.unwrap_or_else(|_| Err(self.silent())) {
            Ok(accepted) => accepted,
            Err(error) => return log_refusal(peer, &error),
        };
        drop(place);
        let Accepted { mut tunnel, client, dialer, .. } = accepted;
        // How it ends is nobody's business: a client comes back.
        let carry = async move {
            if client == Introduction::NOBODY {
                // The node only asks, or notices by the end of this that this one has died.
                let _ = tokio::io::copy(&mut tunnel, &mut tokio::io::sink()).await;
            } else {
                let (incoming, outgoing, mut guard) = tunnel.split();
                take_in(Arrival { incoming: Box::new(incoming), outgoing: Box::new(outgoing), peer: client });
                guard.ended().await;
            }
        };
        tokio::select! {
            () = carry => {}
            // Its machine may never say that.
            () = self.places.gone(dialer) => {}
        }
    }

    /// What a peer is turned away for that has not completed the handshake in time.
    fn silent(&self) -> HandshakeError {
        let error = io::Error::from(io::ErrorKind::TimedOut);
        // A node without TLS waits to be greeted.
        if self.tls.is_some() { HandshakeError::NoTls(error) } else { error.into() }
    }

    async fn accept(&self, stream: NodeSocket) -> Result<Accepted<NodeStream>, HandshakeError> {
        let stream = match &self.tls {
            None => Either::Left(stream),
            Some(tls) => tls.accept(stream).await.map_err(HandshakeError::NoTls)?,
        };
        let is_living = |epoch| self.places.nodes().contains_key(&epoch);
        let own = (self.own.epoch(), self.own.format());
        accept(stream, &self.secret, own, is_living).await
    }
}

/// Says why a peer was turned away: loudly where certificates are wrong, which the host can put right.
fn log_refusal(peer: SocketAddr, error: &HandshakeError) {
    let _span = tracing::info_span!("node", %peer).entered();
    match error {
        // A node that asks whether somebody listens here ends the connection at once.
        HandshakeError::NoTls(why) if why.kind() != io::ErrorKind::UnexpectedEof => {
            tracing::warn!("a peer at the port of nodes was turned away: {error}");
        }
        _ => tracing::debug!(%error, "a peer at the port of nodes was turned away"),
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpSocket, TcpStream};
    use tokio::time::Instant;
    use tokio_util::task::AbortOnDropHandle;

    use super::*;
    use crate::cluster::about::About;
    use crate::cluster::engine::Revision;
    use crate::cluster::engine::certificates::{new_certificates, tls_of};
    use crate::cluster::engine::memory::MemoryEtcd;
    use crate::cluster::keys::Epoch;
    use crate::cluster::node::{LEASE, Living, Node};
    use crate::cluster::sample::about;
    use crate::cluster::tunnel::dial;

    const SECRET: [u8; 32] = [7; 32];

    async fn port(tls: Option<NodeTls>) -> (SocketAddr, AbortOnDropHandle<()>) {
        let (address, _, running) = port_among(tls, Arc::default()).await;
        (address, running)
    }

    /// The port of a node among these, which has this epoch.
    async fn port_among(
        tls: Option<NodeTls>,
        places: Arc<Places>,
    ) -> (SocketAddr, Epoch, AbortOnDropHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let node = Node::join(MemoryEtcd::default().client(), &"a".parse().unwrap(), &about(), LEASE).await;
        let (secret, own) = (SharedSecret::of(SECRET), node.unwrap().membership().clone());
        let (epoch, listener) = (own.epoch(), Box::new(listener));
        let accepting = Accepting { listener, secret, tls, own, places };
        let running = accepting.run(drop);
        (address, epoch, AbortOnDropHandle::new(tokio::spawn(running)))
    }

    /// A connection from this address of the machine.
    async fn connect_from(from: &str, to: SocketAddr) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
        socket.connect(to).await.unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn silent_connections_from_the_machine_of_a_node_keep_no_other_node_waiting() {
        let places = Arc::<Places>::default();
        let node = |number, at: &str| {
            let value = About::new(format!("{at}:1").parse().unwrap(), None, "attic").value();
            (Epoch(Revision(number)), (format!("node{number}").parse().unwrap(), value))
        };
        let nodes = [node(1_001, "127.0.0.2"), node(1_002, "127.0.0.3")];
        places.set_nodes(&Living { revision: Revision(2_000), nodes: nodes.into() });
        let (address, meant, _running) = port_among(None, places).await;
        let mut silent = Vec::new();
        for _ in 0..MAX_EACH * 2 {
            silent.push(connect_from("127.0.0.2", address).await);
        }
        let began = Instant::now();
        let introduction =
            Introduction { dialer: Epoch(Revision(1_002)), meant, client: "192.0.2.7:1".parse().unwrap() };
        let stream = connect_from("127.0.0.3", address).await;
        let dialed = dial(stream, &SharedSecret::of(SECRET), introduction).await;
        assert!(dialed.is_ok(), "{:?}", dialed.err());
        assert!(began.elapsed() < HANDSHAKE_WITHIN / 2, "{:?}", began.elapsed());
    }

    #[test]
    fn one_machine_of_a_node_takes_half_of_the_handshakes_and_one_that_has_none_is_forgotten() {
        let address = |last| IpAddr::from([10, 0, 0, last]);
        let mut handshakes = Handshakes::new();
        let mut begun =
            |last| (0..MAX_HANDSHAKES).map_while(|_| handshakes.begin(address(last), true)).collect();
        let (one, other): (Vec<_>, Vec<_>) = (begun(1), begun(2));
        assert_eq!((one.len(), other.len()), (MAX_EACH, MAX_EACH));
        assert!(begun(3).is_empty(), "there are too many in all");
        assert!(handshakes.begin(address(4), false).is_some(), "a stranger's");
        drop((one, other));
        let _place = handshakes.begin(address(3), true).unwrap();
        assert_eq!(handshakes.each.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn peers_that_say_nothing_or_nonsense_are_turned_away_in_bounded_time_and_others_are_let_in() {
        let files = new_certificates("hostile peers at the port of nodes");
        let files = files.and_then(|folder| tls_of(folder.path()));
        let tls = files.map(|tls| {
            let (certificate, key) = tls.identity.unwrap();
            NodeTls::new(&tls.authority, &certificate, &key).unwrap()
        });
        for tls in [None, tls] {
            let (address, _running) = port(tls).await;
            // More than are let in at once; the others are closed.
            let mut silent = Vec::new();
            for _ in 0..MAX_OTHERS * 2 {
                silent.push(TcpStream::connect(address).await.unwrap());
            }
            let began = Instant::now();
            for (number, peer) in silent.iter_mut().enumerate() {
                // A few begin something and never end it.
                if number % 50 == 0 {
                    let _ = peer.write_all(&[22, 3, 1, 0, 200]).await;
                }
                let mut said = Vec::new();
                // It may be reset.
                let _ = peer.read_to_end(&mut said).await;
                assert!(said.len() <= 100, "{}", said.len());
            }
            assert!(began.elapsed() <= HANDSHAKE_WITHIN * 3, "{:?}", began.elapsed());
        }
    }
}
