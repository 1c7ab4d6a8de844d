//! A balancer before the nodes, which knows nothing of lobbies: each new client comes to the next node.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

/// A balancer that runs.
#[derive(Debug)]
pub(crate) struct Balancer {
    /// Where it is reached.
    pub(crate) address: SocketAddr,
    _accepts: AbortOnDropHandle<()>,
}

impl Balancer {
    /// A balancer before the nodes at these addresses.
    pub(crate) async fn before(mut nodes: Vec<SocketAddr>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let accepts = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(carry(client, nodes.clone()));
                nodes.rotate_left(1);
            }
        });
        Self { address, _accepts: AbortOnDropHandle::new(accepts) }
    }
}

/// Carries a client to the first of these nodes that accepts it, until either of them ends the connection.
async fn carry(mut client: TcpStream, nodes: Vec<SocketAddr>) -> io::Result<()> {
    for node in nodes {
        let Ok(mut server) = TcpStream::connect(node).await else { continue };
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        let (mut from_client, mut to_client) = client.split();
        let (mut from_server, mut to_server) = server.split();
        tokio::select! {
            _ = tokio::io::copy(&mut from_client, &mut to_server) => {}
            _ = tokio::io::copy(&mut from_server, &mut to_client) => {}
        }
        return Ok(());
    }
    Ok(())
}
