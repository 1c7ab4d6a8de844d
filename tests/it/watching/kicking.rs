//! The person who opened a lobby kicks watchers: their address may not watch there any more.

use std::net::Ipv4Addr;

use nim::lobby::{List, Name, Notice, Phase, Refusal, Text};
use nim::wire::{self, LobbyRequest, Misplaced, ToClient};

use super::{bots, exhibition};
use crate::harness::{TestClient, TestServer, game, join, pair, refused, terms, watch};
use crate::storage::memory::Memory;

/// Another address than that of a usual client.
const ELSEWHERE: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

fn name(text: &str) -> Name {
    Name::clean(text).unwrap()
}

fn kick(name: &str) -> LobbyRequest {
    LobbyRequest::Kick { name: Text::cut(name) }
}

/// The refusal that names these watchers.
fn nobody_of_that_name(watchers: &[&str]) -> wire::Refusal {
    refused(Refusal::NoSuchWatcher { watchers: List::first_of(watchers.iter().copied().map(name)) })
}

async fn is_told_of_kick(client: &mut TestClient, kicked: &str) {
    let kicked = Notice::Kicked { name: name(kicked) };
    client.until_notice(|notice| *notice == kicked).await;
}

async fn is_outside(client: &mut TestClient) {
    client.until(|message| (*message == ToClient::Outside).then_some(())).await;
}

/// A watcher from another address.
async fn watches_from(server: &TestServer, address: Ipv4Addr, name: &str, player: &TestClient) -> TestClient {
    let mut watcher = server.client_from(address, name).await;
    watcher.watch(player.lobby().code()).await;
    watcher
}

#[tokio::test]
async fn a_kicked_watcher_is_in_the_hall_and_everybody_is_told() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    let mut cleo = watches_from(&server, ELSEWHERE, "cleo", &anna).await;
    let mut dora = server.watcher("dora", &anna).await;
    anna.ask(kick("Cleo ")).await;
    for client in [&mut anna, &mut ben, &mut cleo, &mut dora] {
        is_told_of_kick(client, "cleo").await;
        assert_eq!(client.lobby().watchers(), 1);
    }
    is_outside(&mut cleo).await;
    let hint = cleo.refused(LobbyRequest::Hint).await;
    assert_eq!(hint, wire::Refusal::Misplaced(Misplaced::InHall));
    assert_eq!(cleo.look().await[0].watchers, 1);
    dora.says("cleo does not hear this").await;
    assert!(!cleo.catch_up().await.iter().any(|message| matches!(message, ToClient::Said(_))));
    cleo.create("java-tech:21").await;
}

#[tokio::test]
async fn a_kicked_address_may_not_watch_there_again_and_others_may() {
    let (server, mut anna, _ben) = game("java-tech:21").await;
    let code = anna.lobby().code();
    let mut cleo = watches_from(&server, ELSEWHERE, "cleo", &anna).await;
    let mut same = watches_from(&server, ELSEWHERE, "same", &anna).await;
    anna.ask(kick("cleo")).await;
    for kicked in [&mut cleo, &mut same] {
        is_outside(kicked).await;
        let refusal = kicked.refused_in_hall(watch(code)).await;
        assert_eq!(refusal, refused(Refusal::Kicked));
    }
    assert_eq!(
        server.client_from(ELSEWHERE, "new").await.refused_in_hall(watch(code)).await,
        refused(Refusal::Kicked),
        "over a new connection and under another name"
    );
    server.client("dora").await.watch(code).await;
    let (_eve, other) = server.opened("eve", terms("java-tech:21")).await;
    cleo.watch(other).await;
}

