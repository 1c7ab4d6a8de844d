//! Finds the server that a request leads to, and says hello there as the client.

use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::timeout;

use super::channel::Channel;
use super::destination::Destination;
use crate::server::peers::{PeerId, PeerStream, Peers, Place};
use crate::wire::{HelloRefusal, ToClient, body_of, decode};

/// How long to wait before a server that did not answer is tried again, unless a place changes sooner: long against a
/// connection, and short against [the time](super::elsewhere::FIND_WITHIN) that a request has.
const AGAIN: Duration = Duration::from_millis(100);

/// What was found.
#[derive(Debug)]
pub(super) enum Found {
    /// It is in this server.
    Here,
    /// It is in that server, where the client is in the hall.
    There(PeerId, Channel),
    /// It is in another server, to which the client is not carried from here.
    Away,
    /// It is in a server that does not admit the client.
    Unwelcome(HelloRefusal),
}

/// Who is carried to another server.
#[derive(Debug, Clone)]
pub(super) struct Traveller {
    /// The hello, as a frame.
    pub(super) hello: Bytes,
    /// The client's address.
    pub(super) address: SocketAddr,
}

/// Waits until it is known where this is, and connects to the server that has it, again and again. Without a traveller
/// it does not connect. A server that was tried already is not tried again at once.
pub(super) async fn find(
    destination: Destination,
    traveller: Option<Traveller>,
    mut tried: Option<PeerId>,
    peers: Arc<dyn Peers>,
) -> Found {
    let mut changes = peers.changes();
    loop {
        changes.borrow_and_update();
        let (peer, traveller) = match (destination.place(&*peers), &traveller) {
            (Place::Here, _) => return Found::Here,
            (Place::At(_), None) => return Found::Away,
            (Place::At(peer), Some(traveller)) => (peer, traveller),
            (Place::Moving, _) => {
                wait(&mut changes).await;
                continue;
            }
        };
        if tried.take() == Some(peer) {
            let _ = timeout(AGAIN, wait(&mut changes)).await;
            continue;
        }
        let greeted = tokio::select! {
            greeted = greet(&*peers, peer, traveller) => greeted,
            // A server that is gone may never answer.
            () = destination.clone().leaves(peer, Arc::clone(&peers)) => continue,
        };
        match greeted {
            Ok(Ok(channel)) => return Found::There(peer, channel),
            Ok(Err(refusal)) => return Found::Unwelcome(refusal),
            Err(error) => {
                tracing::debug!(peer = peer.0, %error, "the server with this lobby does not answer");
                tried = Some(peer);
            }
        }
    }
}

/// Waits for a change.
async fn wait(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        pending::<()>().await;
    }
}

/// Connects to a server, and says hello there. Returns the refusal if the client is not welcome there.
async fn greet(
    peers: &dyn Peers,
    peer: PeerId,
    traveller: &Traveller,
) -> io::Result<Result<Channel, HelloRefusal>> {
    let stream: Box<dyn PeerStream> = peers.connect(peer, traveller.address).await?;
    let mut channel = Channel::new(stream);
    channel.put(&traveller.hello);
    channel.send().await?;
    loop {
        match decode(body_of(&channel.frame().await?)) {
            Ok(ToClient::Welcome { .. }) => return Ok(Ok(channel)),
            // Its lobbies will be in another server.
            Ok(ToClient::Unwelcome(HelloRefusal::Stopping) | ToClient::Goodbye(_)) => {
                return Err(io::ErrorKind::ConnectionAborted.into());
            }
            Ok(ToClient::Unwelcome(refusal)) => return Ok(Err(refusal)),
            _ => {}
        }
    }
}
