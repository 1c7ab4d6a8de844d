//! Seats that are not kept any more: what has become of them is said, they are forgotten, and so are others
//! that somebody names.

use std::path::Path;
use std::time::Duration;

use nim::lobby::Phase;
use nim::wire::LobbyRequest;

use super::{ben_and_annas, kept};
use crate::harness::{Finished, Network, NetworkState, Program, TestServer};
use crate::storage::memory::Memory;

/// How long seats are kept here where nobody waits: no time at all.
const AT_ONCE: Duration = Duration::from_millis(1);

fn keeping(memory: &Memory) -> TestServer {
    TestServer::keeping(memory.clone(), |config| config.seats_kept = AT_ONCE)
}

async fn resume(folder: &Path, words: &[&str]) -> Finished {
    Program::client(&[&["resume", "--state", folder.to_str().unwrap()], words].concat()).ended().await
}

#[tokio::test]
async fn a_player_who_won_while_away_learns_it_even_from_a_restarted_server() {
    for restarts in [false, true] {
        let (memory, folder) = (Memory::default(), tempfile::tempdir().unwrap());
        let mut server = keeping(&memory);
        let network = Network::before(server.address()).await;
        let state = ["--state", folder.path().to_str().unwrap()];
        let (mut ben, mut program) = ben_and_annas(&server, &network, &state).await;
        program.until("ben starts.").await;
        program.dies().await;
        super::sees_away(&mut ben, nim::lobby::Loss::Closed).await;
        let code = ben.lobby().code();
        ben.ask(LobbyRequest::Leave).await;
        server.lobby_is_freed(code).await;
        if restarts {
            server.interrupt();
            drop(ben);
            server.stopped().await;
            server = keeping(&memory);
            network.leads_to(server.address());
        }
        let ended = resume(folder.path(), &[]).await;
        assert_eq!(ended.code, Some(11), "{ended:?}");
        let told = format!(
            "the last game in {code} is over, and your seat there is not kept any more: you won, ben left"
        );
        assert!(ended.stderr.contains(&told), "{ended:?}");
        assert_eq!(kept(folder.path()), 0, "nobody comes back to it");
    }
}

#[tokio::test]
async fn a_seat_in_a_lobby_that_was_closed_without_a_game_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let server = TestServer::with(|config| config.seats_kept = AT_ONCE);
    let address = server.address().to_string();
    let state = ["--state", folder.path().to_str().unwrap()];
    let opens = ["connect", &address, "--name", "anna", "--new", "take:9:4", "--people-only"];
    let mut anna = Program::client(&[&opens[..], &state].concat());
    let line = anna.until("Waiting in ").await;
    let code = line.split(' ').nth(2).unwrap().to_owned();
    anna.dies().await;
    server.lobby_is_freed(code.parse().unwrap()).await;
    let ended = resume(folder.path(), &[]).await;
    assert_eq!((ended.code, kept(folder.path())), (Some(11), 0), "{ended:?}");
    assert!(ended.stderr.contains("was given up, since nobody came back to it in time"), "{ended:?}");
}

#[tokio::test]
async fn a_seat_is_forgotten_by_name_but_not_under_a_living_window() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let network = Network::before(server.address()).await;
    let state = ["--state", folder.path().to_str().unwrap()];
    let mut codes = Vec::new();
    for _ in 0..2 {
        let (ben, mut program) = ben_and_annas(&server, &network, &state).await;
        program.until("ben").await;
        program.dies().await;
        codes.push(ben.lobby().code().to_string());
    }
    let several = resume(folder.path(), &[]).await;
    assert!(several.stderr.contains("With --forget behind it"), "{several:?}");
    let forgotten = resume(folder.path(), &["--forget", &codes[0]]).await;
    assert_eq!((forgotten.code, kept(folder.path())), (Some(0), 1), "{forgotten:?}");
    assert!(forgotten.stdout.contains(&format!("Your seat in {} is forgotten here.", codes[0])));
    let mut again = Program::client(&[&["resume"], &state[..]].concat());
    again.until("You are back in your seat.").await;
    let open = resume(folder.path(), &["--forget", &codes[1]]).await;
    assert_eq!((open.code, kept(folder.path())), (Some(11), 1), "{open:?}");
    assert!(open.stderr.contains("type leave there"), "{open:?}");
}

#[tokio::test]
async fn a_file_that_is_no_seat_any_more_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (damage, name) in [("", "a.seat"), ("{\"server\":", "b.seat")] {
        std::fs::write(folder.path().join(name), damage).unwrap();
        let none = resume(folder.path(), &[]).await;
        assert_eq!(none.code, Some(11));
        assert!(none.stderr.contains("cannot be read") && none.stderr.contains(name), "{none:?}");
    }
}

#[tokio::test]
async fn a_client_that_does_not_reconnect_says_that_the_seat_is_kept() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let network = Network::before(server.address()).await;
    let flags = ["--give-up", "0", "--state", folder.path().to_str().unwrap()];
    let (ben, mut program) = ben_and_annas(&server, &network, &flags).await;
    assert_eq!(ben.lobby().phase(), Phase::Playing);
    program.until("ben starts.").await;
    network.set(NetworkState::Down);
    let ended = program.ended().await;
    assert_eq!(ended.code, Some(7));
    assert!(ended.stderr.contains("Your seat is kept for a while: nim-client resume goes on."), "{ended:?}");
    network.set(NetworkState::Up);
    let mut again = Program::client(&["resume", "--state", folder.path().to_str().unwrap()]);
    again.until("You are back in your seat.").await;
}
