//! A full disk of a player: the seat file from before stays valid, and the seat is saved again once there is
//! room.

use std::path::{Path, PathBuf};

use super::{begun, ben_and_annas, breaks, sees_away, sees_back, takes};
use crate::harness::{Home, Network, NetworkState, TestServer, seats};

/// The files of the saved seats in this folder, or those beside the games in it.
fn all_seats(state: &Path) -> Vec<PathBuf> {
    let games = std::fs::read_dir(state.join("play")).into_iter().flatten().map(|game| game.unwrap().path());
    games.chain([state.to_owned()]).flat_map(|folder| seats(&folder)).collect()
}

/// Prevents new seat files here until it is dropped: a folder has their temporary name.
struct Full(Vec<PathBuf>);

impl Full {
    fn at(state: &Path) -> Self {
        let places: Vec<PathBuf> = all_seats(state).iter().map(|seat| seat.with_extension("new")).collect();
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
async fn a_seat_can_be_resumed_after_repeated_returns_with_a_full_disk() {
    let (home, _server, network, mut ben, mut anna) = begun(&[]).await;
    takes(&mut ben, 1).await;
    anna.until("Your move").await;
    let (full, file) = (Full::at(home.path()), seats(home.path()).remove(0));
    let before = std::fs::read(&file).unwrap();
    for _ in 0..3 {
        breaks(&network, &mut ben).await;
        network.set(NetworkState::Up);
        anna.until("You are back in your seat.").await;
        sees_back(&mut ben).await;
    }
    anna.dies().await;
    sees_away(&mut ben).await;
    assert_eq!(std::fs::read(&file).unwrap(), before);
    // Another run has no room either.
    for _ in 0..2 {
        let mut anna = home.is_back(&[]).await;
        anna.dies().await;
    }
    drop(full);
    let mut anna = home.is_back(&[]).await;
    anna.asks("1", "You: take 1").await;
    assert_ne!(std::fs::read(&file).unwrap(), before);
}

#[tokio::test]
async fn a_local_game_can_be_resumed_when_its_seat_file_cannot_be_rewritten() {
    for flags in [&["--starts", "me", "--bot-pace", "0ms"][..], &["--two", "--other", "ben"]] {
        let home = Home::new();
        let play = ["play", "java-tech:9", "--name", "anna"];
        let mut game = home.runs(&[&play[..], flags].concat());
        game.until(" (").await;
        game.asks("1", ": take 1").await;
        game.dies().await;
        let full = Full::at(home.path());
        for _ in 0..2 {
            let mut game = home.resumes(&[]);
            game.until("So far: ").await;
            game.until(" (").await;
            game.dies().await;
        }
        drop(full);
        for _ in 0..2 {
            let mut game = home.resumes(&[]);
            game.until("You are back").await;
            game.dies().await;
        }
    }
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
