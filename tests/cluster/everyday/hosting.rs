//! What the host of one node does to an address, and what the metrics of each node say.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use nim::lobby::Text;
use nim::wire::{BotWish, ChatRefusal, Farewell, HelloRefusal, LobbyRequest, NewLobby, Refusal};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::limits::{address, client, connect};
use super::soon;
use crate::harness::{TestClient, terms};
use crate::programs::Cluster;

/// A ban at one node holds at another within this time.
const KNOWN_WITHIN: Duration = Duration::from_secs(5);

fn text(address: [u8; 4]) -> String {
    std::net::Ipv4Addr::from(address).to_string()
}

/// Has the host of a node do something, which is done. Returns the answer.
async fn done(cluster: &Cluster, node: &str, words: &[&str]) -> String {
    let (exit, said) = cluster.admin(node, words).await;
    assert_eq!(exit, 0, "{words:?}: {said}");
    said
}

/// Two people in a lobby of a node, the first one at this address of another node.
async fn pair(cluster: &Cluster, own: [u8; 4], other: [u8; 4]) -> [TestClient; 2] {
    let mut opener = client(cluster, 1, other, "opener").await;
    let code = opener.create_on(NewLobby { bot: BotWish::PeopleOnly, ..terms("java-tech:21") }).await;
    let mut guest = client(cluster, 2, own, "guest").await;
    guest.join(code).await;
    opener.until_playing().await;
    [guest, opener]
}

pub(super) async fn an_address_is_kicked_at_every_node(cluster: Arc<Cluster>) {
    let (own, other) = (address(21), address(22));
    let mut kicked = Vec::new();
    for node in 0..3 {
        kicked.push(client(&cluster, node, own, "kicked").await);
    }
    let mut neighbour = client(&cluster, 1, other, "neighbour").await;
    let said = done(&cluster, "A", &["kick", &text(own)]).await;
    let closed = format!("closed 1 connection of {}", text(own));
    for part in [closed.clone(), format!("node B: {closed}"), format!("node C: {closed}")] {
        assert!(said.contains(&part), "{said}");
    }
    for mut client in kicked {
        assert_eq!(client.wire().farewell().await, Farewell::ClosedByHost);
    }
    neighbour.catch_up().await;
}

pub(super) async fn an_address_that_is_banned_at_one_node_is_kept_out_everywhere_until_another_one_lifts_it(
    cluster: Arc<Cluster>,
) {
    let (own, other) = (address(23), address(24));
    let [mut banned, mut opener] = pair(&cluster, own, other).await;
    let said = done(&cluster, "A", &["ban", &text(own)]).await;
    assert_eq!(said, format!("{} is banned until that is lifted.", text(own)));
    assert_eq!(banned.wire().farewell().await, Farewell::ClosedByHost);
    until_known(&cluster, own, "banned", true).await;
    for node in 0..3 {
        let mut wire = connect(&cluster, node, own).await;
        wire.send_hello("again").await;
        assert_eq!(wire.unwelcome().await, HelloRefusal::Banned);
    }
    opener.catch_up().await;
    let said = done(&cluster, "C", &["unban", &text(own)]).await;
    assert_eq!(said, format!("{} is not banned any more.", text(own)));
    until_known(&cluster, own, "banned", false).await;
    for node in 0..3 {
        client(&cluster, node, own, "again").await;
    }
}

pub(super) async fn an_address_that_is_muted_at_one_node_is_silent_everywhere_until_another_one_lifts_it(
    cluster: Arc<Cluster>,
) {
    let (own, other) = (address(25), address(26));
    let [mut muted, mut opener] = pair(&cluster, own, other).await;
    muted.says("before").await;
    let said = done(&cluster, "A", &["mute", &text(own), "--for", "10m"]).await;
    assert!(
        said.starts_with(&format!("{} is muted until ", text(own))) && !said.contains("other nodes"),
        "{said}"
    );
    // The lobby is at another node than the host and the client.
    until_known(&cluster, own, "muted", true).await;
    let line = LobbyRequest::Say { words: Text::cut("hello") };
    assert_eq!(muted.refused(line).await, Refusal::Chat(ChatRefusal::Muted));
    opener.says("here").await;
    done(&cluster, "C", &["unmute", &text(own)]).await;
    until_known(&cluster, own, "muted", false).await;
    muted.says("after").await;
}

/// Waits until the hosts of all nodes see that this address is banned or muted, or is not any more.
async fn until_known(cluster: &Cluster, address: [u8; 4], what: &str, is_so: bool) {
    let words = format!("{} is {what}", text(address));
    for node in ["A", "B", "C"] {
        let known = async || done(cluster, node, &["who"]).await.contains(&words) == is_so;
        soon("what one host does is known at all nodes", KNOWN_WITHIN, known).await;
    }
}

/// The metrics that are served at this address.
async fn metrics_at(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).await.expect("metrics are served");
    stream
        .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .await
        .expect("it is sent");
    let mut page = String::new();
    stream.read_to_string(&mut page).await.expect("it is text");
    page
}

/// The value of a metric; `None` if it is not there.
fn value(page: &str, name: &str) -> Option<u64> {
    let line = page.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map(|value| value.parse().expect("a whole number"))
}

pub(super) async fn the_metrics_of_each_node_have_all_that_the_page_names(cluster: Arc<Cluster>) {
    let page = include_str!("../../../docs/cluster.md");
    let is_of_name = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let words = page.split(|letter: char| !is_of_name(letter));
    let named: std::collections::BTreeSet<&str> = words
        .filter(|word| ["nim_cluster_", "nim_connections_"].iter().any(|start| word.starts_with(start)))
        .collect();
    assert!(named.len() >= 7, "{named:?}");
    let [_guest, _opener] = pair(&cluster, address(27), address(28)).await;
    let (mut slots, mut carried) = (0, 0);
    for metrics in &cluster.metrics {
        soon("the metrics say how etcd is", KNOWN_WITHIN, async || {
            value(&metrics_at(*metrics).await, "nim_cluster_etcd_servers") == Some(3)
        })
        .await;
        let page = metrics_at(*metrics).await;
        for name in &named {
            let value = value(&page, name).unwrap_or_else(|| panic!("{name} is not in\n{page}"));
            let is_plausible = match *name {
                "nim_cluster_nodes" | "nim_cluster_etcd_servers" => value == 3,
                "nim_cluster_slots" => [85, 86].contains(&value),
                "nim_cluster_slots_moving" => value == 0,
                "nim_cluster_slots_taken_total" => (85..=1_000).contains(&value),
                "nim_connections_carried" => value <= 100,
                "nim_cluster_etcd_database_bytes" => (10_000..1 << 30).contains(&value),
                _ => panic!("what is plausible for {name}?"),
            };
            assert!(is_plausible, "{name} is {value}");
        }
        slots += value(&page, "nim_cluster_slots").unwrap_or_default();
        carried += value(&page, "nim_connections_carried").unwrap_or_default();
    }
    assert_eq!(slots, 256);
    assert!(carried >= 1, "the guest plays at another node");
}
