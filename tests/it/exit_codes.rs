//! The exit codes and last messages of the player's program when something is wrong. The test itself plays
//! servers that no honest host runs.

use nim::lobby::{Event, Moment, Refusal as LobbyRefusal, Text};
use nim::wire::{
    Farewell, HallEvent, HallRefusal, HelloRefusal, List, Refusal, ToClient, ToServer, VERSION, encode,
};

use crate::harness::pretender::{against, entered, game, told, welcome};
use crate::harness::{Finished, Program, TestServer, connect, nobody};

#[track_caller]
fn check(ended: &Finished, code: i32, words: &str) {
    assert_eq!(ended.code, Some(code), "{ended:?}");
    assert!(ended.stderr.starts_with("nim-client: ") && ended.stderr.contains(words), "{ended:?}");
}

/// The result of a run whose hello the server answers with this message.
async fn greeted(answer: ToClient) -> Finished {
    against(&[], "", async |mut server| {
        server.hears().await;
        server.says(&answer).await;
        server.waits().await;
    })
    .await
}

#[tokio::test]
async fn code_3_if_no_server_or_another_program_listens() {
    let (_socket, address) = nobody();
    let ended = Program::client(&["connect", &address.to_string()]).ended().await;
    check(&ended, 3, &format!("no server answers at {address}: nothing listens on that port"));
    assert!(ended.stderr.contains("Is nim-server running there"), "it says what to do: {ended:?}");

    for greeting in [&b"SSH-2.0-OpenSSH_9.9\r\n"[..], b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\0\0\0\0"] {
        let ended = against(&[], "", async |mut server| {
            server.says_bytes(greeting).await;
            server.waits().await;
        })
        .await;
        check(&ended, 3, "does not answer like a nim-server");
    }
}

#[tokio::test]
async fn code_3_if_the_host_name_does_not_exist() {
    // RFC 6761 reserves .invalid for names that never exist.
    let ended = Program::client(&["connect", "no-such-host.invalid"]).ended().await;
    check(&ended, 3, "no machine is known by the name no-such-host.invalid");
    assert!(ended.stderr.contains("Is it spelled right"), "it says what to check: {ended:?}");
}

#[tokio::test]
async fn code_4_if_the_server_has_another_version() {
    let refusal = HelloRefusal::Version { yours: VERSION.into(), ours: (VERSION + 1).into() };
    let ended = greeted(ToClient::Unwelcome(refusal)).await;
    let words =
        format!("speaks version {VERSION} of the protocol, the server speaks version {}", VERSION + 1);
    check(&ended, 4, &words);
}

#[tokio::test]
async fn codes_5_and_6_if_the_lobby_does_not_exist_or_has_no_free_seat() {
    let (server, anna, _ben) = crate::harness::game("java-tech:21").await;
    let ended = server.program("cleo", &["--join", "brave-otter"]).ended().await;
    check(&ended, 5, "no lobby has this code");
    let code = anna.lobby().code().to_string();
    let ended = server.program("cleo", &["--join", &code]).ended().await;
    check(&ended, 6, "both seats of that lobby are taken");
}

#[tokio::test]
async fn code_7_if_the_server_dies_during_a_game() {
    let (mut host, address) = Program::listening_server(&[]).await;
    let mut player = connect(address, "anna", &["--new", "java-tech:21", "--bot", "--give-up", "0"]);
    player.until("Your move").await;
    host.dies().await;
    check(&player.ended().await, 7, "the connection to the server broke");
}

#[tokio::test]
async fn code_7_if_the_server_is_silent() {
    let ended = against(&[], "", async |mut server| {
        server.hears().await;
        server.says(&welcome(10, 60)).await;
        server.hears().await;
        assert_eq!(server.hears().await, ToServer::Ping(0), "it asks before it gives up");
        server.waits().await;
    })
    .await;
    check(&ended, 7, "nothing was heard");
}

#[tokio::test]
async fn the_program_answers_each_ping() {
    let ended = against(&[], "", async |mut server| {
        server.welcomes().await;
        for number in [7, 0, u32::MAX] {
            server.says(&ToClient::Ping(number)).await;
            assert_eq!(server.hears().await, ToServer::Pong(number));
        }
        server.says(&ToClient::Goodbye(Farewell::Stopping)).await;
        server.waits().await;
    })
    .await;
    check(&ended, 7, "the server ended the connection: the server is stopping");
}

