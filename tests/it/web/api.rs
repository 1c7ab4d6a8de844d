//! Games over `/api`, and what its clients may not do.

use serde_json::json;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::http::StatusCode;

use super::script::ApiScript;
use crate::harness::{Program, TestClient, TestServer};
use crate::vectors;

#[tokio::test]
async fn a_script_plays_a_game_against_the_bot_to_its_end() {
    let server = TestServer::with_web(|_| {});
    let mut anna = ApiScript::named(server.address(), "anna").await;
    let welcome = anna.hears().await.unwrap();
    assert_eq!(welcome, json!({"event": "welcome", "name": "anna", "server": null}));
    anna.until("hall").await;
    anna.sends(json!({"do": "new", "variant": "java-tech:21", "bot": "at_once"})).await;
    let entered = anna.until("entered").await;
    assert_eq!(entered["seats"]["first"]["kind"], "program");
    let ended = anna.plays_to_the_end().await;
    assert_eq!(ended["cause"], "rules");
    anna.until("over").await;
    anna.sends(json!({"do": "quit"})).await;
    assert!(anna.ends_after(&["outside", "end"]).await);
}

#[tokio::test]
async fn two_scripts_play_each_other_to_the_end() {
    let server = TestServer::with_web(|_| {});
    let mut anna = ApiScript::named(server.address(), "anna").await;
    anna.sends(json!({"do": "new", "variant": "nim:3-4-5"})).await;
    let code = anna.until("entered").await["code"].clone();
    let mut ben = ApiScript::named(server.address(), "ben").await;
    ben.sends(json!({"do": "join", "code": code})).await;
    let (hers, his) = tokio::join!(anna.plays_to_the_end(), ben.plays_to_the_end());
    let both = [&hers, &his].map(|ended| ended["outcome"].as_str().unwrap());
    assert!(both == ["won", "lost"] || both == ["lost", "won"], "{both:?}");
    assert_eq!(hers["winner"], his["winner"]);
}

#[tokio::test]
async fn a_page_plays_for_a_person_against_a_terminal() {
    let server = TestServer::with_web(|_| {});
    let mut anna = server.client("anna").await;
    let code = anna.create("java-tech:21").await;
    let page = ApiScript::silent(server.address(), Some("https://games.example")).await;
    let mut ben = page.unwrap();
    ben.sends(json!({"do": "hello", "name": "ben", "kind": "person"})).await;
    ben.sends(json!({"do": "join", "code": code.to_string()})).await;
    let entered = ben.until("entered").await;
    assert_eq!(entered["seats"]["second"]["kind"], "person");
    anna.until_turn(1).await;
    anna.play(anna.lobby().board().read_move("1").unwrap()).await;
    assert_eq!(ben.until("moved").await["move"], "take 1");
    ben.until("your_turn").await;
    ben.sends(json!({"do": "play", "move": "take 2"})).await;
    anna.until_turn(3).await;
    assert_eq!(anna.lobby().board().write_position(), "18 first");
}

#[tokio::test]
async fn a_ticket_leads_back_to_its_seat() {
    let server = TestServer::with_web(|_| {});
    let mut anna = ApiScript::named(server.address(), "anna").await;
    anna.sends(json!({"do": "new", "variant": "java-tech:21", "bot": "at_once"})).await;
    anna.until("your_turn").await;
    anna.sends(json!({"do": "play", "move": "take 1"})).await;
    anna.until("moved").await;
    let seat = anna.seat.take().expect("it was told the ticket");
    drop(anna);
    let mut again = ApiScript::returning(server.address(), "anna", &seat).await;
    assert_eq!(again.until("entered").await["past"][0]["move"], "take 1");
    again.until("returned").await;
    assert_eq!(again.seat.as_ref(), Some(&seat));
    // The newest connection with a ticket has the seat.
    let mut newest = ApiScript::returning(server.address(), "anna", &seat).await;
    newest.until("returned").await;
    assert_eq!(again.until("end").await["exit_code"], 13);
    newest.plays_to_the_end().await;
}

