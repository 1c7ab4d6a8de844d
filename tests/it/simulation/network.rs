//! The simulated network, as server and client ask for one.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::BytesMut;
use nim::client::dial::{Dial, Dialing, Stream};
use nim::client::{Address, Failure};
use nim::server::{Listen, Socket};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

/// The server's port.
pub(super) const PORT: u16 = 7646;

/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(2);

/// Where a simulated server takes connections in.
pub(super) struct Door(TcpListener);

impl Door {
    pub(super) async fn open() -> io::Result<Self> {
        TcpListener::bind(("0.0.0.0", PORT)).await.map(Self)
    }
}

impl fmt::Debug for Door {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Door")
    }
}

impl Listen for Door {
    async fn accept(&self) -> io::Result<(Box<dyn Socket>, SocketAddr)> {
        let (stream, peer) = self.0.accept().await?;
        Ok((
            Box::new(Plug {
                peer,
                inner: Mutex::new(Inner { stream, inbox: BytesMut::new(), ended: false }),
            }),
            peer,
        ))
    }
}

/// The server's end of a simulated connection.
#[derive(Debug)]
struct Plug {
    peer: SocketAddr,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    stream: TcpStream,
    /// What has come and was not read yet.
    inbox: BytesMut,
    ended: bool,
}

impl Plug {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.ended || !self.inbox.is_empty() {
            return Poll::Ready(Ok(()));
        }
        let mut bytes = [0; 1024];
        let mut buffer = ReadBuf::new(&mut bytes);
        let filled = Pin::new(&mut self.stream).poll_read(context, &mut buffer);
        if let Poll::Ready(Ok(())) = filled {
            self.ended = buffer.filled().is_empty();
            self.inbox.extend_from_slice(buffer.filled());
        }
        filled
    }
}

impl Socket for Plug {
    fn try_read(&self, into: &mut BytesMut) -> io::Result<usize> {
        let mut inner = self.inner();
        match inner.poll_fill(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
            Poll::Ready(filled) => {
                filled?;
                let count = inner.inbox.len();
                into.extend_from_slice(&inner.inbox.split());
                Ok(count)
            }
        }
    }

    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.inner().stream.try_write(bytes)
    }

    fn poll_readable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner().poll_fill(context)
    }

    fn poll_writable(&self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let inner = self.inner();
        let writable = pin!(inner.stream.writable());
        writable.poll(context)
    }

    fn shut(&self) -> io::Result<()> {
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(&mut self.inner().stream).poll_shutdown(&mut context) {
            Poll::Ready(shut) => shut,
            Poll::Pending => Ok(()),
        }
    }

    fn peer(&self) -> io::Result<SocketAddr> {
        Ok(self.peer)
    }
}

/// A client's way over the simulated network.
#[derive(Debug)]
pub(super) struct Wireless;

impl Dial for Wireless {
    fn dial<'a>(&'a self, address: &'a Address, default_port: u16) -> Dialing<'a> {
        Box::pin(async move {
            let port = address.port.unwrap_or(default_port);
            let failed = |why: String| Failure::Unreachable { address: address.clone(), port, why };
            let connecting = TcpStream::connect((address.host.as_str(), port));
            let connected = tokio::time::timeout(CONNECT, connecting).await;
            let stream = connected
                .map_err(|_| failed("no answer".into()))?
                .map_err(|error| failed(error.to_string()))?;
            Ok(Box::new(stream) as Box<dyn Stream>)
        })
    }
}
