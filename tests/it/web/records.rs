//! Records in browsers.

use std::collections::BTreeMap;

use nim::record::Record;
use serde_json::json;

use super::browser::Browser;
use crate::harness::{TestServer, first_move, pair, play_out, terms};
use crate::storage::memory::Memory;

/// A server with records and a browser whose game against the bot is over.
async fn after_a_game(terms: serde_json::Value) -> (TestServer, Browser) {
    let server = TestServer::with_web_keeping(Memory::default());
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("new", terms).await;
    anna.plays_to_the_end().await;
    (server, anna)
}

#[tokio::test]
async fn after_a_game_its_record_is_gone_through_with_values_and_reasons() {
    let (_server, mut anna) = after_a_game(json!({"game": "java-tech:7", "opponent": "bot"})).await;
    anna.shows("actions", "See the record").await;
    anna.does("record", json!({"act": "of-lobby"})).await;
    anna.shows("record-title", "java-tech:7").await;
    assert_eq!(
        (anna.path.as_str(), anna.region("record-board").contains("Position: 7")),
        ("/records/1/1", true)
    );
    anna.does("record", json!({"act": "forward"})).await;
    anna.shows("record-words", "take 1").await;
    anna.shows("record-words", "loss in").await;
    anna.shows("record-board", "Position: 6").await;
    anna.does("record", json!({"act": "last"})).await;
    anna.shows("record-words", "won").await;
    anna.does("record", json!({"act": "first"})).await;
    anna.shows("record-keys", "0 of").await;
    anna.does("record", json!({"act": "at", "step": 1})).await;
    anna.shows("record-keys", "1 of").await;
    // The way back leads to the lobby.
    anna.does("record", json!({"act": "close"})).await;
    anna.shows("why", "The game is over").await;
}

#[tokio::test]
async fn the_turning_points_and_accuracies_of_a_record_are_in_its_learn_panel() {
    let (_server, mut anna) = after_a_game(json!({"game": "java-tech:7", "opponent": "bot"})).await;
    anna.does("record", json!({"act": "of-lobby"})).await;
    anna.shows("record-keys", "Learn").await;
    anna.does("record", json!({"act": "learn"})).await;
    anna.shows("learn", "Turning points: move 1 (anna)").await;
    anna.shows("learn", "Accuracy: anna").await;
    anna.does("learn-close", json!({})).await;
    while !anna.region("learn").is_empty() {
        anna.hear().await.unwrap();
    }
}

#[tokio::test]
async fn a_record_is_saved_as_the_text_that_everybody_reads() {
    let (_server, mut anna) = after_a_game(json!({"game": "java-tech:7", "opponent": "bot"})).await;
    let code = anna.path[1..].to_owned();
    anna.does("record", json!({"act": "of-lobby"})).await;
    anna.shows("record-keys", "Save").await;
    anna.does("record", json!({"act": "save"})).await;
    while anna.saved.is_none() {
        anna.hear().await.unwrap();
    }
    let (name, text) = anna.saved.take().unwrap();
    let record = Record::read(text.as_bytes()).unwrap();
    assert_eq!((name, record.to_string()), (format!("{code}-1.txt"), text));
    assert_eq!((record.code().to_string(), record.variant().text()), (code, "java-tech:7".to_owned()));
}

#[tokio::test]
async fn public_games_are_listed_and_more_of_them_with_a_button() {
    let server = TestServer::with_web_keeping(Memory::default());
    for _ in 0..40 {
        let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
        play_out(&mut anna, &mut ben, first_move).await;
    }
    let mut carl = Browser::at(server.address(), "carl", "/records").await;
    let count = |page: &Browser| page.region("records").matches("data-act=\"open\"").count();
    carl.shows("records", "More").await;
    let at_first = count(&carl);
    assert!((20..40).contains(&at_first), "{at_first}");
    carl.does("record", json!({"act": "more"})).await;
    while count(&carl) < 40 {
        carl.hear().await.unwrap();
    }
    assert!(!carl.region("records").contains("More"));
    carl.does("record", json!({"act": "open", "game": "7/1"})).await;
    carl.shows("record-title", "take:3:1").await;
    assert_eq!(carl.path, "/records/7/1");
}

#[tokio::test]
async fn a_private_record_opens_by_its_address_only_in_the_browser_that_played() {
    let private = json!({"game": "java-tech:7", "opponent": "bot", "listed": "no"});
    let (server, mut anna) = after_a_game(private).await;
    for path in ["/records/1/1", "/records/9/1"] {
        let mut ben = Browser::at(server.address(), "ben", path).await;
        ben.shows("records", "of a game with this name is open to you").await;
        ben.shows("records", "All records").await;
        assert!(!ben.region("records").contains("anna"));
    }
    // The ticket still opens it once the seat is given up.
    let seats = anna.seats.clone();
    anna.does("give-up", json!({})).await;
    anna.shows("start", "Play now").await;
    assert_eq!(anna.seats, BTreeMap::new());
    let tickets: Vec<_> = seats.values().map(|seat| seat["ticket"].clone()).collect();
    let mut again = Browser::silent(server.address()).await;
    let version = super::browser::version();
    let hello = json!({"version": version, "name": "anna", "path": "/records/1/1", "query": "", "seats": [], "tickets": tickets});
    again.does("hello", hello).await;
    again.shows("record-title", "java-tech:7").await;
}

#[tokio::test]
async fn where_nothing_is_recorded_the_page_says_so() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/records").await;
    anna.shows("records", "keeps no records").await;
}

#[tokio::test]
async fn while_a_game_goes_on_its_record_judges_no_move() {
    let server = TestServer::with_web_keeping(Memory::default());
    let (mut anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let mv = anna.lobby().board().read_move("1").unwrap();
    anna.play(mv).await;
    let mut carl = Browser::at(server.address(), "carl", "/records/1/1").await;
    carl.shows("record-keys", "0 of 1").await;
    carl.does("record", json!({"act": "forward"})).await;
    carl.shows("record-words", "Moves are judged once the game is over.").await;
    assert!(!carl.region("record-keys").contains("Learn"));
}
