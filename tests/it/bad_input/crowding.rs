//! The limits of one address, and evictions when the server is full.

use std::time::Duration;

use nim::wire::{HelloRefusal, LobbyRequest, ToClient, ToServer, encode};

use crate::harness::{TestClient, TestServer, hello, stopped_clock};

/// Longer than a delayed answer takes.
const LATER: Duration = Duration::from_millis(1_300);

/// Sends requests for longer than the timeout of another client's wait.
async fn keep_asking(somebody: &mut TestClient) {
    for _ in 0..20 {
        somebody.catch_up().await;
    }
}

#[tokio::test]
async fn connections_of_one_address_are_limited() {
    let server = TestServer::with(|config| config.max_connections_each = 2);
    let (_anna, _ben) = (server.client("anna").await, server.client("ben").await);
    let mut cleo = server.connect().await;
    cleo.send_hello("cleo").await;
    assert_eq!(cleo.unwelcome().await, HelloRefusal::Crowded { most: 2 });
}

#[tokio::test]
async fn a_connection_that_is_turned_away_and_says_nothing_is_closed_without_a_word() {
    let server = TestServer::with(|config| config.max_connections_each = 1);
    let _anna = server.client("anna").await;
    // A browser opens connections ahead of its requests: whatever is in them is the answer to a request to come.
    assert!(server.connect().await.rest().await.is_empty());
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_server_evicts_the_idlest_connection_outside_a_game_which_keeps_its_seat() {
    use std::net::Ipv4Addr;

    use nim::wire::Farewell;

    use crate::harness::{first_move, pair, play_out, terms};

    let server = TestServer::with(|config| config.max_connections = 4);
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    let (mut alone, _) = server.opened("cleo", terms("nim:3-4-5")).await;
    let mut busy = server.client("dora").await;
    busy.look().await;
    let elsewhere = Ipv4Addr::new(127, 0, 0, 2);
    let newcomer = server.client_from(elsewhere, "eve").await;
    assert_eq!(alone.wire().farewell().await, Farewell::NoRoom);
    let _other = server.client_from(elsewhere, "fred").await;
    assert_eq!(busy.wire().farewell().await, Farewell::NoRoom);
    let mut gina = server.connect().await;
    gina.send_hello("gina").await;
    assert_eq!(gina.unwelcome().await, HelloRefusal::Full { most: 4 });
    drop(newcomer);
    let (mut alone, _old) = alone.reconnects(server.address()).await;
    alone.returns().await;
    play_out(&mut anna, &mut ben, first_move).await;
}

#[tokio::test]
async fn new_connections_beyond_the_rate_limit_are_read_later() {
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

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_second_hello_counts_as_a_request() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_requests_each = 100);
    let mut eve = server.client("eve").await;
    let mut anna = server.client_from(std::net::Ipv4Addr::new(127, 0, 0, 2), "anna").await;
    for _ in 0..100 {
        eve.wire().send(&hello("eve")).await;
        assert!(matches!(eve.wire().read().await, Some(ToClient::Refused { .. })));
    }
    eve.wire().send(&ToServer::Ping(7)).await;
    keep_asking(&mut anna).await;
    assert!(eve.wire().is_silent());
    tokio::time::advance(LATER).await;
    eve.wire().until("a late pong", |message| (*message == ToClient::Pong(7)).then_some(())).await;
}

#[tokio::test]
async fn requests_beyond_the_rate_limit_are_answered_later_and_none_is_lost() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_requests_each = 10);
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

#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_rate_limit_of_one_address_does_not_delay_others() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.max_requests_each = 100);
    let mut eve = server.client("eve").await;
    let mut anna = server.client_from(std::net::Ipv4Addr::new(127, 0, 0, 2), "anna").await;
    eve.wire().send_bytes(&encode(&ToServer::Ping(1)).repeat(100)).await;
    for _ in 0..100 {
        assert_eq!(eve.wire().read().await, Some(ToClient::Pong(1)));
    }
    eve.wire().send(&ToServer::Ping(7)).await;
    keep_asking(&mut anna).await;
    assert!(eve.wire().is_silent());
    tokio::time::advance(LATER).await;
    eve.wire().until("a late pong", |message| (*message == ToClient::Pong(7)).then_some(())).await;
}
