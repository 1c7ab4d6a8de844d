//! Chat between people, over real sockets and in the player's program.

use std::time::Duration;

use nim::lobby::{Notice, Text};
use nim::wire::limits::{MAX_CHAT, MAX_CHAT_LINES, MAX_SAID, SAID_WITHIN};
use nim::wire::{ChatRefusal, ChatRoom, LobbyRequest, Misplaced, Refusal, ToClient};

use crate::harness::{TestClient, TestServer, game, pair, stopped_clock, take, terms};

fn say(words: &str) -> LobbyRequest {
    LobbyRequest::Say { words: Text::cut(words) }
}

/// Waits until this client has received this many lines, and returns them.
async fn hears(client: &mut TestClient, count: usize) -> Vec<String> {
    while client.heard().len() < count {
        client.until(|message| matches!(message, ToClient::Said(_)).then_some(())).await;
    }
    client.heard()
}

#[tokio::test]
async fn players_and_watchers_have_separate_chats() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    let [mut cleo, mut dora] = [server.watcher("cleo", &anna).await, server.watcher("dora", &anna).await];
    anna.says("good luck").await;
    cleo.says("take one").await;
    ben.ask(say("and to you")).await;
    let said = |message: &ToClient| match message {
        ToClient::Said(lines) => lines.iter().find(|line| line.name.as_str() == "ben").cloned(),
        _ => None,
    };
    let line = anna.until(said).await;
    assert_eq!((line.number, line.room), (2, ChatRoom::Players));
    for client in [&mut anna, &mut ben] {
        assert_eq!(hears(client, 2).await, ["anna: good luck", "ben: and to you"]);
        client.catch_up().await;
        assert_eq!(client.heard().len(), 2);
    }
    for client in [&mut cleo, &mut dora] {
        assert_eq!(hears(client, 1).await, ["cleo: take one"]);
        client.catch_up().await;
        assert_eq!(client.heard().len(), 1);
    }
}

#[tokio::test]
async fn chat_beyond_the_rate_limit_of_an_address_is_refused_with_the_limit() {
    let _clock = stopped_clock();
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    for _ in 0..MAX_SAID {
        anna.says("hello").await;
    }
    let refusal = anna.refused(say("hello")).await;
    let limit = ChatRefusal::TooFast { most: MAX_SAID, seconds: 10 };
    assert_eq!(refusal, Refusal::Chat(limit));
    assert_eq!(refusal.to_string(), "too many lines: the limit is 25 in 10 seconds");
    assert_eq!(ben.refused(say("from the same address")).await, Refusal::Chat(limit));
    let (mut anna, _old) = anna.reconnects(server.address()).await;
    anna.returns().await;
    assert_eq!(anna.refused(say("over a new connection")).await, Refusal::Chat(limit));
    #[cfg(target_os = "linux")]
    {
        let mut cleo = server.client_from(std::net::Ipv4Addr::new(127, 0, 0, 2), "cleo").await;
        cleo.watch(anna.lobby().code()).await;
        cleo.says("from another address").await;
    }
    tokio::time::advance(SAID_WITHIN / MAX_SAID + Duration::from_millis(2)).await;
    anna.says("later").await;
    assert_eq!(anna.refused(say("hello")).await, Refusal::Chat(limit));
    let count = MAX_SAID as usize + 1;
    assert_eq!(hears(&mut ben, count).await[count - 1], "anna: later");
}

#[tokio::test]
async fn a_new_or_returning_client_gets_the_last_lines_of_its_room() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    anna.says("one").await;
    hears(&mut ben, 1).await;
    let (mut ben, old) = ben.reconnects(server.address()).await;
    drop(old);
    anna.until_notice(|notice| matches!(notice, Notice::Away { .. })).await;
    anna.says("two").await;
    ben.returns().await;
    assert_eq!(hears(&mut ben, 2).await, ["anna: one", "anna: two"], "and nothing twice");

    server.watcher("cleo", &anna).await.says("three").await;
    let mut dora = server.watcher("dora", &anna).await;
    assert_eq!(hears(&mut dora, 1).await, ["cleo: three"]);
}

