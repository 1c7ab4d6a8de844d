//! The interface to the network: accepting connections, and writing without ever blocking inside a lock. It
//! is implemented for tokio's TCP; a simulated network can take its place.

use std::fmt::Debug;
use std::io::{self, IoSlice};
use std::net::{Shutdown, SocketAddr};
use std::task::{Context, Poll};

use socket2::{Domain, Protocol, Type};
use tokio::io::AsyncRead;
use tokio::net::TcpListener;
use tokio::net::tcp::OwnedWriteHalf;

/// The reading half of a connection. Only its own task uses it.
pub type Incoming = Box<dyn AsyncRead + Send + Unpin>;

/// The writing half of a connection.
pub type Outgoing = Box<dyn Socket>;

/// An accepted connection.
pub struct Arrival {
    /// The reading half.
    pub incoming: Incoming,
    /// The writing half.
    pub outgoing: Outgoing,
    /// The address of the other end.
    pub peer: SocketAddr,
}

/// The writing half of a connection, to which many tasks write.
pub trait Socket: Debug + Send + Sync {
    /// Writes as much of these parts, in order, as the socket takes now; `WouldBlock` if that is nothing.
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize>;

    /// Ready once the socket is writable. Only the task that polled last is woken.
    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Shuts down the writing direction.
    fn shut(&self) -> io::Result<()>;
}

/// A listener for connections.
pub trait Listen: Debug + Send + Sync {
    /// The next connection.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    fn accept(&self) -> impl Future<Output = io::Result<Arrival>> + Send;
}

/// How many connections may wait to be accepted: a class that arrives in the same second.
const BACKLOG: i32 = 1024;

/// Binds a port of the operating system.
pub(super) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket2::Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // On Unix: a port that was used a minute ago can be taken again. On Windows the same option would
    // allow two servers on one port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

impl Socket for OwnedWriteHalf {
    fn try_write(&self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        match parts {
            // This call is a little faster for one part.
            [part] => self.try_write(part),
            parts => self.try_write_vectored(parts),
        }
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.as_ref().poll_write_ready(context)
    }

    fn shut(&self) -> io::Result<()> {
        socket2::SockRef::from(self.as_ref()).shutdown(Shutdown::Write)
    }
}

impl Listen for TcpListener {
    async fn accept(&self) -> io::Result<Arrival> {
        let (stream, peer) = TcpListener::accept(self).await?;
        // A move is one small frame that somebody waits for. Where this fails, moves are only a little
        // slower.
        let _ = stream.set_nodelay(true);
        let (incoming, outgoing) = stream.into_split();
        Ok(Arrival { incoming: Box::new(incoming), outgoing: Box::new(outgoing), peer })
    }
}
