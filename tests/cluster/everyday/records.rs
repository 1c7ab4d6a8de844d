//! Records of finished games, which every node has.

use std::sync::Arc;
use std::time::Duration;

use nim::client::records::{GameSummary, fetch, list};
use nim::client::{Address, Connection};
use nim::lobby::{Code, List, Text};
use nim::wire::{ClientKind, GamesWish, NewLobby, Ticket};
use tokio::net::TcpStream;

use super::{pair, soon};
use crate::harness::{first_move, play_out, terms};
use crate::programs::Cluster;

/// Within this time after both have left, every node has the record.
const RECORDED_WITHIN: Duration = Duration::from_secs(5);

/// Within this time after its end, every node has a game of a lobby that is still open.
const READABLE_WITHIN: Duration = Duration::from_secs(2);

/// A client that only reads records.
async fn reader(cluster: &Cluster, node: usize) -> Connection {
    let address = cluster.addresses[node];
    let stream = Box::new(TcpStream::connect(address).await.expect("the node accepts"));
    let opened = Connection::open(stream, &Address::from(address), ("reader", ClientKind::Person)).await;
    opened.expect("the reader is welcome").0
}

/// The games that the owner of this ticket has played.
async fn games(reader: &mut Connection, ticket: Ticket) -> Vec<GameSummary> {
    let tickets = List::first_of([ticket]);
    let wish = GamesWish { tickets, mine: true, ..GamesWish::default() };
    list(reader, wish, 1_000).await.expect("a list").0
}

/// The record of the only game that the owner of this ticket has played.
async fn record(reader: &mut Connection, ticket: Ticket) -> Option<String> {
    let found = games(reader, ticket).await;
    assert!(found.len() <= 1);
    let name = found.first()?.name.parse().expect("a name of a game");
    Some(fetch(reader, name, &[ticket]).await.expect("a record").to_string())
}

/// Whether everybody finds the game in the list of this node.
async fn is_listed(cluster: &Cluster, node: usize, code: Code) -> bool {
    let wish = GamesWish { code: Some(Text::cut(&code.to_string())), ..GamesWish::default() };
    !list(&mut reader(cluster, node).await, wish, 1_000).await.expect("a list").0.is_empty()
}

pub(super) async fn a_game_that_has_ended_is_readable_at_every_node_while_its_lobby_is_open(
    cluster: Arc<Cluster>,
) {
    for listed in [true, false] {
        let terms = NewLobby { listed, ..terms("take:3:1") };
        let [mut anna, mut ben] = pair([cluster.addresses[0], cluster.addresses[1]], terms).await;
        play_out(&mut anna, &mut ben, first_move).await;
        let (code, tickets) = (anna.lobby().code(), [anna.claim().ticket, ben.claim().ticket]);
        let mut texts = Vec::new();
        for node in 0..3 {
            let mut cleo = reader(&cluster, node).await;
            let is_there = async || {
                record(&mut cleo, tickets[0]).await.is_some_and(|text| !text.contains("the game goes on"))
            };
            soon(&format!("the game is readable at node {node}"), READABLE_WITHIN, is_there).await;
            texts.push(record(&mut cleo, tickets[1]).await.expect("a record"));
            let name = games(&mut cleo, tickets[0]).await[0].name.parse().expect("a name of a game");
            let stranger = fetch(&mut cleo, name, &[]).await;
            assert_eq!((stranger.is_ok(), is_listed(&cluster, node, code).await), (listed, listed));
        }
        anna.leave().await;
        ben.leave().await;
        tokio::time::sleep(READABLE_WITHIN).await;
        for node in 0..3 {
            let mut cleo = reader(&cluster, node).await;
            texts.push(record(&mut cleo, tickets[0]).await.expect("a record"));
        }
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}");
    }
}

pub(super) async fn a_finished_game_is_readable_at_every_node(cluster: Arc<Cluster>) {
    for listed in [true, false] {
        let terms = NewLobby { listed, ..terms("take:3:1") };
        let [mut anna, mut ben] = pair([cluster.addresses[0], cluster.addresses[1]], terms).await;
        play_out(&mut anna, &mut ben, first_move).await;
        let tickets = [anna.claim().ticket, ben.claim().ticket];
        anna.leave().await;
        ben.leave().await;
        let mut texts = Vec::new();
        for node in 0..3 {
            let mut reader = reader(&cluster, node).await;
            // The owner of the lobby has its beginning before its end.
            let is_there = async || {
                record(&mut reader, tickets[0]).await.is_some_and(|text| !text.contains("the game goes on"))
            };
            soon(&format!("the game is readable at node {node}"), RECORDED_WITHIN, is_there).await;
            for ticket in tickets {
                texts.push(record(&mut reader, ticket).await.expect("a record"));
            }
            let name = games(&mut reader, tickets[0]).await[0].name.parse().expect("a name of a game");
            let stranger = fetch(&mut reader, name, &[Ticket::random()]).await;
            assert_eq!(stranger.is_ok(), listed, "a private game is for its players alone");
        }
        assert!(texts.iter().all(|text| *text == texts[0]), "{texts:#?}");
    }
}
