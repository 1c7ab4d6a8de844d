//! Leaving in the middle of a game: the game is kept for later, unless its player gives it up.

use nim::lobby::{Cause, ConnectionLoss, Event, Notice, Offer, Phase};
use nim::wire::{LobbyRequest, NewLobby};

use crate::harness::{Home, TestClient, TestServer, terms};
#[cfg(unix)]
use crate::harness::{Terminal, client};

/// ben in a lobby of his own on these terms, and the arguments with which anna joins it.
async fn invited(server: &TestServer, terms: NewLobby) -> (TestClient, Vec<String>) {
    let mut ben = server.client("ben").await;
    let (code, address) = (ben.create_on(terms).await.to_string(), server.address().to_string());
    (ben, ["connect", &address, "--name", "anna", "--join", &code].map(str::to_owned).into())
}

async fn sees_away(ben: &mut TestClient) {
    let closed = |notice: &Notice| matches!(notice, Notice::Away { loss: ConnectionLoss::Closed, .. });
    ben.until_notice(closed).await;
    assert_eq!(ben.lobby().phase(), Phase::Playing);
}

fn strs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn a_piped_quit_or_leave_keeps_the_game() {
    let (server, home) = (TestServer::start(), Home::new());
    for (face, lines) in [
        (None, "quit\n"),
        (None, "leave\nquit\n"),
        (Some("--json"), "{\"do\":\"quit\"}\n"),
        (Some("--json"), "{\"do\":\"leave\"}\n{\"do\":\"quit\"}\n"),
    ] {
        let (mut ben, words) = invited(&server, terms("take:9:4")).await;
        let mut anna = home.runs(&strs(&words).into_iter().chain(face).collect::<Vec<_>>());
        ben.until_playing().await;
        anna.types(lines).await;
        sees_away(&mut ben).await;
        let ended = anna.ended().await;
        assert_eq!((ended.code, home.kept()), (Some(0), 1), "{lines}: {ended:?}");
        assert!(
            face.is_some()
                || ended
                    .stdout
                    .contains("The game is kept, and a bot (beginner) moves for you after 10 seconds: ")
        );
        home.is_back(&[]).await.gives_up().await;
        ben.until_event(|event| matches!(event, Event::Left { .. })).await;
    }
}

#[tokio::test]
async fn a_script_gives_a_game_up_if_it_says_so() {
    let (server, home) = (TestServer::start(), Home::new());
    for (word, then) in [("quit", ""), ("leave", "{\"do\":\"quit\"}\n")] {
        let (mut ben, words) = invited(&server, terms("take:9:4")).await;
        let mut anna = home.runs(&[&strs(&words)[..], &["--json"]].concat());
        ben.until_playing().await;
        anna.types(format!("{{\"do\":\"{word}\",\"keep\":false}}\n{then}")).await;
        assert_eq!(ben.result().await.cause, Cause::Left);
        assert_eq!((anna.ended().await.code, home.kept()), (Some(0), 0), "{word}");
    }
}

#[tokio::test]
async fn a_script_that_leaves_and_keeps_the_game_is_in_the_hall_and_can_open_another_one() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut ben, words) = invited(&server, terms("take:9:4")).await;
    let mut anna = home.runs(&[&strs(&words)[..], &["--json"]].concat());
    ben.until_playing().await;
    anna.types("{\"do\":\"leave\"}\n").await;
    anna.until(r#""event":"outside""#).await;
    anna.until(r#""event":"lobbies""#).await;
    anna.until(r#""event":"hall""#).await;
    sees_away(&mut ben).await;
    anna.types("{\"do\":\"new\",\"variant\":\"nim:3-4-5\",\"bot\":\"at_once\"}\n").await;
    anna.until("your_turn").await;
    assert_eq!(anna.finish().await.code, Some(8));
    assert_eq!(home.kept(), 2, "both games can be resumed");
}

#[cfg(unix)]
#[tokio::test]
async fn at_a_terminal_quit_and_leave_ask_and_each_answer_does_what_it_says() {
    let (server, home) = (TestServer::start(), Home::new());
    for (word, answer, kept) in [
        ("quit", "", true),
        ("quit", "quit", true),
        ("leave", "keep", true),
        ("quit", "give up", false),
        ("leave", "g", false),
    ] {
        let (mut ben, words) = invited(&server, terms("take:9:4")).await;
        let mut anna = Terminal::keeping(home.path(), &strs(&words));
        ben.until_playing().await;
        anna.until("starts.").await;
        anna.asks(word, "Keep the game for later, give it up, or stay? [keep]: ").await;
        // Nothing else is an answer, and staying is one.
        anna.asks("3", "Type keep, give up or stay.").await;
        anna.asks("stay", "").await;
        anna.asks("why", "'s turn").await;
        anna.asks(word, "[keep]: ").await;
        anna.types(answer);
        if kept {
            sees_away(&mut ben).await;
        } else {
            assert_eq!(ben.result().await.cause, Cause::Left, "{word} {answer}");
        }
        if word == "leave" {
            anna.until("Type a code to join").await;
            anna.types("quit");
        }
        assert_eq!((anna.ended().await.0, home.kept()), (0, kept.into()), "{word} {answer}");
        if kept {
            home.is_back(&[]).await.gives_up().await;
        }
    }
}

#[cfg(unix)]
#[tokio::test]
async fn ctrl_c_at_a_terminal_asks_and_a_second_one_keeps_the_game() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut ben, words) = invited(&server, terms("take:9:4")).await;
    let mut anna = Terminal::keeping(home.path(), &strs(&words));
    ben.until_playing().await;
    anna.until("starts.").await;
    anna.interrupts();
    anna.until("[keep]: ").await;
    anna.interrupts();
    sees_away(&mut ben).await;
    assert_eq!((anna.ended().await.0, home.kept()), (0, 1));
}