#[tokio::test]
async fn the_chat_history_fits_into_one_message() {
    let server = TestServer::with(|config| config.max_lines = u32::MAX);
    let (anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let (longest, said) = ("x".repeat(MAX_CHAT), MAX_CHAT_LINES + 5);
    let mut talker = server.watcher("talker", &anna).await;
    for number in 0..said {
        talker.says(&format!("{number} {longest}")).await;
    }
    let mut late = server.watcher("late", &anna).await;
    let lines = hears(&mut late, MAX_CHAT_LINES).await;
    assert_eq!(lines.len(), MAX_CHAT_LINES);
    assert!(lines[0].contains(&format!(": {} x", said - MAX_CHAT_LINES)), "{}", lines[0]);
}

#[tokio::test]
async fn a_chat_line_without_a_listener_is_refused() {
    let (_server, [mut anna]) = TestServer::start_for(["anna"]).await;
    assert_eq!(anna.refused(say("hello")).await, Refusal::Misplaced(Misplaced::InHall));
    anna.create("java-tech:21").await;
    for nothing in ["", " ", "\t \n"] {
        let refusal = anna.refused(say(nothing)).await;
        assert_eq!(refusal, Refusal::Chat(ChatRefusal::Empty), "{nothing:?}");
    }
}

#[tokio::test]
async fn a_host_can_disable_chat_or_raise_its_limit() {
    let server = TestServer::with(|config| config.max_lines = 0);
    let (mut anna, _) = server.opened("anna", terms("java-tech:21")).await;
    assert_eq!(anna.refused(say("hello")).await, Refusal::Chat(ChatRefusal::Off));
    let server = TestServer::with(|config| config.max_lines = MAX_SAID + 1);
    let (mut anna, _) = server.opened("anna", terms("java-tech:21")).await;
    for _ in 0..=MAX_SAID {
        anna.says("hello").await;
    }
    let limit = ChatRefusal::TooFast { most: MAX_SAID + 1, seconds: 10 };
    assert_eq!(anna.refused(say("hello")).await, Refusal::Chat(limit));
}

#[tokio::test]
async fn a_chat_line_that_is_too_long_is_refused_whole() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let code = anna.create("java-tech:21").await.to_string();
    let mut ben = server.terminal("ben", &["--join", &code]);
    ben.until("anna starts.").await;
    let (long, longest) = ("x".repeat(MAX_CHAT + 1), "y".repeat(MAX_CHAT));
    ben.asks(&format!("say {long}"), "A line has 200 bytes at most, and this one has 201").await;
    ben.types(&format!("say {longest}"));
    assert_eq!(hears(&mut anna, 1).await, [format!("ben: {longest}")]);
    let mut script = server.program("cleo", &["--json", "--watch", &code]);
    script.until(r#"{"event":"watching"}"#).await;
    let says = format!(r#"{{"do":"say","words":"{long}"}}"#);
    script.asks(&says, r#""request":"say","refusal":"long_line""#).await;
}

#[tokio::test]
async fn chat_lines_cannot_control_a_terminal() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    for (said, heard) in [
        ("\u{1b}[2Jboo", "anna: \u{fffd}[2Jboo"),
        ("a\u{9b}31mb", "anna: a\u{fffd}31mb"),
        ("line\r\nbreak", "anna: line\u{fffd}\u{fffd}break"),
        ("turn\u{202e}ed", "anna: turn\u{fffd}ed"),
    ] {
        anna.says(said).await;
        let count = ben.heard().len();
        assert_eq!(hears(&mut ben, count + 1).await[count], heard);
    }
}

#[tokio::test]
async fn chat_is_typed_and_shown_and_players_can_be_muted() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let code = anna.create("java-tech:21").await.to_string();
    let mut ben = server.terminal("ben", &["--join", &code]);
    ben.until("anna starts.").await;
    ben.asks("say Good luck, anna", "ben says: Good luck, anna").await;
    assert_eq!(hears(&mut anna, 1).await, ["ben: Good luck, anna"]);
    anna.says("\u{1b}]0;boo\u{7}").await;
    ben.until("anna says: \u{fffd}]0;boo\u{fffd}").await;
    ben.asks("mute anna", "anna is muted.").await;
    anna.says("unheard").await;
    anna.play(take(1)).await;
    ben.until("anna: take 1").await;
    ben.asks("unmute anna", "anna is not muted any more.").await;
    anna.says("heard").await;
    let shown = ben.until("anna says: heard").await;
    assert!(!shown.contains("unheard"), "{shown}");
    ben.asks("unmute anna", "anna was not muted.").await;
    ben.types("mute anan");
    ben.until("Nobody here is called anan; if they come, they are muted.").await;
    ben.asks("mute anan", "anan is muted already.").await;
    ben.asks("mute ben", "ben is your own name: only others can be muted.").await;
    ben.asks("mute", "Write who, as in mute anna").await;

    let mut vera = server.client("vera").await;
    vera.watch(code.parse().unwrap()).await;
    let mut cleo = server.terminal("cleo", &["--watch", &code]);
    cleo.until("Type").await;
    cleo.asks("say hello", "cleo (watching) says: hello").await;
    cleo.asks("mute vera", "Nobody here is called vera; if they come, they are muted.").await;
    cleo.asks("mute cleo", "cleo is your own name: only others can be muted.").await;
}

#[tokio::test]
async fn scripts_chat_and_mute() {
    let (server, [mut anna, mut ben]) = TestServer::start_for(["anna", "ben"]).await;
    let code = anna.create("java-tech:21").await;
    let mut script = server.program("cleo", &["--json", "--watch", &code.to_string()]);
    script.until(r#"{"event":"watching"}"#).await;
    let said = r#"{"event":"said","room":"watchers","name":"cleo","words":"hello"}"#;
    script.asks(r#"{"do":"say","words":"hello"}"#, said).await;
    script.asks(r#"{"do":"say","words":" "}"#, r#""request":"say","refusal":"empty_line""#).await;
    ben.watch(code).await;
    script.until(r#"{"event":"watched","name":"ben"}"#).await;
    script.types("{\"do\":\"mute\",\"name\":\"ben\"}\n{\"do\":\"why\"}\n").await;
    script.until(r#""event":"why""#).await;
    ben.says("unheard").await;
    let mut dora = server.client("dora").await;
    dora.watch(code).await;
    script.until(r#"{"event":"watched","name":"dora"}"#).await;
    script.types("{\"do\":\"mute\",\"name\":\"ben\",\"muted\":false}\n{\"do\":\"why\"}\n").await;
    script.until(r#""event":"why""#).await;
    ben.says("heard").await;
    let said = script.until(r#""event":"said""#).await;
    assert_eq!(said, r#"{"event":"said","room":"watchers","name":"ben","words":"heard"}"#);
    anna.leave().await;
    script.until(r#"{"event":"outside"}"#).await;
}
