//! What a client that was welcomed could send and should not; more of it stands in the files of
//! [`super::malformed`].

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby;
use nim::wire::{LobbyRequest, Misplaced, Refusal, ToClient, ToServer};

use crate::harness::{TestClient, TestServer, hello, pair, stopped_clock, terms};

#[tokio::test]
async fn a_client_that_keeps_sending_after_the_goodbye_is_cut_off_early() {
    const FAR_TOO_MUCH: usize = 64;
    let _clock = stopped_clock();
    let server = TestServer::start();
    let mut mallory = server.client("mallory").await;
    mallory.wire().send_body(b"\x05").await;
    mallory.wire().farewell().await;
    let megabyte = vec![0; 1 << 20];
    for _ in 0..FAR_TOO_MUCH {
        if mallory.wire().try_send_bytes(&megabyte).await.is_err() {
            return;
        }
    }
    panic!("the server took {FAR_TOO_MUCH} MB of what it does not want");
}

#[tokio::test]
async fn an_opponent_is_told_when_somebody_is_put_out_for_a_bad_frame() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let side = anna.side();
    anna.wire().send_body(b"\x05").await;
    let away = ben.until_event(|event| matches!(event, lobby::Event::Away { .. })).await;
    assert!(matches!(away, lobby::Event::Away { side: hers, loss: lobby::Loss::Closed, .. } if hers == side));
    assert_eq!(ben.lobby().phase(), lobby::Phase::Playing, "her seat is hers, so nothing is lost yet");
    server.still_serves().await;
}

#[tokio::test]
async fn a_second_hello_is_refused_and_changes_nothing() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    anna.wire().send(&hello("somebody else")).await;
    assert_eq!(anna.refusal_of(0).await, Refusal::Misplaced(Misplaced::SecondHello));
    let code = anna.create("java-tech:21").await;
    anna.wire().send(&hello("anna")).await;
    assert_eq!(anna.refusal_of(0).await, Refusal::Misplaced(Misplaced::SecondHello));
    let mut ben = server.client("ben").await;
    ben.join(code).await;
    assert_eq!(ben.lobby().seats().first.as_ref().unwrap().name.as_str(), "anna");
}

/// The number of the next move in the next refusal.
async fn refused_turn(client: &mut TestClient) -> u32 {
    client
        .until(|message| match message {
            ToClient::Refused { turn, .. } => Some(*turn),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn every_refusal_says_the_turn_of_the_lobby_and_0_in_the_hall() {
    let server = TestServer::start();
    let mut outside = server.client("cleo").await;
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    for turn in 1..4 {
        let (mover, other) = if turn == 2 { (&mut ben, &mut anna) } else { (&mut anna, &mut ben) };
        for (client, turn) in [(&mut outside, 0), (&mut *mover, turn), (&mut *other, turn)] {
            client.ask_hall(crate::harness::join("brave-otter".parse().unwrap())).await;
            assert_eq!(refused_turn(client).await, turn, "of a request of the hall");
            client.wire().send(&hello("somebody else")).await;
            assert_eq!(refused_turn(client).await, turn, "of a second hello");
            client.ask(LobbyRequest::Again).await;
            assert_eq!(refused_turn(client).await, turn, "of a request of the lobby");
        }
        mover.play(Move::Nim(Take { pile: 0, count: 1 })).await;
        other.until_lobby(|lobby| lobby.turn() == turn + 1).await;
    }
}

#[tokio::test]
async fn pongs_that_nobody_asked_for_are_no_harm() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    for number in 0..1_000 {
        anna.wire().send(&ToServer::Pong(number)).await;
    }
    assert!(anna.catch_up().await.is_empty());
}
