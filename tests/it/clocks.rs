//! The clocks over sockets: flags fall by themselves, and both players are told the same. What each rule takes
//! and gives is compared with a second lobby in `lobby::machine`.

use std::time::Duration;

use nim::game::{Outcome, Side};
use nim::lobby::{Cause, ClockRule, Event, GameResult};
use nim::wire::{HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal};

use crate::harness::{Program, TestClient, TestServer, join, pair, stopped_clock, take, terms};

const FISCHER: ClockRule = ClockRule::Fischer { base: 60_000, bonus: 2_000 };

fn lost(side: Side) -> GameResult {
    GameResult { outcome: Outcome::Win(!side), cause: Cause::Time }
}

#[tokio::test]
async fn a_flag_falls_by_itself_on_the_server_and_both_are_told() {
    let _clock = stopped_clock();
    let server = TestServer::start();
    let clock = ClockRule::Move(5_000);
    let (mut anna, mut ben) = pair(&server, NewLobby { clock, ..terms("java-tech:21") }).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    tokio::time::advance(Duration::from_millis(5_260)).await;
    assert_eq!((anna.result().await, ben.result().await), (lost(Side::Second), lost(Side::Second)));
    assert_eq!(anna.lobby(), ben.lobby());
}

#[tokio::test]
async fn both_are_told_the_same_clocks() {
    let _clock = stopped_clock();
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, NewLobby { clock: FISCHER, ..terms("java-tech:21") }).await;
    tokio::time::advance(Duration::from_secs(12)).await;
    anna.play(take(1)).await;
    ben.until_turn(2).await;
    assert_eq!(anna.lobby().clocks(), ben.lobby().clocks());
    let first = anna.lobby().clocks().left.first;
    assert!((49_900..=50_000).contains(&first), "{first}");
}

#[tokio::test]
async fn a_clock_that_nobody_can_play_by_is_refused() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    for clock in [ClockRule::Move(999), ClockRule::Fischer { base: 0, bonus: 9_000 }] {
        let refusal =
            anna.refused_in_hall(HallRequest::Create(NewLobby { clock, ..terms("take:3:1") })).await;
        assert!(matches!(refusal, Refusal::Hall(HallRefusal::Conditions(_))), "{refusal:?}");
        assert_eq!(refusal.to_string(), "a clock gives 1 second at least");
    }
    anna.create_on(NewLobby { clock: ClockRule::Move(1_000), ..terms("take:3:1") }).await;
    assert_eq!(anna.refused(LobbyRequest::Resume).await.to_string(), "the game does not rest");
}

#[tokio::test]
async fn the_clocks_are_shown_and_a_flag_that_falls_is_told_in_words() {
    let mut both =
        Program::client(&["play", "java-tech:9", "--two", "--clock", "1s~100ms", "--name", "anna"]);
    both.until("The clock gives each 1 second for the game; it runs 100 milliseconds after a turn began.")
        .await;
    both.asks("1", "Time: anna 1.0 s, guest 1.0 s.").await;
    both.until("anna won: guest ran out of time.").await;
}

/// Two who play with two seconds for each move on the server at this address.
async fn hasty(address: std::net::SocketAddr) -> (TestClient, TestClient) {
    let mut anna = TestClient::at(address, "anna").await;
    let mut ben = TestClient::at(address, "ben").await;
    let clock = ClockRule::Move(2_000);
    let code = anna.create_on(NewLobby { clock, ..terms("java-tech:21") }).await;
    ben.tries(join(code)).await.unwrap();
    for player in [&mut anna, &mut ben] {
        player.until_playing().await;
    }
    (anna, ben)
}

#[cfg(unix)]
#[tokio::test]
async fn a_move_sent_in_time_counts_although_the_server_was_stopped() {
    let (stopped, there) = Program::listening_server(&[]).await;
    let other = TestServer::start();
    let (mut anna, _ben) = hasty(there).await;
    stopped.signal("STOP").await;
    anna.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
    // Where nobody is stopped a flag falls that began to fall later.
    let (mut cleo, _dora) = hasty(other.address()).await;
    assert_eq!(cleo.result().await.cause, Cause::Time);
    stopped.signal("CONT").await;
    let told = anna.until_event(|event| matches!(event, Event::Moved { .. } | Event::Ended { .. })).await;
    assert!(matches!(told, Event::Moved { turn: 1, .. }), "{told:?}");
}
