//! Clients that say nothing, not all, or do not listen. The deadlines are short here, and nothing waits for them
//! but the server.

use std::time::Duration;

use nim::lobby::{Departure, Event};
use nim::wire::{Farewell, HallRequest, LobbyRequest, ToClient, ToServer, encode};
use tokio::net::TcpSocket;

use crate::harness::{TestClient, TestServer, Wire, hello, pair, terms, within};

const SOON: Duration = Duration::from_millis(30);

#[tokio::test]
async fn whoever_says_no_hello_is_closed() {
    let server = TestServer::with(|config| config.hello_deadline = SOON);
    for beginning in [b"".as_slice(), b"\0", b"\0\0\0\x0b\0nim", b"GE"] {
        let mut wire = server.connect().await;
        wire.send_bytes(beginning).await;
        assert_eq!(wire.farewell().await, Farewell::NoHello, "{beginning:?}");
    }
}

#[tokio::test]
async fn half_a_frame_and_then_silence_ends_the_connection() {
    let server = TestServer::with(|config| config.frame_deadline = SOON);
    for half in [b"\0".as_slice(), b"\0\0\0\x02", b"\0\0\0\x02\x03"] {
        let mut client = server.client("slow").await;
        client.wire().send_bytes(half).await;
        assert_eq!(client.wire().farewell().await, Farewell::HalfFrame, "{half:?}");
    }
    server.still_serves().await;
}

#[tokio::test]
async fn half_a_frame_behind_the_hello_has_its_deadline_too() {
    let server = TestServer::with(|config| config.frame_deadline = SOON);
    let mut wire = server.connect().await;
    wire.send_bytes(&[encode(&hello("slow")).as_ref(), b"\0\0"].concat()).await;
    assert!(matches!(wire.read().await, Some(ToClient::Welcome { .. })));
    assert_eq!(wire.farewell().await, Farewell::HalfFrame);
}

#[tokio::test]
async fn a_silent_client_is_asked_and_then_gone_and_its_opponent_told() {
    let server = TestServer::with(|config| (config.ping_after, config.gone_after) = (SOON, 10 * SOON));
    let (mut anna, ben) = pair(&server, terms("java-tech:21")).await;
    let told = tokio::spawn(async move {
        // Anna answers the pings, so she is there; and what she does is nothing that ben says.
        anna.until_event(|event| matches!(event, Event::Left { how: Departure::Lost, .. })).await;
    });
    let mut silent = ben;
    silent.wire().until("a ping", |message| matches!(message, ToClient::Ping(_)).then_some(())).await;
    assert_eq!(silent.wire().farewell().await, Farewell::Silent);
    told.await.unwrap();
}

#[tokio::test]
async fn a_client_that_answers_is_asked_again_after_the_same_silence() {
    // Nobody is gone within this test, so whoever waits for the next ping waits for that one alone.
    let server = TestServer::with(|config| {
        (config.ping_after, config.gone_after) = (Duration::from_millis(5), Duration::from_hours(1));
    });
    let mut wire = server.connect().await;
    wire.send(&hello("anna")).await;
    for _ in 0..5 {
        let ping = |message: &ToClient| match message {
            ToClient::Ping(number) => Some(*number),
            _ => None,
        };
        let number = wire.until("a ping", ping).await;
        wire.send(&ToServer::Pong(number)).await;
    }
}

/// A client whose system takes little in, so that what it does not read soon waits at the server.
async fn deaf(server: &TestServer, name: &str) -> TestClient {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    TestClient::hello(Wire::over(socket.connect(server.address()).await.unwrap()), name).await
}

#[tokio::test]
async fn a_player_who_never_reads_is_let_go_and_only_that_one() {
    let server = TestServer::start();
    let (mut anna, mut eve) = (server.client("anna").await, deaf(&server, "eve").await);
    let code = anna.create("java-tech:21").await;
    eve.join(code).await;
    let asking = async {
        // Each is refused in more bytes than it was asked with.
        let ask = encode(&ToServer::Lobby { id: u32::MAX, request: LobbyRequest::Again }).repeat(100);
        while eve.wire().try_send_bytes(&ask).await.is_ok() {}
    };
    let let_go = async {
        tokio::select! {
            () = asking => {}
            _ = anna.until_event(|event| matches!(event, Event::Left { how: Departure::Lost, .. })) => {}
        }
    };
    within("eve to be let go", let_go).await;
    anna.leave().await;
    server.still_serves().await;
}

#[tokio::test]
async fn whoever_fell_behind_is_told_so_once_they_read_again() {
    let server = TestServer::start();
    let mut there = Vec::new();
    for number in 0..64 {
        let mut player = server.client(&format!("player {number}")).await;
        player.create(&format!("nim:{}", ["1000000000000000000"; 16].join("-"))).await;
        there.push(player);
    }
    let mut eve = deaf(&server, "eve").await;
    // A few bytes each, answered with some 25 KB each.
    let look = encode(&ToServer::Hall { id: 1, request: HallRequest::Look }).repeat(1_000);
    eve.wire().send_bytes(&look).await;
    server.name_is_free("eve").await;
    // Her name is free, so the server has let her go. It waits a moment for her to read; if this machine is too
    // busy for that, the connection is cut instead.
    let goodbye = async {
        loop {
            match eve.wire().try_read().await {
                Ok(Some(ToClient::Goodbye(word))) => break Some(word),
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => break None,
            }
        }
    };
    let last = within("the goodbye or the end", goodbye).await;
    assert!(matches!(last, Some(Farewell::Behind) | None), "{last:?}");
    server.still_serves().await;
}