#[tokio::test]
async fn who_leaves_during_a_game_keeps_the_seat() {
    let server = TestServer::with_web(|_| {});
    let mut anna = ApiScript::named(server.address(), "anna").await;
    anna.sends(json!({"do": "new", "variant": "java-tech:21", "bot": "at_once"})).await;
    anna.until("your_turn").await;
    anna.sends(json!({"do": "leave"})).await;
    anna.until("outside").await;
    anna.until("hall").await;
    anna.sends(json!({"do": "quit"})).await;
    assert_eq!(anna.until("end").await["exit_code"], 0);
    let seat = anna.seat.take().unwrap();
    let mut again = ApiScript::returning(server.address(), "anna", &seat).await;
    again.until("returned").await;
    again.until("your_turn").await;
    again.sends(json!({"do": "leave", "keep": false})).await;
    again.until("outside").await;
    let mut late = ApiScript::returning(server.address(), "anna", &seat).await;
    let end = late.until("end").await;
    assert_eq!(end["exit_code"], 11);
    assert!(!end["words"].as_str().unwrap().contains("nim-client"), "{end}");
    assert!(late.ends_after(&[]).await);
}

#[tokio::test]
async fn requests_that_are_sent_at_once_are_carried_out_in_their_order() {
    let server = TestServer::with_web(|_| {});
    let mut anna = ApiScript::named(server.address(), "anna").await;
    anna.sends(json!({"do": "new", "variant": "java-tech:4", "bot": "at_once", "starts": "me"})).await;
    // More of them than wait at a time.
    for _ in 0..300 {
        anna.sends(json!({"do": "why"})).await;
    }
    anna.sends(json!({"do": "play", "move": "take 3"})).await;
    anna.sends(json!({"do": "quit"})).await;
    for _ in 0..300 {
        anna.until("why").await;
    }
    assert_eq!(anna.until("ended").await["outcome"], "won");
    assert_eq!(anna.until("end").await["exit_code"], 0);
}

#[tokio::test]
async fn a_script_that_goes_while_a_request_waits_is_away_at_once() {
    let server = TestServer::with_web(|_| {});
    let mut anna = ApiScript::named(server.address(), "anna").await;
    anna.sends(json!({"do": "new", "variant": "java-tech:21", "starts": "them"})).await;
    let code = anna.until("entered").await["code"].clone();
    let mut ben = ApiScript::named(server.address(), "ben").await;
    ben.sends(json!({"do": "join", "code": code})).await;
    ben.until("your_turn").await;
    anna.until("started").await;
    for _ in 0..3 {
        anna.sends(json!({"do": "play", "move": "take 1"})).await;
    }
    drop(anna);
    assert_eq!(ben.until("away").await["who"]["name"], "anna");
}

#[tokio::test]
async fn only_programs_and_pages_of_allowed_origins_may_connect() {
    let host = TestServer::with_web(|_| {});
    let server = host.address();
    let own = format!("http://{server}");
    for origin in [None, Some(own.as_str()), Some("https://games.example")] {
        let script = ApiScript::silent(server, origin).await;
        assert!(script.is_ok(), "{origin:?}");
    }
    for origin in ["https://evil.example", "http://games.example", "null", "http://127.0.0.1:1"] {
        let refused = ApiScript::silent(server, Some(origin)).await.err();
        assert_eq!(refused, Some(StatusCode::FORBIDDEN), "{origin}");
    }
    // Only the API is for them.
    let page = super::browser::open(server, "https://games.example").await;
    assert_eq!(page.err(), Some(StatusCode::FORBIDDEN));
}

