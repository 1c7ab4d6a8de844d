//! What the server asks of a network: to take connections in, and to move bytes over them without ever waiting inside a
//! lock. The one that it is given is the operating system's; a simulated one can take its place.

use std::fmt::Debug;
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::task::{Context, Poll};

use bytes::BytesMut;
use tokio::net::{TcpListener, TcpStream};

/// One end of a connection.
pub trait Socket: Debug + Send + Sync {
    /// Reads what is there; 0 at the end, and `WouldBlock` if nothing is.
    fn try_read(&self, into: &mut BytesMut) -> io::Result<usize>;

    /// Writes as much as is taken now; `WouldBlock` if that is nothing.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Ready once there may be something to read. Only the task that asked last is woken.
    fn poll_readable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Ready once something may be written. Only the task that asked last is woken.
    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>>;

    /// Ends the direction in which is written.
    fn shut(&self) -> io::Result<()>;

    /// The address of the other end.
    fn peer(&self) -> io::Result<SocketAddr>;
}

/// Where connections come in.
pub trait Listen: Debug + Send + Sync {
    /// The next connection, and where it comes from.
    ///
    /// Nothing is lost if the future is dropped before it is ready.
    fn accept(&self) -> impl Future<Output = io::Result<(Box<dyn Socket>, SocketAddr)>> + Send;
}

impl Socket for TcpStream {
    fn try_read(&self, into: &mut BytesMut) -> io::Result<usize> {
        self.try_read_buf(into)
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.try_write(bytes)
    }

    fn poll_readable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_read_ready(context)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_write_ready(context)
    }

    fn shut(&self) -> io::Result<()> {
        socket2::SockRef::from(self).shutdown(Shutdown::Write)
    }

    fn peer(&self) -> io::Result<SocketAddr> {
        self.peer_addr()
    }
}

impl Listen for TcpListener {
    async fn accept(&self) -> io::Result<(Box<dyn Socket>, SocketAddr)> {
        let (stream, peer) = TcpListener::accept(self).await?;
        // A move is one small frame that somebody waits for. Where this fails, moves are only a little slower.
        let _ = stream.set_nodelay(true);
        Ok((Box::new(stream), peer))
    }
}
