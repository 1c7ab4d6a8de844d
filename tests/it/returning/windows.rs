//! Two windows of one person with a common folder: the newer window owns the seat and its file.

use nim::client::{SavedSeat, SeatStore};
use tokio::net::TcpListener;

use super::{begun, breaks, takes};
use crate::harness::pretender::Pretender;
use crate::harness::{Home, NetworkState, Program, Terminal, TestServer};

#[tokio::test]
async fn the_older_of_two_windows_ends_and_says_why() {
    let (home, _server, _network, mut ben, program) = begun(&[]).await;
    let mut newer = home.is_back(&[]).await;
    program.ended().await.fails(13, "over another connection");
    takes(&mut ben, 1).await;
    newer.until("Your move").await;
    assert_eq!(home.kept(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn an_old_window_that_wakes_up_leaves_the_seat_to_the_window_that_has_it() {
    let (home, _server, network, mut ben, older) = begun(&[]).await;
    // It is stopped while its connection breaks, and continues when another window has the seat.
    older.signal("STOP").await;
    breaks(&network, &mut ben).await;
    network.set(NetworkState::Up);
    let mut newer = home.is_back(&[]).await;
    let seats = SeatStore::at(home.path());
    let kept_by_newer = seats.all().unwrap();
    older.signal("CONT").await;
    older.ended().await.fails(13, "another window of yours has taken over your seat");
    assert_eq!(seats.all().unwrap(), kept_by_newer, "its ticket is still there");
    newer.dies().await;
    home.is_back(&[]).await;
}

/// Two windows of one login in one lobby: anna's, and ben's, who moves after her.
async fn two_windows(server: &TestServer, home: &Home) -> (Program, Program, String) {
    let opens = ["--new", "take:9:4", "--people-only"];
    let mut anna = server.program("anna", &[&opens, &home.state()[..]].concat());
    let code = anna.code().await;
    let mut ben = server.program("ben", &[["--join", &code], home.state()].concat());
    anna.until("You start.").await;
    ben.until("anna starts.").await;
    anna.asks("1", "You: take 1").await;
    ben.until("anna: take 1").await;
    (anna, ben, code)
}

#[tokio::test]
async fn resume_takes_the_seat_of_the_window_that_is_gone() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut anna, ben, code) = two_windows(&server, &home).await;
    let mut ben = Some(ben);
    for words in [&[][..], &[code.as_str()]] {
        ben.take().unwrap().dies().await;
        anna.until("ben is away").await;
        let mut again = home.is_back(words).await;
        again.until("Your move").await;
        anna.until("ben is back.").await;
        ben = Some(again);
    }
    anna.dies().await;
    home.resumes(&[]).until("anna against ben").await;
}

#[tokio::test]
async fn two_seats_of_one_lobby_are_told_apart_by_their_names() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut anna, mut ben, code) = two_windows(&server, &home).await;
    let held = home.resumed(&[&code]).await;
    assert_eq!(held.code, Some(11), "both windows live: {held:?}");
    assert_eq!(held.stderr.matches("another window has it").count(), 2, "{held:?}");
    anna.dies().await;
    ben.dies().await;
    for words in [&[][..], &[code.as_str()]] {
        let listed = home.resumed(words).await;
        assert_eq!(listed.code, Some(11), "{listed:?}");
        for name in ["anna", "ben"] {
            let command = format!("nim-client resume {code} --as {name} --state {}\n", home.path().display());
            assert!(listed.stderr.contains(&command), "{listed:?}");
        }
        assert!(!listed.stderr.contains("another window"), "{listed:?}");
    }
    let mut ben = home.is_back(&[&code, "--as", "ben"]).await;
    let mut anna = home.is_back(&[&code]).await;
    anna.types("say hello\n").await;
    ben.until("anna says: hello").await;
    let stranger = home.resumed(&["--as", "cleo"]).await;
    assert!(stranger.stderr.contains("you have no unfinished game as cleo"), "{stranger:?}");
}

#[tokio::test]
async fn an_invalid_seat_folder_is_named() {
    let (server, file) = (TestServer::start(), tempfile::NamedTempFile::new().unwrap());
    let state = file.path().to_str().unwrap();
    let mut anna = server.program("anna", &["--new", "take:9:4", "--bot", "--state", state]);
    anna.until(&format!("Your seat is not kept for nim-client resume: {state} is not a folder.")).await;
    anna.until("Your move").await;
}

#[tokio::test]
async fn a_seat_stays_saved_if_its_owner_exits_before_the_answer() {
    let (server, home) = (TestServer::start(), Home::new());
    let mut anna = server.program("anna", &[&["--new", "take:9:4", "--bot"], &home.state()[..]].concat());
    anna.until("Your move").await;
    anna.dies().await;
    let store = SeatStore::at(home.path());
    let seat = store.all().unwrap().remove(0);
    store.forget(&seat).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    store.keep(&SavedSeat { server: listener.local_addr().unwrap().into(), ..seat }).unwrap();
    let mut anna = Terminal::keeping(home.path(), &["resume"]);
    let mut silent = Pretender::at(&listener).await;
    silent.welcomes().await;
    anna.ends_input();
    anna.ended().await;
    assert_eq!(store.all().unwrap().len(), 1);
}
