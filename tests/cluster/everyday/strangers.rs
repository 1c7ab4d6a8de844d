//! Strangers at the port for other nodes: they are turned away, and the node plays on.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use nim::cluster::engine::Revision;
use nim::cluster::keys::Epoch;
use nim::cluster::node::Living;
use nim::cluster::tunnel::{HandshakeError, Introduction, SharedSecret, dial};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::pair;
use crate::harness::{first_move, play_out, terms, within};
use crate::programs::Cluster;

/// More handshakes than a node has at once.
const SILENT: usize = 400;

/// Whose client it is said to be.
const CLIENT: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 7);

async fn connect(node: SocketAddr) -> TcpStream {
    within("a connection", TcpStream::connect(node)).await.expect("the port is open")
}

/// Waits until the other end has closed this.
async fn is_closed(mut stream: TcpStream) {
    let mut rest = Vec::new();
    // A reset is an end, too.
    let _ = within("the node to close", stream.read_to_end(&mut rest)).await;
}

/// A game between this node and the next one, through their tunnel.
async fn a_game_is_played(cluster: &Cluster, node: usize) {
    let nodes = [cluster.addresses[node], cluster.addresses[(node + 1) % 3]];
    let [mut one, mut other] = pair(nodes, terms("take:3:1")).await;
    play_out(&mut one, &mut other, first_move).await;
}

pub(super) async fn strangers_at_the_port_for_nodes_are_turned_away(cluster: Arc<Cluster>) {
    let engine = cluster.engine();
    let living: Vec<Epoch> = Living::read(&engine).await.expect("etcd answers").nodes.into_keys().collect();
    let secret = SharedSecret::read_or_create(&engine).await.expect("there is one");
    let [meant, dialer, _] = living[..] else { panic!("three nodes: {living:?}") };
    // The oldest node is the first one.
    let node = cluster.tunnels[0];
    for bytes in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 1_000], &[1; 1_000], &[255; 10], b"nim"] {
        let mut stream = connect(node).await;
        let _ = stream.write_all(bytes).await;
        is_closed(stream).await;
    }
    for _ in 0..20 {
        let mut stream = connect(node).await;
        let noise: Vec<u8> = (0..fastrand::usize(1..500)).map(|_| fastrand::u8(..)).collect();
        let _ = stream.write_all(&noise).await;
        is_closed(stream).await;
    }
    let introduction = Introduction { dialer, meant, client: CLIENT };
    let other = SharedSecret::of([7; 32]);
    let turned_away = dial(connect(node).await, &other, introduction).await.expect_err("another secret");
    assert!(matches!(turned_away, HandshakeError::TurnedAway(_)), "{turned_away:?}");
    let dead = Introduction { dialer: Epoch(Revision(1)), ..introduction };
    let turned_away = dial(connect(node).await, &secret, dead).await.expect_err("no living node");
    assert!(matches!(turned_away, HandshakeError::NotLiving(_)), "{turned_away:?}");
    let wrong = Introduction { meant: dialer, ..introduction };
    let turned_away = dial(connect(node).await, &secret, wrong).await.expect_err("another node");
    assert!(matches!(turned_away, HandshakeError::OtherNode { .. }), "{turned_away:?}");
    dial(connect(node).await, &secret, introduction).await.expect("so a node does it");
    a_game_is_played(&cluster, 0).await;
}

pub(super) async fn silent_strangers_keep_no_client_from_another_node(cluster: Arc<Cluster>) {
    let half = async |node: SocketAddr| {
        let mut stream = connect(node).await;
        // The first bytes of an answer.
        let _ = stream.write_all(&[1, 0, 0, 0]).await;
        stream
    };
    let silent = join_all((0..SILENT).map(|_| half(cluster.tunnels[0]))).await;
    // A client is told otherwise after five seconds.
    let played = tokio::time::timeout(Duration::from_secs(10), a_game_is_played(&cluster, 0)).await;
    played.expect("the game is played");
    join_all(silent.into_iter().map(is_closed)).await;
}
