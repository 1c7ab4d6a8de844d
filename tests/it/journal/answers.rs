//! Answers that depend on events are sent after these are recorded.

use nim::wire::{LobbyRequest, Refusal, ToClient};

use super::{all_is_recorded, playing, recording, until};
use crate::harness::{TestClient, join, within};
use crate::storage::memory::Memory;

/// The answer to an earlier request, which is sent after the disk works again.
async fn is_told_once_recorded<T>(
    storage: &Memory,
    (asker, other): (&mut TestClient, &mut TestClient),
    answer: impl Fn(&ToClient) -> Option<T>,
) -> T {
    until("the journal to be asked", || storage.is_waited_for()).await;
    // The other client does not depend on the journal: by its answer, a wrong early one would have arrived
    // too.
    for _ in 0..5 {
        other.catch_up().await;
    }
    assert!(asker.wire().is_silent(), "unrecorded events are not sent");
    storage.go_on();
    within("the answer", asker.until(answer)).await
}

fn is_outside(message: &ToClient) -> Option<()> {
    (*message == ToClient::Outside).then_some(())
}

fn refusal(message: &ToClient) -> Option<Refusal> {
    if let ToClient::Refused { refusal, .. } = message { Some(refusal.clone()) } else { None }
}

#[tokio::test]
async fn leaving_is_confirmed_once_it_is_recorded() {
    let (storage, server, mut anna, _ben) = playing().await;
    let (mut cleo, mut other) = (server.client("cleo").await, server.client("other").await);
    cleo.watch(anna.lobby().code()).await;
    cleo.catch_up().await;
    anna.catch_up().await;
    all_is_recorded(&server).await;
    storage.stop();
    // Nothing is recorded of a watcher.
    cleo.ask(LobbyRequest::Leave).await;
    cleo.until(is_outside).await;
    anna.catch_up().await;
    anna.ask(LobbyRequest::Leave).await;
    is_told_once_recorded(&storage, (&mut anna, &mut other), is_outside).await;
}

#[tokio::test]
async fn a_taken_seat_is_refused_once_its_owner_is_recorded() {
    let (storage, server) = recording();
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    let (mut cleo, mut other) = (server.client("cleo").await, server.client("other").await);
    let code = anna.create("java-tech:21").await;
    anna.catch_up().await;
    all_is_recorded(&server).await;
    storage.stop();
    ben.ask_hall(join(code)).await;
    until("ben's seat to be noted", || storage.is_waited_for()).await;
    cleo.ask_hall(join(code)).await;
    let told = is_told_once_recorded(&storage, (&mut cleo, &mut other), refusal).await;
    assert!(matches!(told, Refusal::Lobby(nim::lobby::Refusal::SeatTaken)), "{told}");
}

#[tokio::test]
async fn a_void_ticket_is_refused_once_that_is_recorded() {
    let (storage, server, mut anna, _ben) = playing().await;
    let (mut again, mut other) = (server.client("again").await, server.client("other").await);
    let claim = anna.claim();
    anna.catch_up().await;
    all_is_recorded(&server).await;
    storage.stop();
    anna.ask(LobbyRequest::Leave).await;
    until("the journal to be asked", || storage.is_waited_for()).await;
    again.ask_hall(claim.request()).await;
    // The client would delete the ticket, but after a crash it would still be valid.
    is_told_once_recorded(&storage, (&mut again, &mut other), refusal).await;
}

#[tokio::test]
async fn answers_do_not_wait_when_everything_is_recorded() {
    let (storage, server, anna, _ben) = playing().await;
    let mut cleo = server.client("cleo").await;
    storage.stop();
    let told = within("the refusal", cleo.refused_in_hall(join(anna.lobby().code()))).await;
    assert!(matches!(told, Refusal::Lobby(nim::lobby::Refusal::SeatTaken)), "{told}");
    storage.go_on();
    let claim = anna.claim();
    drop(anna);
    server.comes_back(claim).await;
}
