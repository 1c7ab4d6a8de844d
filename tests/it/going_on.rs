//! Games that continue from a position of a record: the seats, what players are shown, and what is refused;
//! and the flags `--from` and `--at` of the player's program.

use nim::game::Side;
use nim::lobby::{Checksum, Event, Origin, Text};
use nim::wire::{HallRefusal, HallRequest, LobbyRequest, NewLobby, Refusal, Starts};

use crate::harness::{Finished, Program, TestClient, TestServer, game_on, join, pair, take, terms, watch};
use crate::storage::memory::Memory;

fn origin(position: &str) -> Origin {
    Origin { record: Checksum(0xe55b_3002), moves: 2, position: Text::cut(position) }
}

/// The default terms, for a game that continues from this position.
fn from(variant: &str, position: &str) -> NewLobby {
    NewLobby { origin: Some(origin(position)), ..terms(variant) }
}

fn position(client: &TestClient) -> String {
    client.lobby().board().write_position()
}

#[tokio::test]
async fn both_play_on_from_the_position_and_play_it_again_with_sides_swapped() {
    let (_server, mut anna, mut ben) = game_on(from("java-tech:9", "3 second")).await;
    for (game, sides) in [(1, [Side::Second, Side::First]), (2, [Side::First, Side::Second])] {
        assert_eq!((anna.lobby().games(), [anna.side(), ben.side()]), (game, sides));
        assert_eq!((position(&anna), position(&ben)), ("3 second".into(), "3 second".into()));
        let (mover, other) =
            if anna.side() == Side::Second { (&mut anna, &mut ben) } else { (&mut ben, &mut anna) };
        mover.play(take(2)).await;
        other.until_lobby(|lobby| lobby.board().write_position() == "1 first").await;
        other.play(take(1)).await;
        for client in [&mut *mover, other] {
            client.result().await;
            client.ask(LobbyRequest::Again).await;
        }
        for client in [&mut anna, &mut ben] {
            client.until_event(|event| matches!(event, Event::Started { .. })).await;
        }
    }
}

#[tokio::test]
async fn the_starting_side_makes_the_first_move() {
    let server = TestServer::start();
    for (variant, position, starts, side) in [
        ("java-tech:21", "", Starts::Variant, Side::First),
        ("zero-sum:11", "", Starts::Variant, Side::Second),
        ("zero-sum:11", "", Starts::Me, Side::First),
        ("java-tech:21", "", Starts::Them, Side::Second),
        ("java-tech:9", "3 second", Starts::Variant, Side::Second),
        ("java-tech:9", "3 first", Starts::Variant, Side::First),
        ("java-tech:9", "3 second", Starts::Me, Side::Second),
        ("java-tech:9", "3 second", Starts::Them, Side::First),
        // The variant lets the other player start.
        ("zero-sum:11", "5 second", Starts::Variant, Side::First),
    ] {
        let terms = if position.is_empty() { terms(variant) } else { from(variant, position) };
        let (anna, ben) = pair(&server, NewLobby { starts, ..terms }).await;
        assert_eq!((anna.side(), ben.side()), (side, !side), "{variant} {position} {starts:?}");
    }
}

#[tokio::test]
async fn the_origin_is_shown_to_players_watchers_and_in_the_list() {
    let (server, [mut anna]) = TestServer::start_for(["anna"]).await;
    // Written in another form than the server's.
    let code = anna.create_on(from("java-tech:9", "3")).await;
    let listed = server.client("dora").await.look().await;
    assert_eq!(listed[0].position, Some(Text::cut("3 first")));
    let (mut ben, mut cleo) = (server.client("ben").await, server.client("cleo").await);
    ben.tries(join(code)).await.unwrap();
    cleo.tries(watch(code)).await.unwrap();
    for client in [&anna, &ben, &cleo] {
        assert_eq!(client.lobby().origin(), Some(&origin("3 first")));
    }
}

#[tokio::test]
async fn a_quick_match_is_in_the_same_position() {
    let server = TestServer::start();
    let (_anna, code) = server.opened("anna", from("java-tech:9", "3 second")).await;
    let mut ben = server.client("ben").await;
    assert_ne!(ben.quick("java-tech:9").await, code, "that is another position");
    let mut cleo = server.client("cleo").await;
    cleo.tries(HallRequest::Quick(from("java-tech:9", "3 second"))).await.unwrap();
    assert_eq!(cleo.lobby().code(), code);
}

