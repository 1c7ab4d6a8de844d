//! Invalid messages after the welcome; the files of [`super::malformed`] have more.

use nim::lobby;
use nim::wire::{LobbyRequest, ToClient};

use crate::harness::{TestClient, TestServer, game, hello, pair, stopped_clock, take, terms};

#[tokio::test]
async fn a_client_that_keeps_sending_after_the_goodbye_is_cut_off_early() {
    const FAR_TOO_MUCH: usize = 64;
    let _clock = stopped_clock();
    let (_server, [mut mallory]) = TestServer::start_for(["mallory"]).await;
    mallory.wire().send_body(b"\x05").await;
    mallory.wire().farewell().await;
    let megabyte = vec![0; 1 << 20];
    for _ in 0..FAR_TOO_MUCH {
        if mallory.wire().try_send_bytes(&megabyte).await.is_err() {
            return;
        }
    }
    panic!("the server accepted {FAR_TOO_MUCH} MB of unwanted input");
}

#[tokio::test]
async fn an_opponent_is_told_when_a_player_is_disconnected_for_a_bad_frame() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    let side = anna.side();
    anna.wire().send_body(b"\x05").await;
    let away = ben.until_notice(|notice| matches!(notice, lobby::Notice::Away { .. })).await;
    assert!(
        matches!(away, lobby::Notice::Away { side: hers, loss: lobby::ConnectionLoss::Closed, .. } if hers == side)
    );
    assert_eq!(ben.lobby().phase(), lobby::Phase::Playing, "her seat is hers, so nothing is lost yet");
    server.still_serves().await;
}

/// The turn in the next refusal.
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
    let (server, [mut outside]) = TestServer::start_for(["cleo"]).await;
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
        mover.play(take(1)).await;
        other.until_turn(turn + 1).await;
    }
    let names = anna.lobby().seats().iter().map(|(_, seat)| seat.as_ref().unwrap().name.to_string());
    assert_eq!(names.collect::<Vec<_>>(), ["anna", "ben"], "a second hello changes no name");
}
