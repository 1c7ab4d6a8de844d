//! The first page: the form for a new game, and lobbies with a password.

use nim::client::choices::GAMES;
use nim::game::any::Variant;
use nim::wire::Ticket;
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

/// Opens a lobby with these terms.
async fn opened(server: &TestServer, more: serde_json::Value) -> (Browser, String) {
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    let mut terms = json!({"game": "java-tech:21", "opponent": "people"});
    terms.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    anna.asks_for_seat("new", terms).await;
    anna.shows("title", "java-tech:21").await;
    let path = anna.path.clone();
    (anna, path)
}

#[tokio::test]
async fn the_page_of_a_full_lobby_says_so_at_once_and_offers_to_watch() {
    let server = TestServer::with_web(|_| {});
    for (terms, says, watches) in [
        (json!({"opponent": "bot"}), "Both seats are taken; you can watch.", true),
        (json!({"opponent": "bot", "listed": "no"}), "Both seats are taken; you can watch.", true),
        (json!({"opponent": "bot", "watched": "no"}), "Both seats are taken, and nobody may watch.", false),
        (json!({"opponent": "bot", "watched": "no", "listed": "no"}), "and nobody may watch.", false),
    ] {
        let (_anna, path) = opened(&server, terms).await;
        let mut ben = Browser::at(server.address(), "ben", &path).await;
        ben.shows("invitation", says).await;
        assert!(!ben.region("invitation").contains("Sit down"), "{}", ben.region("invitation"));
        assert_eq!(ben.region("invitation").contains(r#"class="primary" data-do="watch""#), watches);
    }
    let (_anna, path) = opened(&server, json!({"listed": "no"})).await;
    let mut ben = Browser::at(server.address(), "ben", &path).await;
    ben.shows("invitation", "A seat is free.").await;
    ben.shows("invitation", "Sit down and play").await;
}

#[tokio::test]
async fn the_page_of_a_lobby_with_a_password_asks_for_it_at_once_and_keeps_its_address() {
    let server = TestServer::with_web(|_| {});
    for listed in ["yes", "no"] {
        let (_anna, path) = opened(&server, json!({"password": "sesame", "listed": listed})).await;
        for (query, act) in [("?watch", "watch"), ("", "join")] {
            let fields = |password: &str| match act {
                "join" => {
                    json!({"code": &path[1..], "password": password, "ticket": Ticket::random().to_hex()})
                }
                _ => json!({"code": &path[1..], "password": password}),
            };
            let mut ben = Browser::at(server.address(), "ben", &format!("{path}{query}")).await;
            ben.shows("dialog", &format!("data-do=\"{act}\"")).await;
            ben.shows("invitation", "It has a password.").await;
            assert!(!ben.region("dialog").contains("That was not"), "{}", ben.region("dialog"));
            assert_eq!(ben.path, format!("{path}{query}"));
            // Who closes it can be asked again.
            ben.does("close", json!({})).await;
            ben.does(act, fields("")).await;
            ben.shows("dialog", "This lobby has a password").await;
            ben.does(act, fields("simsim")).await;
            ben.shows("dialog", "That was not the password.").await;
            assert_eq!(ben.path, format!("{path}{query}"));
            ben.does(act, fields("sesame")).await;
            ben.shows("players", if act == "join" { "(you)" } else { "anna" }).await;
        }
        // Only the list says that it is full.
        let mut carl = Browser::at(server.address(), "carl", &path).await;
        carl.shows("dialog", if listed == "yes" { "data-do=\"watch\"" } else { "data-do=\"join\"" }).await;
        assert_eq!(carl.region("invitation").contains("Both seats"), listed == "yes");
    }
}

#[tokio::test]
async fn a_page_says_no_more_of_hidden_lobbies_than_joining_does_and_its_guesses_are_counted() {
    let server = TestServer::with_web(|config| config.max_guesses = 2);
    let (_anna, hidden) = opened(&server, json!({"listed": "no"})).await;
    let (_bea, listed) = opened(&server, json!({})).await;
    for says in ["No lobby has this code", "No lobby has this code", "Too many wrong codes"] {
        let mut ben = Browser::at(server.address(), "ben", "/brave-otter").await;
        ben.shows("invitation", says).await;
    }
    let mut ben = Browser::at(server.address(), "ben", &hidden).await;
    ben.shows("invitation", "Too many wrong codes").await;
    let mut ben = Browser::at(server.address(), "ben", &listed).await;
    ben.shows("invitation", "A seat is free.").await;
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
    ben.shows("title", "game 1, best of 3").await;
    // A full lobby is there to watch alone.
    let mut carl = Browser::at(server.address(), "carl", "/").await;
    carl.shows("lobbies", "Both seats are taken; you can watch.").await;
    assert!(!carl.region("lobbies").contains("class=\"primary\""), "{}", carl.region("lobbies"));
}
