//! The stop of a server: everyone is told, no game is lost by it, and it takes bounded time.

use std::time::Duration;

use nim::lobby::Event;
use nim::wire::{Farewell, HelloRefusal, LobbyRequest, ToClient};

use crate::harness::{Program, TestClient, TestServer, connect, pair, take, terms};

/// The number of simultaneous requests for hints: more than there are thinking threads.
const PEOPLE: usize = 40;

/// Reads up to the goodbye, and checks that no game was lost before it.
async fn hears_goodbye(mut client: TestClient) {
    let goodbye = |message: &ToClient| match message {
        ToClient::Goodbye(word) => Some(word.clone()),
        ToClient::Lobby { event: Event::Moved { .. }, .. } | ToClient::Hall(_) | ToClient::Ping(_) => None,
        message => panic!("{message:?} before the goodbye"),
    };
    assert_eq!(client.wire().until("a goodbye", goodbye).await, Farewell::Stopping);
    assert_eq!(client.wire().read().await, None, "the connection is closed after it");
}

#[tokio::test]
async fn a_stop_is_announced_to_everyone_loses_no_game_and_frees_the_port() {
    // The bot would make its next move in an hour.
    let server = TestServer::with(|config| config.bot_pace = Duration::from_hours(1));
    let (mut anna, ben) = pair(&server, terms("java-tech:21")).await;
    anna.play(take(1)).await;
    let mut bots = server.client("cleo").await;
    bots.against_the_bot("java-tech:21").await;
    bots.play(take(1)).await;
    let (waits, _) = server.opened("dora", terms("nim:3-4-5")).await;
    let mut looks = server.client("eve").await;
    looks.look().await;
    let stands = server.client("fay").await;
    let mut half = server.client("gil").await;
    half.wire().send_bytes(b"\0\0").await;
    let mut begins = server.connect().await;
    begins.send_bytes(b"\0").await;
    let mut silent = server.connect().await;
    // Connections are accepted in order, so the server has accepted this one once it answers the next.
    let last = server.client("hal").await;

    let address = server.address();
    server.interrupt();
    for client in [anna, ben, bots, waits, looks, stands, half, last] {
        hears_goodbye(client).await;
    }
    assert_eq!(begins.unwelcome().await, HelloRefusal::Stopping, "it has not yet said all of its hello");
    assert!(silent.rest().await.is_empty(), "it has said nothing");
    drop((begins, silent));
    server.stopped().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
    let again = TestServer::with(|config| config.bind = address);
    again.still_serves().await;
}

#[tokio::test]
async fn a_stopping_server_does_not_wait_for_a_hint() {
    let server = TestServer::start();
    let mut there = Vec::new();
    for number in 0..PEOPLE {
        let mut player = server.client(&format!("player {number}")).await;
        player.against_the_bot("nim:7-7-7-7-7:misere").await;
        there.push(player);
    }
    for player in &mut there {
        player.ask(LobbyRequest::Hint).await;
    }
    // After an answer to another client, the first computation has begun and the others wait.
    server.client("last").await;
    server.interrupt();
    let mut hints = 0;
    for mut player in there {
        let farewell = |message: &ToClient| match message {
            ToClient::Goodbye(word) => Some(word.clone()),
            ToClient::Hint { .. } => {
                hints += 1;
                None
            }
            _ => None,
        };
        assert_eq!(player.wire().until("a goodbye", farewell).await, Farewell::Stopping);
    }
    assert!(hints < PEOPLE, "all {hints} thoughts were thought to their end before the goodbye");
    server.stopped().await;
}

#[tokio::test]
async fn a_stop_interrupts_games_between_bots_between_two_moves() {
    let server = TestServer::start();
    let mut there = Vec::new();
    for number in 0..20 {
        let mut player = server.client(&format!("player {number}")).await;
        player.against_the_bot("take:9:4:misere").await;
        player.ask(LobbyRequest::Play { turn: 1, mv: take(1) }).await;
        there.push(player);
    }
    server.interrupt();
    for player in there {
        hears_goodbye(player).await;
    }
    server.stopped().await;
}

#[cfg(unix)]
mod signals {
    use super::*;

    #[tokio::test]
    async fn each_signal_ends_the_program_with_code_0_and_players_are_told() {
        // Other systems do not say whether SIGHUP is ignored.
        let signals = if cfg!(target_os = "linux") { &["INT", "TERM", "HUP"][..] } else { &["INT", "TERM"] };
        for &signal in signals {
            let (mut host, address) = Program::listening_server(&[]).await;
            let mut anna = connect(address, "anna", &["--give-up", "0", "--new", "java-tech:21"]);
            let code = anna.code().await;
            let mut ben = connect(address, "ben", &["--give-up", "0", "--join", &code]);
            anna.until("Your move").await;
            ben.until("21").await;
            host.signal(signal).await;
            host.until_error("stopping; Ctrl-C again to end at once").await;
            for player in [anna, ben] {
                let ended = player.ended().await;
                ended.fails(7, "the server is stopping");
                assert!(!ended.stdout.contains("won") && !ended.stdout.contains("left"), "{ended:?}");
            }
            assert_eq!(host.ended().await.code, Some(0), "{signal}");
        }
    }

    #[tokio::test]
    async fn a_server_under_nohup_survives_its_terminal() {
        let mut shell = tokio::process::Command::new("sh");
        shell.args(["-c", "trap '' HUP; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_nim-server")]);
        shell.args(["--bind", "127.0.0.1:0", "--memory"]);
        let mut host = Program::spawn(&mut shell);
        let address = host.listens().await;
        host.signal("HUP").await;
        TestClient::at(address, "anna").await;
        host.signal("TERM").await;
        assert_eq!(host.ended().await.code, Some(0));
    }

    #[tokio::test]
    async fn a_client_that_does_not_read_its_goodbye_delays_the_stop_only_for_a_bounded_time() {
        let (host, address) = Program::listening_server(&[]).await;
        let mut deaf = TestClient::at(address, "deaf").await;
        deaf.wire().is_heard().await;
        host.signal("TERM").await;
        // The client neither reads nor closes; the server gives up on it.
        assert_eq!(host.ended().await.code, Some(0));
    }

    #[tokio::test]
    async fn a_signal_right_after_the_first_line_is_handled() {
        for _ in 0..20 {
            let (host, _) = Program::listening_server(&[]).await;
            host.signal("TERM").await;
            let ended = host.ended().await;
            assert_eq!(ended.code, Some(0), "{ended:?}");
        }
    }

    #[tokio::test]
    async fn a_second_interrupt_ends_the_server_at_once() {
        // The first interrupt waits a moment for a client that does not close. On a busy machine the second
        // one may come after that, but not every time.
        for _ in 0..20 {
            let (mut host, address) = Program::listening_server(&[]).await;
            let mut deaf = TestClient::at(address, "deaf").await;
            deaf.wire().is_heard().await;
            host.signal("INT").await;
            host.until_error("Ctrl-C again to end at once").await;
            host.signal("INT").await;
            let ended = host.ended().await;
            if ended.code == Some(130) {
                return;
            }
            assert_eq!(ended.code, Some(0), "{ended:?}");
        }
        panic!("the second interrupt never ended it");
    }
}