#[tokio::test]
async fn an_invalid_start_position_is_refused_with_the_reason() {
    let (_server, [mut anna]) = TestServer::start_for(["anna"]).await;
    for (variant, position, reason) in [
        ("java-tech:9", "0 second", "the game is over there"),
        ("java-tech:9", "10 first", "10"),
        ("java-tech:9", "", ""),
        ("java-tech:9", "3 third", "third"),
        ("tic-tac-toe", "3 first", "3 first"),
        ("connect-four", "\u{1b}[2J", "\u{fffd}"),
    ] {
        match anna.refused_in_hall(HallRequest::Create(from(variant, position))).await {
            Refusal::Hall(HallRefusal::Conditions(words)) => {
                assert!(words.as_str().contains(reason), "{variant} {position}: {words}");
            }
            other => panic!("{variant} {position}: {other:?}"),
        }
    }
    anna.create("java-tech:9").await;
}

#[tokio::test]
async fn a_restarted_server_knows_where_a_game_came_from() {
    let memory = Memory::default();
    let server = TestServer::keeping(memory.clone(), |_| {});
    let (anna, ben) = pair(&server, from("java-tech:9", "3 second")).await;
    let claim = anna.claim();
    server.stops((anna, ben)).await;
    let server = TestServer::keeping(memory, |_| {});
    let mut anna = server.comes_back(claim).await;
    assert_eq!((position(&anna), anna.lobby().origin()), ("3 second".into(), Some(&origin("3 second"))));
    anna.play(take(2)).await;
    assert_eq!(position(&anna), "1 first");
}

/// The first example of RECORD.md, which ends with move 5; the first mover has lost.
fn record() -> &'static str {
    let page = include_str!("../../proto/RECORD.md");
    page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).expect("an example")
}

/// The result of the program when it continues from this record and these lines are typed.
async fn plays_from(record: &str, flags: &[&str], typed: &str) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    std::fs::write(&file, record).unwrap();
    let play = ["play", "--bot-pace", "0ms", "--from", file.to_str().unwrap()];
    let mut program = Program::client(&[&play, flags].concat());
    program.types(typed).await;
    program.finish().await
}

#[tokio::test]
async fn a_local_game_continues_from_a_record() {
    let done = plays_from(record(), &["--at", "2", "--two"], "3\n1\nno\n").await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let told = "Games begin in the position after move 2 of record f15e4d8a: 4 first.";
    assert!(done.stdout.contains(told), "{done:?}");
    assert!(done.stdout.contains("java-tech:9: "), "{done:?}");
}

#[tokio::test]
async fn a_finished_record_cannot_be_continued_at_its_end() {
    for flags in [&[][..], &["--at", "6"]] {
        let done = plays_from(record(), flags, "").await;
        done.fails(12, "the game is over after move 5: --at takes a number from 0 to 4");
    }
    let wrong = record().replace("2. Second [bot, fair]: take 3", "2. Second [bot, fair]: take 2");
    let done = plays_from(&wrong, &["--at", "1"], "").await;
    done.fails(12, "this record cannot be played on: ");
    done.fails(12, "line ");
}

#[tokio::test]
async fn an_unreadable_record_starts_no_game() {
    for (arguments, code, words) in [
        (&["play", "--from", "no-such-file.txt"][..], 1, "cannot read no-such-file.txt"),
        (&["play", "--from", "-"], 12, ""),
        (&["play", "java-tech", "--from", "x"], 2, ""),
        (&["play", "java-tech", "--at", "1"], 2, ""),
    ] {
        Program::client(arguments).finish().await.fails(code, words);
    }
}

#[tokio::test]
async fn a_lobby_on_a_server_continues_from_a_record() {
    let server = TestServer::start();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("game.txt");
    std::fs::write(&file, record()).unwrap();
    let mut anna = server.program("anna", &["--from", file.to_str().unwrap(), "--at", "3"]);
    anna.until("Waiting in").await;
    let mut ben = server.client("ben").await;
    let listed = ben.look().await;
    ben.tries(join(listed[0].code)).await.unwrap();
    ben.until_event(|event| matches!(event, Event::Started { .. })).await;
    assert_eq!((position(&ben), ben.side()), ("2 second".into(), Side::First));
    anna.until("Games begin in the position after move 3 of record f15e4d8a: 2 second.").await;
    anna.types("1\n").await;
    ben.until_turn(2).await;
}
