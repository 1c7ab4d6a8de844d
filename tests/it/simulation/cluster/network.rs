//! The network between simulated nodes.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};

use nim::cluster::network::{NodeListener, NodeNetwork, NodeSocket};
use nim::server::Later;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use turmoil::net::{TcpListener, TcpStream};

use crate::simulation::observer::Shared;

/// The port of a node for other nodes.
pub(super) const NODE_PORT: u16 = 7647;

/// More bytes than two nodes say before one brings a client to the other.
const GREETINGS: usize = 400;

/// How nodes connect to each other. It counts the connections that have carried a client.
#[derive(Debug, Clone)]
pub(super) struct SimNodes(pub(super) Shared<u32>);

impl NodeNetwork for SimNodes {
    fn connect(&self, address: SocketAddr) -> Later<'_, io::Result<NodeSocket>> {
        Box::pin(async move {
            let stream = TcpStream::connect(address).await?;
            Ok(Box::new(Counted { stream, read: 0, carrying: Shared::clone(&self.0) }) as NodeSocket)
        })
    }
}

/// A node's port for other nodes.
pub(super) struct SimNodeListener(TcpListener);

impl SimNodeListener {
    pub(super) async fn open() -> io::Result<Self> {
        TcpListener::bind(("0.0.0.0", NODE_PORT)).await.map(Self)
    }
}

impl fmt::Debug for SimNodeListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SimNodeListener")
    }
}

impl NodeListener for SimNodeListener {
    fn accept(&self) -> Later<'_, io::Result<(NodeSocket, SocketAddr)>> {
        Box::pin(async move {
            let (stream, peer) = self.0.accept().await?;
            Ok((Box::new(stream) as NodeSocket, peer))
        })
    }
}

/// A connection that counts what is read from it.
#[derive(Debug)]
struct Counted {
    stream: TcpStream,
    read: usize,
    carrying: Shared<u32>,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        let (earlier, more) = (self.read, buffer.filled().len() - before);
        self.read += more;
        if earlier < GREETINGS && self.read >= GREETINGS {
            *self.carrying.lock() += 1;
        }
        polled
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
