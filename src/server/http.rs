//! Connections that open with HTTP. They are handed over to the web site, if this server has one.

use std::fmt::{self, Debug};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, BytesMut};
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::connection::Connection;
use super::connections::Admitted;
use super::socket::Incoming;

/// A web site, which serves connections that open with HTTP.
pub trait WebSite: Debug + Send + Sync {
    /// Serves this connection to its end.
    fn serve(&self, stream: HttpStream) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// A connection that opened with HTTP, from its first byte on.
pub struct HttpStream {
    /// The bytes that were read to find that out.
    start: BytesMut,
    incoming: Incoming,
    connection: Arc<Connection>,
    registration: Registration,
    peer: SocketAddr,
}

/// The registration of a connection that opened with HTTP. As long as there is one, the connection counts as one
/// of its address, and may make room for another.
#[derive(Debug, Clone)]
pub struct Registration {
    admitted: Arc<Mutex<Option<Admitted>>>,
    connection: Arc<Connection>,
}

impl Registration {
    /// Ends it: another connection counts instead, that of the browser's session inside this process.
    pub fn end(&self) {
        drop(self.admitted.lock().take());
    }

    /// Charges a message or an HTTP request to the address, which is never refused: it costs as much as `price` moves.
    /// Returns how long to pause reading the connection.
    pub fn charge(&self, price: u32) -> Duration {
        self.connection.limits().charge_always(price)
    }
}

impl HttpStream {
    pub(super) fn new(
        start: BytesMut,
        incoming: Incoming,
        connection: Arc<Connection>,
        admitted: Admitted,
        peer: SocketAddr,
    ) -> Self {
        let admitted = Arc::new(Mutex::new(Some(admitted)));
        let registration = Registration { admitted, connection: Arc::clone(&connection) };
        Self { start, incoming, connection, registration, peer }
    }

    /// The address and port of the other end.
    pub fn peer(&self) -> SocketAddr {
        self.peer
    }

    /// Its registration.
    pub fn registration(&self) -> Registration {
        self.registration.clone()
    }
}

impl Debug for HttpStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HttpStream({})", self.peer)
    }
}

impl AsyncRead for HttpStream {
    /// Reads; the end of the connection if the server closes it.
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.connection.poll_closing(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        if self.start.is_empty() {
            let read = ready!(Pin::new(&mut self.incoming).poll_read(context, buffer));
            self.connection.note_request();
            return Poll::Ready(read);
        }
        let count = self.start.len().min(buffer.remaining());
        buffer.put_slice(&self.start[..count]);
        self.start.advance(count);
        if self.start.is_empty() {
            // A silent connection keeps no memory.
            self.start = BytesMut::new();
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for HttpStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.connection.poll_write_past_outbox(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.connection.poll_write_past_outbox(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.connection.shut())
    }
}
