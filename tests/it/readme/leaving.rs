//! "When someone leaves", played again by two real programs: what each of them sees is what the README shows.

use std::time::Duration;

use super::{blocks, typed};
use crate::harness::{Program, Terminal, TestServer, client, stopped_clock};

/// Sees the lines of a transcript one after the other, and types what follows a question.
pub(super) async fn goes_through(terminal: &mut Terminal, transcript: &str) {
    for line in transcript.lines().map(str::trim_end).filter(|line| !line.is_empty()) {
        let (question, answer) =
            typed(line).map_or((line, None), |(question, answer)| (question, Some(answer)));
        terminal.until(question).await;
        if let Some(answer) = answer.filter(|answer| !answer.is_empty()) {
            terminal.types(answer);
        }
    }
}

#[tokio::test]
async fn the_one_who_stays_and_the_one_who_comes_back_see_what_the_readme_shows() {
    let (stays, [returns]) = (blocks("You: take 1"), blocks("$ nim-client resume")[..].try_into().unwrap());
    let (before, after) = stays[0].split_once("A stand-in").unwrap();
    let (meanwhile, after) = after.split_once("anna is back.").unwrap();
    let (meanwhile, after) = (format!("A stand-in{meanwhile}"), format!("anna is back.{after}"));

    let _clock = stopped_clock();
    let server = TestServer::start();
    let address = server.address().to_string();
    let folder = tempfile::tempdir().unwrap();
    let mut ben = server.terminal("ben", &["--new", "java-tech:9", "--people-only"]);
    let code = ben.code().await;
    let joins = ["connect", &address, "--name", "anna", "--join", &code];
    let mut anna = Program::spawn(client(&joins).env("NIM_STATE", folder.path()));
    ben.until("Your move").await;
    anna.until("ben starts.").await;
    ben.asks("1", "You: take 1").await;
    anna.until("Your move").await;
    anna.dies().await;
    goes_through(&mut ben, before.split_once('\n').unwrap().1).await;
    tokio::time::advance(Duration::from_millis(10_001)).await;
    tokio::time::resume();
    goes_through(&mut ben, &meanwhile).await;

    let mut anna = Terminal::keeping(folder.path(), &["resume"]);
    let (here, later) = returns.split_once("ben: take").unwrap();
    goes_through(&mut anna, here.split_once('\n').unwrap().1).await;
    goes_through(&mut ben, &after).await;
    goes_through(&mut anna, &format!("ben: take{later}")).await;
}
