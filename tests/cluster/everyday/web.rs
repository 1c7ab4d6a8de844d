//! Browsers: a page of one node plays in a lobby of another one.

#[allow(dead_code, reason = "the tests of a single server use the rest")]
#[path = "../../it/web/browser.rs"]
mod browser;

use std::sync::Arc;

use rustix::process::Signal;
use serde_json::json;

use super::client;
use crate::harness::take;
use crate::programs::Cluster;
use browser::Browser;

pub(super) async fn a_browser_at_one_node_plays_in_a_lobby_of_another_one(cluster: Arc<Cluster>) {
    for node in 0..3 {
        let mut anna = client(&cluster, node, "anna").await;
        let code = anna.create("java-tech:21").await.to_string();
        let mut ben = Browser::at(cluster.addresses[(node + 1) % 3], "ben", &format!("/{code}")).await;
        ben.asks_for_seat("join", json!({"code": code})).await;
        ben.shows("players", "(you)").await;
        anna.until_playing().await;
        anna.play(take(1)).await;
        ben.shows("log", ": take 1").await;
        assert!(ben.moves_first().await);
        anna.until_turn(3).await;
        ben.does("say", json!({"words": "from the page"})).await;
        anna.until(|message| matches!(message, nim::wire::ToClient::Said(_)).then_some(())).await;
        // The page is opened again at the third node, with the seat that the browser keeps.
        let (path, seats) = (ben.path.clone(), ben.seats.clone());
        drop(ben);
        let third = cluster.addresses[(node + 2) % 3];
        let mut again = Browser::with_seats(third, "ben", &path, &seats).await;
        again.shows("players", "(you)").await;
        anna.play(take(1)).await;
        assert!(again.moves_first().await);
        anna.until_turn(5).await;
    }
}

pub(super) async fn a_browser_whose_node_is_stopped_is_back_in_its_seat_at_another_one(
    cluster: Arc<Cluster>,
) {
    let [first, stopped, third] = [0, 1, 2].map(|node| cluster.addresses[node]);
    // The lobby is at the node that is stopped.
    let mut ben = Browser::at(stopped, "ben", "/").await;
    ben.asks_for_seat("new", json!({"game": "java-tech:21", "opponent": "people", "starts": "me"})).await;
    ben.shows("players", "(you)").await;
    let path = ben.path.clone();
    let mut anna = Browser::at(first, "anna", &path).await;
    anna.asks_for_seat("join", json!({"code": path.trim_start_matches('/')})).await;
    assert!(ben.moves_first().await && anna.moves_first().await);
    cluster.nodes[1].signal(Signal::TERM);
    while ben.hear().await.is_some() {}
    assert!(!ben.is_over, "the page comes back by itself");
    let mut ben = Browser::with_seats(third, "ben", &path, &ben.seats).await;
    ben.shows("players", "(you)").await;
    assert!(ben.moves_first().await && anna.moves_first().await);
    assert!(!anna.is_over && !anna.reloads, "the page of the other player stays");
    ben.shows("log", &format!("{}: take 1", anna.name)).await;
}
