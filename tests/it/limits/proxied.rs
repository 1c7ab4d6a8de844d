//! Limits behind a load balancer, which says where each connection comes from.

use std::net::{Ipv4Addr, SocketAddr};

use nim::wire::{HelloRefusal, ToClient};
use tokio::net::TcpSocket;

use crate::harness::{Program, TestClient, TestServer, Wire};

/// The words of the log's two warnings.
const ONE_ADDRESS: &str = "connections come from 127.0.0.1, and share its limits and bans";
const HEADER: &str = "began with a PROXY header";

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

/// The program, and clients of these addresses that are welcomed one after the other.
async fn program_with(
    addresses: impl IntoIterator<Item = [u8; 4]>,
    flags: &[&str],
) -> (Program, Vec<TestClient>) {
    let (program, address) = Program::listening_server(flags).await;
    let mut clients = Vec::new();
    for (number, from) in addresses.into_iter().enumerate() {
        clients.push(TestClient::hello(wire_from(from, address).await, &format!("guest {number}")).await);
    }
    (program, clients)
}

/// A connection from this loopback address.
async fn wire_from(from: [u8; 4], to: SocketAddr) -> Wire {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::from(from), 0).into()).unwrap();
    Wire::over(socket.connect(to).await.unwrap())
}

/// What the program has logged, once it has ended.
async fn log_of((program, clients): (Program, Vec<TestClient>)) -> String {
    program.signal("TERM").await;
    let log = program.ended().await.stderr;
    drop(clients);
    log
}

#[tokio::test]
async fn where_twenty_connections_come_from_one_address_the_log_names_the_flag_for_a_proxy_once() {
    let log = log_of(program_with([[127, 0, 0, 1]; 25], &[]).await).await;
    assert_eq!(log.matches(ONE_ADDRESS).count(), 1, "{log}");
    assert!(log.contains("20 of 20 connections"), "{log}");
    assert!(log.contains("start the server with --trusted-proxy 127.0.0.1 (see docs/hosting.md"), "{log}");
}

#[tokio::test]
async fn nineteen_connections_from_one_address_are_no_sign_of_a_proxy() {
    let log = log_of(program_with([[127, 0, 0, 1]; 19], &[]).await).await;
    assert!(log.contains("guest 18") && !log.contains("--trusted-proxy"), "{log}");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn connections_of_many_addresses_are_no_sign_of_a_proxy_and_a_few_others_do_not_hide_one() {
    let many = (1..=30).map(|number| [127, 0, 1, number]);
    let log = log_of(program_with(many, &[]).await).await;
    assert!(log.contains("guest 29") && !log.contains("--trusted-proxy"), "{log}");
    for (others, is_told) in [(2, true), (3, false)] {
        let others = (1..=others).map(|number| [127, 0, 1, number]);
        let all = others.chain(std::iter::repeat([127, 0, 0, 1])).take(20);
        let log = log_of(program_with(all, &[]).await).await;
        assert_eq!(log.contains(ONE_ADDRESS), is_told, "{log}");
    }
}

#[tokio::test]
async fn where_an_address_may_have_few_connections_the_first_refusal_is_a_sign_of_a_proxy() {
    let (mut program, address) = Program::listening_server(&["--max-connections-each", "1"]).await;
    let _anna = TestClient::at(address, "anna").await;
    let mut ben = Wire::connect(address).await;
    ben.send_hello("ben").await;
    assert_eq!(ben.unwelcome().await, HelloRefusal::Crowded { most: 1 });
    program.until_error(ONE_ADDRESS).await;
}

#[tokio::test]
async fn a_balancer_that_is_named_and_speaks_for_itself_is_no_sign_of_another_one() {
    let (program, address) = Program::listening_server(&["--trusted-proxy", "127.0.0.1"]).await;
    let mut clients = Vec::new();
    for number in 0..20 {
        let mut wire = Wire::connect(address).await;
        wire.send_bytes(b"\r\n\r\n\0\r\nQUIT\n\x20\0\0\0").await;
        clients.push(TestClient::hello(wire, &format!("check {number}")).await);
    }
    let log = log_of((program, clients)).await;
    assert!(log.contains("check 19") && !log.contains("--trusted-proxy"), "{log}");
}

#[tokio::test]
async fn a_proxy_header_of_an_address_that_is_not_trusted_is_logged_once_with_the_flag() {
    let text = b"PROXY TCP4 192.0.2.1 127.0.0.1 50000 7646\r\n";
    for begin in [header([192, 0, 2, 1]), text.to_vec()] {
        let (program, address) = Program::listening_server(&[]).await;
        for _ in 0..3 {
            let mut wire = Wire::connect(address).await;
            wire.send_bytes(&begin).await;
            assert_eq!(wire.rest().await, b"");
        }
        let log = log_of((program, Vec::new())).await;
        assert_eq!(log.matches(HEADER).count(), 1, "{log}");
        assert!(log.contains("a connection from 127.0.0.1 was closed"), "{log}");
        assert!(
            log.contains("start the server with --trusted-proxy 127.0.0.1 (see docs/hosting.md"),
            "{log}"
        );
    }
}

#[tokio::test]
async fn a_stranger_that_sends_something_else_is_no_sign_of_a_proxy() {
    let (program, address) = Program::listening_server(&[]).await;
    let mut wire = Wire::connect(address).await;
    wire.send_bytes(b"\r\n\r\nPROXY\r\n").await;
    assert_eq!(wire.rest().await, b"");
    let log = log_of((program, Vec::new())).await;
    assert!(log.contains("stranger") && !log.contains("--trusted-proxy"), "{log}");
}
