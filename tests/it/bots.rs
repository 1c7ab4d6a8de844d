//! Bots as players see them: when a bot joins, and how it plays.

use std::time::{Duration, Instant};

use nim::game::any::Move;
use nim::game::nim::Take;
use nim::game::{Outcome, Side};
use nim::lobby::{BotRule, Cause, Event, Kind, Level, Phase, Refusal};
use nim::wire::{self, BotWish, HallRequest, LobbyRequest, NewLobby};

use crate::harness::{
    Heaps, Program, TestClient, TestServer, VARIANTS, first_move, join, last_move, play_out, stopped_clock,
    terms, within,
};

#[tokio::test]
async fn the_bot_sits_down_at_once_when_it_is_asked_for_and_is_marked_as_a_bot() {
    let (_server, [mut anna]) = TestServer::start_for(["anna"]).await;
    for (variant, ..) in VARIANTS {
        anna.against_the_bot(variant).await;
        let bot = anna.lobby().seats()[!anna.side()].clone().unwrap();
        assert_eq!((bot.kind, bot.name.as_str()), (Kind::Bot, "minimax"));
        anna.play_to_the_end(first_move).await;
        anna.ask(LobbyRequest::Again).await;
        anna.play_to_the_end(last_move).await;
        assert_eq!(anna.lobby().games(), 2, "the bot plays again on request");
        anna.leave().await;
    }
}

/// The move that leaves one more than a multiple of 4, or else 1.
fn faultless(heaps: &Heaps) -> Move {
    let count = ((heaps.left() - 1) % 4).max(1);
    Move::Nim(Take { pile: 0, count })
}

/// How many of a few games a perfect player loses from a lost position against the bot of this level.
async fn lost_from_a_lost_start(level: Level) -> usize {
    let (_server, [mut anna]) = TestServer::start_for(["anna"]).await;
    let mut lost = 0;
    for _ in 0..10 {
        anna.create_on(NewLobby { bot: BotWish::AtOnce, level, ..terms("java-tech:21") }).await;
        assert_eq!(anna.lobby().conditions().level, level);
        let result = anna.play_to_the_end(faultless).await;
        lost += usize::from(result.outcome == Outcome::Win(Side::Second));
        anna.leave().await;
    }
    lost
}

#[tokio::test]
async fn the_bot_plays_at_the_level_of_its_lobby() {
    assert_eq!(lost_from_a_lost_start(Level::Perfect).await, 10);
    assert!(lost_from_a_lost_start(Level::Beginner).await < 5, "a beginner spoils nearly every win");
}

#[tokio::test]
async fn the_bot_pauses_between_its_moves() {
    for (arguments, pace) in [(&[][..], 600), (&["--bot-pace", "300ms"][..], 300)] {
        let (_host, address) = Program::listening_server(arguments).await;
        let mut anna = TestClient::at(address, "anna").await;
        anna.against_the_bot("java-tech:21").await;
        let before = Instant::now();
        anna.play(first_move(&Heaps::of("java-tech:21"))).await;
        anna.until_event(|event| matches!(event, Event::Moved { turn: 2, .. })).await;
        assert!(before.elapsed() >= Duration::from_millis(pace), "{arguments:?}: {:?}", before.elapsed());
    }
}

#[tokio::test]
async fn the_bot_sits_down_when_nobody_came_in_time() {
    let server = TestServer::with(|config| config.bot_after = Duration::from_millis(20));
    let (mut anna, _) = server.opened("anna", terms("java-tech:21")).await;
    assert_eq!(anna.lobby().conditions().bot, BotRule::After(20));
    let result = anna.play_to_the_end(first_move).await;
    assert_eq!(result.outcome, Outcome::Win(Side::Second));
}

#[tokio::test]
async fn a_new_watcher_does_not_delay_the_bot() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| config.bot_after = Duration::from_secs(20));
    let (mut anna, mut cleo) = (server.client("anna").await, server.client("cleo").await);
    let code = anna.create("java-tech:21").await;
    let comes = anna.lobby().bot_joins_at().unwrap();
    for _ in 0..3 {
        tokio::time::advance(Duration::from_secs(5)).await;
        cleo.watch(code).await;
        cleo.leave().await;
    }
    anna.catch_up().await;
    assert_eq!(anna.lobby().bot_joins_at(), Some(comes));
    tokio::time::advance(Duration::from_secs(6)).await;
    anna.until_playing().await;
}

