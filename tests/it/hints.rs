//! Hints over a connection that stays in use: a second request, leaving, and moving during the computation.

use nim::lobby::{Hints, Offer, Refusal};
use nim::wire::{self, BotWish, LobbyRequest, NewLobby, ToClient, ToServer, encode};

use crate::harness::{TestClient, TestServer, pair, take, terms};
#[cfg(target_os = "linux")]
use crate::storage::memory::Memory;

/// A game whose hint takes far longer than a frame.
const LONG_THOUGHT: &str = "nim:25-25-25";

async fn anna_against_the_bot(server: &TestServer) -> TestClient {
    let (mut anna, _) = server
        .opened("anna", NewLobby { bot: BotWish::AtOnce, hints: Hints::All, ..terms(LONG_THOUGHT) })
        .await;
    let me = anna.player();
    anna.until_lobby(|lobby| lobby.to_move().is_some_and(|player| player.id == me)).await;
    anna
}

fn is_hint(message: &ToClient) -> bool {
    matches!(message, ToClient::Hint { .. })
}

#[tokio::test]
async fn a_connection_is_served_while_its_hint_is_computed() {
    let server = TestServer::start();
    let mut anna = anna_against_the_bot(&server).await;
    anna.ask(LobbyRequest::Hint).await;
    anna.wire().send(&ToServer::Ping(7)).await;
    assert_eq!(anna.next().await, ToClient::Pong(7));
    anna.until(|message| is_hint(message).then_some(())).await;
}

/// The refused hints among messages: the number of each request, and the reason.
fn refused(messages: &[ToClient]) -> Vec<(u32, Refusal)> {
    let refusal = |message: &ToClient| match message {
        ToClient::Refused { id, refusal: wire::Refusal::Lobby(refusal), .. } => Some((*id, refusal.clone())),
        _ => None,
    };
    messages.iter().filter_map(refusal).collect()
}

/// How often two hints are requested in one write: the first may be computed before the server reads the
/// second.
const BREATHS: usize = 50;

#[tokio::test]
async fn a_second_request_for_a_hint_is_refused_while_the_first_is_computed() {
    let server = TestServer::start();
    let mut anna = anna_against_the_bot(&server).await;
    for breath in 0..BREATHS {
        let ids = [1, 2].map(|which| 1_000 + 2 * u32::try_from(breath).unwrap() + which);
        let asks = ids.map(|id| encode(&ToServer::Lobby { id, request: LobbyRequest::Hint }));
        anna.wire().send_bytes(&asks.concat()).await;
        let mut heard = Vec::new();
        while heard.len() < ids.len() {
            heard.push(anna.next().await);
        }
        assert_eq!(anna.catch_up().await, [], "each is answered once");
        let told = heard.iter().filter(|message| is_hint(message)).count();
        if told < ids.len() {
            assert_eq!((told, refused(&heard)), (1, vec![(ids[1], Refusal::HintPending)]));
            return;
        }
    }
    panic!("both hints were answered {BREATHS} times");
}

#[tokio::test]
async fn a_hint_is_cancelled_by_a_move_or_by_leaving() {
    let server = TestServer::start();
    let mut anna = anna_against_the_bot(&server).await;
    let asked = anna.ask(LobbyRequest::Hint).await;
    anna.ask(LobbyRequest::Leave).await;
    let heard = anna.catch_up().await;
    assert_eq!(refused(&heard), [(asked, Refusal::HintLate)]);
    assert_eq!(heard.last(), Some(&ToClient::Outside));

    let mut ben = anna_against_the_bot(&server).await;
    let asked = ben.ask(LobbyRequest::Hint).await;
    let (turn, mv) = (ben.lobby().turn(), take(15));
    ben.ask(LobbyRequest::Play { turn, mv }).await;
    let heard = ben.catch_up().await;
    assert_eq!(refused(&heard), [(asked, Refusal::HintLate)]);
    assert!(!heard.iter().any(is_hint));
}

