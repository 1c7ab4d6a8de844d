//! Games in browsers.

use std::time::Duration;

use serde_json::json;

use super::browser::{Browser, version};
use crate::harness::{TestClient, TestServer, skip};

const GAMES: [&str; 7] = [
    "java-tech:21",
    "nim:3-4-5",
    "tic-tac-toe",
    "connect-four",
    "one-two-ten",
    "even-or-odd:15",
    "zero-sum:11",
];

#[tokio::test]
async fn one_tap_begins_a_game_against_the_bot_and_it_is_played_to_its_end() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.shows("start", "Play now").await;
    anna.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    anna.shows("players", "anna (you)").await;
    anna.plays_to_the_end().await;
    anna.shows("why", "The game is over").await;
    assert!(anna.title.ends_with("nim") && anna.path.len() > 3, "{} {}", anna.title, anna.path);
}

#[tokio::test]
async fn two_browsers_play_every_game_to_its_end() {
    let server = TestServer::with_web(|_| {});
    for game in GAMES {
        // The last game's players may not be gone yet, so the names can differ.
        let mut anna = Browser::at(server.address(), "anna", "/").await;
        anna.asks_for_seat("new", json!({"game": game, "opponent": "people"})).await;
        anna.shows("players", "(you)").await;
        let mut ben = Browser::at(server.address(), "ben", &anna.path.clone()).await;
        ben.shows("invitation", "Sit down and play").await;
        ben.asks_for_seat("join", json!({"code": &anna.path[1..]})).await;
        ben.shows("players", "(you)").await;
        tokio::join!(anna.plays_to_the_end(), ben.plays_to_the_end());
        anna.shows("why", "The game is over").await;
        ben.shows("why", "The game is over").await;
    }
}

#[tokio::test]
async fn every_action_is_answered_also_one_that_changes_nothing() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("new", json!({"game": "java-tech:21", "opponent": "bot", "starts": "me"})).await;
    anna.shows("moves", "data-move").await;
    let before = anna.answered;
    for number in 1..=3 {
        anna.does("play", json!({"move": "take 9", "turn": anna.moves()[0].1})).await;
        while anna.answered < before + number {
            anna.hear().await.unwrap();
        }
        assert!(anna.region("notice").contains("No: "), "{}", anna.region("notice"));
    }
    // A move is answered once it is made.
    assert!(anna.moves_first().await);
    anna.shows("log", "You: take 1").await;
    assert_eq!(anna.answered, before + 4);
    let mut study = Browser::at(server.address(), "ben", "/study/java-tech:2").await;
    study.shows("learn", "take 2").await;
    for number in 1..=4 {
        study.does("learn-deepen", json!({})).await;
        while study.answered < number {
            study.hear().await.unwrap();
        }
    }
}

/// Anna's page of this game, on her turn.
async fn playing(server: &TestServer, game: &str) -> Browser {
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    let terms = json!({"game": "java-tech:21", "typed": game, "opponent": "bot", "starts": "me"});
    anna.asks_for_seat("new", terms).await;
    anna.shows("moves", "data-move").await;
    anna
}

#[tokio::test]
async fn every_move_has_a_button_also_in_large_piles() {
    let server = TestServer::with_web(|_| {});
    for (game, moves, piles) in
        [("nim:7-8-9", 24, 0), ("nim:7-8-10", 25, 3), ("nim:30-40-50", 120, 3), ("take:100:100", 100, 0)]
    {
        let anna = playing(&server, game).await;
        let shown = anna.region("moves");
        assert_eq!(anna.moves().len(), moves, "{game}: {shown}");
        assert_eq!(shown.matches("<details>").count(), piles, "{game}: {shown}");
        assert!(!shown.contains("<input"), "{game}: {shown}");
    }
    let anna = playing(&server, "nim:30-40-50").await;
    for named in [r#"<summary id="pile-b">Pile b, 40 left</summary>"#, ">Take 40 from b</button>"] {
        assert!(anna.region("moves").contains(named), "{}", anna.region("moves"));
    }
}

#[tokio::test]
async fn of_more_moves_than_have_a_button_each_pile_has_as_many_and_the_others_are_typed() {
    let server = TestServer::with_web(|_| {});
    let mut anna = playing(&server, "nim:1000-2000").await;
    let count = |pile: &str| anna.moves().iter().filter(|(mv, _)| mv.ends_with(pile)).count();
    assert_eq!((count("from a"), count("from b")), (64, 64));
    assert!(anna.region("moves").contains("Any other move"), "{}", anna.region("moves"));
    anna.does("play", json!({"move": "1999 from b", "turn": anna.moves()[0].1})).await;
    anna.shows("log", "You: take 1999 from b").await;
    let anna = playing(&server, "take:1000000000000000000:1000000000000000000").await;
    assert_eq!(anna.moves().len(), 128);
}