#[cfg(unix)]
#[tokio::test]
async fn the_question_ends_with_the_game() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut ben, words) = invited(&server, terms("take:9:4")).await;
    let mut anna = Terminal::keeping(home.path(), &strs(&words));
    ben.until_playing().await;
    anna.until("starts.").await;
    anna.asks("quit", "[keep]: ").await;
    ben.ask(LobbyRequest::Resign).await;
    anna.until("Type again for another game, or quit: ").await;
    // The answer is a command now, and nothing can be lost.
    anna.asks("keep", "The game is over.").await;
    anna.quits().await;
    ben.until_event(|event| matches!(event, Event::Left { .. })).await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_game_that_cannot_be_saved_is_not_offered_to_be_kept() {
    let home = Home::new();
    let file = home.path().join("file");
    std::fs::write(&file, "no folder").unwrap();
    let arguments = ["play", "--plain", "java-tech:9", "--bot-pace", "0", "--starts", "me"];
    let command = client(&[&arguments[..], &["--state", file.to_str().unwrap()]].concat());
    let mut anna = Terminal::running(command.as_std());
    anna.until("Your move").await;
    anna.asks("2", "minimax [bot, perfect]: take").await;
    anna.until("Your move").await;
    anna.asks("quit", "The game cannot be kept").await;
    anna.until("Give the game up, or stay? [stay]: ").await;
    anna.asks("", "Your move").await;
    anna.asks("quit", "[stay]: ").await;
    anna.types("give up");
    assert_eq!(anna.ended().await.0, 0);
}

#[tokio::test]
async fn a_paused_game_stays_paused_when_its_players_leave() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut ben, words) = invited(&server, terms("take:9:4")).await;
    let mut anna = home.runs(&strs(&words));
    ben.until_playing().await;
    anna.until("starts.").await;
    ben.ask(LobbyRequest::Offer(Offer::Pause)).await;
    anna.until("asks to pause").await;
    anna.asks("yes", "The game is paused.").await;
    anna.quits().await;
    sees_away(&mut ben).await;
    let (mut ben, wire) = ben.reconnects(server.address()).await;
    drop(wire);
    let mut anna = home.is_back(&[]).await;
    anna.until("Type resume to continue the game: ").await;
    ben.returns().await;
    assert!(ben.lobby().is_paused());
    anna.asks("resume", "You resume the game.").await;
    anna.gives_up().await;
}

#[tokio::test]
async fn a_paused_game_at_this_keyboard_stays_paused() {
    let home = Home::new();
    let mut game = home.runs(&["play", "java-tech:9", "--starts", "me", "--bot-pace", "0"]);
    game.asks("2", "minimax [bot, perfect]: take").await;
    game.asks("pause", "The game is paused.").await;
    game.quits().await;
    for _ in 0..2 {
        let mut game = home.is_back(&[]).await;
        game.until("Type resume to continue the game: ").await;
        game.quits().await;
    }
    let mut game = home.is_back(&[]).await;
    game.asks("resume", "Your move").await;
    game.gives_up().await;
}