#[tokio::test]
async fn hints_are_refused_during_a_pause() {
    let server = TestServer::start();
    let everybody = NewLobby { hints: Hints::All, ..terms("java-tech:21") };
    let (mut anna, mut ben) = pair(&server, everybody).await;
    let mut cleo = server.watcher("cleo", &anna).await;
    anna.ask(LobbyRequest::Offer(Offer::Pause)).await;
    ben.accepts().await;
    for client in [&mut anna, &mut ben, &mut cleo] {
        client.until_lobby(nim::lobby::Lobby::is_paused).await;
        assert_eq!(client.refused(LobbyRequest::Hint).await, wire::Refusal::Lobby(Refusal::Paused));
    }
    ben.ask(LobbyRequest::Resume).await;
    for client in [&mut anna, &mut cleo] {
        client.until_lobby(|lobby| !lobby.is_paused()).await;
        client.ask(LobbyRequest::Hint).await;
        client.until(|message| is_hint(message).then_some(())).await;
    }
}

/// An address from which nobody plays.
#[cfg(target_os = "linux")]
const ELSEWHERE: std::net::Ipv4Addr = std::net::Ipv4Addr::new(127, 0, 0, 2);

#[cfg(target_os = "linux")]
fn for_watchers() -> NewLobby {
    NewLobby { hints: Hints::Watchers, ..terms("java-tech:21") }
}

#[cfg(target_os = "linux")]
async fn gets_a_hint(watcher: &mut TestClient) {
    watcher.ask(LobbyRequest::Hint).await;
    watcher.until(|message| is_hint(message).then_some(())).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn hints_for_watchers_are_refused_at_the_address_of_a_player_even_while_the_player_is_away() {
    let server = TestServer::start();
    let (anna, ben) = pair(&server, for_watchers()).await;
    let code = anna.lobby().code();
    let (mut same, mut other) =
        (server.watcher("cleo", &anna).await, server.client_from(ELSEWHERE, "dora").await);
    other.watch(code).await;
    let refused = wire::Refusal::Lobby(Refusal::PlayerAtAddress);
    assert_eq!(same.refused(LobbyRequest::Hint).await, refused);
    gets_a_hint(&mut other).await;
    drop((anna, ben));
    same.until_lobby(nim::lobby::Lobby::is_deserted).await;
    assert_eq!(same.refused(LobbyRequest::Hint).await, refused, "they may return any moment");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_watcher_gets_no_more_hints_once_a_player_sits_at_the_same_address() {
    let server = TestServer::start();
    let (mut anna, code) = server.opened("anna", for_watchers()).await;
    let (mut cleo, mut ben) =
        (server.client_from(ELSEWHERE, "cleo").await, server.client_from(ELSEWHERE, "ben").await);
    cleo.watch(code).await;
    let mut dora = server.joined("dora", code).await;
    cleo.until_playing().await;
    gets_a_hint(&mut cleo).await;
    dora.leave().await;
    anna.result().await;
    anna.ask(LobbyRequest::Again).await;
    anna.until_lobby(|lobby| lobby.phase() == nim::lobby::Phase::Waiting).await;
    ben.join(code).await;
    cleo.until_lobby(|lobby| lobby.games() == 2).await;
    assert_eq!(cleo.refused(LobbyRequest::Hint).await, wire::Refusal::Lobby(Refusal::PlayerAtAddress));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn after_a_restart_watchers_get_hints_once_the_players_are_back() {
    let storage = Memory::default();
    let server = TestServer::keeping(storage.clone(), |_| {});
    let (anna, ben) = pair(&server, for_watchers()).await;
    let code = anna.lobby().code();
    server.stops(()).await;
    let server = TestServer::keeping(storage, |_| {});
    let mut cleo = server.client_from(ELSEWHERE, "cleo").await;
    cleo.watch(code).await;
    let refused = wire::Refusal::Lobby(Refusal::PlayerAtAddress);
    assert_eq!(cleo.refused(LobbyRequest::Hint).await, refused, "the watcher may be one of them");
    let (mut anna, _) = anna.reconnects(server.address()).await;
    anna.returns().await;
    assert_eq!(cleo.refused(LobbyRequest::Hint).await, refused, "the watcher may be ben");
    let (mut ben, _) = ben.reconnects(server.address()).await;
    ben.returns().await;
    gets_a_hint(&mut cleo).await;
}