#[tokio::test]
async fn a_browser_plays_against_a_terminal() {
    let server = TestServer::with_web(|_| {});
    let mut anna = server.client("anna").await;
    let code = anna.create("java-tech:21").await;
    let mut ben = Browser::at(server.address(), "ben", "/").await;
    ben.shows("lobbies", &code.to_string()).await;
    ben.asks_for_seat("join", json!({"code": code.to_string()})).await;
    ben.shows("players", "ben (you)").await;
    anna.until_turn(1).await;
    let mv = anna.lobby().board().read_move("1").unwrap();
    anna.play(mv).await;
    ben.shows("log", "anna: take 1").await;
    assert!(ben.moves_first().await);
    ben.shows("log", "You: take 1").await;
}

#[tokio::test]
async fn a_browser_that_is_opened_again_has_its_seat_back() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    anna.shows("players", "anna (you)").await;
    assert!(anna.moves_first().await);
    let (seats, path) = (anna.seats.clone(), anna.path.clone());
    assert_eq!(seats.len(), 1);
    drop(anna);
    let mut again = Browser::with_seats(server.address(), "anna", &path, &seats).await;
    again.shows("players", "anna (you)").await;
    assert!(again.moves_first().await);
}

#[tokio::test]
async fn of_two_tabs_with_one_seat_the_newest_has_it_and_the_other_says_so() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    anna.shows("players", "anna (you)").await;
    let (seats, path) = (anna.seats.clone(), anna.path.clone());
    let mut newest = Browser::with_seats(server.address(), "anna", &path, &seats).await;
    newest.shows("players", "anna (you)").await;
    while !anna.is_over {
        anna.hear().await.unwrap();
    }
    assert!(anna.region("notice").contains("Your seat is open elsewhere now"), "{}", anna.region("notice"));
    assert!(newest.moves_first().await);
}

#[tokio::test]
async fn a_seat_that_is_gone_leads_to_the_first_page() {
    let server = TestServer::with_web(|_| {});
    let ticket = nim::wire::Ticket::random().to_hex();
    let seat = json!({"code": "brave-otter", "ticket": ticket, "name": "anna", "about": "java-tech:21"});
    let seats = [("brave-otter".to_owned(), seat)].into();
    let mut anna = Browser::with_seats(server.address(), "anna", "/brave-otter", &seats).await;
    while !anna.seats.is_empty() {
        anna.hear().await.unwrap();
    }
    anna.shows("notice", "Your seat in brave-otter is gone: the lobby is over and closed.").await;
}

#[tokio::test]
async fn names_and_chat_are_shown_as_text() {
    let server = TestServer::with_web(|_| {});
    let mut mallory = server.client("b&'x").await;
    let code = mallory.create("java-tech:21").await;
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.shows("lobbies", "b&amp;'x").await;
    anna.asks_for_seat("join", json!({"code": code.to_string()})).await;
    anna.shows("players", "b&amp;'x").await;
    mallory.says("<script>alert(1)</script>").await;
    anna.shows("log", "&lt;script&gt;alert(1)&lt;/script&gt;").await;
    assert!(anna.regions.values().all(|html| !html.contains("<script")));
}

#[tokio::test]
async fn a_page_of_another_version_is_loaded_again() {
    let server = TestServer::with_web(|_| {});
    for hello in [
        json!({"do": "hello", "version": "0", "name": "", "path": "/", "query": "", "seats": []}),
        json!({"do": "greet", "version": "0.0.9", "who": {"seats": 3}}),
        json!({"do": "hello"}),
    ] {
        let mut old = Browser::silent(server.address()).await;
        old.send(hello).await;
        while old.hear().await.is_some() {}
        assert!(old.reloads);
    }
}

#[tokio::test]
async fn what_a_browser_has_kept_in_another_shape_is_as_if_it_were_not_there() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    anna.shows("players", "anna (you)").await;
    let mut seat = anna.seats.values().next().unwrap().clone();
    seat["seen"] = json!("long ago");
    seat["since"] = json!(2026);
    let nonsense =
        [json!(null), json!(7), json!("x"), json!({"code": 1}), json!([]), json!({"a": {"b": []}})];
    let mut seats = nonsense.to_vec();
    seats.push(seat);
    for name in &nonsense {
        let mut again = Browser::silent(server.address()).await;
        let hello = json!({
            "version": version(), "name": name, "path": anna.path, "query": "", "seats": seats, "tickets": nonsense,
            "seen": name,
        });
        again.does("hello", hello).await;
        again.shows("players", "anna (you)").await;
        let mut without = Browser::silent(server.address()).await;
        let hello = json!({
            "version": version(), "name": "ben", "path": "/", "query": "", "seats": name, "tickets": name, "seen": name,
        });
        without.does("hello", hello).await;
        without.shows("start", "Play now").await;
    }
}

