//! A server that does not know the lobby: it may be another one, which stands where the right one was and
//! will be again.

use std::path::Path;

use nim::lobby::Loss;

use super::{ben_and_annas, kept, patient, sees_away, sees_back};
use crate::harness::{Network, NetworkState, Program, TestServer};

/// Ben, and the program of anna, who cannot reach ben's server any more, but another one in its place.
async fn led_astray(
    flags: &[&str],
    folder: &Path,
) -> (TestServer, TestServer, Network, crate::harness::TestClient, Program) {
    let (server, other) = (TestServer::start(), TestServer::start());
    let network = Network::before(server.address()).await;
    let flags = patient(folder, flags);
    let (mut ben, mut program) = ben_and_annas(&server, &network, &flags).await;
    program.until(if flags.contains(&"--json") { r#""event":"started""# } else { "ben starts." }).await;
    network.set(NetworkState::Down);
    sees_away(&mut ben, Loss::Closed).await;
    network.leads_to(other.address());
    network.set(NetworkState::Up);
    (server, other, network, ben, program)
}

#[tokio::test]
async fn a_wrong_server_is_waited_out() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _other, network, mut ben, mut program) = led_astray(&[], folder.path()).await;
    let line = program.until("You are not back yet: no lobby has this code").await;
    assert!(line.contains("your seat is kept until the right one is back"), "{line}");
    assert_eq!(kept(folder.path()), 1);
    network.set(NetworkState::Down);
    network.leads_to(server.address());
    network.set(NetworkState::Up);
    program.until("You are back in your seat.").await;
    sees_back(&mut ben).await;
}

#[tokio::test]
async fn a_player_who_stops_waiting_for_the_right_server_keeps_the_seat_or_gives_it_up() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, _other, _network, _ben, program) = led_astray(&["--give-up", "500ms"], folder.path()).await;
    let ended = program.finish().await;
    assert_eq!(ended.code, Some(11), "{ended:?}");
    assert!(
        ended.stderr.contains("you cannot come back to your seat now: no lobby has this code"),
        "{ended:?}"
    );
    assert!(ended.stderr.contains("The seat is still kept: nim-client resume tries again"), "{ended:?}");
    assert_eq!(kept(folder.path()), 1);

    let folder = tempfile::tempdir().unwrap();
    let (_server, _other, _network, _ben, mut program) = led_astray(&[], folder.path()).await;
    program.until("You are not back yet").await;
    program.types("quit\n").await;
    assert_eq!(program.ended().await.code, Some(0));
    assert_eq!(kept(folder.path()), 0);
}

#[tokio::test]
async fn a_script_is_told_why_it_is_not_back_yet() {
    let folder = tempfile::tempdir().unwrap();
    let (_server, _other, _network, _ben, mut program) = led_astray(&["--json"], folder.path()).await;
    let told = program.until(r#""event":"refused""#).await;
    assert!(told.contains(r#""request":null,"refusal":"no_such_lobby""#), "{told}");
}

#[tokio::test]
async fn resume_keeps_the_seat_that_a_wrong_server_does_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let (server, _other, network, mut ben, mut program) = led_astray(&[], folder.path()).await;
    program.until("You are not back yet").await;
    program.dies().await;
    let resume = || Program::client(&["resume", "--state", folder.path().to_str().unwrap()]);
    let ended = resume().ended().await;
    assert_eq!(ended.code, Some(11), "{ended:?}");
    assert!(ended.stderr.contains("The seat is still kept"), "{ended:?}");
    assert_eq!(kept(folder.path()), 1);
    network.leads_to(server.address());
    resume().until("You are back in your seat.").await;
    sees_back(&mut ben).await;
}
