//! A player's disk that takes nothing new: what was kept of a seat before stays good, and the seat is kept again once there is room.

use std::path::{Path, PathBuf};

use nim::client::{SavedSeat, SeatStore};
use nim::game::any::Move;
use nim::game::nim::Take;
use nim::lobby::{Event, Hand, Loss, Moment, PlayerId, Text};
use nim::wire::{Farewell, HallRequest, Ticket, ToClient, ToServer};
use tokio::net::TcpListener;

use super::{ben_and_annas, sees_away, sees_back, takes};
use crate::harness::pretender::{Pretender, entered};
use crate::harness::{Network, Program, TestServer, Weather};

/// The files of the seats that are kept in this folder, or beside the games in it.
fn seats(state: &Path) -> Vec<PathBuf> {
    let games = std::fs::read_dir(state.join("play")).into_iter().flatten().map(|game| game.unwrap().path());
    let files = games.chain([state.to_owned()]).flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let is_seat = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "seat");
    files.map(|file| file.unwrap().path()).filter(is_seat).collect()
}

/// No seat can be written anew here, until this is dropped: something stands where it would be written.
struct Full(Vec<PathBuf>);

impl Full {
    fn at(state: &Path) -> Self {
        let places: Vec<PathBuf> = seats(state).iter().map(|seat| seat.with_extension("new")).collect();
        assert!(!places.is_empty());
        for place in &places {
            std::fs::create_dir(place).unwrap();
        }
        Self(places)
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        for place in &self.0 {
            std::fs::remove_dir(place).unwrap();
        }
    }
}

#[tokio::test]
async fn whoever_comes_back_again_and_again_without_room_for_a_ticket_can_be_resumed() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let network = Network::before(server.address()).await;
    let state = ["--state", folder.path().to_str().unwrap()];
    let (mut ben, mut anna) = ben_and_annas(&server, &network, &state).await;
    takes(&mut ben, 1).await;
    anna.until("Your move").await;
    let (full, file) = (Full::at(folder.path()), seats(folder.path()).remove(0));
    let before = std::fs::read(&file).unwrap();
    for _ in 0..3 {
        network.becomes(Weather::Down);
        sees_away(&mut ben, Loss::Closed).await;
        network.becomes(Weather::Fair);
        anna.until("You are back in your seat.").await;
        sees_back(&mut ben).await;
    }
    anna.dies().await;
    sees_away(&mut ben, Loss::Closed).await;
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // Another run has no room either.
    let resume = [&["resume"][..], &state].concat();
    for _ in 0..2 {
        let mut anna = Program::client(&resume);
        anna.until("You are back in your seat.").await;
        anna.dies().await;
    }
    drop(full);
    let mut anna = Program::client(&resume);
    anna.until("You are back in your seat.").await;
    anna.types("1\n").await;
    anna.until("You: take 1").await;
    assert_ne!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn once_there_is_room_the_newest_ticket_is_kept_and_the_one_before_is_void() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let network = Network::before(server.address()).await;
    let state = ["--state", folder.path().to_str().unwrap()];
    let (mut ben, mut anna) = ben_and_annas(&server, &network, &state).await;
    anna.until("ben starts.").await;
    let copy = tempfile::tempdir().unwrap();
    let (full, file) = (Full::at(folder.path()), seats(folder.path()).remove(0));
    std::fs::copy(&file, copy.path().join(file.file_name().unwrap())).unwrap();
    network.becomes(Weather::Down);
    sees_away(&mut ben, Loss::Closed).await;
    network.becomes(Weather::Fair);
    anna.until("You are back in your seat.").await;
    drop(full);
    takes(&mut ben, 1).await;
    anna.until("Your move").await;
    anna.types("1\n").await;
    anna.until("You: take 1").await;
    let stranger = Program::client(&["resume", "--state", copy.path().to_str().unwrap()]).finish().await;
    assert!(stranger.stderr.contains("what you come back by does not open that seat"), "{stranger:?}");
    anna.dies().await;
    let mut anna = Program::client(&[&["resume"][..], &state].concat());
    anna.until("You are back in your seat.").await;
}

#[tokio::test]
async fn a_game_at_one_keyboard_is_resumed_by_what_is_kept_of_it_though_that_cannot_be_renewed() {
    for flags in [&["--starts", "me", "--bot-pace", "0ms"][..], &["--two", "--other", "ben"]] {
        let folder = tempfile::tempdir().unwrap();
        let state = ["--state", folder.path().to_str().unwrap()];
        let play = ["play", "java-tech:9", "--name", "anna"];
        let mut game = Program::client(&[&play[..], flags, &state].concat());
        game.until(" (").await;
        game.types("1\n").await;
        game.until(": take 1").await;
        game.dies().await;
        let full = Full::at(folder.path());
        for _ in 0..2 {
            let mut game = Program::client(&[&["resume"][..], &state].concat());
            game.until("So far: ").await;
            game.until(" (").await;
            game.dies().await;
        }
        drop(full);
        for _ in 0..2 {
            let mut game = Program::client(&[&["resume"][..], &state].concat());
            game.until("You are back").await;
            game.dies().await;
        }
    }
}

