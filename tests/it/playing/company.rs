//! The client program with pipes, on a server with others: they meet, leave, and lose each other.

use std::time::Duration;

use nim::lobby::{ConnectionLoss, Notice, Phase};

use crate::harness::{Program, TestServer, skip, terms};

/// Opens a lobby and returns its code with the program that sits there.
async fn opens(server: &TestServer, arguments: &[&str]) -> (Program, String) {
    let mut anna = server.program("anna", arguments);
    let code = anna.code().await;
    (anna, code)
}

#[tokio::test]
async fn two_programs_meet_by_code_or_quick_match_and_play_two_games() {
    let server = TestServer::start();
    for is_quick in [false, true] {
        let wish = |wish| if is_quick { ["--quick", "java-tech:9"] } else { wish };
        let mut anna = server.program("anna", &wish(["--new", "java-tech:9"]));
        let code = if is_quick { String::new() } else { anna.code().await };
        let mut ben = server.program("ben", &wish(["--join", &code]));
        for (answer, then) in [("1", "again\n"), ("2", "quit\n")] {
            let (hers, his) = tokio::join!(anna.plays(answer), ben.plays("1"));
            let won = [&hers, &his].map(|line| line.contains("You won"));
            let lost = [&hers, &his].map(|line| line.contains("You lost"));
            assert!(won[0] != won[1] && lost == [won[1], won[0]], "{hers} {his}");
            anna.types(then).await;
            ben.types(then).await;
        }
        assert_eq!((anna.ended().await.code, ben.ended().await.code), (Some(0), Some(0)));
    }
    server.still_serves().await;
}

#[tokio::test]
async fn lobbies_are_listed_and_joined_from_the_hall() {
    let server = TestServer::start();
    let (mut ben, code) = server.opened("ben", terms("take:3:1")).await;
    let mut anna = server.program("anna", &[]);
    anna.until(&code.to_string()).await;
    for (typed, answer) in [
        ("brave-otter-200", "no lobby has this code"),
        ("new chess", "chess: no game has this name"),
        ("hello", "as in brave-otter"),
        ("list", "take:3:1"),
    ] {
        anna.asks(typed, answer).await;
    }
    anna.asks(&format!("join {code}"), "You sit down in").await;
    let (line, result) = tokio::join!(anna.plays("1"), ben.play_to_the_end(crate::harness::first_move));
    assert!(line.starts_with("You lost") && result.outcome.winner() == Some(ben.side()), "{line}");
    anna.quits().await;
}

#[tokio::test]
async fn leave_goes_back_to_the_hall_after_a_game_that_was_given_up() {
    let server = TestServer::start();
    let (mut anna, code) = opens(&server, &["--new", "java-tech:21"]).await;
    let mut ben = server.joined("ben", code.parse().unwrap()).await;
    anna.until("Your move").await;
    anna.types("give up\nleave\n").await;
    assert_eq!(ben.result().await.cause, nim::lobby::Cause::Resigned);
    anna.until("Type a code to join").await;
    anna.types("new nim:3-4-5\n").await;
    let code = anna.code().await.parse().unwrap();
    ben.leave().await;
    ben.join(code).await;
    anna.until("Your move").await;
    assert_eq!(anna.finish().await.code, Some(8), "the input ended in the second game");
    ben.until_notice(|notice| matches!(notice, Notice::Away { loss: ConnectionLoss::Closed, .. })).await;
    assert_eq!(ben.lobby().phase(), Phase::Playing, "this does not leave the lobby");
}

#[tokio::test]
async fn an_opponent_who_leaves_is_reported_and_the_program_continues() {
    let server = TestServer::start();
    let (mut anna, code) = opens(&server, &["--new", "java-tech:21"]).await;
    let mut ben = server.joined("ben", code.parse().unwrap()).await;
    ben.leave().await;
    anna.until("takes 1, 2 or 3 of them").await;
    let told = anna.until("ben").await;
    assert_eq!(told, "You won: ben left.", "it is reported once, before the first question");
    assert!(anna.line().await.starts_with("Type again"));
    plays_another_game(&server, anna, &code).await;
}

#[tokio::test]
async fn an_opponent_who_vanishes_is_away_and_a_stand_in_plays_until_the_seat_is_given_up() {
    let server = TestServer::with(|config| config.seats_kept = Duration::ZERO);
    let (mut anna, code) =
        opens(&server, &["--new", "java-tech:21", "--away-after", "5s", "--stand-in-level", "fair"]).await;
    let ben = server.joined("ben", code.parse().unwrap()).await;
    anna.until("Your move").await;
    ben.reset();
    assert_eq!(anna.until("ben").await, "ben is away: the connection has closed.");
    let why = anna.line().await;
    assert!(why.starts_with("Your turn; ben is away for "), "the reason for waiting is shown with it: {why}");
    anna.asks("1", "You: take 1").await;
    skip(Duration::from_secs(5)).await;
    anna.until("A stand-in [bot, fair] plays for ben from now on.").await;
    anna.until("stand-in [bot, fair] for ben: take ").await;
    anna.asks("resign", "You lost: you resigned.").await;
    anna.until("ben is gone: the connection broke.").await;
    plays_another_game(&server, anna, &code).await;
}

/// Anna's opponent is gone. She asks for another game, and gets one with somebody new.
async fn plays_another_game(server: &TestServer, mut anna: Program, code: &str) {
    anna.asks("again", "Waiting in ").await;
    let mut cleo = server.joined("cleo", code.parse().unwrap()).await;
    cleo.ask(nim::wire::LobbyRequest::Resign).await;
    anna.until("You won: cleo resigned").await;
    anna.quits().await;
}
