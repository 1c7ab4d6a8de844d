//! A server with a journal: no event is sent before it is recorded, and after a restart all games continue.

mod answers;
mod crashing;
mod full_disk;
mod halted;
mod hosting;

use std::time::Duration;

use nim::game::Side;
use nim::lobby::{ClockRule, ConnectionLoss, Event, RESTART_GRACE, Text};
use nim::server::Config;
use nim::wire::limits::MAX_SENTENCE;
use nim::wire::{Farewell, HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal, Secret, ToClient};

use crate::harness::{
    Claim, TestClient, TestServer, first_move, join, join_text, pair, play_out, stopped_clock, take, terms,
    within,
};
use crate::storage::memory::Memory;

/// A server whose journal is this memory.
fn recording() -> (Memory, TestServer) {
    let memory = Memory::default();
    (memory.clone(), TestServer::keeping(memory, |_| {}))
}

/// Stops the server while these clients vanish, and starts another one with the same journal.
async fn restarted<T>(server: TestServer, clients: T, memory: Memory) -> TestServer {
    server.stops(clients).await;
    TestServer::keeping(memory, |_| {})
}

/// Waits until a condition holds.
async fn until(what: &str, is_so: impl Fn() -> bool) {
    let waits = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    within(what, waits).await;
}

/// The player takes one object, and does not wait for the answer.
async fn takes_one(player: &mut TestClient) {
    let (turn, mv) = (player.lobby().turn(), take(1));
    player.ask(LobbyRequest::Play { turn, mv }).await;
}

/// A server with a journal that can fail. The events of anna and ben's game are recorded up to now.
async fn playing() -> (Memory, TestServer, TestClient, TestClient) {
    let (storage, server) = recording();
    let (anna, ben) = pair(&server, terms("java-tech:21")).await;
    all_is_recorded(&server).await;
    (storage, server, anna, ben)
}

/// Waits until the client is told that nothing can be recorded, and why.
async fn halts(client: &mut TestClient) -> Text<MAX_SENTENCE> {
    let why = |message: &ToClient| match message {
        ToClient::Halted { why, .. } => why.clone(),
        _ => None,
    };
    client.until(why).await
}

/// Waits until the client is told that recording works again.
async fn goes_on(client: &mut TestClient) {
    client.until(|message| matches!(message, ToClient::Halted { why: None, .. }).then_some(())).await;
}

#[tokio::test]
async fn an_event_is_sent_once_it_is_recorded() {
    let (storage, _server, mut anna, mut ben) = playing().await;
    let number = anna.lobby().last_event() + 1;
    storage.stop();
    takes_one(&mut anna).await;
    until("the journal to be asked", || storage.is_waited_for()).await;
    let turn = |client: &TestClient| client.lobby().turn();
    assert_eq!((turn(&anna), turn(&ben)), (1, 1));
    for client in [&mut anna, &mut ben] {
        assert!(client.wire().is_silent(), "nobody is told");
    }
    assert!(!storage.has(number));
    storage.go_on();
    for client in [&mut anna, &mut ben] {
        client.until_turn(2).await;
        assert!(storage.has(number));
    }
}

#[tokio::test]
async fn frames_that_wait_for_the_journal_are_sent_in_order() {
    let (storage, _server, mut anna, mut ben) = playing().await;
    storage.stop();
    takes_one(&mut anna).await;
    // A refusal is sent after the event that causes it.
    let late = ben.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
    until("the journal to be asked", || storage.is_waited_for()).await;
    storage.go_on();
    let heard = ben.catch_up().await;
    let place = |wanted: &dyn Fn(&ToClient) -> bool| heard.iter().position(wanted);
    let moved = place(&|message| matches!(message, ToClient::Lobby { event: Event::Moved { .. }, .. }));
    let refused = place(&|message| matches!(message, ToClient::Refused { id, .. } if *id == late));
    assert!(moved.unwrap() < refused.unwrap(), "{heard:?}");
}