#[tokio::test]
async fn a_script_is_told_that_its_seat_is_not_kept_and_that_it_is() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let network = Network::before(server.address()).await;
    let state = folder.path().join("state");
    std::fs::write(&state, "").unwrap();
    let flags = ["--json", "--state", state.to_str().unwrap()];
    let (mut ben, mut anna) = ben_and_annas(&server, &network, &flags).await;
    let told = anna.until(r#""event":"seat""#).await;
    assert!(told.contains(r#""kept":false"#) && told.contains(" is no folder."), "{told}");
    std::fs::remove_file(&state).unwrap();
    takes(&mut ben, 1).await;
    let told = anna.until(r#""event":"seat""#).await;
    assert!(told.contains(r#""kept":true"#), "{told}");
    assert_eq!(seats(&state).len(), 1);
}

/// A host that was told of every step, and anna's program, which sits there with the ticket of sevens, and has no room for another.
async fn host_and_annas(state: &Path) -> (TcpListener, Pretender, Program, Full) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let state_flag = ["--state", state.to_str().unwrap()];
    let new = ["connect", &address, "--name", "anna", "--new", "java-tech:21"];
    let mut anna = Program::client(&[&new[..], &state_flag].concat());
    let mut host = Pretender::at(&listener).await;
    host.welcomes().await;
    host.says(&entered()).await;
    host.says(&ToClient::Ping(1)).await;
    assert_eq!(host.hears().await, ToServer::Pong(1));
    anna.until("Your move").await;
    let full = Full::at(state);
    (listener, host, anna, full)
}

/// Lets anna's program back in, which shows the ticket of sevens, by a ticket of these bytes.
async fn let_in(host: &mut Pretender, next: u8) {
    let ToServer::Hall { request: HallRequest::Return { ticket, .. }, .. } = host.welcomes().await else {
        panic!("it comes back");
    };
    assert_eq!(ticket, Ticket::of([7; 16]));
    // Not yet: the return is not recorded.
    let why = Text::cut("the disk is full");
    host.says(&ToClient::Halted { why: Some(why), now: Moment(1) }).await;
    host.says(&ToClient::Ping(0)).await;
    assert_eq!(host.hears().await, ToServer::Pong(0));
    host.says(&ToClient::Returned { now: Moment(2), ticket: Ticket::of([next; 16]) }).await;
    host.says(&ToClient::Ping(1)).await;
    host.says(&ToClient::Ping(0)).await;
}

/// Loses the connection to anna's program, and lets it back in by a ticket of eights, which it has no room for.
async fn back_without_room(listener: &TcpListener, host: Pretender) -> Pretender {
    drop(host);
    let mut host = Pretender::at(listener).await;
    let_in(&mut host, 8).await;
    assert_eq!(host.hears().await, ToServer::Pong(0));
    host
}

/// The program has heard of a move, and done with it what it does.
async fn hears_of_a_move(host: &mut Pretender) {
    host.says(&moved()).await;
    host.says(&ToClient::Ping(0)).await;
    assert_eq!(host.hears().await, ToServer::Pong(0));
}

fn moved() -> ToClient {
    let (mv, hand) = (Move::Nim(Take { pile: 0, count: 1 }), Hand::Own);
    let event = Event::Moved { turn: 1, player: PlayerId(1), mv, hand };
    ToClient::Lobby { number: 4, at: Moment(3), event }
}

#[tokio::test]
async fn only_the_ping_behind_a_ticket_without_room_waits_for_its_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, mut host, _anna, full) = host_and_annas(folder.path()).await;
    for next in [8, 9] {
        drop(host);
        host = Pretender::at(&listener).await;
        let_in(&mut host, next).await;
        assert_eq!(host.hears().await, ToServer::Pong(0), "not the one behind the ticket");
    }
    drop(full);
    host.says(&moved()).await;
    assert_eq!(host.hears().await, ToServer::Pong(1));
    assert_eq!(SeatStore::at(folder.path()).all().unwrap()[0].ticket, Ticket::of([9; 16]));
}

#[tokio::test]
async fn what_another_window_has_kept_meanwhile_is_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, host, _anna, full) = host_and_annas(folder.path()).await;
    let mut host = back_without_room(&listener, host).await;
    drop(full);
    let seats = SeatStore::at(folder.path());
    let others = SavedSeat { ticket: Ticket::of([5; 16]), ..seats.all().unwrap().remove(0) };
    seats.keep(&others).unwrap();
    hears_of_a_move(&mut host).await;
    assert_eq!(seats.all().unwrap(), [others]);
}

#[tokio::test]
async fn a_window_that_has_lost_its_seat_to_another_one_keeps_no_ticket_any_more() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, host, anna, full) = host_and_annas(folder.path()).await;
    let mut host = back_without_room(&listener, host).await;
    drop(full);
    host.says(&ToClient::Goodbye(Farewell::Elsewhere)).await;
    drop(host);
    assert_eq!(anna.ended().await.code, Some(13));
    assert_eq!(SeatStore::at(folder.path()).all().unwrap()[0].ticket, Ticket::of([7; 16]));
}

#[tokio::test]
async fn a_seat_that_was_given_up_meanwhile_is_not_kept_anew() {
    let folder = tempfile::tempdir().unwrap();
    let (listener, host, _anna, full) = host_and_annas(folder.path()).await;
    let mut host = back_without_room(&listener, host).await;
    drop(full);
    std::fs::remove_file(seats(folder.path()).remove(0)).unwrap();
    hears_of_a_move(&mut host).await;
    assert_eq!(seats(folder.path()), Vec::<PathBuf>::new());
}
