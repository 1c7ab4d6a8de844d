//! Several saved games: a person is asked which one to resume, and forgets old ones together.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

#[cfg(unix)]
use crate::harness::Terminal;
use crate::harness::{Home, TestServer, seats};

const DAY: u64 = 24 * 60 * 60;

/// Two games against the bot that were left, of anna and then of ben. Returns the folders of both.
async fn two_games(home: &Home) -> [PathBuf; 2] {
    for name in ["anna", "ben"] {
        let flags = ["play", "java-tech:9", "--starts", "me", "--bot-pace", "0ms", "--name", name];
        let mut game = home.runs(&flags);
        game.asks("2", "minimax [bot, perfect]: take").await;
        game.quits().await;
    }
    [1, 2].map(|number| home.path().join(format!("play/game-{number}")))
}

/// Makes the last move in this folder's game this many days older.
fn ages(folder: &std::path::Path, days: u64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for file in seats(folder) {
        let mut seat: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        assert!(now - seat["happened"].as_u64().unwrap() < DAY, "{seat}");
        seat["happened"] = (now - days * DAY).into();
        std::fs::write(&file, seat.to_string()).unwrap();
    }
}

#[cfg(unix)]
#[tokio::test]
async fn at_a_terminal_resume_asks_which_game() {
    let home = Home::new();
    two_games(&home).await;
    let which = "Which game (1 to 2, a code, or Enter for none)?";
    let mut anna = Terminal::keeping(home.path(), &["resume"]);
    anna.until(" 2  java-tech:9 against minimax [bot], in ").await;
    anna.until(" here, ").await;
    anna.until(" 1  ").await;
    anna.until(which).await;
    anna.asks("3", "There is no 3 in the list.").await;
    anna.until(which).await;
    anna.asks("what", "what: neither a number of the list nor a code.").await;
    anna.until(which).await;
    anna.asks("2", "anna against minimax").await;
    anna.until("You are back in your seat.").await;
    anna.gives_up().await;
    // Only one is left.
    let mut ben = Terminal::keeping(home.path(), &["resume"]);
    ben.until("ben against minimax").await;
    ben.gives_up().await;
    // An empty answer resumes nothing, and so does the end of the input.
    two_games(&home).await;
    for (ends, code) in [(false, 0), (true, 11)] {
        let mut nobody = Terminal::keeping(home.path(), &["resume"]);
        nobody.until(which).await;
        if ends {
            nobody.ends_input();
        } else {
            nobody.types("");
        }
        assert_eq!(nobody.ended().await.0, code);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn the_game_to_resume_can_be_named_by_its_code_and_the_last_played_one_is_first() {
    let home = Home::new();
    let [first, second] = two_games(&home).await;
    ages(&first, 2);
    ages(&second, 5);
    // The order is that of the shown time, not of the last visit.
    home.is_back(&["--as", "ben"]).await.quits().await;
    let mut anna = Terminal::keeping(home.path(), &["resume"]);
    anna.until(" 2  java-tech:9 against minimax [bot], in ").await;
    let oldest = anna.until(" here, 5 days").await;
    // The newest is next to the question.
    anna.until(" 1  java-tech:9 against minimax [bot], in ").await;
    let newest = anna.until(" here, 2 days").await;
    let code = oldest.split(' ').next().unwrap().to_owned();
    assert!(!newest.contains(&code), "{newest}");
    anna.until("Enter for none)?").await;
    anna.asks(&code, "ben against minimax").await;
    // A game that is open in a window is not offered in another one.
    let mut other = Terminal::keeping(home.path(), &["resume"]);
    other.until("anna against minimax").await;
    other.gives_up().await;
    anna.gives_up().await;
}

#[tokio::test]
async fn the_list_says_when_a_game_was_last_played_and_old_ones_are_forgotten_together() {
    let home = Home::new();
    let [first, second] = two_games(&home).await;
    ages(&first, 8);
    ages(&second, 6);
    // Coming back alone is not playing.
    home.is_back(&["--as", "anna"]).await.quits().await;
    let listed = home.resumed(&[]).await;
    listed.fails(11, "anna against minimax [bot], at this keyboard, last played 8 days ");
    listed.fails(11, "ben against minimax [bot], at this keyboard, last played 6 days ");
    let told = home.resumed(&["--forget-old", "7d"]).await;
    assert_eq!((told.code, told.stdout.as_str()), (Some(0), "Saved seats: 1 forgotten, 1 kept.\n"));
    let mut game = home.is_back(&[]).await;
    game.asks("1", "You: take 1").await;
    game.until("minimax [bot, perfect]: take").await;
    game.quits().await;
    let told = home.resumed(&["--forget-old", "1h"]).await;
    assert_eq!(told.stdout, "Saved seats: 0 forgotten, 1 kept.\n", "it was played just now");
    home.resumed(&["--forget-old", "0s"]).await;
    home.resumed(&[]).await.fails(11, "you have no unfinished game");
}

#[cfg(unix)]
#[tokio::test]
async fn two_seats_in_one_lobby_are_offered_with_their_names() {
    let (server, home) = (TestServer::start(), Home::new());
    let address = server.address().to_string();
    let mut anna = home.runs(&["connect", &address, "--name", "anna", "--new", "take:9:4", "--starts", "me"]);
    let code = anna.code().await;
    let mut ben = home.runs(&["connect", &address, "--name", "ben", "--join", &code]);
    ben.until("against").await;
    anna.quits().await;
    ben.quits().await;
    two_games(&home).await;
    let mut either = Terminal::keeping(home.path(), &["resume", &code]);
    let listed = either.until("Which game (1 to 2, a code, or Enter for none)?").await;
    assert!(
        listed.contains("as anna: take:9:4:normal against ben")
            && listed.contains("as ben: take:9:4:normal against anna")
    );
    assert!(!listed.contains("java-tech"), "{listed}");
    let number = if listed.contains("1  as ben") { "1" } else { "2" };
    either.asks(number, "You are back in your seat.").await;
    either.gives_up().await;
    // In a pipe the two are listed with their commands.
    let told = home.resumed(&[&code, "--as", "nobody"]).await;
    told.fails(11, "anna against ben");
}

#[cfg(unix)]
#[tokio::test]
async fn the_only_seat_of_a_game_that_is_over_is_opened_only_if_the_person_wants_it() {
    let (server, home) = (TestServer::start(), Home::new());
    let address = server.address().to_string();
    let mut ben = server.client("ben").await;
    let code = ben.create("take:9:4").await.to_string();
    let script = ["connect", &address, "--name", "dice", "--join", &code, "--json"];
    let mut dice = home.runs(&script);
    ben.until_playing().await;
    ben.resigns().await;
    dice.until("\"event\":\"over\"").await;
    dice.dies().await;
    let mut anna = Terminal::keeping(home.path(), &["resume"]);
    anna.until("No game is in progress. This one is over:").await;
    anna.until(" 1  take:9:4:normal against ben").await;
    anna.asks("", "").await;
    assert_eq!(anna.ended().await.0, 0);
    let mut anna = Terminal::keeping(home.path(), &["resume"]);
    anna.until("Return to it (1, or Enter for no)?").await;
    anna.asks("1", "You are back in your seat.").await;
}