#[tokio::test]
async fn a_server_that_is_started_again_knows_its_lobbies_and_everybody_plays_on() {
    let (memory, server) = recording();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    takes_one(&mut anna).await;
    ben.until_turn(2).await;
    anna.until_turn(2).await;
    let (claims, before) = ([anna.claim(), ben.claim()], anna.lobby().clone());
    server.interrupt();
    assert_eq!(anna.wire().farewell().await, Farewell::Kept);
    let server = restarted(server, (anna, ben), memory).await;
    let mut anna = server.comes_back(claims[0]).await;
    let lobby = anna.lobby().clone();
    assert_eq!((lobby.turn(), lobby.made(), lobby.seats()), (2, before.made(), before.seats()));
    assert_eq!(lobby.absence(Side::Second).map(|absence| absence.loss), Some(ConnectionLoss::Closed));
    let mut ben = server.comes_back(claims[1]).await;
    anna.until_lobby(|lobby| lobby.is_here(Side::Second)).await;
    takes_one(&mut ben).await;
    anna.until_turn(3).await;
    anna.ask(LobbyRequest::Resign).await;
    assert_eq!(anna.result().await, ben.result().await);
}

#[tokio::test]
async fn a_returning_client_hears_of_the_restart_among_the_events_it_missed() {
    let (memory, server) = recording();
    let (anna, ben) = pair(&server, terms("java-tech:21")).await;
    let claim = anna.claim();
    let server = restarted(server, (anna, ben), memory).await;
    let mut back = server.client("anna").await;
    let heard = back.hears(claim.request()).await;
    assert!(
        heard.iter().any(|message| matches!(message, ToClient::Lobby { event: Event::Restarted, .. }))
            && heard.iter().any(|message| matches!(message, ToClient::Returned { .. })),
        "{heard:?}"
    );
}

/// A server that never counts a player as away.
fn patient(config: &mut Config) {
    (config.ping_after, config.gone_after) = (Duration::from_hours(1), Duration::from_hours(2));
}

#[tokio::test]
async fn clocks_stop_while_the_server_is_down_and_the_turn_gets_grace_time() {
    let clock = stopped_clock();
    let memory = Memory::default();
    let fischer = NewLobby { clock: ClockRule::Fischer { base: 60_000, bonus: 0 }, ..terms("java-tech:21") };
    let server = TestServer::keeping(memory.clone(), patient);
    let (anna, ben) = pair(&server, fischer).await;
    let claims = [anna.claim(), ben.claim()];
    server.stops((anna, ben)).await;
    tokio::time::advance(Duration::from_hours(5)).await;
    let server = TestServer::keeping(memory, patient);
    let mut players = Vec::new();
    for claim in claims {
        players.push(server.comes_back(claim).await);
    }
    tokio::time::advance(RESTART_GRACE + Duration::from_secs(20)).await;
    takes_one(&mut players[0]).await;
    players[0].until_turn(2).await;
    let left = players[0].lobby().clocks().left.first;
    assert!((39_000..=41_000).contains(&left), "{left}");
    drop(clock);
}

#[tokio::test]
async fn a_start_reads_a_checkpoint_of_each_lobby_and_few_events() {
    let memory = Memory::default();
    let often = |config: &mut Config| config.checkpoint_after = 50;
    let server = TestServer::keeping(memory.clone(), often);
    // One lobby in which nothing more happens, and one in which much does.
    let (cleo, _quiet) = server.opened("cleo", terms("tic-tac-toe")).await;
    let (mut anna, mut ben) = pair(&server, terms("java-tech:400")).await;
    for turn in 1..=300 {
        let player = if turn % 2 == 1 { &mut anna } else { &mut ben };
        takes_one(player).await;
        for client in [&mut anna, &mut ben] {
            client.until_turn(turn + 1).await;
        }
    }
    let (before, claims) = (anna.lobby().clone(), [anna.claim(), cleo.claim()]);
    server.stops((anna, ben, cleo)).await;
    let found = crate::storage::model::open_in(&mut memory.clone());
    assert_eq!(found.len(), 2);
    let read: usize = found.iter().map(|lobby| lobby.events.len()).sum();
    assert!(read <= 100 && found.iter().all(|lobby| lobby.checkpoint.is_some()), "{read} events");
    let server = TestServer::keeping(memory, often);
    let anna = server.comes_back(claims[0]).await;
    assert_eq!((anna.lobby().turn(), anna.lobby().made()), (301, before.made()));
    server.comes_back(claims[1]).await;
}

