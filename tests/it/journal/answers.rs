//! What the server answers is told like what happens: behind all that it speaks of, and that has to be recorded.

use nim::wire::{LobbyRequest, Refusal, ToClient};

use super::desk::Desk;
use super::{all_is_recorded, comes_back, until};
use crate::harness::{TestClient, TestServer, join, pair, terms, within};

/// Whoever has nothing to wait for is answered a few times, so that all the others might have been as well.
async fn others_are_answered(other: &mut TestClient) {
    for _ in 0..5 {
        other.catch_up().await;
    }
}

/// What was asked before is answered with this, though not before the desk is open again.
async fn is_told_once_recorded<T>(
    desk: &Desk,
    (asker, other): (&mut TestClient, &mut TestClient),
    answer: impl Fn(&ToClient) -> Option<T>,
) -> T {
    until("the journal to be asked", || desk.has_a_queue()).await;
    others_are_answered(other).await;
    assert!(asker.wire().is_silent(), "nothing is told of what may be lost");
    desk.open();
    within("the answer", asker.until(answer)).await
}

fn is_outside(message: &ToClient) -> Option<()> {
    (*message == ToClient::Outside).then_some(())
}

fn refusal(message: &ToClient) -> Option<Refusal> {
    if let ToClient::Refused { refusal, .. } = message { Some(refusal.clone()) } else { None }
}

#[tokio::test]
async fn whoever_leaves_is_outside_once_that_is_recorded() {
    let desk = Desk::default();
    let server = TestServer::keeping(desk.clone(), |_| {});
    let (mut anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let (mut cleo, mut other) = (server.client("cleo").await, server.client("other").await);
    cleo.watch(anna.lobby().code()).await;
    for leaver in [&mut anna, &mut cleo] {
        leaver.catch_up().await;
        all_is_recorded(&server).await;
        desk.close();
        leaver.ask(LobbyRequest::Leave).await;
        is_told_once_recorded(&desk, (leaver, &mut other), is_outside).await;
    }
}

#[tokio::test]
async fn a_seat_that_was_taken_is_refused_once_it_is_known_who_has_it() {
    let desk = Desk::default();
    let server = TestServer::keeping(desk.clone(), |_| {});
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    let (mut cleo, mut other) = (server.client("cleo").await, server.client("other").await);
    let code = anna.create("java-tech:21").await;
    anna.catch_up().await;
    all_is_recorded(&server).await;
    desk.close();
    ben.ask_hall(join(code)).await;
    until("ben's seat to be noted", || desk.has_a_queue()).await;
    cleo.ask_hall(join(code)).await;
    let told = is_told_once_recorded(&desk, (&mut cleo, &mut other), refusal).await;
    assert!(matches!(told, Refusal::Lobby(nim::lobby::Refusal::SeatTaken)), "{told}");
}

#[tokio::test]
async fn a_ticket_is_called_bad_once_it_is_recorded_that_it_is() {
    let desk = Desk::default();
    let server = TestServer::keeping(desk.clone(), |_| {});
    let (mut anna, _ben) = pair(&server, terms("java-tech:21")).await;
    let (mut again, mut other) = (server.client("again").await, server.client("other").await);
    let claim = anna.claim();
    anna.catch_up().await;
    all_is_recorded(&server).await;
    desk.close();
    anna.ask(LobbyRequest::Leave).await;
    until("the journal to be asked", || desk.has_a_queue()).await;
    again.ask_hall(claim.request()).await;
    // The client would throw the ticket away, and after a crash it would still be good.
    is_told_once_recorded(&desk, (&mut again, &mut other), refusal).await;
}

#[tokio::test]
async fn where_all_is_recorded_answers_wait_for_nothing() {
    let desk = Desk::default();
    let server = TestServer::keeping(desk.clone(), |_| {});
    let (anna, mut cleo) = (pair(&server, terms("java-tech:21")).await.0, server.client("cleo").await);
    all_is_recorded(&server).await;
    desk.close();
    let told = within("the refusal", cleo.refused_in_hall(join(anna.lobby().code()))).await;
    assert!(matches!(told, Refusal::Lobby(nim::lobby::Refusal::SeatTaken)), "{told}");
    desk.open();
    let claim = anna.claim();
    drop(anna);
    comes_back(&server, claim).await;
}
