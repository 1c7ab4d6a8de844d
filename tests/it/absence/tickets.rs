//! Tickets: when they are valid.

use nim::lobby::{Code, Event, Phase, WhenAway};
use nim::wire::{HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal, Ticket, ToClient, ToServer};

use super::{away, bad_ticket, vanish};
use crate::harness::{Claim, TestServer, game, game_on, join, pair, take, terms};
use crate::storage::memory::Memory;

/// All tickets that differ from this one in a single bit.
fn near(ticket: Ticket) -> impl Iterator<Item = Ticket> {
    [0, 7, 64, 127].into_iter().map(move |bit| {
        let mut bits = ticket.bits();
        bits[bit / 8] ^= 1 << (bit % 8);
        Ticket::of(bits)
    })
}

#[tokio::test]
async fn a_wrong_ticket_changes_nothing_at_all() {
    let (server, mut anna, mut ben) = game("java-tech:21").await;
    let (cleo, _dora) = pair(&server, terms("java-tech:21")).await;
    let mut mallory = server.client("mallory").await;
    let listed = mallory.look().await;
    let (claim, before) = (anna.claim(), anna.lobby().clone());
    // Neither the halves of its hash, which the server stores, nor the ticket of another lobby opens the
    // seat.
    let hash = claim.ticket.hash().bytes();
    let others = [&[0; 16], &[0xff; 16], &hash[..16], &hash[16..]].map(|bits| bits.try_into().unwrap());
    let others = others.into_iter().map(Ticket::of).chain([cleo.claim().ticket]);
    for ticket in near(claim.ticket).chain(others) {
        let wrong = Claim { ticket, ..claim };
        assert_eq!(mallory.hears(wrong.request()).await.len(), 1, "only a refusal is sent");
        assert_eq!(mallory.refused_in_hall(wrong.request()).await, bad_ticket());
    }
    for player in [&mut anna, &mut ben] {
        assert_eq!(player.catch_up().await, [], "nobody is told anything");
        assert_eq!(*player.lobby(), before);
    }
    assert_eq!(mallory.look().await, listed);
    anna.play(take(1)).await;
    // The right ticket is still valid, even for a client that showed wrong ones.
    mallory.tries(Claim { seen: 0, ..claim }.request()).await.unwrap();
    assert_eq!(mallory.player(), before.to_move().unwrap().id);
}

/// Requests a seat with this ticket over a new connection, as after a lost answer. Returns the lobby in
/// which the client has the seat already.
async fn repeats(server: &TestServer, ticket: Ticket, mut request: HallRequest) -> Code {
    match &mut request {
        HallRequest::Create(NewLobby { seat, .. })
        | HallRequest::Quick(NewLobby { seat, .. })
        | HallRequest::Join { seat, .. } => *seat = ticket.hash(),
        other => panic!("{other:?} is for no seat"),
    }
    let mut again = server.client("anna").await;
    again.wire().send(&ToServer::Hall { id: 77, request }).await;
    match again.refusal_of(77).await {
        Refusal::Hall(HallRefusal::SeatHeld { code }) => code,
        other => panic!("the seat is held, and not {other}"),
    }
}

#[tokio::test]
async fn a_request_repeated_after_a_lost_answer_returns_the_same_seat() {
    let server = TestServer::start();
    let (_ben, bens) = server.opened("ben", terms("java-tech:21")).await;
    for first in [HallRequest::Create(terms("take:9:4")), HallRequest::Quick(terms("nim:3-4-5")), join(bens)]
    {
        let mut anna = server.client("anna").await;
        anna.tries(first.clone()).await.unwrap();
        let (claim, player) = (Claim { seen: 0, ..anna.claim() }, anna.player());
        for request in [first, HallRequest::Create(terms("tic-tac-toe")), join(bens)] {
            // The server may or may not know yet that the connection is lost.
            assert_eq!(repeats(&server, claim.ticket, request).await, claim.code);
        }
        let listed = server.client("cleo").await.look().await;
        assert_eq!(listed.iter().filter(|lobby| lobby.code == claim.code).count(), 1);
        assert_eq!(server.comes_back(claim).await.player(), player);
    }
    assert_eq!(server.client("cleo").await.look().await.len(), 3, "nothing else was opened");
}

#[tokio::test]
async fn a_ticket_still_opens_its_seat_after_a_restart() {
    let memory = Memory::default();
    let server = TestServer::keeping(memory.clone(), |_| {});
    let (anna, _) = server.opened("anna", terms("java-tech:21")).await;
    let claim = anna.claim();
    server.stops(anna).await;
    let server = TestServer::keeping(memory, |_| {});
    let again = HallRequest::Create(terms("java-tech:21"));
    assert_eq!(repeats(&server, claim.ticket, again).await, claim.code);
    server.comes_back(claim).await;
}

#[tokio::test]
async fn leaving_voids_the_ticket() {
    let (_server, mut anna, mut ben) = game("java-tech:21").await;
    let claim = anna.claim();
    anna.leave().await;
    assert_eq!(anna.refused_in_hall(claim.request()).await, bad_ticket());
    ben.result().await;
    ben.ask(LobbyRequest::Again).await;
    ben.until_lobby(|lobby| lobby.phase() == Phase::Waiting).await;
    assert_eq!(anna.refused_in_hall(claim.request()).await, bad_ticket(), "the open seat is free");
    // The hash of an abandoned seat is free for a new one.
    let seat = claim.ticket.hash();
    let request = HallRequest::Create(NewLobby { seat, ..terms("take:9:4") });
    anna.wire().send(&ToServer::Hall { id: 77, request }).await;
    anna.until_lobby(|lobby| lobby.code() != claim.code).await;
}

#[tokio::test]
async fn a_third_person_never_takes_the_seat_of_an_absent_player() {
    let (server, anna, mut ben) = game_on(away(WhenAway::Wait, 0)).await;
    let claim = vanish(anna, &mut ben).await;
    let mut cleo = server.client("cleo").await;
    let taken = Refusal::Lobby(nim::lobby::Refusal::SeatTaken);
    assert_eq!(cleo.refused_in_hall(join(claim.code)).await, taken, "during the game");
    ben.resigns().await;
    assert_eq!(cleo.refused_in_hall(join(claim.code)).await, taken, "after it");
    ben.ask(LobbyRequest::Again).await;
    ben.until_event(|event| matches!(event, Event::AgainWanted { .. })).await;
    assert_eq!(cleo.refused_in_hall(join(claim.code)).await, taken, "when another one is wanted");
    assert_ne!(cleo.quick("java-tech:21").await, claim.code);
    assert!(matches!(ben.catch_up().await[..], []));
    let back = server.comes_back(claim).await;
    assert_eq!(back.lobby().seats()[back.side()].as_ref().unwrap().name.as_str(), "anna");
}

#[tokio::test]
async fn a_returned_player_gets_no_more_news_of_the_hall() {
    let (server, anna, mut ben) = game("java-tech:21").await;
    let claim = vanish(anna, &mut ben).await;
    let (mut back, mut watcher) = (server.client("anna").await, server.client("watcher").await);
    back.look().await;
    watcher.look().await;
    back.tries(Claim { seen: 0, ..claim }.request()).await.unwrap();
    let (_cleo, opened) = server.opened("cleo", terms("java-tech:9")).await;
    while !watcher.until_hall_told().await.iter().any(|listing| listing.code == opened) {}
    let heard = back.catch_up().await;
    assert!(!heard.iter().any(|message| matches!(message, ToClient::Hall(_))), "{heard:?}");
}
