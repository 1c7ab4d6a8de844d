//! Tests: codes, and seats that are found by their tickets.

use super::super::lobby::tests::{Player, config, opened};
use super::*;
use crate::lobby::{Conditions, LobbyRequest};
use crate::server::app::App;
use crate::server::peers::fake::FakePeers;
use crate::server::peers::{PeerId, Peers};
use crate::server::storage::fake::FakeStorage;
use crate::wire::Ticket;

fn code_of(app: &App, seat: TokenHash) -> Option<Code> {
    app.registry.lobby_of_seat(seat).map(|lobby| lobby.code)
}

#[tokio::test]
async fn the_code_of_a_damaged_lobby_is_not_reused() {
    let first_code = |damaged: &[Code]| {
        let app = App::in_memory(Config { seed: 1, ..config() });
        for &code in damaged {
            let (lobby, why) = (LobbyId(1), String::new());
            app.registry.note_damaged(&Damage { lobby, code: Some(code), why });
        }
        opened(&app, Conditions::default()).code
    };
    let code = first_code(&[]);
    assert_eq!(first_code(&[]), code, "the codes depend on the seed alone");
    assert_ne!(first_code(&[code]), code);
}

#[tokio::test]
async fn a_seat_is_found_by_its_ticket_however_many_have_left_the_lobby() {
    let app = App::in_memory(config());
    let lobby = opened(&app, Conditions::default());
    let sits = |name: &str| Player::sits(&app, &lobby, name);
    let anna = sits("anna");
    for number in 0..3 * MAX_SEATS {
        let ben = sits(&format!("ben {number}"));
        assert_eq!(code_of(&app, ben.ticket.hash()), Some(lobby.code));
        lobby.leave(ben.who, &ben.connection);
        anna.asks(&lobby, LobbyRequest::Again).unwrap();
    }
    assert_eq!(code_of(&app, anna.ticket.hash()), Some(lobby.code));
    let lobbies = app.registry.lobbies.lock();
    assert_eq!((lobbies.by_seat.len(), lobbies.by_code[&lobby.code].seats.len()), (MAX_SEATS, MAX_SEATS));
}

#[tokio::test]
async fn a_ticket_is_found_in_its_new_lobby_after_the_end_of_the_one_that_it_left() {
    let app = App::in_memory(config());
    let [old, new] = [(); 2].map(|()| opened(&app, Conditions::default()));
    let anna = Player::sits(&app, &old, "anna");
    let ben = Player::sits(&app, &old, "ben");
    old.leave(anna.who, &anna.connection);
    let anna = Player::sits_with(anna.ticket, &app, &new, "anna");
    old.leave(ben.who, &ben.connection);
    assert!(app.registry.find(old.code).is_none(), "it is closed");
    assert_eq!(code_of(&app, anna.ticket.hash()), Some(new.code));
}

#[tokio::test]
async fn two_requests_with_one_ticket_at_the_same_time_get_one_seat() {
    let (app, runtime) = (App::in_memory(config()), tokio::runtime::Handle::current());
    for _ in 0..100 {
        let (ticket, start) = (Ticket::random(), std::sync::Barrier::new(2));
        let asks = || {
            let _inside = runtime.enter();
            start.wait();
            app.registry.take_seat(ticket.hash(), || {
                Player::sits_with(ticket, &app, &opened(&app, Conditions::default()), "anna");
                Ok(())
            })
        };
        let granted = std::thread::scope(|scope| {
            [(); 2].map(|()| scope.spawn(asks)).map(|thread| thread.join().unwrap())
        });
        assert_eq!(granted.iter().filter(|answer| answer.is_ok()).count(), 1, "{granted:?}");
    }
}

/// One of several servers.
fn one_of_several() -> (App, Arc<FakePeers>) {
    let peers = FakePeers::new();
    let (storage, shared) = (Box::new(FakeStorage::default()), Arc::clone(&peers));
    (App::with_storage(config(), storage, Some(shared)).unwrap().0, peers)
}

/// Half of the codes are here.
fn place(code: Code) -> Place {
    if code.to_string().len().is_multiple_of(2) { Place::Here } else { Place::At(PeerId(2)) }
}

#[tokio::test]
async fn one_of_several_servers_opens_only_lobbies_with_its_own_codes_and_numbers() {
    let (app, peers) = one_of_several();
    peers.place_by(place);
    peers.number_from(Some(1_024));
    for conditions in [Conditions::default(), Conditions { listed: false, ..Conditions::default() }] {
        for _ in 0..50 {
            assert_eq!(place(opened(&app, conditions).code), Place::Here);
        }
    }
    assert_eq!((app.registry.count(), peers.next_lobby()), (100, Some(LobbyId(1_124))));
}

#[tokio::test]
async fn a_server_without_a_code_or_a_number_of_its_own_refuses_to_open_a_lobby_for_the_moment() {
    let (app, peers) = one_of_several();
    let opens = || {
        let plan =
            Plan { variant: "take:9:4".parse().unwrap(), conditions: Conditions::default(), origin: None };
        app.registry.open([10, 0, 0, 1].into(), plan, None)
    };
    let is_refused = || matches!(opens(), Err(Refusal::Halted { .. }));
    for place in [|_| Place::Moving, |_| Place::At(PeerId(2))] {
        peers.place_by(place);
        assert!(is_refused());
    }
    peers.place_by(|_| Place::Here);
    peers.number_from(None);
    assert!(is_refused());
    peers.number_from(Some(3));
    assert!(opens().is_ok());
}
