//! Browsers: a page of one node plays in a lobby of another one.

#[allow(dead_code, reason = "the tests of a single server use the rest")]
#[path = "../../it/web/browser.rs"]
mod browser;

use std::sync::Arc;

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
