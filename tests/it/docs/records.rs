//! "Records", replayed: two people play on a real host, and the commands print what the page shows.

use nim::record::Span;

use super::{printed, steps};
use crate::harness::{Program, TestClient, join, take, terms};

/// The host's address on the page.
const HOST: &str = "192.168.1.7";

/// A placeholder for the minute in which a game began.
fn without_minute(line: &str) -> String {
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | ':' | ' '));
    let minute = (0..line.len().saturating_sub(15)).find(|&at| {
        line.get(at..at + 16).is_some_and(|part| digits(part) && part.starts_with("20") && part.contains(':'))
    });
    minute.map_or_else(|| line.into(), |at| format!("{}MINUTE{}", &line[..at], &line[at + 16..]))
}

/// A placeholder for the time of a move.
fn without_time(line: String) -> String {
    let is_time = |part: &str| part.strip_suffix(')').is_some_and(|time| time.parse::<Span>().is_ok());
    match line.rsplit_once(" (") {
        Some((words, part)) if is_time(part) => format!("{words} (TIME)"),
        _ => line,
    }
}

#[tokio::test]
async fn records_are_listed_exported_and_verified_as_the_page_shows() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data").to_str().unwrap().to_owned();
    let (_host, address) = Program::listening_server(&["--data", &data, "--seed", "7"]).await;
    let [mut anna, mut ben] = [TestClient::at(address, "anna").await, TestClient::at(address, "ben").await];
    let code = anna.create_on(terms("java-tech:9")).await;
    ben.tries(join(code)).await.unwrap();
    for (turn, count) in (1..).zip([3, 2, 1, 2, 1]) {
        let player = if turn % 2 == 1 { &mut anna } else { &mut ben };
        player.until_lobby(|lobby| lobby.turn() == turn && lobby.to_move().is_some()).await;
        player.play(take(count)).await;
    }
    anna.result().await;

    let address = address.to_string();
    assert_ne!(steps("$ nim-client record").count(), 0);
    for (command, text) in steps("$ nim-client record") {
        let printed = printed("sh", folder.path(), &command.replace(HOST, &address));
        let lines = |text: &str| text.lines().map(without_minute).map(without_time).collect::<Vec<_>>();
        assert_eq!(lines(&printed), lines(text), "{command}");
    }
}
