//! "When someone leaves" and "If the host stops", replayed by real programs: each player sees what the pages
//! show.

use std::time::Duration;

use super::{blocks, typed};
use crate::harness::{Claim, Home, Program, Terminal, TestClient, TestServer, stopped_clock, take};

/// Compares the lines of a transcript one by one, and types the answers to questions.
async fn goes_through(terminal: &mut Terminal, transcript: &str) {
    for line in transcript.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        let (question, answer) = typed(line).unwrap_or((line, ""));
        terminal.until(question).await;
        if !answer.is_empty() {
            terminal.types(answer);
        }
    }
}

#[tokio::test]
async fn the_remaining_and_the_returning_player_see_what_the_page_shows() {
    let (stays, [returns]) = (blocks("You: take 1"), blocks("$ nim-client resume")[..].try_into().unwrap());
    let (before, after) = stays[0].split_once("A stand-in").unwrap();
    let (meanwhile, after) = after.split_once("anna is back.").unwrap();
    let (meanwhile, after) = (format!("A stand-in{meanwhile}"), format!("anna is back.{after}"));

    let _clock = stopped_clock();
    let server = TestServer::start();
    let home = Home::new();
    let mut ben = server.terminal("ben", &["--new", "java-tech:9", "--people-only"]);
    let code = ben.code().await;
    let mut anna = server.program("anna", &[["--join", &code], home.state()].concat());
    ben.until("Your move").await;
    anna.until("ben starts.").await;
    ben.asks("1", "You: take 1").await;
    anna.until("Your move").await;
    anna.dies().await;
    goes_through(&mut ben, before.split_once('\n').unwrap().1).await;
    tokio::time::advance(Duration::from_millis(10_001)).await;
    tokio::time::resume();
    goes_through(&mut ben, &meanwhile).await;

    let mut anna = Terminal::keeping(home.path(), &["resume"]);
    let (here, later) = returns.split_once("ben: take").unwrap();
    goes_through(&mut anna, here.split_once('\n').unwrap().1).await;
    goes_through(&mut ben, &after).await;
    goes_through(&mut anna, &format!("ben: take{later}")).await;
}

#[tokio::test]
async fn the_player_to_move_when_the_host_died_sees_what_the_page_shows() {
    let [shown] = blocks("ben: take 1")[..].try_into().unwrap();
    let (before, after) = shown.split_once("The server is back").unwrap();
    // The page does not fix how long the host takes to come back.
    let (after, then) = after.split_once(" for 2 seconds.").unwrap();
    let (back, later) = then.split_once("ben is back.").unwrap();

    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let (mut host, address) = Program::listening_server(&["--data", &data]).await;
    let mut ben = TestClient::at(address, "ben").await;
    let (code, place) = (ben.create("java-tech:21").await.to_string(), address.to_string());
    let mut anna = Terminal::client(&["connect", &place, "--name", "anna", "--join", &code]);
    ben.until_lobby(|lobby| lobby.to_move().is_some()).await;
    ben.play(take(1)).await;
    let (seen, lost) = before.split_once("The connection").unwrap();
    goes_through(&mut anna, seen).await;
    host.dies().await;
    goes_through(&mut anna, &format!("The connection{lost}")).await;

    let mut host = Program::server(&["--bind", &place, "--data", &data]);
    host.listens().await;
    goes_through(&mut anna, &format!("The server is back{after}")).await;
    goes_through(&mut anna, back).await;
    let mut late = TestClient::at(address, "late").await;
    late.tries(Claim { seen: 0, ..ben.claim() }.request()).await.unwrap();
    goes_through(&mut anna, &format!("ben is back.{later}")).await;
}
