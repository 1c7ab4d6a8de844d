//! What is shown on a projector: the wall, and the tree of a game that nobody plays.

use std::time::Duration;

use nim::lobby::Phase;
use nim::wire::LobbyRequest;
use serde_json::json;

use super::browser::Browser;
use crate::harness::{TestClient, TestServer, pair, skip, terms};

#[tokio::test]
async fn the_wall_shows_public_games_as_they_are_played() {
    let server = TestServer::with_web(|_| {});
    let mut wall = Browser::at(server.address(), "", "/wall").await;
    wall.shows("pages", "Nobody plays yet.").await;
    let mut anna = TestClient::at(server.address(), "anna").await;
    let mut ben = TestClient::at(server.address(), "ben").await;
    ben.join(anna.create("java-tech:21").await).await;
    anna.until_turn(1).await;
    wall.shows("games", "anna").await;
    let mv = anna.lobby().board().read_move("1").unwrap();
    anna.play(mv).await;
    wall.shows("games", "Position: 20").await;
}

#[tokio::test]
async fn the_wall_shows_the_result_of_a_game_for_a_while() {
    let server = TestServer::with_web(|_| {});
    let mut wall = Browser::at(server.address(), "", "/wall").await;
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    wall.shows("games", "anna").await;
    anna.ask(LobbyRequest::Resign).await;
    ben.until_lobby(|lobby| matches!(lobby.phase(), Phase::Over { .. })).await;
    wall.shows("games", "ben won: anna resigned.").await;
    // A page that is there says so now and then.
    for _ in 0..2 {
        skip(Duration::from_secs(27)).await;
        wall.send(json!({"do": "alive"})).await;
    }
    wall.shows("games", "ben won: anna resigned.").await;
    skip(Duration::from_secs(6)).await;
    wall.shows("pages", "Nobody plays yet.").await;
}

#[tokio::test]
async fn the_wall_shows_the_games_of_a_large_class_on_six_pages_and_counts_the_others() {
    let server = TestServer::with_web(|_| {});
    let mut players = Vec::new();
    for _ in 0..38 {
        players.push(pair(&server, terms("java-tech:21")).await);
    }
    let mut wall = Browser::at(server.address(), "", "/wall").await;
    wall.shows("pages", "and 2 more").await;
    wall.shows("pages", "Page 1 of 6").await;
    while wall.region("games").matches("<section").count() < 6 {
        wall.hear().await.unwrap();
    }
    // A page that is held stays until it is not held any more.
    wall.does("hold", json!({})).await;
    wall.shows("pages", "Turn the pages").await;
    skip(Duration::from_secs(12)).await;
    wall.does("hold", json!({})).await;
    wall.shows("pages", "Hold this page").await;
    assert!(wall.region("pages").contains("Page 1 of 6"));
    skip(Duration::from_secs(10)).await;
    wall.shows("pages", "Page 2 of 6").await;
}

#[tokio::test]
async fn games_whose_players_are_all_away_make_room_on_the_wall_and_come_last() {
    let server = TestServer::with_web(|_| {});
    let mut left = Vec::new();
    for _ in 0..37 {
        left.push(pair(&server, terms("java-tech:21")).await);
    }
    let mut wall = Browser::at(server.address(), "", "/wall").await;
    wall.shows("pages", "and 1 more").await;
    wall.does("hold", json!({})).await;
    wall.shows("pages", "Turn the pages").await;
    drop(left);
    let [mut yoko, mut zoe] =
        [TestClient::at(server.address(), "yoko").await, TestClient::at(server.address(), "zoe").await];
    zoe.join(yoko.create("java-tech:21").await).await;
    wall.shows("games", "zoe").await;
    wall.shows("pages", "and 2 more").await;
    assert!(wall.region("pages").contains("Page 1 of 6"), "{}", wall.region("pages"));
    while wall.region("games").split("<section").nth(1).is_none_or(|first| !first.contains("zoe")) {
        wall.hear().await.unwrap();
    }
}

#[tokio::test]
async fn a_game_can_be_explored_without_being_played() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/study/java-tech:4").await;
    anna.shows("learn", "take 3").await;
    let lines = |page: &Browser| page.region("learn").matches("<li").count();
    let at_first = lines(&anna);
    anna.does("learn-open", json!({"node": 1})).await;
    while lines(&anna) == at_first {
        anna.hear().await.unwrap();
    }
}

#[tokio::test]
async fn an_address_whose_colon_was_encoded_on_its_way_leads_to_the_same_tree() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/study/java-tech%3A4").await;
    anna.shows("learn", "take 3").await;
}

#[tokio::test]
async fn several_levels_of_a_tree_are_opened_with_one_button_each_and_a_large_tree_stops_growing() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/study/nim:9-9-9").await;
    anna.shows("learn", "nim-sum").await;
    anna.shows("learn", "★").await;
    anna.does("learn-deepen", json!({})).await;
    anna.shows("learn", "lines shown: close some.").await;
    anna.does("learn-deepen", json!({})).await;
    anna.shows("learn", "There is no room for more of this tree").await;
}

#[tokio::test]
async fn the_page_of_no_game_says_what_may_be_meant_and_lists_the_games() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/study/conect-four").await;
    anna.shows("study-games", "did you mean connect-four").await;
    anna.shows("study-games", "data-game=\"tic-tac-toe\"").await;
    anna.does("study", json!({"game": "java-tech:4"})).await;
    anna.shows("learn", "take 3").await;
    assert_eq!(anna.path, "/study/java-tech:4");
    anna.does("study", json!({"game": ""})).await;
    anna.shows("study-games", "Explore a game").await;
    assert!(!anna.region("study-games").contains("alert"));
}
