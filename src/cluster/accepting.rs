//! Connections from other nodes, each of which carries one of their clients to a lobby of this node.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::keys::Epoch;
use super::places::Places;
use super::tunnel::{HandshakeError, SharedSecret, accept};

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
        loop {
            // It is never closed.
            let Ok(place) = Arc::clone(&handshakes).acquire_owned().await else { return };
            let accepted = loop {
                tokio::select! {
                    accepted = self.listener.accept() => break accepted,
                    Some(_) = clients.join_next() => {}
                }
            };
            let stream = match accepted {
                Ok((stream, _)) => stream,
                Err(error) => {
                    tracing::debug!(%error, "no connection of another node was accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let (secret, own, places) = (self.secret.clone(), self.own, Arc::clone(&self.places));
            let connect = connect.clone();
            clients.spawn(async move {
                let living = Arc::clone(&places);
                let is_living = move |epoch| living.nodes().contains_key(&epoch);
                let shaken = accept_tunnel(stream, &secret, own, is_living);
                let accepted = match tokio::time::timeout(HANDSHAKE_WITHIN, shaken).await {
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
                    () = places.gone(accepted.dialer) => {}
                }
            });
        }
    }
}

async fn accept_tunnel(
    stream: TcpStream,
    secret: &SharedSecret,
    own: Epoch,
    is_living: impl FnOnce(Epoch) -> bool,
) -> Result<super::tunnel::Accepted<TcpStream>, HandshakeError> {
    stream.set_nodelay(true).map_err(|error: io::Error| HandshakeError::Ended(error))?;
    accept(stream, secret, own, is_living).await
}
