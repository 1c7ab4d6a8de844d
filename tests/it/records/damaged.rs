//! Records of lobbies whose events are damaged or missing in the journal: they are refused, and `check` says why.

use std::path::Path;

use nim::lobby::Offer;
use nim::server::storage::sqlite::{Durability, check};
use nim::wire::{HallRefusal, LobbyRequest, Refusal, Ticket};
use rusqlite::Connection;

use super::{fetch, game, reader, refusal};
use crate::harness::{Claim, TestServer, pair, take, terms};
use crate::storage::crash::opened;

const DAMAGED: Refusal = Refusal::Hall(HallRefusal::RecordDamaged);

/// A server with the journal in this folder, whose lobbies often write checkpoints.
fn server(folder: &Path) -> TestServer {
    TestServer::keeping(opened(folder, Durability::Process), |config| config.checkpoint_after = 20)
}

/// Makes a change that no server makes.
fn change(folder: &Path, sql: &str) {
    let journal = Connection::open(folder.join("journal.sqlite")).unwrap();
    assert!(journal.execute(sql, []).unwrap() > 0, "{sql} changes nothing");
}

/// The refusal of the record of the first game to its player.
async fn refused(server: &TestServer, ticket: Ticket) -> Refusal {
    refusal(&mut reader(server).await, game(1, 1), &[ticket]).await
}

#[tokio::test]
async fn a_lobby_goes_on_after_damage_that_its_checkpoint_covers_and_its_record_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = server(folder.path());
    let (mut anna, mut ben) = pair(&first, terms("java-tech:100")).await;
    for turn in 1..=60 {
        let mover = if turn % 2 == 1 { &mut anna } else { &mut ben };
        mover.ask(LobbyRequest::Play { turn, mv: take(1) }).await;
        anna.until_turn(turn + 1).await;
        ben.until_turn(turn + 1).await;
    }
    let claims = [anna.claim(), ben.claim()].map(|claim| Claim { seen: 0, ..claim });
    first.stops((anna, ben)).await;
    change(folder.path(), "UPDATE events SET body = x'00' WHERE number = 5");
    // Nothing is reported: the start reads no event that a checkpoint covers.
    let second = server(folder.path());
    let mut anna = second.comes_back(claims[0]).await;
    let _ben = second.comes_back(claims[1]).await;
    assert_eq!(anna.lobby().turn(), 61);
    anna.ask(LobbyRequest::Resign).await;
    anna.result().await;
    assert_eq!(refused(&second, claims[0].ticket).await, DAMAGED);
    let found = check(folder.path()).unwrap().findings.join("\n");
    assert!(found.contains("of events does not fit its checksum"), "{found}");
}

#[tokio::test]
async fn a_record_is_refused_if_events_of_its_lobby_are_missing_although_the_others_fit_together() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path());
    let (mut anna, mut ben) = pair(&server, terms("java-tech:21")).await;
    anna.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
    ben.until_turn(2).await;
    ben.ask(LobbyRequest::Offer(Offer::Draw)).await;
    anna.until_lobby(|lobby| lobby.offer().is_some()).await;
    anna.ask(LobbyRequest::Answer { turn: 2, offer: Offer::Draw, accept: false }).await;
    ben.until_lobby(|lobby| lobby.offer().is_none()).await;
    anna.until_lobby(|lobby| lobby.offer().is_none()).await;
    ben.ask(LobbyRequest::Resign).await;
    anna.result().await;
    let ticket = anna.claim().ticket;
    fetch(&mut reader(&server).await, game(1, 1), &[ticket]).await.unwrap();
    // Sat, Sat, Started, Moved; then the offer and the answer.
    change(folder.path(), "DELETE FROM events WHERE number IN (5, 6)");
    assert_eq!(refused(&server, ticket).await, DAMAGED);
    let found = check(folder.path()).unwrap().findings.join("\n");
    assert!(found.contains("is missing"), "{found}");
}
