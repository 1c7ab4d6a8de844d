//! A host that goes back to a copy of its record: whoever has come back since the copy was made has newer tickets than it knows.

use std::path::Path;

use nim::client::{SavedSeat, SeatStore};
use nim::lobby::{Loss, Name, Phase, PlayerId};
use nim::wire::{HallRefusal, HallRequest, Refusal, Ticket, ToClient, ToServer};
use tokio::net::TcpListener;

use super::sees_away;
use crate::harness::pretender::{Pretender, entered};
use crate::harness::{Network, Program, TestClient, Weather, Wire, server};

async fn hosts(data: &Path) -> (Program, std::net::SocketAddr) {
    Program::listening_server(&["--data", data.to_str().unwrap()]).await
}

#[tokio::test]
async fn a_host_that_goes_back_to_a_copy_of_its_record_has_its_people_back_by_their_former_tickets() {
    let folder = tempfile::tempdir().unwrap();
    let [data, copies, seats] = ["data", "copies", "seats"].map(|name| folder.path().join(name));
    let (mut host, address) = hosts(&data).await;
    let network = Network::before(address).await;
    let mut ben = TestClient::hello(Wire::connect(address).await, "ben").await;
    let code = ben.create("java-tech:21").await.to_string();
    let state = ["--state", seats.to_str().unwrap()];
    let place = network.address().to_string();
    let mut anna =
        Program::client(&[&["connect", &place, "--name", "anna", "--join", &code][..], &state].concat());
    ben.until_lobby(|lobby| lobby.phase() == Phase::Playing).await;
    anna.until("java-tech:21").await;
    std::fs::create_dir(&copies).unwrap();
    let copy = copies.join("journal.sqlite");
    let made = server(&["backup", copy.to_str().unwrap(), "--data", data.to_str().unwrap()]).output().await;
    assert_eq!(made.unwrap().status.code(), Some(0));
    for _ in 0..2 {
        network.becomes(Weather::Down);
        sees_away(&mut ben, Loss::Closed).await;
        network.becomes(Weather::Fair);
        anna.until("You are back in your seat.").await;
    }
    anna.dies().await;
    host.dies().await;
    let (mut other, address) = hosts(&copies).await;
    network.leads_to(address);
    let resume = [&["resume"][..], &state].concat();
    let mut anna = Program::client(&resume);
    anna.until("You are back in your seat.").await;
    anna.dies().await;
    // The record of before knows no ticket that the copy has given; but one that it gave itself is there all the same.
    other.dies().await;
    let (_host, address) = hosts(&data).await;
    network.leads_to(address);
    Program::client(&resume).until("You are back in your seat.").await;
}

/// A host that was told of every step, and the folder in which anna's seat there is kept, by the newest of these tickets.
async fn host_and_seats(tickets: &[u8]) -> (TcpListener, tempfile::TempDir) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    for &bits in tickets {
        let seat = SavedSeat {
            server: listener.local_addr().unwrap().to_string().parse().unwrap(),
            name: Name::clean("anna").unwrap(),
            code: "brave-otter".parse().unwrap(),
            player: PlayerId(1),
            variant: "java-tech:21".into(),
            opponent: Some("eve".into()),
            ticket: Ticket::of([bits; 16]),
            over: false,
        };
        SeatStore::at(folder.path()).keep(&seat).unwrap();
    }
    (listener, folder)
}

/// The program asks for its seat by a ticket of these bytes. Returns the number of its request.
fn asks_by(asked: &ToServer, bits: u8) -> u32 {
    let ToServer::Hall { id, request: HallRequest::Return { ticket, .. } } = asked else {
        panic!("it comes back, and does not say {asked:?}");
    };
    assert_eq!(*ticket, Ticket::of([bits; 16]));
    *id
}

/// Refuses the program that asks for its seat by a ticket of these bytes.
async fn refuses(host: &mut Pretender, asked: &ToServer, bits: u8, refusal: HallRefusal) {
    let (id, refusal) = (asks_by(asked, bits), Refusal::Hall(refusal));
    host.says(&ToClient::Refused { id, turn: 0, refusal }).await;
}

/// A program that comes back to anna's seat, and the host that knows its newest ticket as little as the one before: of that it has
/// looked at too many.
async fn broken_off(listener: &TcpListener, state: &Path, [newest, former]: [u8; 2]) -> Program {
    let anna = Program::client(&["resume", "--state", state.to_str().unwrap()]);
    let mut host = Pretender::at(listener).await;
    let asked = host.welcomes().await;
    refuses(&mut host, &asked, newest, HallRefusal::BadTicket).await;
    let asked = host.hears().await;
    refuses(&mut host, &asked, former, HallRefusal::TooManyGuesses { most: 60 }).await;
    anna
}

/// Takes the program in that shows a ticket of these bytes, which nobody knows; the host, once it is told so.
async fn unknown(listener: &TcpListener, bits: u8) -> Pretender {
    let mut host = Pretender::at(listener).await;
    let asked = host.welcomes().await;
    refuses(&mut host, &asked, bits, HallRefusal::BadTicket).await;
    host
}

#[tokio::test]
async fn former_tickets_are_gone_on_with_where_showing_them_was_broken_off_since_each_counts_as_a_guess() {
    let (listener, folder) = host_and_seats(&[1, 2, 3, 4]).await;
    let mut anna = broken_off(&listener, folder.path(), [4, 3]).await;
    // It waits for a while, and that says nothing of the ticket; nor does a connection that is lost.
    let mut host = unknown(&listener, 3).await;
    asks_by(&host.hears().await, 2);
    drop(host);
    let mut host = unknown(&listener, 2).await;
    asks_by(&host.hears().await, 1);
    host.says(&entered()).await;
    anna.until("You are back in your seat.").await;
}

#[tokio::test]
async fn behind_the_former_tickets_the_newest_is_shown_once_more_where_showing_them_was_broken_off() {
    let (listener, folder) = host_and_seats(&[1, 2]).await;
    let mut anna = broken_off(&listener, folder.path(), [2, 1]).await;
    // The host has gone back to the right record meanwhile.
    let mut host = unknown(&listener, 1).await;
    asks_by(&host.hears().await, 2);
    host.says(&entered()).await;
    anna.until("You are back in your seat.").await;
}
