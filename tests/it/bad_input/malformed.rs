//! Malformed frames and sessions from the files in `tests/data/malformed`, each with its answer.

use std::collections::HashSet;
use std::time::Duration;

use nim::server::Config;
use nim::wire::{self, BotWish, NewLobby, Secret, Starts, ToServer};
use tokio::task::JoinSet;

use crate::harness::{TestClient, TestServer, Wire, stopped_clock, terms};
use crate::vectors::{Peer, bad};

mod case;
mod heard;

use case::{Case, Place, Then, cases};

/// The number of cases tried in parallel.
const AT_ONCE: usize = 32;

/// The minimum number of cases.
const ENOUGH: usize = 300;

/// The timeout of a case that does not finish.
const SOON: Duration = Duration::from_millis(30);

/// A number that no case uses.
const LAST_PING: u32 = 0x5eed_5eed;

/// The lobbies that exist for all cases: one with a password, and one without watchers and with both seats
/// taken. The files contain their codes.
const LOBBIES: [&str; 2] = ["keen-lemur", "early-bison"];

/// Opens the lobbies for the cases; their members stay until this is dropped.
async fn furnish(server: &TestServer) -> Vec<TestClient> {
    let mut keepers = Vec::new();
    for name in ["locker", "opener", "second"] {
        keepers.push(server.client(name).await);
    }
    let password = Secret::of("open sesame");
    let locked = keepers[0].create_on(NewLobby { password, ..terms("java-tech:21") }).await;
    let taken = keepers[1].create_on(NewLobby { watched: false, ..terms("java-tech:21") }).await;
    keepers[2].join(taken).await;
    assert_eq!([locked, taken].map(|code| code.to_string()), LOBBIES, "the files name other codes");
    keepers
}

/// A connection in the case's starting state, and the other clients that this state needs.
async fn arrive(server: &TestServer, place: &Place) -> (Wire, Option<TestClient>) {
    if *place == Place::Nothing {
        return (server.connect().await, None);
    }
    let (mut client, mut host) = (server.client("mallory").await, None);
    match place {
        Place::Nothing | Place::Hall => {}
        Place::Lobby => drop(client.create("take:3:1").await),
        Place::Watching => {
            let mut other = server.client("host").await;
            client.watch(other.create("take:3:1").await).await;
            host = Some(other);
        }
        Place::Game(variant) => {
            let lobby = NewLobby { bot: BotWish::AtOnce, starts: Starts::Me, ..terms(variant) };
            client.create_on(lobby).await;
            client.until_playing().await;
        }
    }
    client.catch_up().await;
    (client.into_wire(), host)
}

/// Sends the bytes of a case, and returns the answers.
async fn replay(server: &TestServer, case: &Case) -> Vec<heard::Heard> {
    let (mut wire, _host) = arrive(server, &case.after).await;
    for bytes in &case.send {
        // The server may close before it has read everything.
        let _ = wire.try_send_bytes(bytes).await;
        tokio::task::yield_now().await;
    }
    match case.then {
        Then::Ping => {
            let ping = wire::encode(&ToServer::Ping(LAST_PING));
            let _ = wire.try_send_bytes(&ping).await;
        }
        Then::Close => wire.finish_writing().await,
        Then::Wait => {}
    }
    heard::until(&mut wire, LAST_PING, case.answer.first().is_some_and(|words| words.starts_with("HTTP")))
        .await
}

/// Tries all cases, and reports those with another answer.
async fn check(server: TestServer, cases: Vec<Case>) {
    let server = std::sync::Arc::new(server);
    let (mut waiting, mut trying, mut wrong) = (cases.into_iter(), JoinSet::new(), Vec::new());
    loop {
        while trying.len() < AT_ONCE
            && let Some(case) = waiting.next()
        {
            let server = std::sync::Arc::clone(&server);
            trying.spawn(async move {
                let heard = replay(&server, &case).await;
                (!heard::is(&heard, &case.answer)).then(|| format!("{}: {heard:?}", case.name))
            });
        }
        let Some(tried) = trying.join_next().await else { break };
        wrong.extend(tried.unwrap());
    }
    assert!(wrong.is_empty(), "{} are answered in another way:\n{}", wrong.len(), wrong.join("\n"));
    server.still_serves().await;
}

/// The clock is paused, so all cases run at the same time: no deadline passes.
#[tokio::test]
async fn each_malformed_input_gets_the_answer_in_its_file_at_once() {
    let _clock = stopped_clock();
    let server = TestServer::with(|config| {
        (config.max_connections_each, config.max_hellos_each) = (usize::MAX, u32::MAX);
    });
    let _keepers = furnish(&server).await;
    check(server, cases().into_iter().filter(|case| case.then != Then::Wait).collect()).await;
}

#[tokio::test]
async fn an_unfinished_frame_is_refused() {
    let unfinished = || cases().into_iter().filter(|case| case.then == Then::Wait);
    let (strangers, guests): (Vec<_>, _) = unfinished().partition(|case| case.after == Place::Nothing);
    let soon = |config: &mut Config| (config.hello_deadline, config.frame_deadline) = (SOON, SOON);
    check(TestServer::with(soon), strangers).await;
    check(TestServer::with(|config| config.frame_deadline = SOON), guests).await;
}

#[test]
fn the_malformed_cases_are_many_and_all_different() {
    let (mut names, mut sent) = (HashSet::new(), HashSet::new());
    let bad: HashSet<Vec<u8>> =
        bad().into_iter().filter(|bad| bad.from == Peer::Client).map(|bad| bad.hex).collect();
    let cases = cases();
    assert!(cases.len() >= ENOUGH, "{}", cases.len());
    for case in &cases {
        assert!(names.insert(&case.name), "{} is there twice", case.name);
        let what = (&case.after, case.send.concat(), case.send.len(), case.then);
        assert!(sent.insert(what), "{} sends what another one sends", case.name);
        assert!(!case.send.iter().any(|bytes| bad.contains(bytes)), "{} is one of the vectors", case.name);
    }
}

/// The bodies of all frames in the cases, complete or not.
fn bodies() -> Vec<(String, Vec<u8>)> {
    let frames = cases().into_iter().map(|case| (case.name, case.send.concat()));
    frames.filter_map(|(name, sent)| Some((name, sent.get(4..)?.to_vec()))).collect()
}

#[test]
fn a_claimed_length_reserves_no_memory() {
    // The reason that is sent, and the result of decoding the body.
    const WORDS: u64 = 1024;
    for (name, body) in bodies() {
        let counted = allocation_counter::measure(|| drop(wire::decode::<ToServer>(&body)));
        let most = 2 * body.len() as u64 + WORDS;
        assert!(counted.bytes_max <= most, "{name}: {} bytes for {}", counted.bytes_max, body.len());
    }
}
