//! Tests: clients in lobbies of other servers.

mod client;
mod moving;
mod servers;

use std::time::Duration;

use tokio::time::{Instant, advance, timeout};

use self::client::{join, watch, wish};
use self::servers::{Servers, address};
use super::elsewhere::FIND_WITHIN;
use crate::lobby::{Code, Event, LobbyRequest, Moment, Name, Origin, Player, Snapshot, Text};
use crate::server::Entrance;
use crate::server::peers::{PeerId, Place};
use crate::server::storage::LobbyId;
use crate::wire::{
    Access, Farewell, HallEvent, HallRefusal, HallRequest, Misplaced, NewLobby, Refusal, Secret, Ticket,
    ToClient, ToServer, VERSION, encode,
};

/// A place in the first or the second server.
const FIRST: Place = Place::At(PeerId(0));
const SECOND: Place = Place::At(PeerId(1));

fn come_back(code: Code, ticket: Ticket, seen: u32) -> HallRequest {
    HallRequest::Return { code: Text::cut(&code.to_string()), ticket, seen }
}

fn welcome(name: &str) -> ToClient {
    let (name, server) = (Name::clean(name).unwrap(), Text::cut("nim-server"));
    ToClient::Welcome { version: VERSION, name, server, ping_after: 15_000, gone_after: 45_000 }
}

fn said(words: &str) -> impl Fn(&ToClient) -> bool {
    move |message| matches!(message, ToClient::Said(lines) if lines.iter().any(|line| line.words.as_str() == words))
}

#[tokio::test(start_paused = true)]
async fn people_at_two_servers_play_to_the_end_and_the_guest_opens_a_lobby_here_then() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.joins(code).await;
    anna.takes_one(1).await;
    ben.sees_move().await;
    ben.ask(LobbyRequest::Hint).await;
    ben.until(|message| matches!(message, ToClient::Hint { turn: 2, .. })).await;
    ben.takes_one(2).await;
    ben.ask(LobbyRequest::Say { words: Text::cut("well") }).await;
    anna.until(said("well")).await;
    ben.until(said("well")).await;
    anna.takes_one(3).await;
    ben.sees_move().await;
    ben.ask(LobbyRequest::Leave).await;
    ben.until(|message| *message == ToClient::Outside).await;
    anna.until(|message| matches!(message, ToClient::Lobby { event: Event::Left { .. }, .. })).await;
    let own = ben.opens("take:5:1").await;
    assert!(servers.app(1).registry.find(own).is_some());
    assert_eq!(servers.app(0).registry.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_ticket_opens_its_seat_from_any_server() {
    let servers = Servers::start(3);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    let ticket = ben.joins(code).await;
    drop(ben);
    anna.until(|message| matches!(message, ToClient::Notice { .. })).await;
    anna.takes_one(1).await;
    let mut ben = servers.client(2, "ben").await;
    let id = ben.ask_hall(come_back(code, Ticket::random(), 0)).await;
    assert_eq!(ben.answer(id).await, Err(HallRefusal::BadTicket.into()));
    ben.ask_hall(come_back(code, ticket, 1)).await;
    let back = |message: &ToClient| matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. });
    ben.until(back).await;
    ben.takes_one(2).await;
    anna.sees_move().await;
}

/// The name of the only player in a lobby.
fn name_of_opener(lobby: &Snapshot) -> &str {
    let players: Vec<&Player> = lobby.seats.iter().filter_map(|(_, seat)| seat.as_ref()).collect();
    assert_eq!(players.len(), 1);
    players[0].name.as_str()
}

