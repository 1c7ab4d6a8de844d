//! Limits behind a load balancer, which says where each connection comes from.

use nim::wire::{HelloRefusal, ToClient};

use crate::harness::{TestServer, Wire};

/// A header of the PROXY protocol, version 2, for a client of this address.
fn header([a, b, c, d]: [u8; 4]) -> Vec<u8> {
    let head = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c";
    [&head[..], &[a, b, c, d, 127, 0, 0, 1, 0xc3, 0x50, 0x1d, 0xde]].concat()
}

/// A server that trusts this network, and takes one connection of an address.
fn behind(network: &str) -> TestServer {
    let network = network.parse().unwrap();
    TestServer::with(|config| {
        (config.trusted_proxy, config.max_connections_each) = (vec![network], 1);
    })
}

/// A connection that begins with these bytes and a hello.
async fn arrives(server: &TestServer, bytes: &[u8]) -> Wire {
    let mut wire = server.connect().await;
    wire.send_bytes(bytes).await;
    wire.send_hello("anna").await;
    wire
}

#[tokio::test]
async fn people_behind_a_trusted_balancer_are_told_apart() {
    let server = behind("127.0.0.0/8");
    let mut anna = arrives(&server, &header([192, 0, 2, 1])).await;
    assert!(matches!(anna.read().await, Some(ToClient::Welcome { .. })));
    let mut ben = arrives(&server, &header([192, 0, 2, 2])).await;
    assert!(matches!(ben.read().await, Some(ToClient::Welcome { .. })));
    let mut again = arrives(&server, &header([192, 0, 2, 2])).await;
    assert_eq!(again.unwelcome().await, HelloRefusal::Crowded { most: 1 });
}

#[tokio::test]
async fn a_header_may_come_byte_by_byte() {
    let server = behind("127.0.0.1/32");
    let mut wire = server.connect().await;
    for byte in header([192, 0, 2, 1]) {
        wire.send_bytes(&[byte]).await;
        tokio::task::yield_now().await;
    }
    wire.send_hello("anna").await;
    assert!(matches!(wire.read().await, Some(ToClient::Welcome { .. })));
}

#[tokio::test]
async fn a_balancer_that_speaks_for_itself_is_served_as_its_own_address() {
    let server = behind("127.0.0.1/32");
    let mut wire = arrives(&server, b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0").await;
    assert!(matches!(wire.read().await, Some(ToClient::Welcome { .. })));
}

#[tokio::test]
async fn without_a_header_a_trusted_balancer_is_not_served() {
    let server = behind("127.0.0.1/32");
    let unix = b"\r\n\r\n\0\r\nQUIT\n\x21\0\0\0";
    for bytes in [&b""[..], b"PROXY TCP4 192.0.2.1 127.0.0.1 50000 7646\r\n", unix] {
        let mut wire = server.connect().await;
        let _ = wire.try_send_bytes(bytes).await;
        let _ = wire.try_send_hello("anna").await;
        // The server may close with unread bytes, which is a reset.
        assert!(matches!(wire.try_read().await, Ok(None) | Err(_)), "{bytes:?}");
    }
}

#[tokio::test]
async fn nobody_else_is_believed() {
    let server = behind("192.0.2.0/24");
    let mut wire = server.connect().await;
    wire.send_bytes(&header([192, 0, 2, 1])).await;
    assert_eq!(wire.rest().await.first().copied(), None);
}
