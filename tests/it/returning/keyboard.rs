//! Games at one keyboard, and the program that is killed or closed in the middle of them.

use std::path::Path;

use crate::harness::{Finished, Program};

/// The program with a folder of its own for what it keeps.
fn program(state: &Path, arguments: &[&str]) -> Program {
    Program::client(&[arguments, &["--state", state.to_str().unwrap()]].concat())
}

fn games(state: &Path) -> usize {
    std::fs::read_dir(state.join("play")).map_or(0, Iterator::count)
}

/// How it ends that somebody would go on with what is kept here.
async fn resumed(state: &Path, arguments: &[&str]) -> Finished {
    program(state, &[&["resume"], arguments].concat()).finish().await
}

/// A game against the bot in which both have moved.
async fn begun(state: &Path, name: &str) -> Program {
    let flags = ["play", "java-tech:9", "--starts", "me", "--bot-pace", "0ms", "--name", name];
    let mut game = program(state, &flags);
    game.until("Your move").await;
    game.types("2\n").await;
    game.until("minimax [bot, perfect]: take").await;
    game.until("Your move").await;
    game
}

#[tokio::test]
async fn a_game_against_the_bot_goes_on_after_the_program_was_killed() {
    let state = tempfile::tempdir().unwrap();
    for _ in 0..2 {
        begun(state.path(), "anna").await.dies().await;
        let mut game = program(state.path(), &["resume"]);
        game.until("So far: take 2, take ").await;
        game.until("You are back in your seat.").await;
        game.plays("1").await;
        game.types("quit\n").await;
        assert_eq!(game.finish().await.code, Some(0));
        assert_eq!(games(state.path()), 0, "a game that is over is not kept");
    }
    let nothing = resumed(state.path(), &[]).await;
    assert!(nothing.code == Some(11) && nothing.stderr.contains("no seat of yours is kept"), "{nothing:?}");
}

#[tokio::test]
async fn two_at_one_keyboard_are_both_back_in_their_seats() {
    let state = tempfile::tempdir().unwrap();
    let flags = ["play", "java-tech:9", "--two", "--name", "anna", "--other", "ben"];
    let mut game = program(state.path(), &flags);
    game.types("1\n2\n").await;
    game.until("ben: take 2").await;
    game.until("move (").await;
    game.dies().await;
    // Not only once: each return has a ticket of its own.
    for _ in 0..2 {
        let mut game = program(state.path(), &["resume"]);
        game.until("anna against ben.").await;
        game.until("So far: take 1, take 2.").await;
        game.until("anna's move").await;
        game.dies().await;
    }
    let mut game = program(state.path(), &["resume"]);
    game.types("3\n3\nno\n").await;
    game.until("ben: take 3").await;
    assert_eq!(game.finish().await.code, Some(0));
    assert_eq!(games(state.path()), 0);
}

#[tokio::test]
async fn the_end_of_the_input_keeps_a_game_and_a_typed_quit_does_not() {
    let state = tempfile::tempdir().unwrap();
    let ended = begun(state.path(), "anna").await.finish().await;
    assert_eq!(ended.code, Some(8));
    assert!(ended.stderr.contains("The game is kept: nim-client resume goes on."), "{ended:?}");
    let mut again = program(state.path(), &["resume"]);
    again.types("quit\n").await;
    assert_eq!((again.finish().await.code, games(state.path())), (Some(0), 0));
}

#[tokio::test]
async fn two_games_at_once_are_kept_apart_and_one_that_is_open_is_nobody_elses() {
    let state = tempfile::tempdir().unwrap();
    let (mut annas, mut bens) = (begun(state.path(), "anna").await, begun(state.path(), "ben").await);
    let which = resumed(state.path(), &[]).await;
    assert_eq!(which.code, Some(11));
    assert!(which.stderr.contains("several seats of yours are kept; say which one"), "{which:?}");
    let lines: Vec<&str> = which.stderr.lines().collect();
    let line = |name: &str| lines.iter().position(|line| line.contains(name)).unwrap();
    let annas_game = lines[line("anna against minimax [bot], at this keyboard")];
    assert!(
        annas_game.contains("java-tech:9") && annas_game.ends_with("; another window has it"),
        "{which:?}"
    );
    let code = lines[line("ben against") - 1].split_whitespace().nth(2).unwrap().to_owned();
    let open = resumed(state.path(), &[&code]).await;
    assert!(open.code == Some(1) && open.stderr.contains("process"), "{open:?}");
    annas.dies().await;
    bens.dies().await;
    let mut back = program(state.path(), &["resume", &code]);
    back.until("ben against minimax").await;
    back.plays("1").await;
}

#[tokio::test]
async fn of_games_that_nobody_comes_back_to_only_the_last_are_kept() {
    let state = tempfile::tempdir().unwrap();
    for number in 1..=30 {
        std::fs::create_dir_all(state.path().join(format!("play/game-{number}"))).unwrap();
    }
    begun(state.path(), "anna").await.dies().await;
    assert_eq!(games(state.path()), 20);
    assert_eq!(resumed(state.path(), &[]).await.code, Some(8), "the last one is among them");
}

#[tokio::test]
async fn a_game_that_cannot_be_kept_is_played_all_the_same() {
    let state = tempfile::tempdir().unwrap();
    let file = state.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let mut game = begun(&file, "anna").await;
    game.until_error("this game is not kept for another time: ").await;
    game.types("1\n").await;
    game.plays("1").await;
}
