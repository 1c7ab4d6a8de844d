//! A proxy between a program and a server, which drops the messages that the test selects.

use std::net::SocketAddr;

use bytes::BytesMut;
use nim::wire::next_body;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{frame, within};

/// What the network lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NetworkState {
    /// Everything arrives.
    Up,
    /// It drops everything that a client sends; the connection stays open.
    LosesRequests,
    /// It drops everything that the server sends; the connection stays open.
    LosesAnswers,
    /// Connections break, and new ones fail.
    Down,
}

/// A proxy in front of a server, with a port of its own.
#[derive(Debug)]
pub(crate) struct Network {
    address: SocketAddr,
    server: watch::Sender<SocketAddr>,
    state: watch::Sender<NetworkState>,
    /// The number of dropped frames.
    swallowed: watch::Sender<usize>,
    closed: CancellationToken,
}

/// The state that the tasks of a network share.
#[derive(Debug, Clone)]
struct Shared {
    server: watch::Receiver<SocketAddr>,
    state: watch::Receiver<NetworkState>,
    swallowed: watch::Sender<usize>,
}

impl Network {
    /// A working network in front of this server.
    pub(crate) async fn before(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (state, seen) = watch::channel(NetworkState::Up);
        let (server, leads_to) = watch::channel(server);
        let (swallowed, closed) = (watch::Sender::new(0), CancellationToken::new());
        let shared = Shared { server: leads_to, state: seen, swallowed: swallowed.clone() };
        tokio::spawn(closed.clone().run_until_cancelled_owned(accept(listener, shared)));
        Self { address, server, state, swallowed, closed }
    }

    /// The address for the programs.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Sends new connections to another server from now on.
    pub(crate) fn leads_to(&self, server: SocketAddr) {
        self.server.send_replace(server);
    }

    /// Changes the state of the network.
    pub(crate) fn set(&self, state: NetworkState) {
        self.state.send_replace(state);
    }

    /// Waits until this many frames have been dropped in all.
    pub(crate) async fn has_swallowed(&self, count: usize) {
        let mut swallowed = self.swallowed.subscribe();
        within("frames to be swallowed", swallowed.wait_for(|&so_far| so_far >= count)).await.unwrap();
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.closed.cancel();
    }
}

async fn accept(listener: TcpListener, shared: Shared) {
    loop {
        let (client, _) = listener.accept().await.unwrap();
        if *shared.state.borrow() != NetworkState::Down {
            let leads_to = *shared.server.borrow();
            let server = TcpStream::connect(leads_to).await.unwrap();
            tokio::spawn(carry(client, server, shared.clone()));
        }
    }
}

/// Forwards bytes both ways until either side closes, or the network goes down.
async fn carry(client: TcpStream, server: TcpStream, shared: Shared) {
    let ((from_client, to_client), (from_server, to_server)) = (client.into_split(), server.into_split());
    let mut state = shared.state.clone();
    tokio::select! {
        () = pass(from_client, to_server, &shared, NetworkState::LosesRequests) => {}
        () = pass(from_server, to_client, &shared, NetworkState::LosesAnswers) => {}
        _ = state.wait_for(|state| *state == NetworkState::Down) => {}
    }
}

/// Forwards whole frames, unless the network drops this direction.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, shared: &Shared, swallows: NetworkState) {
    let mut inbox = BytesMut::new();
    while from.read_buf(&mut inbox).await.is_ok_and(|count| count > 0) {
        while let Ok(Some(body)) = next_body(&mut inbox) {
            if [swallows, NetworkState::Down].contains(&shared.state.borrow()) {
                shared.swallowed.send_modify(|count| *count += 1);
            } else if to.write_all(&frame(&body)).await.is_err() {
                return;
            }
        }
    }
}