#[tokio::test]
async fn only_the_player_who_opened_the_lobby_may_kick_and_only_while_they_sit_there() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    let mut cleo = server.watcher("cleo", &anna).await;
    let mut dora = server.watcher("dora", &anna).await;
    for other in [&mut ben, &mut dora] {
        assert_eq!(other.refused(kick("cleo")).await, refused(Refusal::NotOpener));
    }
    let code = anna.lobby().code();
    anna.leave().await;
    assert_eq!(anna.refused(kick("cleo")).await, wire::Refusal::Misplaced(Misplaced::InHall));
    ben.until_lobby(|lobby| lobby.phase() != Phase::Playing).await;
    ben.ask(LobbyRequest::Again).await;
    ben.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    anna.join(code).await;
    for player in [&mut anna, &mut ben] {
        assert_eq!(
            player.refused(kick("cleo")).await,
            refused(Refusal::NotOpener),
            "nobody else inherits it"
        );
    }
    cleo.says("I am still here").await;
}

#[tokio::test]
async fn a_name_that_no_watcher_has_is_refused_with_those_who_watch() {
    let (server, mut anna, _ben) = game("java-tech:21").await;
    assert_eq!(anna.refused(kick("")).await.to_string(), "nobody of that name watches here; watchers: none");
    let mut cleo = server.watcher("cleo", &anna).await;
    let _dora = server.watcher("dora", &anna).await;
    let long = "x".repeat(256);
    for wrong in ["ben", "anna", "nobody", "", " ", "\u{1b}[2J", "[bot]", "cleo\0dora", &long] {
        let refusal = anna.refused(kick(wrong)).await;
        assert_eq!(refusal, nobody_of_that_name(&["cleo", "dora"]), "{wrong:?}");
        assert_eq!(refusal.to_string(), "nobody of that name watches here; watchers: cleo, dora");
    }
    cleo.says("I am still here").await;
}

#[tokio::test]
async fn a_player_at_a_kicked_address_keeps_the_seat_returns_to_it_and_may_take_another() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    let code = anna.lobby().code();
    let mut cleo = server.watcher("cleo", &anna).await;
    anna.ask(kick("cleo")).await;
    is_outside(&mut cleo).await;
    is_told_of_kick(&mut ben, "cleo").await;
    let (mut ben, old) = ben.reconnects(server.address()).await;
    drop(old);
    ben.returns().await;
    ben.resigns().await;
    anna.result().await;
    ben.leave().await;
    anna.ask(LobbyRequest::Again).await;
    anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    assert_eq!(cleo.refused_in_hall(watch(code)).await, refused(Refusal::Kicked));
    cleo.tries(join(code)).await.expect("a seat is free for everybody");
}

#[tokio::test]
async fn the_watcher_who_opened_a_lobby_for_two_bots_may_kick_others_and_not_the_own_address() {
    let server = TestServer::start();
    // She is called cleo.
    let mut opener = exhibition(&server, bots("java-tech:1000000")).await;
    let mut near = server.watcher("near", &opener).await;
    let mut dora = watches_from(&server, ELSEWHERE, "dora", &opener).await;
    for other in [&mut near, &mut dora] {
        assert_eq!(other.refused(kick("cleo")).await, refused(Refusal::NotOpener));
    }
    for own in ["cleo", "near"] {
        assert_eq!(opener.refused(kick(own)).await, refused(Refusal::OwnAddress), "{own}");
    }
    opener.ask(kick("dora")).await;
    is_outside(&mut dora).await;
    assert_eq!(dora.refused_in_hall(watch(opener.lobby().code())).await, refused(Refusal::Kicked));
    near.says("I am still here").await;
}

#[tokio::test]
async fn a_lobby_keeps_64_kicked_addresses_and_drops_the_oldest() {
    let server = TestServer::start();
    let (mut anna, code) = server.opened("anna", terms("java-tech:21")).await;
    let address = |number: u8| Ipv4Addr::new(127, 0, 1, number);
    for number in 0..65 {
        let mut cleo = watches_from(&server, address(number), "cleo", &anna).await;
        anna.ask(kick(cleo.name())).await;
        is_outside(&mut cleo).await;
    }
    let mut second = server.client_from(address(1), "second").await;
    assert_eq!(second.refused_in_hall(watch(code)).await, refused(Refusal::Kicked));
    server.client_from(address(0), "first").await.watch(code).await;
}