#[tokio::test]
async fn a_game_at_this_keyboard_in_which_nobody_has_moved_is_not_kept() {
    let home = Home::new();
    let mut game = home.runs(&["play", "java-tech:9", "--starts", "me"]);
    game.until("Your move").await;
    game.quits().await;
    home.resumed(&[]).await.fails(11, "you have no unfinished game");
}

/// The lines about the last game in this output.
fn farewells(shown: &str) -> Vec<&str> {
    let is_one = |line: &&str| line.contains("See it again with") || line.contains("The game is kept");
    shown.lines().filter(is_one).collect()
}

#[tokio::test]
async fn a_finished_game_leaves_a_line_with_the_result_and_a_command_that_shows_its_record() {
    let home = Home::new();
    let mut game = home.runs(&["play", "take:1:1", "--name", "anna", "--bot-pace", "0", "--starts", "me"]);
    game.asks("1", "Type again").await;
    game.types("quit\n").await;
    let ended = game.ended().await;
    let [line] = farewells(&ended.stdout)[..] else { panic!("{ended:?}") };
    assert_eq!(ended.stdout.lines().last(), Some(line));
    let (result, command) = line.split_once(" See it again with nim-client ").unwrap();
    assert_eq!(result, "You won: you took the last object.");
    let words: Vec<&str> = command.trim_end_matches('.').split(' ').collect();
    let again = home.runs(&words).finish().await;
    assert!(again.code == Some(0) && again.stdout.contains("take 1"), "{again:?}");
}

#[tokio::test]
async fn a_game_on_a_server_leaves_its_line_once_on_the_way_to_the_hall() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut ben, words) = invited(&server, terms("take:9:4")).await;
    let mut anna = home.runs(&strs(&words));
    ben.until_playing().await;
    anna.until("starts.").await;
    ben.ask(LobbyRequest::Resign).await;
    anna.until("Type again").await;
    anna.asks("leave", "You won: ben resigned. See it again with").await;
    anna.until("Type a code to join").await;
    anna.types("quit\n").await;
    let ended = anna.ended().await;
    let [line] = farewells(&ended.stdout)[..] else { panic!("{ended:?}") };
    let server = format!("nim-client record replay --server {} {}.", server.address(), words.last().unwrap());
    assert!(line.ends_with(&server), "{line}");
}

#[cfg(unix)]
#[tokio::test]
async fn a_game_that_is_given_up_or_kept_leaves_one_line() {
    let (server, home) = (TestServer::start(), Home::new());
    for (answer, line) in [
        ("give up", "See it again with nim-client record replay --server "),
        ("keep", "The game is kept, and a bot (beginner) moves for you after 10 seconds: nim-client resume "),
    ] {
        let (mut ben, words) = invited(&server, terms("take:9:4")).await;
        let mut anna = Terminal::keeping(home.path(), &strs(&words));
        ben.until_playing().await;
        anna.until("starts.").await;
        anna.asks("quit", "[keep]: ").await;
        anna.types(answer);
        let (code, screen) = anna.ended().await;
        let [told] = farewells(&screen)[..] else { panic!("{screen}") };
        assert!(code == 0 && told.contains(line), "{screen}");
        assert_eq!(screen.lines().last(), Some(told));
    }
}

