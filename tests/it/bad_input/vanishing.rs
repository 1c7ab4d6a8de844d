//! Connections that end at every step of a client's life, with a close or without. A player keeps the seat
//! and is absent.

use std::time::Duration;

use nim::lobby::{self, Cause, Departure, Event, Hand, Phase, WhenAway};
use nim::wire::{
    self, AwayWish, BotWish, HallRequest, Listing, LobbyRequest, NewLobby, Presence, Refusal, ToClient,
};

use crate::harness::{
    TestClient, TestServer, Wire, first_move, game, join, pair, play_out, take, terms, within,
};

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

/// A server that keeps the seats of absent players for no time if nobody waits for them.
fn forgetful() -> TestServer {
    TestServer::with(|config| config.seats_kept = Duration::ZERO)
}

/// Waits until the opponent is told that a player's connection has closed but the seat is kept.
async fn until_away(client: &mut TestClient) {
    let away = !client.side();
    client.until_away(away).await;
    assert!(client.lobby().absence(away).is_some() && client.lobby().seats()[away].is_some());
}

#[tokio::test]
async fn a_connection_lost_before_the_welcome_or_in_the_hall_leaves_nothing_behind() {
    let server = TestServer::start();
    let hello = wire::encode(&crate::harness::hello("anna"));
    for way in WAYS {
        for bytes in [&hello[..0], &hello[..2], &hello[..4], &hello[..hello.len() - 1], &hello[..]] {
            let mut wire = server.connect().await;
            wire.send_bytes(bytes).await;
            vanish(wire, way);
        }
        let mut watcher = server.client("watcher").await;
        watcher.ask_hall(HallRequest::Look).await;
        vanish(watcher.into_wire(), way);
    }
    server.name_is_free("anna").await;
    server.still_serves().await;
}

#[tokio::test]
async fn a_lobby_whose_people_all_vanish_is_closed() {
    let server = forgetful();
    let with_bot = |variant| NewLobby { bot: BotWish::AtOnce, ..terms(variant) };
    for way in WAYS {
        for lobby in [terms("java-tech:21"), with_bot("java-tech:21"), with_bot("nim:1-3-5-7:max=3:misere")] {
            let (mut anna, code) = server.opened("anna", lobby.clone()).await;
            if lobby.bot == BotWish::AtOnce {
                anna.until_playing().await;
                anna.ask(LobbyRequest::Hint).await;
            }
            vanish(anna.into_wire(), way);
            server.lobby_is_freed(code).await;
        }
        let (anna, ben) = pair(&server, terms("java-tech:21")).await;
        let code = anna.lobby().code();
        vanish(anna.into_wire(), way);
        vanish(ben.into_wire(), way);
        server.lobby_is_freed(code).await;
    }
}

#[tokio::test]
async fn a_lobby_is_kept_for_a_waiting_player_who_vanished_and_nobody_else_joins() {
    let server = TestServer::start();
    for way in WAYS {
        let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
        let code = anna.create("java-tech:21").await;
        ben.look().await;
        vanish(anna.into_wire(), way);
        let is_away = |listing: &Listing| {
            let sitter = listing.seats.first.as_ref().unwrap();
            listing.code == code && sitter.presence == Presence::Away
        };
        let listed_as_away = async { while !ben.until_hall_told().await.iter().any(is_away) {} };
        within("anna to be listed as away", listed_as_away).await;
        let refusal = ben.refused_in_hall(join(code)).await;
        assert_eq!(refusal, Refusal::Lobby(lobby::Refusal::NobodyHere));
    }
}

