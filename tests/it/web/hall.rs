//! The first page: the form for a new game, and lobbies with a password.

use nim::client::choices::GAMES;
use nim::game::any::Variant;
use serde_json::json;

use super::browser::Browser;
use crate::harness::TestServer;

#[tokio::test]
async fn every_choice_of_the_form_is_granted_or_refused_with_a_reason() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.shows("new", "Stand-in's level").await;
    let form = anna.region("new").to_owned();
    for select in form.split("<select name=\"").skip(1) {
        let (name, rest) = select.split_once('"').unwrap();
        let values = rest.split("</select>").next().unwrap().split("value=\"").skip(1);
        for value in values.map(|value| value.split('"').next().unwrap()) {
            let mut ben = Browser::at(server.address(), "ben", "/").await;
            ben.shows("new", "Open").await;
            let mut terms = json!({"game": "java-tech:21", "opponent": "people"});
            terms[name] = json!(value);
            ben.asks_for_seat("new", terms).await;
            while ben.path == "/" {
                ben.hear().await.unwrap();
            }
        }
    }
    for game in GAMES {
        assert!(form.contains(&game.parse::<Variant>().unwrap().summary()), "{game}");
    }
}

#[tokio::test]
async fn a_typed_game_takes_the_place_of_the_chosen_one_and_a_slip_is_answered_with_what_was_meant() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.shows("new", "Or type another").await;
    let wish = |typed: &str| json!({"game": "java-tech:21", "typed": typed, "opponent": "people"});
    anna.asks_for_seat("new", wish("conect-four")).await;
    anna.shows("notice", "did you mean connect-four").await;
    anna.asks_for_seat("new", wish("nim:5-6-7")).await;
    anna.shows("title", "nim:5-6-7").await;
}

#[tokio::test]
async fn a_lobby_with_a_password_is_marked_and_asks_for_it() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    let terms = json!({"game": "java-tech:21", "opponent": "people", "password": "sesame", "best-of": "3"});
    anna.asks_for_seat("new", terms).await;
    anna.shows("title", "java-tech:21").await;
    let code = anna.path[1..].to_owned();
    let mut ben = Browser::at(server.address(), "ben", "/").await;
    ben.shows("lobbies", "It has a password.").await;
    ben.does("watch", json!({"code": code})).await;
    ben.shows("dialog", "data-do=\"watch\"").await;
    ben.does("close", json!({})).await;
    ben.asks_for_seat("join", json!({"code": code})).await;
    ben.shows("dialog", "This lobby has a password").await;
    ben.asks_for_seat("join", json!({"code": code, "password": "simsim"})).await;
    ben.shows("dialog", "That was not the password.").await;
    ben.asks_for_seat("join", json!({"code": code, "password": "sesame"})).await;
    ben.shows("players", "ben (you)").await;
    ben.shows("why", "Score:").await;
    // A full lobby is there to watch alone.
    let mut carl = Browser::at(server.address(), "carl", "/").await;
    carl.shows("lobbies", "Both seats are taken; you can watch.").await;
    assert!(!carl.region("lobbies").contains("class=\"primary\""), "{}", carl.region("lobbies"));
}
