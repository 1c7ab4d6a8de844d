//! Takes connections in, as many as there is room for.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

use super::connections::Connected;
use super::house::House;
use super::link::Link;
use super::session;
use super::socket::{Arrival, Listen};
use crate::wire::HelloRefusal;

mod backoff;

use backoff::Backoff;

/// How many connections may wait to be taken in: a class that arrives in the same second.
const BACKLOG: i32 = 1024;

/// How many connections that found the server full may be told so at once; more are just closed.
const MAX_TURNED_AWAY: usize = 64;

/// Takes the port.
pub(super) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // On Unix: a port that was used a minute ago can be taken again. On Windows the same option would
    // allow two servers on one port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// Takes connections in for ever, each on a task of its own.
pub(super) async fn accept(listener: &impl Listen, house: &Arc<House>, sessions: &TaskTracker) {
    let room = Arc::new(Semaphore::new(house.config.max_connections));
    let turning = Arc::new(Semaphore::new(MAX_TURNED_AWAY));
    let mut backoff = Backoff::new();
    loop {
        match listener.accept().await {
            Ok(arrival) => {
                backoff = Backoff::new();
                take_in(arrival, house, sessions, &room, &turning);
            }
            Err(error) => {
                // For instance because descriptors ran out; trying again at once would only fail again.
                let pause = backoff.pause();
                tracing::warn!(%error, ?pause, "could not take a connection in");
                tokio::time::sleep(pause).await;
            }
        }
    }
}

fn take_in(
    Arrival { incoming, socket, peer }: Arrival,
    house: &Arc<House>,
    sessions: &TaskTracker,
    room: &Arc<Semaphore>,
    turning: &Arc<Semaphore>,
) {
    let number = house.connections.number();
    let span = tracing::info_span!("connection", id = number, %peer);
    let link = Arc::new(Link::new(socket, peer.ip()));
    if let Ok(room) = Arc::clone(room).try_acquire_owned() {
        let connected = Connected::new(house, number, &link, room);
        sessions.spawn(session::run(connected, link, incoming).instrument(span));
    } else if let Ok(room) = Arc::clone(turning).try_acquire_owned() {
        span.in_scope(|| tracing::info!("turned away: the server is full"));
        let most = u32::try_from(house.config.max_connections).unwrap_or(u32::MAX);
        let full = HelloRefusal::Full { most };
        let connected = Connected::new(house, number, &link, room);
        sessions.spawn(session::turn_away(connected, link, incoming, full).instrument(span));
    }
}
