//! A connection that breaks before the server has answered a request for a seat: the client repeats the
//! request with the same ticket.

use nim::lobby::{List, Moment};
use nim::wire::{HallEvent, HallRefusal, HallRequest, NewLobby, Refusal, ToClient, ToServer, TokenHash};
use tokio::net::TcpListener;

use super::PATIENT;
use crate::harness::pretender::{Pretender, entered, game};
use crate::harness::{Home, Program};

/// The ticket's hash and the number of a request for a seat.
fn asks(asked: &ToServer) -> (TokenHash, u32) {
    match asked {
        ToServer::Hall {
            id,
            request: HallRequest::Create(NewLobby { seat, .. }) | HallRequest::Join { seat, .. },
        } => (*seat, *id),
        other => panic!("it asks for a seat, and does not say {other:?}"),
    }
}

/// A client that has requested a lobby, and a host that has not answered. Returns the host's listener, the
/// client's folder and program, and the hash of its ticket.
async fn unanswered() -> (TcpListener, Home, Program, TokenHash) {
    let (listener, home) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Home::new());
    let mut anna = connects(&listener, &home, "anna", &PATIENT);
    let mut host = Pretender::at(&listener).await;
    host.welcomes().await;
    let (listed, gone) = (List::default(), List::default());
    host.says(&ToClient::Hall(HallEvent::Lobbies { listed, gone, complete: true })).await;
    anna.until("new").await;
    anna.types("new java-tech:21\n").await;
    let (seat, _) = asks(&host.hears().await);
    (listener, home, anna, seat)
}

fn connects(listener: &TcpListener, home: &Home, name: &str, flags: &[&str]) -> Program {
    let address = listener.local_addr().unwrap().to_string();
    home.runs(&[&["connect", &address, "--name", name], flags].concat())
}

/// The hash in the request of the next program that connects.
async fn asks_next(listener: &TcpListener) -> TokenHash {
    asks(&Pretender::at(listener).await.welcomes().await).0
}

async fn refuses(host: &mut Pretender, id: u32, refusal: HallRefusal) {
    host.says(&ToClient::Refused { id, turn: 0, refusal: Refusal::Hall(refusal) }).await;
}

/// A host that says to the next program that it has this seat already, and is asked for it.
async fn holds(listener: &TcpListener, seat: TokenHash) -> Pretender {
    let mut host = Pretender::at(listener).await;
    let (same, id) = asks(&host.welcomes().await);
    assert_eq!(same, seat);
    refuses(&mut host, id, HallRefusal::SeatHeld { code: "brave-otter".parse().unwrap() }).await;
    returns(&host.hears().await, seat);
    host
}

/// The number of the request to return to this seat, of which the client knows nothing but the lobby.
fn returns(asked: &ToServer, seat: TokenHash) -> u32 {
    match asked {
        ToServer::Hall { id, request: HallRequest::Return { ticket, seen: 0, .. } }
            if ticket.hash() == seat =>
        {
            *id
        }
        other => panic!("it comes back, and does not say {other:?}"),
    }
}

#[tokio::test]
async fn a_request_that_did_not_arrive_is_made_again() {
    let (listener, _home, mut anna, seat) = unanswered().await;
    let mut host = Pretender::at(&listener).await;
    assert_eq!(asks(&host.welcomes().await).0, seat);
    host.says(&entered()).await;
    anna.until("Your move").await;
}

#[tokio::test]
async fn a_granted_seat_is_taken_up_by_its_ticket_after_further_losses_and_a_deferred_return() {
    let (listener, _home, mut anna, seat) = unanswered().await;
    drop(holds(&listener, seat).await);
    let mut host = Pretender::at(&listener).await;
    let id = returns(&host.welcomes().await, seat);
    refuses(&mut host, id, HallRefusal::TooManyGuesses { most: 3 }).await;
    let mut host = Pretender::at(&listener).await;
    returns(&host.welcomes().await, seat);
    host.says(&entered()).await;
    assert_eq!(anna.until(" seat").await, "You are back in your seat.");
}

#[tokio::test]
async fn a_program_that_ended_before_the_answer_asks_with_the_same_ticket_next_time() {
    let (listener, home, mut first, seat) = unanswered().await;
    let again = |name| connects(&listener, &home, name, &["--new", "java-tech:21"]);
    let _beside = again("anna");
    assert_ne!(asks_next(&listener).await, seat, "another window still uses it");
    first.dies().await;
    let _ben = again("ben");
    assert_ne!(asks_next(&listener).await, seat, "it does not belong to ben");
    let mut anna = again("anna");
    let mut host = holds(&listener, seat).await;
    host.says(&entered()).await;
    anna.until("Your move").await;
    anna.dies().await;
    let _next = again("anna");
    assert_ne!(asks_next(&listener).await, seat, "it was answered");
}

#[tokio::test]
async fn a_program_says_that_it_returned_to_a_seat_instead_of_what_it_was_asked_for() {
    let still =
        "You still have a seat in brave-otter (java-tech:21), so no other lobby was opened or joined.";
    let refused = r#""request":"new","refusal":"already_seated","turn"#;
    for (flags, told) in [
        (&["--new", "connect-four"][..], still),
        (&["--new", "connect-four", "--json"], refused),
        (&["--join", "icy-walrus"], still),
        (&["--join", "brave-otter"], "You are back in your seat."),
    ] {
        let (listener, home, mut first, seat) = unanswered().await;
        first.dies().await;
        let mut anna = connects(&listener, &home, "anna", flags);
        holds(&listener, seat).await.says(&entered()).await;
        let line = anna.until(" seat").await;
        assert!(line.contains(told), "{flags:?}: {line}");
    }
}

#[tokio::test]
async fn a_request_that_led_to_no_seat_leaves_no_ticket_behind() {
    let code = "brave-otter".parse().unwrap();
    let given_up = vec![HallRefusal::SeatHeld { code }, HallRefusal::GivenUp, HallRefusal::NoRecords];
    for refusals in [vec![], vec![HallRefusal::NoSuchLobby], given_up] {
        let (listener, home) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Home::new());
        let anna = connects(&listener, &home, "anna", &["--join", "icy-walrus", "--give-up", "0"]);
        let mut host = Pretender::at(&listener).await;
        let (_, first) = asks(&host.welcomes().await);
        let files = || std::fs::read_dir(home.path()).unwrap().count();
        assert_eq!(files(), 1);
        for (id, refusal) in (first..).zip(refusals) {
            if id > first {
                host.hears().await;
            }
            refuses(&mut host, id, refusal).await;
        }
        host.says(&ToClient::Watching { lobby: game().snapshot(), now: Moment::START }).await;
        drop(host);
        anna.ended().await;
        assert_eq!(files(), 0);
    }
}