#[tokio::test]
async fn code_7_if_the_server_sends_impossible_messages() {
    let number = game().last_event() + 1;
    let out_of_step =
        ToClient::Lobby { number, at: Moment::START, event: Event::Started { game: 2, swap: true } };
    let in_the_past = ToClient::Lobby { number: 1, at: Moment::START, event: Event::Closed };
    for (what, bytes) in [
        ("an event that cannot follow", encode(&out_of_step).to_vec()),
        ("an event that was already", encode(&in_the_past).to_vec()),
        ("a frame that is too long", vec![0xff; 4]),
        ("a ping without its number", vec![0, 0, 0, 1, 8]),
    ] {
        let ended = against(&["--new", "java-tech:21"], "", async |mut server| {
            server.welcomes().await;
            server.says(&entered()).await;
            server.says_bytes(&bytes).await;
            server.waits().await;
        })
        .await;
        assert_eq!(ended.code, Some(7), "{what}: {ended:?}");
        assert!(ended.stderr.lines().count() == 1 && !ended.stderr.contains("panicked"), "{what}: {ended:?}");
    }
}

#[tokio::test]
async fn code_9_if_the_server_refuses_for_another_reason() {
    let server = TestServer::with(|config| (config.bots, config.max_connections) = (false, 1));
    let ended = server.program("anna", &["--new", "java-tech", "--bot"]).ended().await;
    check(&ended, 9, "this server has no bots");
    let _anna = server.client("anna").await;
    let ended = server.program("ben", &[]).ended().await;
    check(&ended, 9, "it has as many connections as it allows, 1; try again when somebody has left");
}

#[tokio::test]
async fn messages_of_a_server_cannot_control_the_terminal() {
    const CLEAR: &str = "\u{1b}[2J\u{7}\u{9b}3J\r";
    let refused = |refusal| ToClient::Refused { id: 1, turn: 0, refusal };
    for message in [
        ToClient::Goodbye(Farewell::Malformed(Text::cut(CLEAR))),
        refused(Refusal::Hall(HallRefusal::Variant(Text::cut(CLEAR)))),
        refused(Refusal::Lobby(LobbyRefusal::Illegal(Text::cut(CLEAR)))),
    ] {
        let ended = told(message.clone()).await;
        assert!(ended.code.is_some_and(|code| code >= 7), "{ended:?}");
        assert!(is_plain(&ended), "{message:?}: {ended:?}");
    }

    let ended = greeted(ToClient::Unwelcome(HelloRefusal::Malformed(Text::cut(CLEAR)))).await;
    assert!(ended.code == Some(9) && is_plain(&ended), "{ended:?}");

    let ended = against(&["--new", "java-tech:21"], "", async |mut server| {
        server.welcomes().await;
        server.says(&entered()).await;
        let mv = game().board().read_move("1").unwrap();
        server.says(&ToClient::Hint { turn: 1, mv, words: Text::cut(CLEAR) }).await;
        server.says(&refused(Refusal::Lobby(LobbyRefusal::Illegal(Text::cut(CLEAR))))).await;
        server.says(&ToClient::Goodbye(Farewell::Stopping)).await;
        server.waits().await;
    })
    .await;
    assert!(ended.stdout.contains("Hint: ") && is_plain(&ended), "{ended:?}");

    let ended = against(&[], "", async |mut server| {
        server.welcomes().await;
        let listed = List::first_of([crate::harness::listing("brave-otter".parse().unwrap(), CLEAR)]);
        let hall = HallEvent::Lobbies { listed, gone: List::default(), complete: true };
        server.says(&ToClient::Hall(hall)).await;
        server.says(&ToClient::Goodbye(Farewell::Stopping)).await;
        server.waits().await;
    })
    .await;
    assert!(ended.stdout.contains("brave-otter") && is_plain(&ended), "{ended:?}");
}

fn is_plain(ended: &Finished) -> bool {
    [&ended.stdout, &ended.stderr].iter().all(|text| text.chars().all(|c| c == '\n' || !c.is_control()))
}