#[tokio::test]
async fn what_is_no_message_of_the_script_ends_the_session() {
    let server = TestServer::with_web(|_| {});
    for nonsense in [json!({"do": "shout"}), json!([]), json!({"do": "say", "words": "x".repeat(5_000)})] {
        let mut anna = Browser::at(server.address(), "anna", "/").await;
        anna.shows("start", "Play now").await;
        anna.send(nonsense).await;
        while anna.hear().await.is_some() {}
    }
}

#[tokio::test]
async fn the_learn_panel_says_every_moves_value_and_reason_where_hints_are_allowed() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("play-now", json!({"game": "java-tech:21"})).await;
    anna.shows("moves", "data-move").await;
    anna.does("learn", json!({})).await;
    anna.shows("learn", "one more than a multiple of 4").await;
    anna.shows("learn", "★").await;
    let mut ben = Browser::at(server.address(), "ben", "/").await;
    ben.asks_for_seat("new", json!({"game": "java-tech:21", "opponent": "bot", "hints": "nobody"})).await;
    ben.shows("players", "ben (you)").await;
    ben.does("learn", json!({})).await;
    ben.does("hint", json!({})).await;
    ben.shows("notice", "No: ").await;
    assert_eq!(ben.region("learn"), "");
}

#[tokio::test]
async fn what_is_read_aloud_has_no_clock_in_it() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    let terms = json!({"game": "java-tech:21", "clock": "3m+2s", "opponent": "bot", "starts": "me"});
    anna.asks_for_seat("new", terms).await;
    anna.shows("why", "left on the clock").await;
    anna.shows("spoken", "your turn").await;
    let frame = anna.regions["main"].clone();
    assert!(
        frame.contains(r#"id="spoken" role="status""#) && frame.contains(r#"<p id="why"></p>"#),
        "{frame}"
    );
    assert!(!anna.regions["spoken"].contains("clock"));
}

#[tokio::test]
async fn the_page_says_anew_for_how_long_a_player_has_been_away() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    let terms = json!({"game": "java-tech:21", "opponent": "people", "starts": "me"});
    anna.asks_for_seat("new", terms).await;
    anna.shows("players", "(you)").await;
    let mut ben = TestClient::at(server.address(), "ben").await;
    ben.join(anna.path[1..].parse().unwrap()).await;
    anna.shows("why", "Your turn").await;
    drop(ben);
    anna.shows("why", "ben is away for").await;
    let first = anna.region("why").to_owned();
    skip(Duration::from_secs(6)).await;
    while anna.region("why") == first {
        anna.hear().await.unwrap();
    }
    anna.shows("why", "ben is away for").await;
}

#[tokio::test]
async fn an_offer_is_answered_above_the_board() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("new", json!({"game": "java-tech:21", "opponent": "people"})).await;
    anna.shows("players", "(you)").await;
    let mut ben = Browser::at(server.address(), "ben", &anna.path.clone()).await;
    ben.asks_for_seat("join", json!({"code": &anna.path[1..]})).await;
    ben.shows("players", "(you)").await;
    ben.does("offer-pause", json!({})).await;
    anna.shows("offer", "Accept the pause").await;
    let (offer, board) = (anna.region("main").find("id=\"offer\""), anna.region("main").find("id=\"board\""));
    assert!(offer.is_some() && offer < board);
    anna.does("accept", json!({})).await;
    anna.shows("log", "The game is paused.").await;
    assert!(!anna.region("log").contains("Type"), "{}", anna.region("log"));
}

#[tokio::test]
async fn the_address_of_a_lobby_is_as_good_as_its_code() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "anna", "/").await;
    anna.asks_for_seat("new", json!({"game": "java-tech:21", "opponent": "people"})).await;
    anna.shows("players", "(you)").await;
    let mut ben = Browser::at(server.address(), "ben", "/").await;
    ben.asks_for_seat("join", json!({"code": format!("http://192.168.1.9:7646{}/", anna.path)})).await;
    ben.shows("players", "(you)").await;
}

#[tokio::test]
async fn a_kept_name_that_is_not_taken_is_told_why() {
    let server = TestServer::with_web(|_| {});
    let mut anna = Browser::at(server.address(), "<script>", "/").await;
    anna.shows("notice", "Your name was not taken: ").await;
}
