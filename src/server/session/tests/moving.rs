//! Tests: clients in lobbies that leave the server that had them, or whose server dies.

use std::time::Duration;

use tokio::time::{Instant, advance};

use super::client::{Client, hello, watch, wish};
use super::servers::Servers;
use super::{FIRST, SECOND, come_back, welcome};
use crate::lobby::{Event, LobbyRequest, Moment, Text};
use crate::server::peers::{PeerId, Place};
use crate::server::session::elsewhere::ASK_AGAIN_WITHIN;
use crate::wire::limits::CATCH_UP;
use crate::wire::{Farewell, HallRefusal, HallRequest, Refusal, Ticket, ToClient, ToServer};

#[tokio::test(start_paused = true)]
async fn a_client_keeps_its_connection_when_its_lobby_moves_or_the_server_with_it_dies() {
    for dies in [false, true] {
        let servers = Servers::start(2);
        let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
        let code = anna.opens("take:3:1").await;
        let ticket = ben.joins(code).await;
        anna.takes_one(1).await;
        ben.sees_move().await;
        if dies {
            servers.cut();
        } else {
            servers.put(code, Place::Moving);
        }
        ben.until(|message| *message == ToClient::LobbyMoved).await;
        // The other server notices it at once.
        anna.until(|message| matches!(message, ToClient::Notice { .. })).await;
        // What was on its way is lost.
        ben.ask(LobbyRequest::Leave).await;
        ben.ask_hall(come_back(code, ticket, 4)).await;
        servers.mend();
        servers.put(code, FIRST);
        let answer = ben.until(|message| !matches!(message, ToClient::Servers { .. })).await;
        assert!(matches!(answer, ToClient::Returned { .. }), "{answer:?}");
        ben.takes_one(2).await;
        anna.sees_move().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_whose_lobby_has_come_to_its_own_server_is_answered_there() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    let ticket = ben.joins(code).await;
    servers.put(code, SECOND);
    ben.until(|message| *message == ToClient::LobbyMoved).await;
    let id = ben.ask_hall(come_back(code, ticket, 1)).await;
    // Nobody has restored it.
    assert_eq!(ben.answer(id).await, Err(HallRefusal::NoSuchLobby.into()));
    ben.opens("take:5:1").await;
}

#[tokio::test(start_paused = true)]
async fn who_is_in_the_hall_again_has_the_name_at_this_server_whatever_is_asked_next() {
    // Such codes are of the first server and of the second one, in turn.
    for nowhere in ["brave-otter-00000", "brave-otter-00001", ""] {
        let servers = Servers::start(2);
        let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
        let code = anna.opens("take:3:1").await;
        assert_eq!(ben.tries(watch(code)).await.map(|lobby| lobby.code), Ok(code));
        assert_eq!(servers.owner_of("ben"), Some(PeerId(0)));
        let id = if let Ok(nowhere) = nowhere.parse() {
            let (leave, id) = (ben.number(), ben.number());
            let leave = ToServer::Lobby { id: leave, request: LobbyRequest::Leave };
            ben.send(&[leave, ToServer::Hall { id, request: watch(nowhere) }]).await;
            id
        } else {
            servers.put(code, SECOND);
            ben.until(|message| *message == ToClient::LobbyMoved).await;
            ben.ask_hall(watch(code)).await
        };
        assert_eq!(ben.answer(id).await, Err(HallRefusal::NoSuchLobby.into()));
        advance(Duration::from_millis(1)).await;
        assert_eq!(servers.owner_of("ben"), Some(PeerId(1)), "{nowhere}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_name_of_a_seat_stays_with_the_server_that_keeps_the_seat() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    let ticket = ben.joins(code).await;
    servers.put(code, Place::Moving);
    ben.until(|message| *message == ToClient::LobbyMoved).await;
    // The first server goes on with it, but does not answer.
    servers.cut();
    servers.put(code, FIRST);
    let id = ben.ask_hall(come_back(code, ticket, 1)).await;
    assert!(matches!(ben.answer(id).await, Err(Refusal::Halted { .. })));
    assert_eq!(servers.owner_of("ben"), Some(PeerId(0)));
    servers.mend();
    ben.ask_hall(come_back(code, ticket, 1)).await;
    ben.until(|message| matches!(message, ToClient::Returned { .. })).await;
    ben.ask(LobbyRequest::Leave).await;
    ben.until(|message| *message == ToClient::Outside).await;
    advance(Duration::from_millis(1)).await;
    assert_eq!(servers.owner_of("ben"), Some(PeerId(1)));
}

#[tokio::test(start_paused = true)]
async fn who_leaves_a_lobby_that_moves_and_opens_another_one_at_once_is_sent_away() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.joins(code).await;
    servers.put(code, Place::Moving);
    ben.until(|message| *message == ToClient::LobbyMoved).await;
    // It did not know when it sent this, and has a seat in the lobby still.
    ben.ask(LobbyRequest::Leave).await;
    ben.ask_hall(HallRequest::Create(wish("take:7:1", &Ticket::random()))).await;
    assert_eq!(ben.farewell().await, Farewell::Moved);
    assert_eq!(servers.app(1).registry.count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_ask_for_its_lobby_again_is_sent_away() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.joins(code).await;
    let begun = Instant::now();
    servers.put(code, Place::Moving);
    ben.until(|message| *message == ToClient::LobbyMoved).await;
    ben.send(&[ToServer::Ping(3)]).await;
    ben.until(|message| *message == ToClient::Pong(3)).await;
    assert_eq!(ben.farewell().await, Farewell::Moved);
    assert_eq!(begun.elapsed().as_secs(), ASK_AGAIN_WITHIN.as_secs());
}

/// A client whose lobby has moved from the other server, and what it sends now: this many requests in the lobby, and that
/// it returns.
async fn flooding(servers: &Servers, count: usize) -> (Client, Vec<ToServer>) {
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    let ticket = ben.joins(code).await;
    servers.put(code, Place::Moving);
    ben.until(|message| *message == ToClient::LobbyMoved).await;
    let mut flood = vec![ToServer::Lobby { id: 8, request: LobbyRequest::Hint }; count];
    flood.push(ToServer::Hall { id: 9, request: come_back(code, ticket, 3) });
    servers.put(code, FIRST);
    (ben, flood)
}

#[tokio::test(start_paused = true)]
async fn who_sends_too_much_once_the_lobby_has_moved_is_read_more_slowly() {
    for (most, is_slow) in [(100, true), (u32::MAX, false)] {
        let servers = Servers::with_limit(most, 2);
        let (mut ben, flood) = flooding(&servers, 400).await;
        ben.send(&flood).await;
        let is_end = |message: &ToClient| {
            matches!(message, ToClient::Returned { .. } | ToClient::Goodbye(Farewell::Moved))
        };
        let end = ben.until(is_end).await;
        assert_eq!(matches!(end, ToClient::Goodbye(_)), is_slow, "{end:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_sends_without_end_once_the_lobby_has_moved_is_sent_away() {
    let servers = Servers::start(2);
    let (mut ben, flood) = flooding(&servers, 10_000).await;
    let begun = Instant::now();
    ben.send(&flood).await;
    let ended = async {
        loop {
            // The server handles some messages meanwhile.
            advance(Duration::from_millis(250)).await;
        }
    };
    let word = tokio::select! {
        word = ben.farewell() => word,
        () = ended => unreachable!("it never ends"),
    };
    assert_eq!(word, Farewell::Moved);
    assert!(begun.elapsed() <= ASK_AGAIN_WITHIN + CATCH_UP + Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_something_else_once_the_lobby_has_moved_is_sent_away_at_once() {
    for asks in [HallRequest::Look, watch("brave-otter-00000".parse().unwrap())] {
        let servers = Servers::start(2);
        let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
        let code = anna.opens("take:3:1").await;
        assert_eq!(ben.tries(watch(code)).await.map(|lobby| lobby.code), Ok(code));
        servers.put(code, Place::Moving);
        ben.until(|message| *message == ToClient::LobbyMoved).await;
        let begun = Instant::now();
        ben.ask_hall(asks).await;
        assert_eq!(ben.farewell().await, Farewell::Moved);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }
}

#[tokio::test(start_paused = true)]
async fn who_has_asked_to_leave_a_lobby_that_moves_is_sent_away() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let lobby = anna.tries(HallRequest::Create(wish("take:3:1", &Ticket::random()))).await.unwrap();
    let mut impostor = servers.impostor();
    let id = ben.ask_hall(watch(lobby.code)).await;
    impostor.tell(&welcome("ben")).await;
    impostor.tell(&ToClient::Watching { lobby: lobby.clone(), now: Moment(0) }).await;
    assert!(ben.answer(id).await.is_ok());
    ben.ask(LobbyRequest::Leave).await;
    ben.ask_hall(HallRequest::Look).await;
    while !matches!(impostor.heard().await, ToServer::Hall { request: HallRequest::Look, .. }) {}
    servers.put(lobby.code, Place::Moving);
    assert_eq!(ben.farewell().await, Farewell::Moved);
}

#[tokio::test(start_paused = true)]
async fn a_player_is_told_where_the_lobby_is_and_returns_there_while_nobody_notices_it() {
    let servers = Servers::start(2);
    servers.are_at("games.example:7646");
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    let ticket = ben.joins(code).await;
    let told = ben.until(|message| matches!(message, ToClient::LobbyAt { .. })).await;
    assert_eq!(told, ToClient::LobbyAt { address: Text::cut("games.example:7646") });
    anna.takes_one(1).await;
    ben.sees_move().await;
    let mut there = servers.client(0, "ben").await;
    there.ask_hall(come_back(code, ticket, 4)).await;
    let returned = there.until(|message| !matches!(message, ToClient::Welcome { .. })).await;
    assert!(matches!(returned, ToClient::Returned { .. }), "{returned:?}");
    assert_eq!(ben.farewell().await, Farewell::Elsewhere);
    there.takes_one(2).await;
    let next = anna
        .until(|message| !matches!(message, ToClient::Lobby { event: Event::Moved { turn: 1, .. }, .. }))
        .await;
    assert!(matches!(next, ToClient::Lobby { event: Event::Moved { turn: 2, .. }, .. }), "{next:?}");
    assert_eq!(servers.owner_of("ben"), Some(PeerId(0)));
}

/// Whether this client, which has entered a lobby of another server, is told next where that is.
async fn is_told_where(client: &mut Client) -> bool {
    client.send(&[ToServer::Ping(7)]).await;
    let answer =
        client.until(|message| matches!(message, ToClient::LobbyAt { .. } | ToClient::Pong(7))).await;
    answer != ToClient::Pong(7)
}

#[tokio::test(start_paused = true)]
async fn who_watches_a_lobby_of_another_server_is_not_told_where_it_is() {
    let servers = Servers::start(2);
    servers.are_at("games.example:7646");
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.ask_hall(watch(code)).await;
    ben.until(|message| matches!(message, ToClient::Watching { .. })).await;
    assert!(!is_told_where(&mut ben).await);
}

#[tokio::test(start_paused = true)]
async fn who_comes_from_the_internet_is_not_told_of_a_server_in_a_private_network() {
    for (address, is_told) in [("192.168.1.7:7646", false), ("203.0.113.7:7646", true)] {
        let servers = Servers::start(2);
        servers.are_at(address);
        let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
        let code = anna.opens("take:3:1").await;
        ben.joins(code).await;
        assert_eq!(is_told_where(&mut ben).await, is_told, "{address}");
    }
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_a_seat_behind_the_hello_waits_for_no_name() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(0, "ben").await);
    let code = anna.opens("take:3:1").await;
    let ticket = ben.joins(code).await;
    drop(ben);
    anna.until(|message| matches!(message, ToClient::Notice { .. })).await;
    let mut again = servers.stranger(1);
    again.send(&[hello("ben"), ToServer::Hall { id: 1, request: come_back(code, ticket, 3) }]).await;
    let Some(ToClient::Welcome { name, .. }) = again.read().await else { panic!("a welcome") };
    let number = name.as_str().strip_prefix("ben-").and_then(|number| number.parse::<u32>().ok());
    assert!(number.is_some_and(|number| number >= 1_000), "{name}");
    again.until(|message| matches!(message, ToClient::Returned { .. })).await;
    // The seat's name is that of its owner.
    assert_eq!(servers.owner_of("ben"), Some(PeerId(0)));
    assert_eq!(servers.owner_of(name.as_str()), None);
}