#[tokio::test(start_paused = true)]
async fn who_returns_to_a_seat_has_its_name_in_the_hall_as_well_wherever_the_seat_is() {
    for (server, seen) in [(0, 0), (1, 0), (1, 1)] {
        let servers = Servers::start(2);
        let (mut anna, ticket) = (servers.client(0, "anna").await, Ticket::random());
        let code = anna.tries(HallRequest::Create(wish("take:3:1", &ticket))).await.unwrap().code;
        drop(anna);
        let mut back = servers.client(server, "dora").await;
        back.ask_hall(come_back(code, ticket, seen)).await;
        let is_back = |message: &ToClient| {
            assert!(!matches!(message, ToClient::Welcome { .. }), "it was welcomed");
            matches!(message, ToClient::Entered { .. } | ToClient::Returned { .. })
        };
        back.until(is_back).await;
        back.ask(LobbyRequest::Leave).await;
        back.until(|message| *message == ToClient::Outside).await;
        let lobby = back.tries(HallRequest::Create(wish("take:5:1", &Ticket::random()))).await.unwrap();
        assert_eq!(name_of_opener(&lobby), "anna", "at server {server}, after event {seen}");
        // The other name is free again, and this one is not.
        for (name, called) in [("dora", "dora"), ("anna", "anna-2")] {
            let mut other = servers.client(server, name).await;
            let lobby = other.tries(HallRequest::Create(wish("take:5:1", &Ticket::random()))).await.unwrap();
            assert_eq!(name_of_opener(&lobby), called);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn passwords_and_codes_are_checked_by_the_server_that_has_the_lobby() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let locked = NewLobby { password: Secret::of("sesame"), ..wish("take:3:1", &Ticket::random()) };
    let code = anna.tries(HallRequest::Create(locked)).await.unwrap().code;
    let with = |password| HallRequest::Watch { code: Text::cut(&code.to_string()), password };
    assert_eq!(ben.tries(watch(code)).await, Err(HallRefusal::WrongPassword.into()));
    assert_eq!(ben.tries(with(Secret::of("simsalabim"))).await, Err(HallRefusal::WrongPassword.into()));
    let nowhere = "brave-otter-00000".parse().unwrap();
    assert_eq!(ben.tries(watch(nowhere)).await, Err(HallRefusal::NoSuchLobby.into()));
    assert_eq!(ben.tries(with(Secret::of("sesame"))).await.map(|lobby| lobby.code), Ok(code));
    assert_eq!(ben.tries(watch(code)).await, Err(Misplaced::InLobby.into()));
}

#[tokio::test(start_paused = true)]
async fn a_request_in_the_hall_right_behind_leaving_is_answered_here() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.joins(code).await;
    let ticket = Ticket::random();
    let opens = HallRequest::Create(wish("take:7:1", &ticket));
    let (leave, open) = (ben.number(), ben.number());
    ben.send(&[
        ToServer::Lobby { id: leave, request: LobbyRequest::Leave },
        ToServer::Hall { id: open, request: opens },
        ToServer::Ping(7),
    ])
    .await;
    ben.until(|message| *message == ToClient::Outside).await;
    let opened = ben.answer(open).await.unwrap().code;
    ben.until(|message| *message == ToClient::Pong(7)).await;
    assert!(servers.app(1).registry.find(opened).is_some());
    assert_eq!(servers.app(0).registry.count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_request_in_the_hall_from_a_lobby_of_another_server_is_misplaced_and_the_game_goes_on() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.joins(code).await;
    anna.takes_one(1).await;
    ben.sees_move().await;
    let id = ben.ask_hall(HallRequest::Look).await;
    let refused = ben.until(|message| matches!(message, ToClient::Refused { .. })).await;
    assert_eq!(refused, ToClient::Refused { id, turn: 2, refusal: Misplaced::InLobby.into() });
    ben.takes_one(2).await;
    anna.sees_move().await;
}

#[tokio::test(start_paused = true)]
async fn a_watcher_who_is_kicked_is_in_the_hall_of_this_server() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    assert_eq!(ben.tries(watch(code)).await.map(|lobby| lobby.code), Ok(code));
    anna.ask(LobbyRequest::Kick { name: Text::cut("ben") }).await;
    ben.until(|message| *message == ToClient::Outside).await;
    let own = ben.opens("take:3:1").await;
    assert!(servers.app(1).registry.find(own).is_some());
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_a_lobby_on_its_way_waits_for_it_and_is_answered_meanwhile() {
    for (place, owner) in [(FIRST, 0), (SECOND, 1)] {
        let servers = Servers::start(2);
        let mut anna = servers.client(owner, "anna").await;
        let code = anna.opens("take:3:1").await;
        servers.put(code, Place::Moving);
        let (mut ben, ticket) = (servers.client(1, "ben").await, Ticket::random());
        let id = ben.ask_hall(join(code, &ticket)).await;
        advance(FIND_WITHIN / 2).await;
        ben.send(&[ToServer::Ping(1)]).await;
        assert_eq!(ben.read().await, Some(ToClient::Pong(1)));
        servers.put(code, place);
        assert_eq!(ben.answer(id).await.map(|lobby| lobby.code), Ok(code), "{place:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_cannot_be_carried_in_time_is_refused_and_may_be_made_again() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    let begun = Instant::now();
    servers.cut();
    let refused = ben.tries(join(code, &Ticket::random())).await;
    assert!(matches!(refused, Err(Refusal::Halted { .. })), "{refused:?}");
    assert_eq!(begun.elapsed().as_secs(), FIND_WITHIN.as_secs());
    servers.mend();
    ben.joins(code).await;
}

#[tokio::test(start_paused = true)]
async fn the_goodbye_of_the_other_server_is_passed_on() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.joins(code).await;
    servers.app(0).registry.find(code).unwrap().close(&Farewell::LobbyClosed);
    assert_eq!(ben.farewell().await, Farewell::LobbyClosed);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_before_it_has_answered_is_looked_for_again() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    for is_moved in [false, true] {
        let mut impostor = servers.impostor();
        let id = ben.ask_hall(watch(code)).await;
        assert!(matches!(impostor.heard().await, ToServer::Hello(hello) if hello.name.as_str() == "ben"));
        impostor.tell(&welcome("ben")).await;
        assert_eq!(impostor.heard().await, ToServer::Hall { id, request: watch(code) });
        if is_moved {
            impostor.tell(&ToClient::Goodbye(Farewell::Moved)).await;
        }
        drop(impostor);
        assert_eq!(ben.answer(id).await.map(|lobby| lobby.code), Ok(code));
        ben.ask(LobbyRequest::Leave).await;
        ben.until(|message| *message == ToClient::Outside).await;
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_an_answer_of_another_server_hears_from_that_one_alone_whether_it_lives() {
    let servers = Servers::start(2);
    let mut anna = servers.client(0, "anna").await;
    let code = anna.opens("take:3:1").await;
    let mut ben = servers.client(1, "ben").await;
    let mut impostor = servers.impostor();
    let id = ben.ask_hall(watch(code)).await;
    impostor.tell(&welcome("ben")).await;
    while !matches!(impostor.heard().await, ToServer::Hall { .. }) {}
    ben.send(&[ToServer::Ping(7)]).await;
    let pong = ben.until(|message| matches!(message, ToClient::Pong(_)));
    assert!(timeout(Duration::from_secs(1), pong).await.is_err(), "the server between says that all is well");
    assert_eq!(impostor.heard().await, ToServer::Ping(7));
    impostor.tell(&ToClient::Pong(7)).await;
    ben.until(|message| *message == ToClient::Pong(7)).await;
    drop(impostor);
    assert_eq!(ben.answer(id).await.map(|lobby| lobby.code), Ok(code));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_nothing_costs_only_itself() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    ben.joins(code).await;
    for number in 0..1_500 {
        anna.ask(LobbyRequest::Say { words: Text::cut(&"x".repeat(200)) }).await;
        anna.until(|message| matches!(message, ToClient::Said(_))).await;
        if number % 100 == 0 {
            advance(Duration::from_millis(1)).await;
        }
    }
    assert!(matches!(ben.farewell().await, Farewell::Behind), "what waited came before that");
    anna.takes_one(1).await;
}

#[tokio::test(start_paused = true)]
async fn no_more_is_read_of_a_client_than_the_other_server_takes() {
    let servers = Servers::start(2);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let lobby = anna.tries(HallRequest::Create(wish("take:3:1", &Ticket::random()))).await.unwrap();
    let mut impostor = servers.impostor();
    let id = ben.ask_hall(watch(lobby.code)).await;
    impostor.tell(&welcome("ben")).await;
    impostor.tell(&ToClient::Watching { lobby, now: Moment(0) }).await;
    assert!(ben.answer(id).await.is_ok());
    let line = ToServer::Lobby { id, request: LobbyRequest::Say { words: Text::cut(&"x".repeat(200)) } };
    let mut sent = 0;
    while timeout(Duration::from_secs(1), ben.send(std::slice::from_ref(&line))).await.is_ok() {
        sent += encode(&line).len();
    }
    // Both pipes take 64 KiB, and between them is a buffer for reading ahead.
    let most = 2 * 64 * 1024 + 16 * 1024;
    assert!(sent < most, "{sent} bytes were read");
}

#[tokio::test(start_paused = true)]
async fn two_people_at_two_servers_who_ask_for_a_quick_match_meet() {
    for place in [FIRST, SECOND, Place::At(PeerId(2))] {
        let servers = Servers::start(3);
        servers.match_at(place);
        servers.all_are_at(place);
        let quick = || HallRequest::Quick(wish("take:3:1", &Ticket::random()));
        let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
        let code = anna.tries(quick()).await.unwrap().code;
        assert_eq!(ben.tries(quick()).await.map(|lobby| lobby.code), Ok(code));
        ben.until(|message| matches!(message, ToClient::Lobby { event: Event::Started { .. }, .. })).await;
        anna.takes_one(1).await;
        ben.sees_move().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_lobby_that_is_opened_at_another_server_stays_with_who_opened_it_when_this_one_opens_lobbies_again()
{
    let servers = Servers::start(2);
    servers.open_at(SECOND);
    servers.all_are_at(SECOND);
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let code = anna.opens("take:3:1").await;
    assert!(servers.app(1).registry.find(code).is_some());
    servers.open_at(Place::Here);
    ben.joins(code).await;
    ben.until(|message| matches!(message, ToClient::Lobby { event: Event::Started { .. }, .. })).await;
    anna.takes_one(1).await;
    ben.sees_move().await;
}

#[tokio::test(start_paused = true)]
async fn a_quick_match_leads_to_an_open_lobby_of_the_list_wherever_it_is() {
    let servers = Servers::start(3);
    servers.match_at(Place::At(PeerId(2)));
    let (mut anna, mut ben) = (servers.client(0, "anna").await, servers.client(1, "ben").await);
    let ticket = Ticket::random();
    let code = anna.opens("take:3:1").await;
    let start = Origin::start_of(&"take:3:1".parse().unwrap(), None);
    let mut cleo = servers.client(0, "cleo").await;
    cleo.ask_hall(HallRequest::Look).await;
    let told = cleo.until(|message| matches!(message, ToClient::Hall(_))).await;
    let ToClient::Hall(HallEvent::Lobbies { listed, .. }) = told else { panic!("the list") };
    let id = (LobbyId(1_000), code, address().ip());
    servers.app(1).services.lobby_list.update(id, &start, Some(listed[0].clone()));
    let quick = HallRequest::Quick(wish("take:3:1", &ticket));
    assert_eq!(ben.tries(quick).await.map(|lobby| lobby.code), Ok(code));
}

#[tokio::test(start_paused = true)]
async fn two_people_meet_though_the_list_of_one_has_a_lobby_that_is_not_open_any_more() {
    for stale in [0, 1] {
        let servers = Servers::start(3);
        servers.match_at(Place::At(PeerId(2)));
        let mut anna = servers.client(0, "anna").await;
        let code = anna.opens("take:3:1").await;
        let mut cleo = servers.client(0, "cleo").await;
        cleo.ask_hall(HallRequest::Look).await;
        let told = cleo.until(|message| matches!(message, ToClient::Hall(_))).await;
        let ToClient::Hall(HallEvent::Lobbies { listed, .. }) = told else { panic!("the list") };
        let mut ben = servers.client(2, "ben").await;
        ben.joins(code).await;
        let start = Origin::start_of(&"take:3:1".parse().unwrap(), None);
        let id = (LobbyId(1_000), code, address().ip());
        servers.app(stale).services.lobby_list.update(id, &start, Some(listed[0].clone()));
        let quick = || HallRequest::Quick(wish("take:3:1", &Ticket::random()));
        let mut dora = servers.client(stale, "dora").await;
        let meets_in = dora.tries(quick()).await.unwrap().code;
        let mut emil = servers.client(2, "emil").await;
        assert_eq!(emil.tries(quick()).await.map(|lobby| lobby.code), Ok(meets_in), "{stale}");
        assert!(servers.app(2).registry.find(meets_in).is_some());
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_carried_on_to_a_third_server() {
    let servers = Servers::start(2);
    let mut anna = servers.client(0, "anna").await;
    let code = anna.opens("take:3:1").await;
    servers.put(code, SECOND);
    let mut ben = servers.carried(0, "ben").await;
    ben.ask_hall(watch(code)).await;
    assert_eq!(ben.farewell().await, Farewell::Moved);
    servers.put(code, Place::Moving);
    let mut cleo = servers.carried(0, "cleo").await;
    let id = cleo.ask_hall(watch(code)).await;
    advance(Duration::from_secs(1)).await;
    servers.put(code, FIRST);
    assert_eq!(cleo.answer(id).await.map(|lobby| lobby.code), Ok(code));
}

#[tokio::test(start_paused = true)]
async fn a_lobby_of_another_server_can_be_tried() {
    let servers = Servers::start(2);
    let mut anna = servers.client(0, "anna").await;
    let code = anna.opens("take:3:1").await;
    let access = |number: usize| Entrance::new(servers.app(number)).access(address().ip(), code);
    assert_eq!(access(1), Ok(Access::UNKNOWN));
    assert_ne!(access(0), Ok(Access::UNKNOWN));
}
