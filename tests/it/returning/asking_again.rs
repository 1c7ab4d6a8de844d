//! A connection that breaks before the server has answered a request for a seat: the client repeats the
//! request with the same ticket.

use nim::lobby::List;
use nim::wire::{HallEvent, HallRefusal, HallRequest, NewLobby, Refusal, ToClient, ToServer, TokenHash};
use tokio::net::TcpListener;

use crate::harness::pretender::{Pretender, entered};
use crate::harness::{Home, Program};

/// The ticket's hash and the number of a request to open a lobby.
fn opens(asked: &ToServer) -> (TokenHash, u32) {
    match asked {
        ToServer::Hall { id, request: HallRequest::Create(NewLobby { seat, .. }) } => (*seat, *id),
        other => panic!("it opens a lobby, and does not say {other:?}"),
    }
}

/// A client that has requested a lobby, and a host that has not answered. Returns the host's listener, the
/// client's folder and program, and the hash of its ticket.
async fn unanswered() -> (TcpListener, Home, Program, TokenHash) {
    let (listener, home) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Home::new());
    let address = listener.local_addr().unwrap().to_string();
    let mut anna = home.runs(&["connect", &address, "--name", "anna"]);
    let mut host = Pretender::at(&listener).await;
    host.welcomes().await;
    let (listed, gone) = (List::default(), List::default());
    host.says(&ToClient::Hall(HallEvent::Lobbies { listed, gone, complete: true })).await;
    anna.until("new").await;
    anna.types("new java-tech:21\n").await;
    let (seat, _) = opens(&host.hears().await);
    (listener, home, anna, seat)
}

/// The host's answer to a request for a seat that the client has already.
async fn says_held(host: &mut Pretender, id: u32) {
    let refusal = Refusal::Hall(HallRefusal::SeatHeld { code: "brave-otter".parse().unwrap() });
    host.says(&ToClient::Refused { id, turn: 0, refusal }).await;
}

/// The hash in the request of the next program that connects.
async fn opens_next(listener: &TcpListener) -> TokenHash {
    opens(&Pretender::at(listener).await.welcomes().await).0
}

#[tokio::test]
async fn a_request_that_did_not_arrive_is_made_again() {
    let (listener, _home, mut anna, seat) = unanswered().await;
    let mut host = Pretender::at(&listener).await;
    assert_eq!(opens(&host.welcomes().await).0, seat);
    host.says(&entered()).await;
    anna.until("Your move").await;
}

#[tokio::test]
async fn a_seat_granted_before_the_loss_is_taken_up_by_its_ticket() {
    let (listener, _home, mut anna, seat) = unanswered().await;
    let mut host = Pretender::at(&listener).await;
    let (again, id) = opens(&host.welcomes().await);
    assert_eq!(again, seat);
    says_held(&mut host, id).await;
    let ToServer::Hall { request: HallRequest::Return { ticket, seen: 0, .. }, .. } = host.hears().await
    else {
        panic!("it comes back");
    };
    assert_eq!(ticket.hash(), seat);
    host.says(&entered()).await;
    anna.until("Your move").await;
}

#[tokio::test]
async fn a_program_that_ended_before_the_answer_asks_with_the_same_ticket_next_time() {
    let (listener, home, mut first, seat) = unanswered().await;
    let address = listener.local_addr().unwrap().to_string();
    let again = |name| home.runs(&["connect", &address, "--name", name, "--new", "java-tech:21"]);
    let _beside = again("anna");
    assert_ne!(opens_next(&listener).await, seat, "another window still uses it");
    first.dies().await;
    let _ben = again("ben");
    assert_ne!(opens_next(&listener).await, seat, "it does not belong to ben");
    let mut anna = again("anna");
    let mut host = Pretender::at(&listener).await;
    let (same, id) = opens(&host.welcomes().await);
    assert_eq!(same, seat);
    says_held(&mut host, id).await;
    assert!(matches!(host.hears().await, ToServer::Hall { request: HallRequest::Return { .. }, .. }));
    host.says(&entered()).await;
    anna.until("Your move").await;
    anna.dies().await;
    let _next = again("anna");
    assert_ne!(opens_next(&listener).await, seat, "it was answered");
}

#[tokio::test]
async fn a_lost_answer_does_not_prevent_joining_another_lobby() {
    let (listener, home, mut first, seat) = unanswered().await;
    first.dies().await;
    let address = listener.local_addr().unwrap().to_string();
    let _anna = home.runs(&["connect", &address, "--name", "anna", "--join", "icy-walrus"]);
    let mut host = Pretender::at(&listener).await;
    let ToServer::Hall { id, request } = host.welcomes().await else { panic!("it joins") };
    assert!(matches!(request, HallRequest::Join { seat: same, .. } if same == seat));
    says_held(&mut host, id).await;
    let ToServer::Hall { request, .. } = host.hears().await else { panic!("it joins again") };
    assert!(matches!(request, HallRequest::Join { seat: other, .. } if other != seat));
}