#[tokio::test]
async fn passwords_names_and_tickets_survive_a_restart() {
    let locked = NewLobby { password: Secret::of("open sesame"), ..terms("java-tech:21") };
    let (memory, server) = recording();
    let (anna, code) = server.opened("anna", locked).await;
    let claim = anna.claim();
    let server = restarted(server, anna, memory).await;
    let mut other = server.client("anna").await;
    assert_ne!(other.name(), "anna", "the name belongs to a seat");
    assert_eq!(other.refused_in_hall(join(code)).await, Refusal::Hall(HallRefusal::WrongPassword));
    let wrong = Claim { ticket: nim::wire::Ticket::of([7; 16]), ..claim };
    assert_eq!(other.refused_in_hall(wrong.request()).await, Refusal::Hall(HallRefusal::BadTicket));
    let mut back = server.comes_back(claim).await;
    let right = join_text(&code.to_string(), Secret::of("open sesame"));
    other.tries(right).await.unwrap();
    play_out(&mut back, &mut other, first_move).await;
}

#[tokio::test]
async fn a_bot_thinks_again_after_a_restart() {
    let (memory, server) = recording();
    let mut anna = server.client("anna").await;
    anna.against_the_bot("java-tech:21").await;
    let claim = anna.claim();
    let server = restarted(server, anna, memory).await;
    let mut anna = server.comes_back(claim).await;
    anna.play_to_the_end(first_move).await;
}

/// Waits until everything up to now is recorded, including events that nobody receives: the list is updated
/// after them.
async fn all_is_recorded(server: &TestServer) {
    server.client("a visitor").await.look().await;
}

#[tokio::test]
async fn a_panic_while_recording_is_reported_at_once() {
    let (storage, server, mut anna, mut ben) = playing().await;
    storage.panics();
    takes_one(&mut anna).await;
    let failed = Text::cut("the server's program has failed");
    for client in [&mut anna, &mut ben] {
        assert_eq!(halts(client).await, failed);
        assert_eq!(client.lobby().turn(), 1, "the move is not sent");
    }
    assert_eq!(ben.refused(LobbyRequest::Resign).await, Refusal::Halted { why: failed });
    server.interrupt();
    assert_eq!(anna.wire().farewell().await, Farewell::Stopping, "the state is unknown");
    server.stops((anna, ben)).await;
}

#[tokio::test]
async fn a_stopping_server_promises_no_kept_games_if_events_are_unrecorded() {
    let (storage, server, mut anna, ben) = playing().await;
    storage.stop();
    takes_one(&mut anna).await;
    until("the journal to be asked", || storage.is_waited_for()).await;
    server.interrupt();
    assert_eq!(anna.wire().farewell().await, Farewell::Stopping);
    storage.go_on();
    server.stops((anna, ben)).await;
}

#[tokio::test]
async fn a_bot_retries_its_move_when_the_journal_works_again() {
    let (storage, server) = recording();
    let mut anna = server.client("anna").await;
    anna.against_the_bot("java-tech:21").await;
    anna.catch_up().await;
    all_is_recorded(&server).await;
    storage.is_full(true);
    takes_one(&mut anna).await;
    halts(&mut anna).await;
    storage.is_full(false);
    anna.play_to_the_end(first_move).await;
}

#[tokio::test]
async fn every_request_for_a_damaged_lobby_gets_that_reason() {
    let (storage, server, mut anna, ben) = playing().await;
    takes_one(&mut anna).await;
    anna.until_turn(2).await;
    let (claim, code) = (anna.claim(), anna.lobby().code());
    server.stops((anna, ben)).await;
    storage.is_damaged();
    let (server, damaged) = TestServer::keeping_what_it_can(storage, |_| {});
    assert_eq!(damaged.len(), 1);
    let mut anna = server.client("anna").await;
    let text = Text::cut(&code.to_string());
    for request in [claim.request(), join(code), HallRequest::Watch { code: text, password: None }] {
        let refusal = anna.refused_in_hall(request.clone()).await;
        assert_eq!(refusal, Refusal::Hall(HallRefusal::SetAside { lobby: 1 }), "{request:?}");
    }
    anna.create("tic-tac-toe").await;
}
