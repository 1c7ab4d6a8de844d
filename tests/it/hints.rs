//! Hints over a connection that goes on meanwhile: asked twice, asked and left, asked and moved.

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::Hints;
use nim::wire::{BotWish, LobbyRequest, NewLobby, ToClient, ToServer};

use crate::harness::{TestClient, TestServer, terms};

/// A game whose hint takes the server far longer than a frame.
const LONG_THOUGHT: &str = "nim:15-15-15";

async fn anna_against_the_bot(server: &TestServer) -> TestClient {
    let mut anna = server.client("anna").await;
    anna.create_on(NewLobby { bot: BotWish::AtOnce, hints: Hints::Everyone, ..terms(LONG_THOUGHT) }).await;
    let me = anna.player();
    anna.until_lobby(|lobby| lobby.to_move().is_some_and(|player| player.id == me)).await;
    anna
}

fn is_hint(message: &ToClient) -> bool {
    matches!(message, ToClient::Hint { .. })
}

#[tokio::test]
async fn a_connection_is_served_while_a_hint_is_thought_of() {
    let server = TestServer::start();
    let mut anna = anna_against_the_bot(&server).await;
    anna.ask(LobbyRequest::Hint).await;
    anna.wire().send(&ToServer::Ping(7)).await;
    assert_eq!(anna.next().await, ToClient::Pong(7));
    anna.until(|message| is_hint(message).then_some(())).await;
}

#[tokio::test]
async fn a_hint_that_is_asked_for_twice_is_told_once() {
    let server = TestServer::start();
    let mut anna = anna_against_the_bot(&server).await;
    for _ in 0..10 {
        anna.ask(LobbyRequest::Hint).await;
    }
    anna.until(|message| is_hint(message).then_some(())).await;
    assert_eq!(anna.catch_up().await, []);
}

#[tokio::test]
async fn whoever_leaves_or_moves_is_not_told_the_hint_of_before() {
    let server = TestServer::start();
    let mut anna = anna_against_the_bot(&server).await;
    anna.ask(LobbyRequest::Hint).await;
    anna.leave().await;
    assert_eq!(anna.catch_up().await, []);

    let mut ben = anna_against_the_bot(&server).await;
    ben.ask(LobbyRequest::Hint).await;
    ben.play(Move::Nim(Take { pile: 0, count: 15 })).await;
    assert!(!ben.catch_up().await.iter().any(is_hint));
}
