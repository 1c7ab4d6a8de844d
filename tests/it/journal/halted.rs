//! Requests while nothing can be recorded: each is refused at once, and not executed later.

use nim::lobby::{Offer, Text};
use nim::wire::{GamesWish, HallRequest, LobbyRequest, Refusal, ToClient};

use super::{all_is_recorded, goes_on, halts, playing, takes_one};
use crate::harness::{TestClient, TestServer, join, pair, terms, within};
use crate::storage::memory::Memory;

/// The client's next message; skips pings and notices of the halt.
async fn told(client: &mut TestClient) -> ToClient {
    let next = client.until(|message| {
        let is_news = !matches!(message, ToClient::Halted { .. } | ToClient::Ping(_));
        is_news.then(|| message.clone())
    });
    within("an answer", next).await
}

#[tokio::test]
async fn requests_while_nothing_can_be_recorded_are_refused_at_once_and_not_executed_later() {
    let (storage, server, mut anna, mut ben) = playing().await;
    let mut cleo = server.client("cleo").await;
    cleo.look().await;
    all_is_recorded(&server).await;
    storage.is_full(true);
    takes_one(&mut anna).await;
    for player in [&mut anna, &mut ben] {
        assert_eq!(halts(player).await, Text::cut("the disk is full"));
        assert_eq!(player.lobby().turn(), 1, "the move is not sent");
        for request in [
            LobbyRequest::Say { words: Text::cut("hello") },
            LobbyRequest::Offer(Offer::Takeback),
            LobbyRequest::Hint,
            LobbyRequest::Review { number: 1 },
            LobbyRequest::Resign,
            LobbyRequest::Leave,
        ] {
            let asked = player.ask(request.clone()).await;
            let ToClient::Refused { id, turn: 0, refusal: Refusal::Halted { .. } } = told(player).await
            else {
                panic!("{request:?} is not refused")
            };
            assert_eq!(id, asked, "{request:?}");
        }
    }
    let open = |code| HallRequest::Watch { code: Text::cut(code), password: None };
    for request in [
        HallRequest::Look,
        HallRequest::Create(terms("tic-tac-toe")),
        HallRequest::Quick(terms("tic-tac-toe")),
        join(anna.lobby().code()),
        open("brave-otter"),
    ] {
        let refusal = cleo.refused_in_hall(request.clone()).await;
        assert!(matches!(refusal, Refusal::Halted { .. }), "{request:?}: {refusal:?}");
    }
    // Recorded events can still be read.
    cleo.ask_hall(HallRequest::Games(GamesWish::default())).await;
    assert!(matches!(told(&mut cleo).await, ToClient::Games { .. }));
    storage.is_full(false);
    for player in [&mut anna, &mut ben] {
        goes_on(player).await;
        player.until_turn(2).await;
    }
    takes_one(&mut ben).await;
    for player in [&mut anna, &mut ben] {
        player.until_turn(3).await;
        let heard = player.catch_up().await;
        let is_late = |message: &ToClient| !matches!(message, ToClient::Ping(_) | ToClient::Pong(_));
        assert!(!heard.iter().any(is_late), "nobody has left, and no message was sent: {heard:?}");
    }
}

#[tokio::test]
async fn a_local_player_gets_the_hosts_error_text() {
    let storage = Memory::default();
    let server = TestServer::keeping(storage.clone(), |config| config.plays_at_home = true);
    let (mut anna, _ben) = pair(&server, terms("java-tech:21")).await;
    all_is_recorded(&server).await;
    storage.is_full(true);
    takes_one(&mut anna).await;
    assert_eq!(halts(&mut anna).await, Text::cut("make room on the disk"));
    let Refusal::Halted { why } = anna.refused(LobbyRequest::Hint).await else { panic!("it is refused") };
    assert_eq!(why, Text::cut("make room on the disk"));
}

#[tokio::test]
async fn closing_the_connection_while_nothing_can_be_recorded_keeps_the_seat() {
    let (storage, server, mut anna, mut ben) = playing().await;
    storage.is_full(true);
    takes_one(&mut anna).await;
    halts(&mut ben).await;
    let refusal = ben.refused(LobbyRequest::Leave).await;
    assert!(matches!(refusal, Refusal::Halted { .. }), "{refusal:?}");
    let claim = ben.claim();
    drop(ben);
    storage.is_full(false);
    goes_on(&mut anna).await;
    anna.until_lobby(|lobby| lobby.absence(nim::game::Side::Second).is_some()).await;
    let mut ben = server.comes_back(claim).await;
    takes_one(&mut ben).await;
    anna.until_turn(3).await;
}