#[tokio::test]
async fn nonsense_is_answered_as_the_page_says() {
    let server = TestServer::with_web(|_| {});
    let mut anna = ApiScript::silent(server.address(), None).await.unwrap();
    let long = format!("{:4096}", "{}");
    for (text, fault) in [
        ("hello", "not_json"),
        ("[]", "not_json"),
        (r#"{"do":"look"}"#, "not_a_request"),
        (r#"{"do":"hello"}"#, "not_a_request"),
        (r#"{"do":"hello","name":"anna","age":7}"#, "not_a_request"),
        (&long, "too_long"),
    ] {
        anna.sends_raw(Message::Text(text.into())).await;
        let error = anna.hears().await.unwrap();
        assert_eq!((&error["event"], &error["fault"]), (&json!("error"), &json!(fault)), "{text}");
    }
    for (name, code, refusal) in [("", None, "bad_name"), ("anna", Some("brave-otter"), "bad_ticket")] {
        anna.sends(json!({"do": "hello", "name": name, "code": code})).await;
        let refused = anna.hears().await.unwrap();
        assert_eq!((&refused["request"], &refused["refusal"]), (&json!("hello"), &json!(refusal)));
    }
    anna.sends(json!({"do": "hello", "name": "anna"})).await;
    anna.until("hall").await;
    // A blank message is ignored.
    for (text, fault) in [("", ""), ("x", "not_json"), (r#"{"do":"hello","name":"x"}"#, "not_a_request")] {
        anna.sends_raw(Message::Text(text.into())).await;
        if !fault.is_empty() {
            assert_eq!(anna.until("error").await["fault"], fault);
        }
    }
    anna.sends(json!({"do": "play", "move": "take 1"})).await;
    assert_eq!(anna.until("refused").await["refusal"], "in_hall");
}

#[tokio::test]
async fn a_message_that_is_too_long_or_binary_ends_the_connection() {
    let server = TestServer::with_web(|_| {});
    let oversized = Message::Text(" ".repeat(4 * 1024 + 1).into());
    for message in [oversized, Message::Binary(b"{}".as_slice().into())] {
        let mut early = ApiScript::silent(server.address(), None).await.unwrap();
        early.sends_raw(message.clone()).await;
        assert!(early.ends_after(&[]).await);
        let mut anna = ApiScript::named(server.address(), "anna").await;
        anna.until("hall").await;
        anna.sends_raw(message).await;
        assert!(anna.ends_after(&[]).await);
    }
    server.still_serves().await;
}

#[tokio::test]
async fn a_script_counts_as_one_connection_of_its_address() {
    let server = TestServer::with_web(|config| config.max_connections_each = 2);
    let mut anna = ApiScript::named(server.address(), "anna").await;
    anna.until("hall").await;
    let _ben = TestClient::at(server.address(), "ben").await;
    // The third one is told so in HTTP, or by a closed connection.
    let third = tokio::spawn(ApiScript::silent(server.address(), None)).await;
    assert!(!matches!(third, Ok(Ok(_))));
}

#[tokio::test]
async fn the_host_allows_pages_of_other_origins() {
    let origin = "https://games.example";
    let (_host, server) = Program::listening_server(&["--web-origin", origin]).await;
    assert!(ApiScript::silent(server, Some(origin)).await.is_ok());
    assert!(ApiScript::silent(server, Some("https://evil.example")).await.is_err());
    let wrong = Program::server(&["--web-origin", "games.example"]).ended().await;
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("an origin is a scheme, a host and perhaps a port"), "{}", wrong.stderr);
}

#[tokio::test]
async fn the_first_messages_on_the_page_are_understood() {
    let server = TestServer::with_web(|_| {});
    let page = vectors::read("JSON.md");
    let (_, section) = page.split_once("\n## Over a WebSocket\n").unwrap();
    let (_, block) = section.split_once("```json\n").unwrap();
    let examples: Vec<&str> = block.split("```").next().unwrap().lines().collect();
    // The lobby of the second one does not exist.
    for (example, ends) in examples.into_iter().zip([false, true]) {
        let mut script = ApiScript::silent(server.address(), None).await.unwrap();
        script.sends_raw(Message::Text(example.into())).await;
        assert_eq!(script.hears().await.unwrap()["event"], "welcome");
        let next = script.hears().await.unwrap();
        assert_eq!(next["event"] == "end", ends, "{next}");
    }
}