#[tokio::test]
async fn the_bot_takes_the_seat_of_a_player_who_left_once_another_game_is_wanted() {
    let server = TestServer::with(|config| config.bot_after = Duration::from_millis(100));
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    let sitting = async {
        loop {
            let code = anna.create("java-tech:21").await;
            if ben.tries(join(code)).await.is_ok() {
                break;
            }
            // On a busy machine the bot may be faster; another test covers that.
            anna.leave().await;
        }
    };
    within("ben to be quicker than the bot", sitting).await;
    ben.leave().await;
    assert_eq!(anna.result().await.cause, Cause::Left);
    anna.ask(LobbyRequest::Again).await;
    let result = anna.play_to_the_end(first_move).await;
    let bot = anna.lobby().seats()[!anna.side()].clone().unwrap();
    assert_eq!((bot.kind, result.cause), (Kind::Bot, Cause::Rules));
}

#[tokio::test]
async fn no_bot_joins_a_lobby_for_people_only() {
    // A bot without a delay joins before the next message is answered, or never.
    let server = TestServer::with(|config| config.bot_after = Duration::ZERO);
    let (mut anna, _) =
        server.opened("anna", NewLobby { bot: BotWish::PeopleOnly, ..terms("java-tech:21") }).await;
    anna.catch_up().await;
    assert_eq!((anna.lobby().phase(), anna.lobby().conditions().bot), (Phase::Waiting, BotRule::PeopleOnly));
    anna.leave().await;
    anna.create("java-tech:21").await;
    anna.until_playing().await;
}

#[tokio::test]
async fn a_server_without_bots_refuses_them_with_a_message() {
    let server = TestServer::with(|config| {
        (config.bots, config.bot_after) = (false, Duration::ZERO);
    });
    let mut anna = server.client("anna").await;
    let refusal =
        anna.refused_in_hall(HallRequest::Create(NewLobby { bot: BotWish::AtOnce, ..terms("nim:3-4-5") }));
    assert_eq!(refusal.await, wire::Refusal::Hall(wire::HallRefusal::NoBots));
    anna.create("nim:3-4-5").await;
    anna.catch_up().await;
    assert_eq!((anna.lobby().phase(), anna.lobby().conditions().bot), (Phase::Waiting, BotRule::Never));
    server.still_serves().await;
}

#[tokio::test]
async fn a_server_without_bots_waits_instead_of_a_stand_in() {
    let server = TestServer::with(|config| config.bots = false);
    let address = server.address().to_string();
    let opens =
        |wish: &[&str]| Program::client(&[&["connect", &address, "--new", "take:9:4"], wish].concat());
    let mut anna = opens(&["--when-away", "stand-in"]);
    anna.until("This server has no bots, and so no stand-ins: if somebody is away, the game waits.").await;
    anna.asks("terms", "If somebody is away, the game waits.").await;
    anna.until("No bot takes an empty seat.").await;
    let mut ben = opens(&["--when-away", "wait"]);
    ben.asks("terms", "No bot takes an empty seat.").await;
    let ended = ben.finish().await;
    assert!(!ended.stdout.contains("stand"), "a client that did not request them is not told: {ended:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_and_the_bot_never_both_get_the_seat() {
    let server = TestServer::with(|config| config.bot_after = Duration::from_millis(1));
    let (mut anna, mut ben) = (server.client("anna").await, server.client("ben").await);
    for _ in 0..50 {
        let code = anna.create("take:3:1").await;
        let came = ben.tries(join(code)).await;
        anna.until_playing().await;
        let opponent = anna.lobby().seats()[!anna.side()].clone().unwrap();
        match came {
            Ok(()) => {
                assert_eq!(opponent.kind, Kind::Person);
                play_out(&mut anna, &mut ben, first_move).await;
                ben.leave().await;
            }
            Err(refusal) => {
                assert_eq!((opponent.kind, refusal), (Kind::Bot, wire::Refusal::Lobby(Refusal::SeatTaken)));
                anna.play_to_the_end(first_move).await;
            }
        }
        anna.leave().await;
    }
}
