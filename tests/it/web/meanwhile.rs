//! What a browser is told when it comes back.

use nim::lobby::Phase;
use nim::wire::LobbyRequest;
use serde_json::{Value, json};

use super::browser::{Browser, version};
use crate::harness::{TestClient, TestServer};

/// A browser that has opened a game of sticks with ben, in whose turn it is.
async fn in_a_game(server: &TestServer) -> (Browser, TestClient) {
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("new", json!({"game": "java-tech:21", "opponent": "people", "starts": "them"})).await;
    anna.shows("players", "anna (you)").await;
    let mut ben = server.joined("ben", anna.path[1..].parse().unwrap()).await;
    ben.until_turn(1).await;
    anna.shows("players", "ben").await;
    anna.shows("board", "Position: 21").await;
    (anna, ben)
}

async fn plays(ben: &mut TestClient, mv: &str) {
    let mv = ben.lobby().board().read_move(mv).unwrap();
    ben.play(mv).await;
}

async fn again(server: &TestServer, anna: Browser) -> Browser {
    let (seats, path) = (anna.seats.clone(), anna.path.clone());
    drop(anna);
    Browser::with_seats(server.address(), "anna", &path, &seats).await
}

#[tokio::test]
async fn a_page_that_comes_back_says_which_moves_were_made_meanwhile() {
    let server = TestServer::with_web(|_| {});
    let (anna, mut ben) = in_a_game(&server).await;
    let (seats, path) = (anna.seats.clone(), anna.path.clone());
    drop(anna);
    plays(&mut ben, "3").await;
    let mut anna = Browser::with_seats(server.address(), "anna", &path, &seats).await;
    anna.shows("log", "You are back in your seat.").await;
    anna.shows("log", "While you were away: ben: take 3.").await;
    // What it has seen is not told again.
    let mut anna = again(&server, anna).await;
    anna.shows("log", "Nothing has happened while you were away.").await;
    anna.shows("why", "Last move: take 3 (ben).").await;
}

#[tokio::test]
async fn a_page_that_comes_back_says_that_the_game_is_over() {
    let server = TestServer::with_web(|_| {});
    let (anna, mut ben) = in_a_game(&server).await;
    let (seats, path) = (anna.seats.clone(), anna.path.clone());
    drop(anna);
    ben.ask(LobbyRequest::Resign).await;
    ben.until_lobby(|lobby| matches!(lobby.phase(), Phase::Over { .. })).await;
    let mut anna = Browser::with_seats(server.address(), "anna", &path, &seats).await;
    anna.shows("log", "You won: ben resigned.").await;
    assert!(!anna.region("log").contains("While you were away"));
}

#[tokio::test]
async fn a_return_from_the_list_of_seats_says_it_too() {
    let server = TestServer::with_web(|_| {});
    let (mut anna, mut ben) = in_a_game(&server).await;
    anna.does("leave-and-keep", json!({})).await;
    anna.shows("seats", "java-tech:21 against ben").await;
    plays(&mut ben, "2").await;
    let seat = anna.seats.values().next().unwrap().clone();
    let fields = json!({"code": seat["code"], "ticket": seat["ticket"], "name": seat["name"]});
    anna.does("return", fields).await;
    anna.shows("log", "While you were away: ben: take 2.").await;
}

/// The log of a page that is back at this path, and whose person has not noticed that it was away.
async fn unnoticed(server: &TestServer, path: &str, kept: Value) -> String {
    let mut page = Browser::silent(server.address()).await;
    let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
    let mut hello = json!({
        "do": "hello", "version": version(), "name": "zoe", "path": path, "query": query, "unnoticed": true,
    });
    hello.as_object_mut().unwrap().extend(kept.as_object().unwrap().clone());
    page.send(hello).await;
    page.shows("log", "<ol>").await;
    page.region("log").to_owned()
}

#[tokio::test]
async fn of_a_page_that_is_back_unnoticed_a_person_reads_only_what_happened_meanwhile() {
    let server = TestServer::with_web(|_| {});
    let (anna, mut ben) = in_a_game(&server).await;
    let seats = json!({"seats": anna.seats.values().collect::<Vec<_>>()});
    let stood = json!({"seen": {"turn": 1, "games": 1, "moves": 0, "over": false, "paused": false}});
    let watched = format!("{}?watch", anna.path);
    let both = [(anna.path.as_str(), seats), (watched.as_str(), stood)];
    for (path, kept) in &both {
        assert_eq!(unnoticed(&server, path, kept.clone()).await, "<ol></ol>");
    }
    plays(&mut ben, "3").await;
    for (path, kept) in both {
        let log = unnoticed(&server, path, kept).await;
        assert!(
            log.contains("While you were away: ben: take 3.") && log.matches("<li").count() == 1,
            "{log}"
        );
    }
}
