//! What a returning player receives: the missed events, or a snapshot.

use nim::lobby::{Hand, WhenAway};
use nim::wire::{NewLobby, ToClient};

use super::{away, until_stand_in_moves, vanish};
use crate::harness::{Claim, TestClient, TestServer, game_on, pair, take};

/// The minimum number of events that a server keeps for returning players.
const KEPT: u32 = 16;

#[tokio::test]
async fn a_client_that_missed_nothing_learns_only_that_it_is_back() {
    let (server, anna, mut ben) = game_on(away(WhenAway::Wait, 0)).await;
    let seen = ben.lobby().last_event();
    let claim = Claim { seen, ..anna.claim() };
    let mut back = server.client("anna").await;
    let heard = back.hears(claim.request()).await;
    assert!(matches!(heard[..], [ToClient::Returned { .. }]), "{heard:?}");
    assert_eq!(ben.catch_up().await, [], "nobody was away");
}

/// The number of the last event by now.
async fn ben_sees(ben: &mut TestClient) -> u32 {
    ben.catch_up().await;
    ben.lobby().last_event()
}

/// The answer to a return, and the numbers of the events before it.
fn answer(heard: &[ToClient]) -> (bool, Vec<u32>) {
    let (last, missed) = heard.split_last().unwrap();
    let has_snapshot = match last {
        ToClient::Entered { .. } => true,
        ToClient::Returned { .. } => false,
        other => panic!("no answer to a return: {other:?}"),
    };
    let number = |message: &ToClient| match message {
        ToClient::Lobby { number, .. } => *number,
        other => panic!("before the answer come events: {other:?}"),
    };
    (has_snapshot, missed.iter().map(number).collect())
}

#[tokio::test]
async fn a_client_that_saw_nothing_or_too_little_or_an_unknown_event_gets_a_snapshot() {
    let server = TestServer::start();
    let one_by_one = NewLobby { variant: nim::lobby::Text::cut("take:200:1"), ..away(WhenAway::StandIn, 0) };
    let (anna, mut ben) = pair(&server, one_by_one).await;
    let claim = vanish(anna, &mut ben).await;
    while ben.lobby().last_event() < 2 * KEPT {
        until_stand_in_moves(&mut ben).await;
        ben.play(take(1)).await;
    }
    // No stand-in moves for a waiting player, so from here on no event comes by itself.
    until_stand_in_moves(&mut ben).await;
    for (behind, is_snapshot) in
        [(i64::from(KEPT), false), (i64::from(KEPT) + 1, true), (0, false), (-1, true)]
    {
        let last = ben.lobby().last_event();
        let seen = u32::try_from(i64::from(last) - behind).unwrap();
        let mut anna = server.client("anna").await;
        let heard = anna.hears(Claim { seen, ..claim }.request()).await;
        let (has_snapshot, numbers) = answer(&heard);
        assert_eq!(has_snapshot, is_snapshot, "{behind} behind");
        // The first time the last event is that she plays again.
        let now = ben_sees(&mut ben).await;
        let missed = if is_snapshot { vec![] } else { (seen + 1..=now).collect() };
        assert_eq!(numbers, missed, "{behind} behind");
        let side = !ben.side();
        drop(anna);
        ben.until_away(side).await;
        assert_eq!(ben.lobby().hand(side), Hand::Own, "it is ben's turn, so nobody stands in");
    }
    for seen in [0, u32::MAX] {
        let heard = server.client("anna").await.hears(Claim { seen, ..claim }.request()).await;
        assert!(answer(&heard).0, "{seen}");
    }
}
