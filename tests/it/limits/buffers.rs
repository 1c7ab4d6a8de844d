//! What a client that never reads holds in the kernel.

use std::fs;
use std::net::SocketAddr;

use nim::wire::{LobbyRequest, ToServer, encode};
use tokio::net::TcpSocket;

use crate::harness::{TestServer, Wire};

/// The most bytes that may wait in the server's end of a connection: its send buffer, which Linux doubles.
const MOST: u64 = 128 * 1024;

/// How many bytes wait in the kernel at the end of a connection that has this port, towards that one. `None`
/// if there is no such connection any more.
fn unsent(here: u16, there: u16) -> Option<u64> {
    let table = fs::read_to_string("/proc/net/tcp").unwrap();
    let port = |address: &str| u16::from_str_radix(address.split(':').nth(1)?, 16).ok();
    table.lines().find_map(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let [_, local, remote, _, queues, ..] = fields[..] else { return None };
        let is_it = port(local) == Some(here) && port(remote) == Some(there);
        is_it.then(|| u64::from_str_radix(queues.split(':').next()?, 16).ok())?
    })
}

#[tokio::test]
async fn a_client_that_never_reads_holds_little_in_the_kernel() {
    let server = TestServer::start();
    let socket = TcpSocket::new_v4().unwrap();
    let stream = socket.connect(server.address()).await.unwrap();
    let ports = |address: SocketAddr| address.port();
    let (here, there) = (ports(server.address()), ports(stream.local_addr().unwrap()));
    let mut eve = Wire::over(stream);
    eve.send_hello("eve").await;
    // Each is refused in more bytes than it was asked with.
    let ask = encode(&ToServer::Lobby { id: u32::MAX, request: LobbyRequest::Again }).repeat(1_000);
    let mut most = 0;
    while eve.try_send_bytes(&ask).await.is_ok() {
        most = most.max(unsent(here, there).unwrap_or(0));
    }
    assert!(most > 0, "something waited");
    assert!(most <= MOST, "{most} bytes");
    server.still_serves().await;
}
