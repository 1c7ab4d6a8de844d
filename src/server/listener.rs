//! Listens, and takes in who comes.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use socket2::{Domain, Protocol, Socket, Type};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use super::app::App;
use super::socket::Listen;

mod backoff;
mod door;

use backoff::Backoff;
use door::Door;

/// How many connections may wait to be taken in: a class that arrives in the same second.
const BACKLOG: i32 = 1024;

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
pub(super) async fn accept(listener: &impl Listen, app: &Arc<App>, sessions: &TaskTracker) {
    let door = Door::new(app, sessions);
    let mut backoff = Backoff::new();
    loop {
        match listener.accept().await {
            Ok(arrival) => {
                backoff = Backoff::new();
                door.take_in(arrival);
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
