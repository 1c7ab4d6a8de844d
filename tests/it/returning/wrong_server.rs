//! A server that does not know the lobby: it may be another one, temporarily at the address of the right
//! one.

use super::{PATIENT, begun, breaks, sees_back};
use crate::harness::{Home, Network, NetworkState, Program, TestClient, TestServer};

/// Ben, and the program of anna, who reaches another server in place of ben's.
async fn led_astray(flags: &[&str]) -> (Home, [TestServer; 2], Network, TestClient, Program) {
    let other = TestServer::start();
    let (home, server, network, mut ben, program) = begun(flags).await;
    breaks(&network, &mut ben).await;
    network.leads_to(other.address());
    network.set(NetworkState::Up);
    (home, [server, other], network, ben, program)
}

#[tokio::test]
async fn a_client_waits_until_the_right_server_is_back() {
    let (home, [server, _other], network, mut ben, mut program) = led_astray(&PATIENT).await;
    let line = program.until("You are not back yet: no lobby has this code").await;
    assert!(line.contains("your seat is kept until the right one is back"), "{line}");
    assert_eq!(home.kept(), 1);
    network.set(NetworkState::Down);
    network.leads_to(server.address());
    network.set(NetworkState::Up);
    program.until("You are back in your seat.").await;
    sees_back(&mut ben).await;
}

#[tokio::test]
async fn a_player_who_stops_waiting_for_the_right_server_keeps_the_seat() {
    let (home, _servers, _network, _ben, program) = led_astray(&["--give-up", "500ms"]).await;
    let ended = program.finish().await;
    ended.fails(11, "you cannot come back to your seat now: no lobby has this code");
    assert!(ended.stderr.contains("The seat is still kept: nim-client resume tries again"), "{ended:?}");
    assert_eq!(home.kept(), 1);

    let (home, _servers, _network, _ben, mut program) = led_astray(&PATIENT).await;
    program.until("You are not back yet").await;
    program.types("quit\n").await;
    assert_eq!((program.ended().await.code, home.kept()), (Some(7), 1));
}

#[tokio::test]
async fn a_script_is_told_why_it_is_not_back_yet() {
    let (_home, _servers, _network, _ben, mut program) = led_astray(&["--json"]).await;
    let told = program.until(r#""event":"refused""#).await;
    assert!(told.contains(r#""request":null,"refusal":"no_such_lobby""#), "{told}");
}

#[tokio::test]
async fn resume_keeps_the_seat_that_a_wrong_server_does_not_know() {
    let (home, [server, _other], network, mut ben, mut program) = led_astray(&PATIENT).await;
    program.until("You are not back yet").await;
    program.dies().await;
    home.resumed(&[]).await.fails(11, "The seat is still kept");
    assert_eq!(home.kept(), 1);
    network.leads_to(server.address());
    home.is_back(&[]).await;
    sees_back(&mut ben).await;
}
