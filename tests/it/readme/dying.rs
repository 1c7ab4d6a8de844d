//! "If the host dies", played again: a real host is killed, and what a player sees is what the README shows.

use super::blocks;
use super::leaving::goes_through;
use crate::harness::{Claim, Heaps, Program, Terminal, TestClient, first_move};

/// A host on this address, which keeps its games in this folder.
async fn hosts(address: &str, data: &str) -> (Program, String) {
    let mut host = Program::server(&["--bind", address, "--data", data]);
    let line = host.line().await;
    (host, line.strip_prefix("listening on ").unwrap().to_owned())
}

#[tokio::test]
async fn the_player_to_move_when_the_host_died_sees_what_the_readme_shows() {
    let [shown] = blocks("ben: take 1")[..].try_into().unwrap();
    let (before, after) = shown.split_once("The host was away").unwrap();
    // How long it takes the host to come back is not the README's to say.
    let (after, then) = after.split_once(" for 2 seconds.").unwrap();
    let (back, later) = then.split_once("ben is back.").unwrap();

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let (mut host, address) = hosts("127.0.0.1:0", &data).await;
    let mut ben = TestClient::at(address.parse().unwrap(), "ben").await;
    let code = ben.create("java-tech:21").await.to_string();
    let mut anna = Terminal::client(&["connect", &address, "--name", "anna", "--join", &code]);
    ben.until_lobby(|lobby| lobby.to_move().is_some()).await;
    ben.play(first_move(&Heaps::of("java-tech:21"))).await;
    let (seen, lost) = before.split_once("The connection").unwrap();
    goes_through(&mut anna, seen).await;
    host.dies().await;
    goes_through(&mut anna, &format!("The connection{lost}")).await;

    let (_host, _) = hosts(&address, &data).await;
    goes_through(&mut anna, &format!("The host was away{after}")).await;
    goes_through(&mut anna, back).await;
    let mut late = TestClient::at(address.parse().unwrap(), "late").await;
    late.tries(Claim { seen: 0, ..ben.claim() }.request()).await.unwrap();
    goes_through(&mut anna, &format!("ben is back.{later}")).await;
}
