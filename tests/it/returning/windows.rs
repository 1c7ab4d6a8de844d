//! One person with two windows that share a folder: the seat is the newer one's, and so is what is kept of it.

use nim::lobby::Loss;

use super::{ben_and_annas, kept, sees_away, takes};
use crate::harness::{Network, Program, TestServer, Weather};

#[tokio::test]
async fn the_older_of_two_windows_ends_and_says_why() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let network = Network::before(server.address()).await;
    let state = ["--state", folder.path().to_str().unwrap()];
    let (mut ben, mut program) = ben_and_annas(&server, &network, &state).await;
    program.until("ben starts.").await;
    let mut newer = Program::client(&[&["resume"], &state[..]].concat());
    newer.until("You are back in your seat.").await;
    let older = program.ended().await;
    assert_eq!(older.code, Some(13));
    assert!(older.stderr.contains("over another connection"), "{}", older.stderr);
    takes(&mut ben, 1).await;
    newer.until("Your move").await;
    assert_eq!(kept(folder.path()), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn an_old_window_that_wakes_up_leaves_the_seat_to_the_window_that_has_it() {
    let (server, folder) = (TestServer::start(), tempfile::tempdir().unwrap());
    let network = Network::before(server.address()).await;
    let state = ["--state", folder.path().to_str().unwrap()];
    let (mut ben, mut older) = ben_and_annas(&server, &network, &state).await;
    older.until("ben starts.").await;
    // It sleeps while its connection breaks, and wakes up when the seat is another window's.
    older.signal("STOP").await;
    network.becomes(Weather::Down);
    sees_away(&mut ben, Loss::Closed).await;
    network.becomes(Weather::Fair);
    let mut newer = Program::client(&[&["resume"], &state[..]].concat());
    newer.until("You are back in your seat.").await;
    let seats = nim::client::Seats::at(folder.path());
    let kept_by_newer = seats.all().unwrap();
    older.signal("CONT").await;
    let ended = older.ended().await;
    assert_eq!(ended.code, Some(13), "{ended:?}");
    assert!(ended.stderr.contains("another window of yours has taken over your seat"), "{ended:?}");
    assert_eq!(seats.all().unwrap(), kept_by_newer, "its ticket is still there");
    newer.dies().await;
    let mut again = Program::client(&[&["resume"], &state[..]].concat());
    again.until("You are back in your seat.").await;
}
