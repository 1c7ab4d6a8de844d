//! A seat that cannot be saved: its file from before stays valid, and it is saved again once that is possible.

use nim::client::{SavedSeat, SeatStore};
use nim::lobby::{Name, PlayerId};
use nim::wire::Ticket;
use tokio::net::TcpListener;

use super::{ben_and_annas, takes};
use crate::harness::pretender::{Pretender, entered};
use crate::harness::{Home, Network, Program, TestServer, seats};

#[tokio::test]
async fn a_seat_whose_file_cannot_be_rewritten_can_still_be_resumed() {
    let (listener, home) = (TcpListener::bind("127.0.0.1:0").await.unwrap(), Home::new());
    let seat = SavedSeat {
        server: listener.local_addr().unwrap().into(),
        others: Vec::new(),
        name: Name::clean("anna").unwrap(),
        code: "brave-otter".parse().unwrap(),
        player: PlayerId(1),
        variant: "java-tech:21".into(),
        opponent: None,
        ticket: Ticket::random(),
        over: false,
        turn: 1,
        happened: None,
    };
    let (folder, aside) = (home.path().join("state"), home.path().join("aside"));
    SeatStore::at(&folder).keep(&seat).unwrap();
    let mut anna = Program::client(&["resume", "--state", folder.to_str().unwrap()]);
    let mut host = Pretender::at(&listener).await;
    host.welcomes().await;
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(&folder, "").unwrap();
    host.says(&entered()).await;
    anna.until("Your move").await;
    anna.finish().await.fails(8, "nim-client resume goes on");
    assert_eq!(SeatStore::at(&aside).all().unwrap(), [seat]);
}

#[tokio::test]
async fn a_script_is_told_whether_its_seat_is_saved() {
    let (server, home) = (TestServer::start(), Home::new());
    let network = Network::before(server.address()).await;
    let state = home.path().join("state");
    std::fs::write(&state, "").unwrap();
    let flags = ["--json", "--state", state.to_str().unwrap()];
    let (mut ben, mut anna) = ben_and_annas(&server, &network, &flags).await;
    let told = anna.until(r#""event":"seat""#).await;
    assert!(told.contains(r#""kept":false"#) && told.contains(" is not a folder."), "{told}");
    std::fs::remove_file(&state).unwrap();
    takes(&mut ben, 1).await;
    let told = anna.until(r#""event":"seat""#).await;
    assert!(told.contains(r#""kept":true"#), "{told}");
    assert_eq!(seats(&state).len(), 1);
}
