//! Connections from other nodes, each of which carries one of their clients to a lobby of this node.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use super::keys::Epoch;
use super::places::Places;
use super::tunnel::{Accepted, HandshakeError, SharedSecret, accept};

/// How long a handshake may take: one and a half times what the other end waits for it.
const HANDSHAKE_WITHIN: Duration = Duration::from_millis(900);

/// The most handshakes at once. Further connections wait in the queue of the system. Each takes a few round trips, so
/// that 10,000 clients who come back at once are let in within a second.
const MAX_HANDSHAKES: usize = 256;

/// The pause after the system has given no connection, for instance since there are no file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Accepts the connections of other nodes.
#[derive(Debug)]
pub struct Accepting {
    /// Where they come in.
    pub listener: TcpListener,
    /// The secret of the cluster.
    pub secret: SharedSecret,
    /// This node.
    pub own: Epoch,
    /// Who is living.
    pub places: Arc<Places>,
}

impl Accepting {
    /// Passes the bytes of each client on to the server: `connect` says how, by the client's address. Dropping the
    /// future ends all of these connections.
    pub async fn run<S>(self, connect: impl Fn(SocketAddr) -> S + Clone + Send + 'static)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (handshakes, mut clients) = (Arc::new(Semaphore::new(MAX_HANDSHAKES)), JoinSet::new());
        let this = Arc::new(self);
        loop {
            // It is never closed.
            let Ok(place) = Arc::clone(&handshakes).acquire_owned().await else { return };
            let accepted = tokio::select! {
                accepted = this.listener.accept() => accepted,
                Some(_) = clients.join_next() => continue,
            };
            match accepted {
                Ok((stream, _)) => {
                    let (this, connect) = (Arc::clone(&this), connect.clone());
                    clients.spawn(async move { this.carry(stream, place, connect).await });
                }
                Err(error) => {
                    tracing::debug!(%error, "no connection of another node was accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }

    /// Carries one client, until its connection or the node that brings it ends.
    async fn carry<S: AsyncRead + AsyncWrite + Unpin>(
        &self,
        stream: TcpStream,
        place: OwnedSemaphorePermit,
        connect: impl Fn(SocketAddr) -> S,
    ) {
        let accepted = match tokio::time::timeout(HANDSHAKE_WITHIN, self.accept(stream)).await {
            Ok(Ok(accepted)) => accepted,
            Ok(Err(error)) => {
                return tracing::debug!(%error, "a connection to the port of nodes is refused");
            }
            Err(_) => return,
        };
        drop(place);
        let (mut tunnel, mut server) = (accepted.tunnel, connect(accepted.client));
        tokio::select! {
            // How it ended is nobody's business: the client comes back.
            _ = copy_bidirectional(&mut tunnel, &mut server) => {}
            // Its machine may never say that.
            () = self.places.gone(accepted.dialer) => {}
        }
    }

    async fn accept(&self, stream: TcpStream) -> Result<Accepted<TcpStream>, HandshakeError> {
        stream.set_nodelay(true)?;
        let is_living = |epoch| self.places.nodes().contains_key(&epoch);
        accept(stream, &self.secret, self.own, is_living).await
    }
}