#[tokio::test]
async fn after_a_restart_the_same_player_may_kick_and_kicked_addresses_are_forgotten() {
    let memory = Memory::default();
    let server = TestServer::keeping(memory.clone(), |_| {});
    let (mut anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let mut cleo = server.watcher("cleo", &anna).await;
    anna.ask(kick("cleo")).await;
    is_outside(&mut cleo).await;
    let claim = anna.claim();
    server.stops((anna, cleo)).await;
    let server = TestServer::keeping(memory, |_| {});
    let mut anna = server.comes_back(claim).await;
    let mut cleo = server.watcher("cleo", &anna).await;
    anna.ask(kick("cleo")).await;
    is_outside(&mut cleo).await;
}

#[tokio::test]
async fn a_request_that_crosses_the_kick_is_refused_and_the_next_one_is_granted() {
    let (server, mut anna, _ben) = game("java-tech:21").await;
    let mut cleo = watches_from(&server, ELSEWHERE, "cleo", &anna).await;
    anna.ask(kick("cleo")).await;
    is_told_of_kick(&mut anna, "cleo").await;
    // She has not read that she was kicked.
    assert_eq!(cleo.refused(LobbyRequest::Leave).await, wire::Refusal::Misplaced(Misplaced::InHall));
    cleo.create("java-tech:21").await;
    cleo.leave().await;
}

#[tokio::test]
async fn the_programs_say_in_plain_sentences_who_was_kicked() {
    let server = TestServer::start();
    let mut anna = server.terminal("anna", &["--new", "java-tech:21", "--people-only"]);
    anna.until("Only people may join: no bots and no programs.").await;
    let code = server.client("asker").await.look().await[0].code.to_string();
    anna.asks("kick", "No: nobody of that name watches here; watchers: none.").await;
    let mut cleo = server.terminal("cleo", &["--watch", &code]);
    cleo.until("You watch in").await;
    let mut script = server.program("dora", &["--json", "--watch", &code]);
    script.until(r#"{"event":"watching"}"#).await;
    anna.asks("help", "kick NAME remove a watcher for good").await;
    anna.asks("kick Zoe", "watchers: cleo, dora.").await;
    anna.asks("kick cleo", "cleo was kicked, and may not watch here any more.").await;
    cleo.until("The lobby's opener has kicked you; your address may not watch it any more.").await;
    cleo.until("help or quit: ").await;
    cleo.asks(
        &format!("watch {code}"),
        "No: your address was kicked there by the person who opened the lobby.",
    )
    .await;
    script.until(r#"{"event":"kicked","name":"dora"}"#).await;
    script.until(r#"{"event":"outside"}"#).await;
    let again = format!(r#"{{"do":"watch","code":"{code}"}}"#);
    script.asks(&again, r#""request":"watch","refusal":"kicked""#).await;
}

#[tokio::test]
async fn a_script_kicks_a_watcher() {
    let server = TestServer::start();
    let mut script = server.program("anna", &["--json", "--new", "java-tech:21", "--people-only"]);
    script.until(r#""event":"entered""#).await;
    let code = server.client("asker").await.look().await[0].code;
    let mut cleo = server.client("cleo").await;
    cleo.watch(code).await;
    script.until(r#"{"event":"watched","name":"cleo"}"#).await;
    let unknown = r#""request":"kick","refusal":"no_such_watcher""#;
    script.asks(r#"{"do":"kick","name":"dora"}"#, unknown).await;
    script.asks(r#"{"do":"kick","name":"cleo"}"#, r#"{"event":"kicked","name":"cleo"}"#).await;
    is_outside(&mut cleo).await;
}
