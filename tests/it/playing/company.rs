//! The player's program, piped, on a server with others: how they meet, part, and lose each other.

use std::time::Duration;

use nim::lobby::{Event, Loss, Phase};

use crate::harness::{Program, TestServer, client};

/// Opens a lobby and returns its code with the program that sits there.
async fn opens(server: &TestServer, arguments: &[&str]) -> (Program, String) {
    let mut anna = server.program("anna", arguments);
    let code = anna.code().await;
    (anna, code)
}

fn one_won(one: &str, other: &str) -> bool {
    (one.contains("You won") && other.contains("You lost"))
        || (one.contains("You lost") && other.contains("You won"))
}

#[tokio::test]
async fn two_programs_meet_by_code_and_play_to_the_end() {
    let server = TestServer::start();
    let (mut anna, code) = opens(&server, &["--new", "java-tech:9"]).await;
    let mut ben = server.program("ben", &["--join", &code]);
    let (hers, his) = tokio::join!(anna.plays("1"), ben.plays("1"));
    assert!(one_won(&hers, &his), "{hers} {his}");
    let (anna, ben) = tokio::join!(anna.finish(), ben.finish());
    assert_eq!((anna.code, ben.code), (Some(0), Some(0)), "{anna:?}\n{ben:?}");
    server.still_serves().await;
}

#[tokio::test]
async fn two_programs_meet_by_quick_match_and_play_to_the_end() {
    let server = TestServer::start();
    let quick = |name| server.program(name, &["--quick", "java-tech:9"]);
    let (mut anna, mut ben) = (quick("anna"), quick("ben"));
    let (hers, his) = tokio::join!(anna.plays("1"), ben.plays("1"));
    assert!(one_won(&hers, &his), "{hers} {his}");
    anna.types("again\n").await;
    ben.types("again\n").await;
    let (hers, his) = tokio::join!(anna.plays("2"), ben.plays("1"));
    assert!(one_won(&hers, &his), "{hers} {his}");
    let (anna, ben) = tokio::join!(anna.finish(), ben.finish());
    assert_eq!((anna.code, ben.code), (Some(0), Some(0)));
}

#[tokio::test]
async fn the_hall_is_a_place_to_look_choose_and_play() {
    let server = TestServer::start();
    let mut ben = server.client("ben").await;
    let code = ben.create("take:3:1").await;
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
async fn leave_goes_back_to_the_hall_and_loses_the_game() {
    let server = TestServer::start();
    let (mut anna, code) = opens(&server, &["--new", "java-tech:21"]).await;
    let mut ben = server.client("ben").await;
    ben.join(code.parse().unwrap()).await;
    anna.until("Your move").await;
    anna.types("leave\n").await;
    assert_eq!(ben.result().await.cause, nim::lobby::Cause::Left);
    anna.until("Type a code to join").await;
    anna.types("new nim:3-4-5\n").await;
    let code = anna.code().await.parse().unwrap();
    ben.leave().await;
    ben.join(code).await;
    anna.until("Your move").await;
    assert_eq!(anna.finish().await.code, Some(8), "the input ended in the second game");
    ben.until_event(|event| matches!(event, Event::Away { loss: Loss::Closed, .. })).await;
    assert_eq!(ben.lobby().phase(), Phase::Playing, "that is not leaving");
}

#[tokio::test]
async fn an_opponent_who_leaves_is_told_of_and_the_program_goes_on() {
    let server = TestServer::start();
    let (mut anna, code) = opens(&server, &["--new", "java-tech:21"]).await;
    let mut ben = server.client("ben").await;
    ben.join(code.parse().unwrap()).await;
    ben.leave().await;
    anna.until("takes 1, 2 or 3 of them").await;
    let told = anna.until("ben").await;
    assert_eq!(told, "You won: ben left.", "it is told once, and before anything is asked");
    assert!(anna.line().await.starts_with("Type again"));
    plays_another_game(&server, anna, &code).await;
}

#[tokio::test]
async fn an_opponent_who_vanishes_is_away_and_a_stand_in_plays_until_the_seat_is_given_up() {
    let server = TestServer::with(|config| config.seats_kept = Duration::ZERO);
    let (mut anna, code) = opens(&server, &["--new", "java-tech:21", "--away-after", "0"]).await;
    let mut ben = server.client("ben").await;
    ben.join(code.parse().unwrap()).await;
    anna.until("Your move").await;
    ben.reset();
    assert_eq!(anna.until("ben").await, "ben is away: the connection has closed.");
    let why = anna.line().await;
    assert!(
        why.starts_with("Your turn; ben is away for "),
        "what the lobby waits for is told with it: {why}"
    );
    anna.asks("1", "A stand-in [bot, perfect] plays for ben from now on.").await;
    anna.until("stand-in [bot, perfect] for ben: take ").await;
    anna.asks("resign", "You lost: you resigned.").await;
    anna.until("ben is gone: the connection broke.").await;
    plays_another_game(&server, anna, &code).await;
}

/// Anna, whose opponent is gone, wants another game, and gets one with somebody new.
async fn plays_another_game(server: &TestServer, mut anna: Program, code: &str) {
    anna.asks("again", "Waiting in ").await;
    let mut cleo = server.client("cleo").await;
    cleo.join(code.parse().unwrap()).await;
    cleo.ask(nim::wire::LobbyRequest::Resign).await;
    anna.until("You won: cleo resigned").await;
    anna.quits().await;
}

#[tokio::test]
async fn the_default_name_is_the_login_name_if_it_is_valid() {
    let server = TestServer::start();
    let mut ben = server.client("ben").await;
    ben.ask_hall(nim::wire::HallRequest::Look).await;
    let address = server.address().to_string();
    let system = whoami::username().unwrap();
    for (user, logname, called) in
        [(Some("zoe"), None, "zoe"), (Some("\u{200b}"), Some("max"), "max"), (None, None, system.as_str())]
    {
        let mut command = client(&["connect", &address, "--new", "java-tech:21"]);
        for (variable, value) in [("USER", user), ("LOGNAME", logname), ("USERNAME", None)] {
            command.env_remove(variable).envs(value.map(|value| (variable, value)));
        }
        let mut nameless = Program::spawn(&mut command);
        let code = nameless.code().await;
        let listing = loop {
            let mut told = ben.until_hall_told().await.into_iter();
            if let Some(listing) = told.find(|listing| listing.code.to_string() == code) {
                break listing;
            }
        };
        assert_eq!(listing.seats.first.unwrap().name.as_str(), called);
    }
}
