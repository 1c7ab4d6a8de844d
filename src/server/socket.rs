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

/// The size of the kernel's send buffer of a connection: several of the longest frames. Linux takes twice as
/// much for it. Without a limit it grows to megabytes for a client that does not read.
const SEND_BUFFER: usize = 64 * 1024;

/// Binds a port of the operating system.
pub(super) fn bind(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = socket2::Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    // On Unix: a port that was used a minute ago can be taken again. On Windows the same option would
    // allow two servers on one port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    // Accepted sockets inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// Whether `accept` failed because this process, or the system, has no file descriptor left.
#[cfg(unix)]
pub(super) fn is_out_of_descriptors(error: &io::Error) -> bool {
    use rustix::io::Errno;
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

#[cfg(not(unix))]
pub(super) fn is_out_of_descriptors(_: &io::Error) -> bool {
    false
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
