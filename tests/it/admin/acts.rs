//! Kicks, mutes, the end of a lobby, words to everybody, and a server that drains.

use std::time::Duration;

use nim::lobby::{Level, Phase, Text};
use nim::server::admin::{AdminRequest, Target};
use nim::wire::{
    BotWish, ChatRefusal, Farewell, HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal, ToClient,
};

use super::{done, number_of, refused, who};
use crate::harness::{
    Program, TestClient, TestServer, join, pair, pass, play_out, stopped_clock, take, terms, watch,
};

/// A line of chat.
fn line() -> LobbyRequest {
    LobbyRequest::Say { words: Text::cut("hello") }
}

const MUTED: Refusal = Refusal::Chat(ChatRefusal::Muted);

#[tokio::test]
async fn a_kicked_connection_that_has_said_nothing_is_closed_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with_admin(folder.path(), |_| {});
    let mut silent = server.connect().await;
    // The connection without a hello is accepted before this one.
    let mut anna = server.client("anna").await;
    let target = Target::Address([127, 0, 0, 1].into());
    let said = done(folder.path(), AdminRequest::Kick { target }).await;
    assert_eq!(said, "closed 2 connections of 127.0.0.1");
    assert_eq!(anna.wire().farewell().await, Farewell::ClosedByHost);
    assert!(silent.rest().await.is_empty());
}

#[tokio::test]
async fn a_mute_of_a_connection_is_for_that_connection_until_it_is_lifted() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with_admin(folder.path(), |_| {});
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let number = number_of(folder.path(), "anna").await;
    let target = Target::Connection(number);
    let mute = |seconds| AdminRequest::Mute { target, seconds };
    let why = refused(folder.path(), mute(Some(60))).await;
    assert_eq!(why, "--for is for an address: a connection is muted until it ends");
    let said = done(folder.path(), mute(None)).await;
    assert_eq!(said, format!("muted until it ends: connection {number} (anna at 127.0.0.1)"));
    assert_eq!(anna.refused(line()).await, MUTED);
    ben.says("hello").await;
    let row = |who: nim::server::admin::Who| who.addresses[0].connections[0].muted;
    assert!(row(who(folder.path()).await));
    done(folder.path(), AdminRequest::Unmute { target }).await;
    assert!(!row(who(folder.path()).await));
    anna.says("hello again").await;
}

#[tokio::test]
async fn a_mute_of_an_address_is_for_every_connection_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with_admin(folder.path(), |_| {});
    let (mut anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let target = Target::Address([127, 0, 0, 1].into());
    let said = done(folder.path(), AdminRequest::Mute { target, seconds: None }).await;
    assert_eq!(said, "127.0.0.1 is muted until that is lifted");
    assert_eq!(anna.refused(line()).await, MUTED);
    let (mut anna, _old) = anna.reconnects(server.address()).await;
    anna.returns().await;
    assert_eq!(anna.refused(line()).await, MUTED, "a new connection does not end it");
    assert_eq!(who(folder.path()).await.rules.len(), 1);
    let unmute = AdminRequest::Unmute { target };
    assert_eq!(done(folder.path(), unmute.clone()).await, "127.0.0.1 is not muted any more");
    anna.says("hello again").await;
    let why = refused(folder.path(), unmute).await;
    assert_eq!(why, "127.0.0.1 is not muted: see nim-server admin who");
}

#[tokio::test]
async fn a_lobby_that_the_host_closes_ends_for_all_and_its_game_is_recorded_as_abandoned() {
    let folder = tempfile::tempdir().unwrap();
    let (_host, address) = Program::listening_server(&["--data", folder.path().to_str().unwrap()]).await;
    let mut anna = TestClient::at(address, "anna").await;
    let mut ben = TestClient::at(address, "ben").await;
    let mut cleo = TestClient::at(address, "cleo").await;
    let code = anna.create("java-tech:21").await;
    ben.join(code).await;
    cleo.watch(code).await;
    anna.until_playing().await;
    anna.play(take(1)).await;
    let close = AdminRequest::Close { code };
    assert_eq!(done(folder.path(), close.clone()).await, format!("closed the lobby {code}"));
    for client in [&mut anna, &mut ben, &mut cleo] {
        assert_eq!(client.wire().farewell().await, Farewell::LobbyClosed);
    }
    assert_eq!(refused(folder.path(), close).await, "no lobby has this code: see nim-server admin who");
    let mut dora = TestClient::at(address, "dora").await;
    let why = HallRefusal::LobbyClosed(Text::cut("the host closed your lobby"));
    assert_eq!(dora.refused_in_hall(ben.claim().request()).await, Refusal::Hall(why));
    dora.ask_hall(HallRequest::Games(nim::wire::GamesWish::default())).await;
    let result = dora
        .until(|message| match message {
            ToClient::Games { games, .. } => Some(games.iter().next().unwrap().result.unwrap()),
            _ => None,
        })
        .await;
    assert_eq!((result.outcome.winner(), result.cause), (None, nim::lobby::Cause::Abandoned));
}