#[tokio::test]
async fn a_player_who_vanishes_on_any_turn_is_away_and_a_bot_stands_in_on_theirs() {
    let server = TestServer::start();
    let away = AwayWish { then: WhenAway::StandIn, level: None, after: 0 };
    for way in WAYS {
        for moves in 0..3 {
            let (mut anna, mut ben) = pair(&server, NewLobby { away, ..terms("take:9:4:misere") }).await;
            for turn in 0..moves {
                let (mover, other) =
                    if turn % 2 == 0 { (&mut anna, &mut ben) } else { (&mut ben, &mut anna) };
                mover.play(take(1)).await;
                other.until_turn(turn + 2).await;
            }
            let side = anna.side();
            vanish(anna.into_wire(), way);
            until_away(&mut ben).await;
            if moves == 1 {
                ben.play(take(1)).await;
            }
            ben.until_event(|event| *event == Event::StoodIn { side }).await;
            ben.until_event(|event| matches!(event, Event::Moved { hand: Hand::StandIn, .. })).await;
            assert_eq!(ben.lobby().phase(), Phase::Playing, "{way:?} {moves}");
            ben.leave().await;
        }
    }
    server.still_serves().await;
}

#[tokio::test]
async fn half_a_frame_at_the_end_is_ignored() {
    let server = TestServer::start();
    for way in WAYS {
        let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
        let resign = wire::ToServer::Lobby { id: 9, request: LobbyRequest::Resign };
        let frame = wire::encode(&resign);
        anna.wire().send_bytes(&frame[..frame.len() - 1]).await;
        vanish(anna.into_wire(), way);
        until_away(&mut ben).await;
        assert_eq!(ben.lobby().phase(), Phase::Playing, "she did not resign");
        ben.leave().await;
    }
}

#[tokio::test]
async fn the_last_request_before_an_orderly_close_is_executed() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    anna.ask(LobbyRequest::Resign).await;
    anna.wire().finish_writing().await;
    assert_eq!(ben.result().await.cause, Cause::Resigned);
    until_away(&mut ben).await;
}

#[tokio::test]
async fn a_player_who_vanishes_after_a_game_keeps_the_seat_and_any_request_for_another_game() {
    let server = TestServer::start();
    for way in WAYS {
        for wishes in [false, true] {
            let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
            play_out(&mut anna, &mut ben, first_move).await;
            if wishes {
                anna.ask(LobbyRequest::Again).await;
                ben.until_event(|event| matches!(event, Event::AgainWanted { .. })).await;
            }
            vanish(anna.into_wire(), way);
            until_away(&mut ben).await;
            ben.ask(LobbyRequest::Again).await;
            // Her request for another game holds while she is away; without one the game waits for her.
            ben.until_event(|event| matches!(event, Event::AgainWanted { .. })).await;
            let games = if wishes { 2 } else { 1 };
            ben.catch_up().await;
            assert_eq!(ben.lobby().games(), games, "{way:?}");
            ben.leave().await;
        }
    }
    server.still_serves().await;
}

#[tokio::test]
async fn the_seat_of_a_player_who_vanished_after_a_game_expires() {
    let server = forgetful();
    for way in WAYS {
        let (mut anna, mut ben) = pair(&server, terms("take:3:1")).await;
        play_out(&mut anna, &mut ben, first_move).await;
        vanish(anna.into_wire(), way);
        ben.until_event(|event| matches!(event, Event::Left { how: Departure::Lost, .. })).await;
        ben.ask(LobbyRequest::Again).await;
        ben.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
        ben.leave().await;
    }
}

#[tokio::test]
async fn a_newcomer_who_vanishes_before_reading_the_answer_leaves_a_lobby_that_works() {
    let server = forgetful();
    for way in WAYS {
        let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
        let code = anna.create("take:3:1").await;
        ben.ask_hall(join(code)).await;
        vanish(ben.into_wire(), way);
        // A reset may overtake the request; then nobody joined.
        let mut cleo = server.client("cleo").await;
        match way {
            Way::Closed => {
                until_away(&mut anna).await;
                anna.ask(LobbyRequest::Resign).await;
                anna.until_event(|event| matches!(event, Event::Left { how: Departure::Lost, .. })).await;
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
