//! Limits of an address: the owner of a lobby counts a client that was carried there by its real address, which a
//! balancer tells the node to which it is connected.

use std::sync::Arc;
use std::time::Duration;

use nim::lobby::{Code, Text};
use nim::wire::{
    BotWish, HallRefusal, HallRequest, HelloRefusal, LobbyRequest, NewLobby, Refusal, Secret, ToClient,
    ToServer, encode,
};
use tokio::time::Instant;

use crate::harness::{TestClient, Wire, join, join_text, take, terms, watch};
use crate::programs::Cluster;

/// The limits that these nodes have.
const MAX_CONNECTIONS: usize = 8;
const MAX_LOBBIES: usize = 2;
const MAX_GUESSES: u32 = 3;

/// An address of the documentation's.
pub(super) fn address(number: u8) -> [u8; 4] {
    [192, 0, 2, number]
}

/// A connection to a node, of a client at this address behind the balancer.
pub(super) async fn connect(cluster: &Cluster, node: usize, [a, b, c, d]: [u8; 4]) -> Wire {
    let mut wire = Wire::connect(cluster.addresses[node]).await;
    // A header of the PROXY protocol, version 2.
    let head = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x0c";
    wire.send_bytes(&[&head[..], &[a, b, c, d, 127, 0, 0, 1, 0xc3, 0x50, 0x1d, 0xde]].concat()).await;
    wire
}

pub(super) async fn client(cluster: &Cluster, node: usize, address: [u8; 4], name: &str) -> TestClient {
    TestClient::hello(connect(cluster, node, address).await, name).await
}

/// Somebody at another address, who has opened a lobby of this node for people.
async fn opener(cluster: &Cluster, node: usize, own: [u8; 4]) -> (TestClient, Code) {
    let mut opener = client(cluster, node, own, "opener").await;
    let code = opener.create_on(NewLobby { bot: BotWish::PeopleOnly, ..terms("java-tech:21") }).await;
    (opener, code)
}

pub(super) async fn the_connections_of_an_address_are_counted_where_it_is_carried(cluster: Arc<Cluster>) {
    let (crowd, others) = (address(1), address(2));
    let (_opener, code) = opener(&cluster, 0, address(3)).await;
    let mut there = Vec::new();
    for _ in 0..MAX_CONNECTIONS {
        there.push(client(&cluster, 0, crowd, "crowd").await);
    }
    let mut superfluous = connect(&cluster, 0, crowd).await;
    superfluous.send_hello("crowd").await;
    let most = u32::try_from(MAX_CONNECTIONS).expect("it is small");
    assert_eq!(superfluous.unwelcome().await, HelloRefusal::Crowded { most });
    // At another node there is room, but not for a way to the first one.
    let mut carried = client(&cluster, 1, crowd, "carried").await;
    let refused = carried.refused_in_hall(join(code)).await;
    let Refusal::Halted { why } = &refused else { panic!("{refused:?}") };
    assert!(why.as_str().contains("as many connections"), "{why}");
    let mut other = client(&cluster, 1, others, "other").await;
    other.join(code).await;
}

pub(super) async fn the_lobbies_of_an_address_are_counted_where_it_is_carried(cluster: Arc<Cluster>) {
    let (greedy, others) = (address(4), address(5));
    let most = u32::try_from(MAX_LOBBIES).expect("it is small");
    let too_many = Refusal::Hall(HallRefusal::TooManyLobbies { most });
    let mut open = Vec::new();
    for node in 0..3 {
        for _ in 0..MAX_LOBBIES {
            let mut opener = client(&cluster, node, greedy, "greedy").await;
            opener.create_on(NewLobby { listed: false, ..terms("take:3:1") }).await;
            open.push(opener);
        }
        let mut opener = client(&cluster, node, greedy, "greedy").await;
        assert_eq!(opener.refused_in_hall(HallRequest::Create(terms("take:3:1"))).await, too_many);
    }
    // Quick matches of these lead to different nodes.
    for variant in ["nim:3-4-5", "nim:3-4-6", "nim:3-4-7", "nim:3-4-8", "nim:3-4-9"] {
        let mut quick = client(&cluster, 0, greedy, "greedy").await;
        assert_eq!(quick.refused_in_hall(HallRequest::Quick(terms(variant))).await, too_many, "{variant}");
        quick.into_wire().finish_writing().await;
        let mut other = client(&cluster, 0, others, "other").await;
        other.quick(variant).await;
        other.leave().await;
        other.into_wire().finish_writing().await;
    }
}

