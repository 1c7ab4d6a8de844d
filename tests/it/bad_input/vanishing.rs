//! Connections that end at every step of a client's life, in good order or without a word.

use nim::lobby::{Cause, Code, Departure, Event, Phase};
use nim::wire::{HallRequest, LobbyRequest, ToClient};

use crate::harness::{TestClient, TestServer, Wire, first_move, join, pair, play_out, terms, within};

/// How a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// The program closed it.
    Closed,
    /// It broke.
    Reset,
}

const WAYS: [Way; 2] = [Way::Closed, Way::Reset];

fn vanish(wire: Wire, way: Way) {
    match way {
        Way::Closed => drop(wire),
        Way::Reset => wire.reset(),
    }
}

fn vanish_client(client: TestClient, way: Way) {
    match way {
        Way::Closed => drop(client),
        Way::Reset => client.reset(),
    }
}

/// Asks until the server has noticed that nobody is left in that lobby.
async fn until_gone(server: &TestServer, code: Code) {
    let mut asker = server.client("asker").await;
    let gone = async {
        while asker.tries(join(code)).await.map_err(|refusal| refusal.to_string())
            != Err("no lobby has this code; it may be over already".into())
        {
            if asker.is_in_lobby() {
                asker.leave().await;
            }
        }
    };
    within(&format!("{code} to be gone"), gone).await;
}

#[tokio::test]
async fn before_the_welcome_nothing_is_left_behind() {
    let server = TestServer::start();
    let hello = nim::wire::encode(&crate::harness::hello("anna"));
    for way in WAYS {
        for bytes in [&hello[..0], &hello[..2], &hello[..4], &hello[..hello.len() - 1], &hello[..]] {
            let mut wire = server.connect().await;
            wire.send_bytes(bytes).await;
            vanish(wire, way);
        }
    }
    server.name_is_free("anna").await;
    server.still_serves().await;
}

#[tokio::test]
async fn somebody_who_looks_at_the_hall_may_vanish() {
    let server = TestServer::start();
    for way in WAYS {
        let mut watcher = server.client("watcher").await;
        watcher.ask_hall(HallRequest::Look).await;
        vanish_client(watcher, way);
        server.still_serves().await;
    }
}

#[tokio::test]
async fn a_lobby_where_somebody_waited_is_gone_with_them() {
    let server = TestServer::start();
    for way in WAYS {
        let mut anna = server.client("anna").await;
        let code = anna.create("java-tech:21").await;
        vanish_client(anna, way);
        until_gone(&server, code).await;
    }
}

#[tokio::test]
async fn a_lobby_where_somebody_played_the_bot_is_gone_with_them() {
    let server = TestServer::start();
    for way in WAYS {
        let mut anna = server.client("anna").await;
        let bot = nim::wire::BotWish::AtOnce;
        let code = anna.create_on(nim::wire::NewLobby { bot, ..terms("java-tech:21") }).await;
        anna.until_lobby(|lobby| lobby.phase() == Phase::Playing).await;
        vanish_client(anna, way);
        until_gone(&server, code).await;
    }
}

#[tokio::test]
async fn a_game_is_lost_by_whoever_vanishes_from_it_on_any_turn() {
    let server = TestServer::start();
    for way in WAYS {
        for moves in 0..3 {
            let (mut anna, mut ben) = pair(&server, terms("take:9:4:misere")).await;
            for turn in 0..moves {
                let (mover, other) =
                    if turn % 2 == 0 { (&mut anna, &mut ben) } else { (&mut ben, &mut anna) };
                mover.play(first_move(&crate::harness::Heaps::of("take:3:1"))).await;
                other.until_lobby(|lobby| lobby.turn() == turn + 2).await;
            }
            vanish_client(anna, way);
            let result = ben.result().await;
            assert_eq!(
                (result.cause, result.outcome.winner()),
                (Cause::Left, Some(ben.side())),
                "{way:?} {moves}"
            );
            ben.until_event(|event| matches!(event, Event::Left { how: Departure::Lost, .. })).await;
            ben.leave().await;
        }
    }
    server.still_serves().await;
}

#[tokio::test]
async fn half_a_frame_before_the_end_counts_for_nothing() {
    let server = TestServer::start();
    for way in WAYS {
        let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
        let resign = nim::wire::ToServer::Lobby { id: 9, request: LobbyRequest::Resign };
        let frame = nim::wire::encode(&resign);
        anna.wire().send_bytes(&frame[..frame.len() - 1]).await;
        vanish_client(anna, way);
        assert_eq!(ben.result().await.cause, Cause::Left, "she did not resign");
        ben.leave().await;
    }
}

#[tokio::test]
async fn the_last_request_before_an_orderly_end_counts() {
    let server = TestServer::start();
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    anna.ask(LobbyRequest::Resign).await;
    anna.wire().finish_writing().await;
    assert_eq!(ben.result().await.cause, Cause::Resigned);
    ben.until_event(|event| matches!(event, Event::Left { how: Departure::Lost, .. })).await;
}

#[tokio::test]
async fn somebody_may_vanish_after_a_game_with_or_without_a_wish_for_another() {
    let server = TestServer::start();
    for way in WAYS {
        for wishes in [false, true] {
            let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
            play_out(&mut anna, &mut ben, first_move).await;
            if wishes {
                anna.ask(LobbyRequest::Again).await;
                ben.until_event(|event| matches!(event, Event::AgainWanted { .. })).await;
            }
            vanish_client(anna, way);
            ben.until_event(|event| matches!(event, Event::Left { how: Departure::Lost, .. })).await;
            ben.ask(LobbyRequest::Again).await;
            ben.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
            ben.leave().await;
        }
    }
    server.still_serves().await;
}

#[tokio::test]
async fn both_may_vanish_at_once() {
    let server = TestServer::start();
    for way in WAYS {
        let (anna, ben) = pair(&server, terms("java-tech:21")).await;
        let code = anna.lobby().code();
        vanish_client(anna, way);
        vanish_client(ben, way);
        until_gone(&server, code).await;
    }
}

#[tokio::test]
async fn somebody_who_asked_for_a_hint_may_vanish() {
    let server = TestServer::start();
    for way in WAYS {
        let mut anna = server.client("anna").await;
        let bot = nim::wire::BotWish::AtOnce;
        let code = anna.create_on(nim::wire::NewLobby { bot, ..terms("nim:1-3-5-7:max=3:misere") }).await;
        anna.ask(LobbyRequest::Hint).await;
        vanish_client(anna, way);
        until_gone(&server, code).await;
    }
}

#[tokio::test]
async fn a_newcomer_who_vanishes_before_reading_the_answer_leaves_a_lobby_that_works() {
    let server = TestServer::start();
    for way in WAYS {
        let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
        let code = anna.create("take:3:1").await;
        ben.ask_hall(join(code)).await;
        vanish_client(ben, way);
        // A reset may overtake the request; then nobody came.
        let mut cleo = server.client("cleo").await;
        match way {
            Way::Closed => {
                anna.until_event(|event| matches!(event, Event::Left { .. })).await;
                anna.ask(LobbyRequest::Again).await;
            }
            Way::Reset => {
                anna.leave().await;
                assert_eq!(anna.create("take:3:1").await.to_string().split('-').count(), 2);
            }
        }
        anna.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
        cleo.join(anna.lobby().code()).await;
        play_out(&mut anna, &mut cleo, first_move).await;
        assert!(!matches!(anna.catch_up().await.last(), Some(ToClient::Refused { .. })));
    }
}
