//! Comings and goings are not recorded: neither a watcher nor an opponent can fill the journal of a game in
//! which somebody plays.

use nim::client::records::fetch;
use nim::client::{Address, Connection};
use nim::lobby::{ClockRule, Lobby, WhenAway};
use nim::wire::{ClientKind, GameName, NewLobby};
use tokio::net::TcpStream;

use super::away;
use crate::harness::campaign::sample;
use crate::harness::{TestClient, TestServer, first_move, pair, play_out};
use crate::storage::memory::Memory;

/// A server that records in this memory, and a game between anna and ben, in which a stand-in would come after a
/// minute.
async fn recorded_game() -> (Memory, TestServer, TestClient, TestClient) {
    let memory = Memory::default();
    let server = TestServer::keeping(memory.clone(), |_| {});
    let timed = NewLobby { clock: ClockRule::Move(3_600_000), ..away(WhenAway::StandIn, 60_000) };
    let (anna, ben) = pair(&server, timed).await;
    (memory, server, anna, ben)
}

/// The number of entries in the journal. What one client was told before is recorded.
fn recorded(memory: &Memory) -> usize {
    memory.entries().len()
}

#[tokio::test]
async fn a_watcher_who_comes_and_goes_again_and_again_adds_nothing() {
    let (memory, server, mut anna, mut ben) = recorded_game().await;
    let (code, before, events) = (anna.lobby().code(), recorded(&memory), anna.lobby().last_event());
    let mut cleo = server.client("cleo").await;
    for time in 0..sample(300, 10_000) {
        cleo.watch(code).await;
        cleo.leave().await;
        if time % 100 == 0 {
            anna.catch_up().await;
            ben.catch_up().await;
        }
    }
    assert_eq!((recorded(&memory), anna.lobby().last_event()), (before, events));
    play_out(&mut anna, &mut ben, first_move).await;
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let address = Address::from(server.address());
    let (mut reader, _) =
        Connection::open(Box::new(stream), &address, ("reader", ClientKind::Person)).await.unwrap();
    let record = fetch(&mut reader, GameName { lobby: 1, game: 1 }, &[]).await.unwrap();
    assert!(record.result().is_some());
}

#[tokio::test]
async fn a_player_who_is_lost_and_back_again_and_again_beside_the_opponent_adds_nothing() {
    let (memory, server, mut anna, mut ben) = recorded_game().await;
    let (side, before, events) = (anna.side(), recorded(&memory), ben.lobby().last_event());
    for _ in 0..sample(50, 1_000) {
        let claim = anna.claim();
        drop(anna);
        ben.until_lobby(|lobby| !lobby.is_here(side)).await;
        anna = server.comes_back(claim).await;
        ben.until_lobby(|lobby| lobby.is_here(side)).await;
    }
    assert_eq!((recorded(&memory), ben.lobby().last_event()), (before, events));
    play_out(&mut anna, &mut ben, first_move).await;
}

#[tokio::test]
async fn the_clock_is_stopped_and_started_only_for_the_last_one_who_goes_and_the_first_who_is_back() {
    let (memory, server, anna, mut ben) = recorded_game().await;
    let (side, before) = (anna.side(), recorded(&memory));
    let annas = anna.claim();
    drop(anna);
    ben.until_lobby(|lobby| !lobby.is_here(side)).await;
    let bens = ben.claim();
    drop(ben);
    let mut cleo = server.client("cleo").await;
    cleo.watch(bens.code).await;
    cleo.until_lobby(Lobby::is_deserted).await;
    assert_eq!((cleo.lobby().clocks().since, recorded(&memory)), (None, before + 1));
    let ben = server.comes_back(bens).await;
    assert!(ben.lobby().clocks().since.is_some() && !ben.lobby().is_here(side));
    let anna = server.comes_back(annas).await;
    assert!(anna.lobby().is_here(side) && anna.lobby().is_here(!side), "she was told who is here");
    assert_eq!(recorded(&memory), before + 2);
}