pub(super) async fn wrong_guesses_through_any_node_are_counted_by_the_owner(cluster: Arc<Cluster>) {
    let (guesser, honest) = (address(6), address(7));
    let secret = || Secret::of("open sesame");
    let mut opener = client(&cluster, 0, address(8), "opener").await;
    let locked = NewLobby { password: secret(), bot: BotWish::PeopleOnly, ..terms("java-tech:21") };
    let code = opener.create_on(locked).await.to_string();
    for (number, node) in [1, 2, 1].into_iter().enumerate() {
        let mut client = client(&cluster, node, guesser, "guesser").await;
        let wrong = join_text(&code, Secret::of(&format!("guess {number}")));
        assert_eq!(client.refused_in_hall(wrong).await, Refusal::Hall(HallRefusal::WrongPassword));
    }
    for node in [2, 1, 0] {
        let mut guesser = client(&cluster, node, guesser, "guesser").await;
        let refused = guesser.refused_in_hall(join_text(&code, secret())).await;
        let too_many = Refusal::Hall(HallRefusal::TooManyGuesses { most: MAX_GUESSES });
        assert_eq!(refused, too_many, "at node {node}");
    }
    let mut honest = client(&cluster, 2, honest, "honest").await;
    honest.tries(join_text(&code, secret())).await.expect("nobody at this address has guessed");
}

pub(super) async fn the_owner_of_a_lobby_knows_the_real_address_of_a_watcher(cluster: Arc<Cluster>) {
    let (kicked, neighbour) = (address(9), address(10));
    let (mut opener, code) = opener(&cluster, 0, address(11)).await;
    let mut watcher = client(&cluster, 1, kicked, "watcher").await;
    watcher.watch(code).await;
    opener.ask(LobbyRequest::Kick { name: Text::cut(watcher.name()) }).await;
    watcher.until(|message| (*message == ToClient::Outside).then_some(())).await;
    for node in 0..3 {
        let mut again = client(&cluster, node, kicked, "again").await;
        again.tries(watch(code)).await.expect_err("this address was kicked");
        let mut other = client(&cluster, node, neighbour, "other").await;
        other.watch(code).await;
    }
}

pub(super) async fn a_flood_through_one_node_costs_only_its_own_address(cluster: Arc<Cluster>) {
    /// How long two moves of others may take meanwhile.
    const PROMPT: Duration = Duration::from_secs(1);
    let flooder = address(12);
    let (mut anna, code) = opener(&cluster, 0, address(13)).await;
    let mut ben = client(&cluster, 1, address(14), "ben").await;
    ben.join(code).await;
    // It plays in a lobby of the first node as well, by way of the second one.
    let (_victim, other_code) = opener(&cluster, 0, address(15)).await;
    let mut flood = client(&cluster, 1, flooder, "flooder").await;
    flood.join(other_code).await;
    let mut wire = flood.into_wire();
    let flooding = tokio::spawn(async move {
        let asks: Vec<u8> = (0..100_u32)
            .flat_map(|id| {
                encode(&ToServer::Lobby { id, request: LobbyRequest::Play { turn: 1, mv: take(9) } }).to_vec()
            })
            .collect();
        // Until the node reads nothing more.
        while wire.try_send_bytes(&asks).await.is_ok() {}
    });
    anna.until_playing().await;
    for turn in (1..16).step_by(2) {
        let begun = Instant::now();
        anna.play(take(1)).await;
        ben.until_turn(turn + 1).await;
        ben.play(take(1)).await;
        anna.until_turn(turn + 2).await;
        assert!(begun.elapsed() < PROMPT, "two moves took {:?}", begun.elapsed());
    }
    flooding.abort();
}
