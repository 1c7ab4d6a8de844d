//! Too many at once from one address: who makes room, and who waits.

use std::time::Duration;

use nim::server::Config;
use nim::wire::{Farewell, HelloRefusal, LobbyRequest, Refusal, ToClient, ToServer, encode};

use crate::harness::{Claim, TestClient, TestServer, first_move, pair, play_out, stopped_clock, terms};

/// Longer than nobody has to make room.
const GRACE: Duration = Duration::from_millis(300);

/// Longer than anybody is slowed.
const LATER: Duration = Duration::from_millis(1_300);

/// Asks again and again, which takes the server longer than what somebody else waits for would.
async fn keep_asking(somebody: &mut TestClient) {
    for _ in 0..20 {
        somebody.catch_up().await;
    }
}

#[tokio::test]
async fn whoever_said_no_hello_makes_room_for_somebody_who_does() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections_each = 4);
    let (mut anna, mut silent) = (server.client("anna").await, Vec::new());
    for _ in 0..3 {
        silent.push(server.connect().await);
    }
    let early = server.connect().await;
    keep_asking(&mut anna).await;
    tokio::time::advance(GRACE).await;
    let _ben = TestClient::hello(early, "ben").await;
    assert_eq!(silent.remove(0).read().await, None, "the first one is closed without a word");
}

#[tokio::test]
async fn a_crowd_in_the_hall_makes_room_before_anybody_with_a_seat() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections_each = 20);
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let mut crowd = Vec::new();
    for number in 0..18 {
        crowd.push(server.client(&format!("visitor {number}")).await);
    }
    let early = server.connect().await;
    keep_asking(&mut anna).await;
    tokio::time::advance(GRACE).await;
    let mut cleo = TestClient::hello(early, "cleo").await;
    assert_eq!(crowd[0].wire().farewell().await, Farewell::NoRoom);
    cleo.create("nim:3-4-5").await;
    play_out(&mut anna, &mut ben, first_move).await;
}

#[tokio::test]
async fn whoever_finds_no_room_within_a_second_is_turned_away() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections_each = 2);
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    anna.earns().await;
    ben.earns().await;
    ben.join(anna.create("java-tech:21").await).await;
    let mut late = server.connect().await;
    keep_asking(&mut anna).await;
    assert!(late.is_silent());
    tokio::time::advance(Duration::from_millis(1_100)).await;
    assert_eq!(late.unwelcome().await, HelloRefusal::Crowded { most: 2 });
}

#[tokio::test]
async fn whoever_has_asked_for_nothing_for_too_long_makes_room_and_keeps_their_seat() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections_each = 3);
    let (mut anna, mut cleo) = (server.client("anna").await, server.client("cleo").await);
    anna.earns().await;
    cleo.earns().await;
    let mut ben = server.client("ben").await;
    ben.join(anna.create("java-tech:21").await).await;
    tokio::time::advance(Duration::from_secs(5)).await;
    let dora = server.client("dora").await;
    assert_eq!(ben.wire().farewell().await, Farewell::NoRoom, "the others have asked for more");
    drop(dora);
    let (mut ben, _old) = ben.reconnects(&server).await;
    ben.returns().await;
    play_out(&mut anna, &mut ben, first_move).await;
}

#[tokio::test]
async fn pings_and_what_is_refused_are_nothing_for_which_anybody_is_let_be() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections_each = 2);
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    ben.earns().await;
    ben.join(anna.create("java-tech:21").await).await;
    tokio::time::advance(Duration::from_secs(4)).await;
    keep_asking(&mut anna).await;
    for _ in 0..16 {
        anna.refused(LobbyRequest::Claim).await;
    }
    let _cleo = server.client("cleo").await;
    assert_eq!(anna.wire().farewell().await, Farewell::NoRoom);
}

#[tokio::test]
async fn whoever_sits_alone_makes_room_and_comes_back_with_their_ticket() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_connections_each = 20);
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let mut alone = Vec::new();
    for number in 0..18 {
        let mut somebody = server.client(&format!("visitor {number}")).await;
        somebody.create("nim:3-4-5").await;
        alone.push(somebody);
    }
    let early = server.connect().await;
    keep_asking(&mut anna).await;
    tokio::time::advance(GRACE).await;
    let _cleo = TestClient::hello(early, "cleo").await;
    assert_eq!(alone[0].wire().farewell().await, Farewell::NoRoom);
    let seat = alone[0].claim();
    drop(alone.pop());
    let mut back = server.client("visitor 0").await;
    back.tries(Claim { seen: 0, ..seat }.request()).await.unwrap();
    play_out(&mut anna, &mut ben, first_move).await;
}

#[tokio::test]
async fn of_too_many_hellos_the_last_ones_are_answered_a_second_later() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_hellos_each = 2);
    let (mut anna, _ben) = (server.client("anna").await, server.client("ben").await);
    let mut cleo = server.connect().await;
    cleo.send_hello("cleo").await;
    keep_asking(&mut anna).await;
    assert!(cleo.is_silent());
    tokio::time::advance(LATER).await;
    assert!(matches!(cleo.read().await, Some(ToClient::Welcome { .. })));
}

