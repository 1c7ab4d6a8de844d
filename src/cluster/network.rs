//! The network between nodes: TCP, or another one that implements [`NodeNetwork`] and [`NodeListener`].

use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};

use crate::server::{Later, PeerStream};

/// A connection between two nodes, before anything is said over it.
pub type NodeSocket = Box<dyn PeerStream>;

/// A network over which nodes connect to each other.
pub trait NodeNetwork: Debug + Send + Sync {
    /// Connects to a node at this address. How long it may take is up to the caller.
    ///
    /// # Errors
    ///
    /// As the system says it: [`io::ErrorKind::ConnectionRefused`] where the machine runs and nobody listens there.
    fn connect(&self, address: SocketAddr) -> Later<'_, io::Result<NodeSocket>>;
}

/// A port at which other nodes connect.
pub trait NodeListener: Debug + Send + Sync {
    /// Waits for the next connection. Returns it, and the address of its other end.
    ///
    /// # Errors
    ///
    /// As the system says it, for instance that there are no file descriptors. The next call may succeed.
    fn accept(&self) -> Later<'_, io::Result<(NodeSocket, SocketAddr)>>;
}

/// The operating system's network.
#[derive(Debug, Clone, Copy)]
pub struct Tcp;

impl NodeNetwork for Tcp {
    fn connect(&self, address: SocketAddr) -> Later<'_, io::Result<NodeSocket>> {
        Box::pin(async move { plug(TcpStream::connect(address).await?) })
    }
}

impl NodeListener for TcpListener {
    fn accept(&self) -> Later<'_, io::Result<(NodeSocket, SocketAddr)>> {
        Box::pin(async move {
            let (stream, peer) = TcpListener::accept(self).await?;
            // One that has ended already is noticed by who reads from it.
            Ok((plug(stream)?, peer))
        })
    }
}

/// A move is one small frame that somebody waits for.
fn plug(stream: TcpStream) -> io::Result<NodeSocket> {
    stream.set_nodelay(true)?;
    Ok(Box::new(stream))
}
