//! Clients that are silent, send only a part, or do not read. The deadlines are short here and only the
//! server waits for them, or the clock advances only when the test says so.

use std::time::Duration;

use nim::game::Side;
use nim::lobby::{Cause, ConnectionLoss, Hand, Notice, Phase, WhenAway};
use nim::wire::{AwayWish, Farewell, HallRequest, LobbyRequest, NewLobby, ToClient, ToServer, encode};
use tokio::net::TcpSocket;

use crate::harness::{
    self, Program, TestClient, TestServer, Wire, connect, first_move, game, hello, stopped_clock, terms,
    within,
};

#[tokio::test]
async fn received_bytes_are_read_before_a_client_counts_as_silent() {
    let _clock = stopped_clock();
    let server = TestServer::start();
    for number in 1..=20 {
        let mut anna = server.client("anna").await;
        anna.wire().send(&ToServer::Ping(number)).await;
        // As after a machine's sleep: the deadline has passed, but received bytes were not read yet.
        tokio::time::advance(Duration::from_mins(1)).await;
        let answered = |message: &ToClient| matches!(message, ToClient::Pong(_)).then_some(());
        anna.wire().until("a pong", answered).await;
    }
}

/// The server is stopped for longer than a client may be silent. What clients sent meanwhile is read.
#[cfg(unix)]
#[tokio::test]
async fn a_server_that_was_stopped_reads_before_it_judges() {
    let (stopped, address) = Program::listening_server(&["--ping-after", "1s", "--gone-after", "2s"]).await;
    let mut clients = Vec::new();
    for number in 0..8 {
        clients.push(TestClient::hello(Wire::connect(address).await, &format!("player {number}")).await);
    }
    // This one has sent half a frame.
    let (half, rest) = {
        let ping = encode(&ToServer::Ping(7));
        (ping.slice(..3), ping.slice(3..))
    };
    clients[0].wire().send_bytes(&half).await;
    stopped.signal("STOP").await;
    let mut newcomer = Wire::connect(address).await;
    newcomer.send_hello("late").await;
    clients[0].wire().send_bytes(&rest).await;
    for client in &mut clients[1..] {
        client.wire().send(&ToServer::Ping(7)).await;
    }
    // This client waits 5 seconds for a welcome.
    let waits = connect(address, "anna", &["--give-up", "0"]).finish().await;
    waits.fails(3, "or hangs");
    stopped.signal("CONT").await;
    for client in &mut clients {
        let answered = |message: &ToClient| (*message == ToClient::Pong(7)).then_some(());
        client.wire().until("a pong", answered).await;
    }
    assert!(matches!(newcomer.read().await, Some(ToClient::Welcome { .. })));
}

/// Advances the server's time, but by too little for a second ping; then this client is heard again.
async fn pass(seconds: u64, heard: &mut TestClient) -> Vec<ToClient> {
    harness::pass(Duration::from_secs(seconds)).await;
    heard.catch_up().await
}

/// Whether a client was told that the player on this side lost the connection in this way.
fn is_told_of(told: &[ToClient], gone: Side, how: ConnectionLoss) -> bool {
    told.iter().any(|message| {
        matches!(message, ToClient::Notice { notice: Notice::Away { side, loss, .. }, .. } if (*side, *loss) == (gone, how))
    })
}

#[tokio::test]
async fn a_silent_client_is_pinged_then_away_then_disconnected_and_its_opponent_is_told() {
    let _clock = stopped_clock();
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    let side = ben.side();
    assert_eq!(pass(16, &mut anna).await, [], "pinged after 15 seconds, and nobody is told");
    ben.wire().until("a ping", |message| matches!(message, ToClient::Ping(_)).then_some(())).await;
    assert!(is_told_of(&pass(5, &mut anna).await, side, ConnectionLoss::Silent), "missed 5 seconds later");
    for seconds in [10, 10, 5] {
        assert_eq!(
            pass(seconds, &mut anna).await,
            [],
            "his time began with his last message, so the close is no news"
        );
    }
    assert_eq!(ben.wire().farewell().await, Farewell::Silent);
    // Anna answered the pings, so she is present; messages from ben do not count for her.
    assert!(anna.lobby().is_here(!side) && anna.lobby().phase() == Phase::Playing);
}

#[tokio::test]
async fn a_silent_client_is_back_with_its_next_message() {
    let _clock = stopped_clock();
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    let side = ben.side();
    pass(16, &mut anna).await;
    assert!(is_told_of(&pass(5, &mut anna).await, side, ConnectionLoss::Silent));
    ben.ask(LobbyRequest::Resign).await;
    anna.until_notice(|notice| *notice == Notice::Back { side }).await;
    assert_eq!(anna.result().await.cause, Cause::Resigned);
}

#[tokio::test]
async fn a_client_that_answers_is_pinged_again_after_the_same_silence() {
    // No deadline passes in this test, so the next ping is the only event to wait for.
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

#[tokio::test]
async fn a_connection_that_has_said_nothing_is_not_pinged() {
    let server = TestServer::with(|config| {
        (config.ping_after, config.hello_deadline) = (Duration::from_millis(5), Duration::from_millis(500));
    });
    assert!(server.connect().await.rest().await.is_empty());
}

/// A client with a small receive buffer, so that unread messages soon queue at the server.
async fn deaf(server: &TestServer, name: &str) -> TestClient {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(2_048).unwrap();
    TestClient::hello(Wire::over(socket.connect(server.address()).await.unwrap()), name).await
}

#[tokio::test]
async fn a_slow_reader_never_holds_up_a_lobby() {
    let server = TestServer::start();
    let (mut anna, mut eve) = (server.client("anna").await, deaf(&server, "eve").await);
    let away = AwayWish { then: WhenAway::StandIn, level: None, after: 0 };
    let code = anna.create_on(NewLobby { away, ..terms("java-tech:21") }).await;
    eve.join(code).await;
    let asking = async {
        // Each refusal has more bytes than its request.
        let ask = encode(&ToServer::Lobby { id: u32::MAX, request: LobbyRequest::Again }).repeat(100);
        while eve.wire().try_send_bytes(&ask).await.is_ok() {}
        std::future::pending::<()>().await;
    };
    // She never moves. After the disconnect a bot stands in for her, and the game ends.
    let playing = async {
        tokio::select! {
            () = asking => {}
            _ = anna.play_to_the_end(first_move) => {}
        }
    };
    within("a game against somebody who never reads", playing).await;
    assert_eq!(anna.lobby().hand(!anna.side()), Hand::Own, "a finished game has no stand-in");
    assert!(!anna.lobby().is_here(!anna.side()));
    anna.leave().await;
    server.still_serves().await;
}

#[tokio::test]
async fn a_client_disconnected_for_slow_reading_is_told_when_it_reads_again() {
    let server = TestServer::start();
    let mut there = Vec::new();
    for number in 0..64 {
        let mut player = server.client(&format!("player {number}")).await;
        player.create(&format!("nim:{}", ["1000000000000000000"; 16].join("-"))).await;
        there.push(player);
    }
    let mut eve = deaf(&server, "eve").await;
    // Requests of a few bytes, with answers of some 25 KB each.
    let look = encode(&ToServer::Hall { id: 1, request: HallRequest::Look }).repeat(1_000);
    eve.wire().send_bytes(&look).await;
    server.name_is_free("eve").await;
    // Her name is free, so the server has disconnected her. It waits a moment for her to read; on a busy
    // machine the connection is cut instead.
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