#[tokio::test]
async fn what_the_host_says_reaches_everybody_who_was_welcomed() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with_admin(folder.path(), |_| {});
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let mut cleo = server.client("cleo").await;
    let silent = server.connect().await;
    // The connection without a hello is accepted before this one.
    let mut dora = server.client("dora").await;
    let say = |words: &str| AdminRequest::Say { words: words.into() };
    assert_eq!(done(folder.path(), say(" We stop\u{1b} at noon. ")).await, "sent to 4 connections");
    for client in [&mut anna, &mut ben, &mut cleo, &mut dora] {
        let heard = |message: &ToClient| match message {
            ToClient::HostSaid { words } => Some(words.as_str().to_owned()),
            _ => None,
        };
        assert_eq!(client.until(heard).await, "We stop\u{fffd} at noon.");
    }
    TestClient::hello(silent, "eve").await;
    assert_eq!(refused(folder.path(), say(" ")).await, "there is nothing in that line");
    let why = refused(folder.path(), say(&"x".repeat(201))).await;
    assert!(why.starts_with("a line has at most 200 bytes"), "{why}");
}

#[tokio::test]
async fn while_the_server_drains_no_game_begins_and_after_the_last_one_it_stops() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with_admin(folder.path(), |_| {});
    let (anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let (mut cleo, mut dora) = pair(&server, terms("take:3:1")).await;
    play_out(&mut cleo, &mut dora, |heaps| heaps.moves()[0]).await;
    let (fay, open) = server.opened("fay", terms("take:9:4")).await;
    let mut eve = server.client("eve").await;
    let drain = AdminRequest::Drain { cancel: false };
    let said = "no new games begin; the server stops after the one that is being played";
    for _ in 0..2 {
        assert_eq!(done(folder.path(), drain.clone()).await, said);
    }
    assert_eq!(cleo.refused(LobbyRequest::Again).await, Refusal::Draining);
    let create = HallRequest::Create(terms("take:9:4"));
    let quick = HallRequest::Quick(terms("take:9:4"));
    for request in [create, quick, join(open)] {
        assert_eq!(eve.refused_in_hall(request).await, Refusal::Draining);
    }
    eve.tries(watch(anna.lobby().code())).await.expect("watching begins no game");
    let (mut anna, _old) = anna.reconnects(server.address()).await;
    anna.returns().await;
    play_out(&mut anna, &mut ben, |heaps| heaps.moves()[0]).await;
    assert_eq!(ben.wire().farewell().await, Farewell::Stopping);
    drop((anna, ben, cleo, dora, eve, fay));
    server.stopped().await;
}

#[tokio::test]
async fn a_drain_that_is_taken_back_lets_the_bots_sit_down_that_waited() {
    let folder = tempfile::tempdir().unwrap();
    let _stopped = stopped_clock();
    let server = TestServer::with_admin(folder.path(), |config| config.bot_after = Duration::from_secs(5));
    let mut anna = server.client("anna").await;
    anna.create_on(NewLobby { bot: BotWish::WhenNobodyComes, level: Level::Easy, ..terms("nim:3-4-5") })
        .await;
    // A game keeps the server from stopping.
    let (_ben, _cleo) = pair(&server, terms("java-tech:21")).await;
    done(folder.path(), AdminRequest::Drain { cancel: false }).await;
    pass(Duration::from_secs(10)).await;
    anna.catch_up().await;
    assert_eq!(anna.lobby().phase(), Phase::Waiting);
    assert_eq!(done(folder.path(), AdminRequest::Drain { cancel: true }).await, "new games begin again");
    anna.until_playing().await;
    pass(Duration::from_secs(3)).await;
    server.still_serves().await;
}

#[tokio::test]
async fn a_server_without_a_running_game_stops_at_once_when_it_drains() {
    let folder = tempfile::tempdir().unwrap();
    let data = ["--data", folder.path().to_str().unwrap()];
    let (host, address) = Program::listening_server(&data).await;
    let mut anna = TestClient::at(address, "anna").await;
    anna.create("java-tech:21").await;
    let said = Program::server(&[&["admin", "drain"][..], &data].concat()).ended().await;
    assert_eq!(said.stdout, "no game is being played: the server stops now.\n");
    assert_eq!(anna.wire().farewell().await, Farewell::Kept);
    assert_eq!(host.ended().await.code, Some(0));
    let (_again, _) = Program::listening_server(&data).await;
    let status = Program::server(&[&["status"][..], &data].concat()).ended().await;
    assert!(status.stdout.contains("\nnew games: allowed\n"), "a restart does not keep it: {status:?}");
}