#[tokio::test]
async fn every_way_to_leave_a_game_at_this_keyboard_prints_a_last_line() {
    let two = ["play", "take:9:4", "--two", "--name", "anna", "--other", "ben"];
    let bot = ["play", "java-tech:9", "--starts", "me", "--bot-pace", "0", "--name", "anna"];
    let nothing = "There is no move to keep, so there is no record.";
    for (flags, typed, last) in [
        (&bot[..], "quit\n", nothing),
        (&bot, "resign\nquit\n", &format!("You lost: you resigned. {nothing}")),
        (&two, "quit\n", nothing),
        (&two, "resign\nquit\n", &format!("ben won: anna resigned. {nothing}")),
        (&two, "1\nquit\n", "The game is kept: nim-client resume "),
        (&two, "1\nresign\nquit\n", "anna won: ben resigned. See it again with nim-client record replay "),
    ] {
        let home = Home::new();
        let mut game = home.runs(flags);
        game.types(typed).await;
        let ended = game.ended().await;
        let line = ended.stdout.lines().last().unwrap_or_default();
        assert!(ended.code == Some(0) && line.starts_with(last), "{typed:?}: {ended:?}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_match_at_this_keyboard_is_kept_between_two_games_and_goes_on() {
    let home = Home::new();
    let flags = ["play", "take:1:1", "--starts", "me", "--bot-pace", "0", "--best-of", "3", "--name", "anna"];
    let mut anna = Terminal::keeping(home.path(), &flags);
    anna.until("or help): ").await;
    anna.asks("1", "Score: you 1").await;
    anna.until("or quit: ").await;
    anna.asks("q", "The match stops here, and is kept for 30 days.").await;
    anna.until("Keep the match for later, give it up, or stay? [keep]: ").await;
    anna.asks("stay", "or quit: ").await;
    anna.asks("quit", "[keep]: ").await;
    anna.types("");
    let (code, screen) = anna.ended().await;
    let line = screen.lines().last().unwrap();
    let kept = line.strip_prefix("The match is kept: nim-client resume ");
    let lobby =
        kept.and_then(|rest| rest.strip_suffix(" returns to it.")).unwrap_or_else(|| panic!("{screen}"));
    assert_eq!(code, 0);
    let mut anna = Terminal::keeping(home.path(), &["resume", lobby]);
    anna.until("or quit: ").await;
    // The bot has the first move now, and the only one.
    anna.asks("again", "Score: ").await;
    anna.until("(best of 3).").await;
    anna.until("or quit: ").await;
    anna.asks("quit", "[keep]: ").await;
    anna.types("give up");
    let (code, screen) = anna.ended().await;
    let line = screen.lines().last().unwrap();
    assert!(
        code == 0 && line.starts_with("You gave the match up. See its last game again with "),
        "{screen}"
    );
    home.resumed(&[lobby]).await.fails(11, "you have no unfinished game");
}

#[cfg(unix)]
#[tokio::test]
async fn a_match_on_a_server_is_kept_between_two_games() {
    let (server, home) = (TestServer::start(), Home::new());
    let conditions = NewLobby { best_of: 3, ..terms("take:9:4") };
    let (mut ben, words) = invited(&server, conditions).await;
    let mut anna = Terminal::keeping(home.path(), &strs(&words));
    ben.until_playing().await;
    anna.until("starts.").await;
    ben.ask(LobbyRequest::Resign).await;
    anna.until("or quit: ").await;
    anna.asks("quit", "The match waits for you. Your seat is kept for 15 minutes.").await;
    anna.until("[keep]: ").await;
    anna.types("");
    ben.until_notice(|notice| matches!(notice, Notice::Away { .. })).await;
    let (code, screen) = anna.ended().await;
    assert!(code == 0 && screen.contains("The match is kept: nim-client resume "), "{screen}");
    assert_eq!(home.kept(), 1);
    let mut anna = home.is_back(&[]).await;
    anna.until("Type again").await;
    ben.ask(LobbyRequest::Again).await;
    anna.asks("again", "Sides are swapped.").await;
    anna.gives_up().await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_code_of_a_lobby_with_ones_own_seat_returns_to_it() {
    let (server, home) = (TestServer::start(), Home::new());
    let (mut ben, words) = invited(&server, terms("take:9:4")).await;
    let mut anna = Terminal::keeping(home.path(), &strs(&words));
    ben.until_playing().await;
    anna.until("starts.").await;
    anna.asks("leave", "[keep]: ").await;
    anna.asks("keep", "Type a code to join").await;
    sees_away(&mut ben).await;
    anna.asks(words.last().unwrap(), "You are back in your seat.").await;
    ben.until_notice(|notice| matches!(notice, Notice::Back { .. })).await;
    anna.gives_up().await;
}

#[cfg(unix)]
#[tokio::test]
async fn a_player_who_leaves_a_lobby_before_anybody_came_is_told_that_the_seat_is_given_up() {
    let server = TestServer::start();
    let place = server.address().to_string();
    let mut anna = Terminal::client(&["connect", &place, "--name", "anna", "--new", "take:9:4"]);
    let code = anna.code().await;
    anna.types("quit");
    anna.until(&format!("You closed the lobby {code}.")).await;
}

#[cfg(unix)]
#[tokio::test]
async fn at_a_terminal_long_lines_are_broken_between_words() {
    let home = Home::new();
    let command = client(&["resume", "--state", home.path().to_str().unwrap()]);
    let narrow = Terminal::of_columns(command.as_std(), 30);
    let (code, screen) = narrow.ended().await;
    assert_eq!(code, 11);
    let folder = home.path().to_str().unwrap();
    for line in screen.lines().filter(|line| !line.contains(folder)) {
        assert!(line.trim_end().chars().count() <= 30, "{screen}");
    }
    assert!(screen.split_whitespace().collect::<Vec<_>>().join(" ").contains("you have no unfinished game"));
}