#[tokio::test]
async fn whoever_opens_with_anything_but_a_hello_counts_as_ten_and_is_told_so_a_second_later() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_hellos_each = 11);
    let mut anna = server.client("anna").await;
    let (mut first, mut second, mut ben) =
        (server.connect().await, server.connect().await, server.connect().await);
    first.send(&ToServer::Ping(1)).await;
    assert_eq!(first.read().await, Some(ToClient::Unwelcome(HelloRefusal::NotHello)));
    second.send(&ToServer::Ping(1)).await;
    ben.send_hello("ben").await;
    keep_asking(&mut anna).await;
    assert!(second.is_silent() && ben.is_silent());
    tokio::time::advance(LATER).await;
    assert_eq!(second.read().await, Some(ToClient::Unwelcome(HelloRefusal::NotHello)));
    assert!(matches!(ben.read().await, Some(ToClient::Welcome { .. })));
}

#[tokio::test]
async fn whoever_comes_while_too_many_do_at_their_address_waits_for_a_second_and_takes_up_no_room() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| (config.max_hellos_each, config.max_connections_each) = (2, 3));
    let (mut anna, ben) = (server.client("anna").await, server.client("ben").await);
    let mut late = Vec::new();
    for number in 0..5 {
        late.push(server.connect().await);
        late[number].send_hello("late").await;
    }
    keep_asking(&mut anna).await;
    assert!(late.iter_mut().all(|late| late.is_silent()));
    drop(ben);
    tokio::time::advance(LATER).await;
    let welcomed = late.remove(0).read().await;
    assert!(matches!(welcomed, Some(ToClient::Welcome { .. })), "a second is all: {welcomed:?}");
}

#[tokio::test]
async fn whoever_is_refused_too_often_is_read_a_second_later_and_others_at_once() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_refusals_each = 20);
    let (mut eve, mut anna) = (server.client("eve").await, server.client("anna").await);
    for _ in 0..21 {
        eve.refused(LobbyRequest::Resign).await;
    }
    eve.wire().send(&ToServer::Ping(7)).await;
    keep_asking(&mut anna).await;
    assert!(eve.wire().is_silent());
    tokio::time::advance(LATER).await;
    eve.wire().until("a late pong", |message| (*message == ToClient::Pong(7)).then_some(())).await;
}

#[tokio::test]
async fn more_requests_than_a_second_has_are_answered_later_and_none_is_lost() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_requests = 10);
    let mut eve = server.client("eve").await;
    let ask = |id| encode(&ToServer::Lobby { id, request: LobbyRequest::Resign });
    let asks: Vec<u8> = (1..=12).flat_map(ask).collect();
    eve.wire().send_bytes(&asks).await;
    let mut refused = Vec::new();
    while refused.len() < 12 {
        if let Some(ToClient::Refused { id, .. }) = eve.wire().read().await {
            refused.push(id);
        }
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert_eq!(refused, (1..=12).collect::<Vec<u32>>());
}

/// A server answers a hundred requests at once of those who ask much, however that is `limited`. Somebody asks for one more, and is
/// read a second later; others are answered at once.
async fn whoever_asks_much_is_read_later(limited: impl FnOnce(&mut Config)) {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| {
        config.max_requests = 2_000;
        limited(config);
    });
    let (mut eve, mut anna) = (server.client("eve").await, server.client("anna").await);
    // Twenty are not much; the next hundred are all that there is.
    eve.wire().send_bytes(&encode(&ToServer::Ping(1)).repeat(121)).await;
    for _ in 0..121 {
        assert_eq!(eve.wire().read().await, Some(ToClient::Pong(1)));
    }
    eve.wire().send(&ToServer::Ping(7)).await;
    keep_asking(&mut anna).await;
    assert!(eve.wire().is_silent());
    tokio::time::advance(LATER).await;
    eve.wire().until("a late pong", |message| (*message == ToClient::Pong(7)).then_some(())).await;
}

#[tokio::test]
async fn where_an_address_asks_too_much_whoever_asks_most_is_read_a_second_later_and_others_at_once() {
    whoever_asks_much_is_read_later(|config| config.max_requests_each = 100).await;
}

#[tokio::test]
async fn where_all_together_ask_too_much_whoever_does_is_read_a_second_later_and_others_at_once() {
    whoever_asks_much_is_read_later(|config| config.max_requests_all = 100).await;
}

#[tokio::test]
async fn a_look_counts_as_fifty_requests() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_requests = 100);
    let mut eve = server.client("eve").await;
    for _ in 0..2 {
        eve.look().await;
    }
    let too_fast = eve.refused(LobbyRequest::Resign).await;
    assert_eq!(too_fast, Refusal::TooFast { most: 100 });
}
