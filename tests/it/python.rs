//! The independent client in `proto/python`: its own tests, and whole games with the real server.
//!
//! Without python3 they pass, and `zz_tools` says so.

mod following;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::process::{Output, Stdio};
use std::time::Duration;

use nim::game::Game;
use nim::game::any::Variant;
use nim::lobby::{Event, Lobby, Offer};
use nim::server::{Config, Server};
use nim::wire::{BotWish, LobbyRequest, NewLobby};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::harness::{TestServer, nobody, terms, tools};
use crate::vectors;

/// How long a program may take before the test gives up on it; each takes less than a second.
const PATIENCE: Duration = Duration::from_mins(2);

/// `python3`; `None` where there is none.
fn python() -> Option<Command> {
    if !tools::has("python3") {
        return None;
    }
    let mut command = Command::new("python3");
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    Some(command)
}

/// `python3` with a program of `proto/python`; `None` where there is no python3.
fn python_with(program: &str) -> Option<Command> {
    let mut command = python()?;
    command.arg(vectors::proto("python").join(program));
    Some(command)
}

fn bot(address: SocketAddr, words: &[&str]) -> Option<Command> {
    let mut command = python_with("example_bot.py")?;
    command.arg(address.to_string()).args(words);
    Some(command)
}

async fn finish(mut command: Command) -> Output {
    tokio::time::timeout(PATIENCE, command.output()).await.expect("it ends").unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Whether the server's bot sits down, and then at once.
const WITH_BOT: bool = true;
const WITHOUT_BOTS: bool = false;

/// A server on a free port, until the guard is dropped.
fn serve(bots: bool) -> (SocketAddr, DropGuard) {
    let config = Config {
        bind: ([127, 0, 0, 1], 0).into(),
        bots,
        bot_after: Duration::ZERO,
        bot_pace: Duration::ZERO,
        seed: 21,
        ..Config::default()
    };
    let server = Server::bind(config).unwrap();
    let (address, stop) = (server.address().unwrap(), CancellationToken::new());
    tokio::spawn(server.run(stop.clone().cancelled_owned()));
    (address, stop.drop_guard())
}

async fn passes(program: &str) {
    let Some(command) = python_with(program) else { return };
    let output = finish(command).await;
    assert!(output.status.success(), "{program}:\n{}", stderr(&output));
}

#[tokio::test]
async fn the_python_codec_reads_and_writes_all_vectors() {
    passes("test_vectors.py").await;
}

#[tokio::test]
async fn the_python_client_passes_its_own_tests() {
    passes("test_client.py").await;
}

#[tokio::test]
async fn the_python_client_passes_its_own_tests_of_coming_back() {
    passes("test_return.py").await;
}

#[tokio::test]
async fn the_python_copy_of_a_lobby_passes_its_own_tests() {
    passes("test_lobby.py").await;
}

#[tokio::test]
async fn the_python_client_passes_its_own_tests_of_a_match() {
    passes("test_match.py").await;
}

#[tokio::test]
async fn the_python_games_pass_their_own_tests() {
    passes("test_games.py").await;
}

/// A variant of every game, the largest among them.
const VARIANTS: [&str; 15] = [
    "java-tech:21",
    "zero-sum",
    "one-two-ten",
    "take:7:4:misere",
    "nim:3-4-5:normal",
    "nim:1-3-5-7:max=2:misere",
    "take:1000000000000000000:1000000000000000000:misere",
    "nim:1000000000000000000-1000000000000000000",
    "even-or-odd",
    "even-or-odd:8",
    "even-or-odd:1",
    "tic-tac-toe",
    "connect-four",
    "pong-hau-ki",
    "mu-torere",
];

#[test]
fn the_variants_here_are_of_every_game() {
    let name = |text: &str| text.split([':', '[']).next().unwrap().to_owned();
    let forms: BTreeSet<String> = Variant::forms().map(|(form, _)| name(form)).collect();
    assert_eq!(forms, VARIANTS.map(name).into());
}

/// How a bot's game against this opponent came out and by what, from the last line that it wrote.
fn verdict(output: &Output, opponent: &str) -> (String, String) {
    assert!(output.status.success(), "{}", stderr(output));
    let text = stdout(output);
    let last = text.lines().last().and_then(|line| line.strip_suffix(')')?.split_once(" against "));
    let (verdict, rest) = last.unwrap_or_else(|| panic!("no verdict: {text}"));
    let (name, cause) = rest.rsplit_once(" (").unwrap();
    // A client that missed the answer asks once more, and the seat has its name.
    assert!(name == opponent || name.starts_with(&format!("{opponent}-")), "{name} is not {opponent}");
    (verdict.into(), cause.into())
}

/// Whether a game of this variant can come out so.
fn is_possible(variant: &str, verdict: &str, cause: &str) -> bool {
    match (verdict, cause) {
        ("won" | "lost", "rules") => true,
        ("drew", "rules") => ["tic-tac-toe", "even-or-odd:8", "connect-four"].contains(&variant),
        ("drew", "repetition") => ["pong-hau-ki", "mu-torere"].contains(&variant),
        _ => false,
    }
}

#[tokio::test]
async fn the_example_bot_plays_a_whole_game_of_each_variant() {
    let (address, _server) = serve(WITH_BOT);
    for variant in VARIANTS {
        let Some(command) = bot(address, &[variant]) else { return };
        let (verdict, cause) = verdict(&finish(command).await, "minimax [bot, perfect]");
        assert!(is_possible(variant, &verdict, &cause), "{variant}: {verdict} ({cause})");
    }
}

#[tokio::test]
async fn two_example_bots_play_a_whole_game_of_each_variant() {
    let (address, _server) = serve(WITHOUT_BOTS);
    for variant in VARIANTS {
        let Some(ada) = bot(address, &[variant, "--name", "ada"]) else { return };
        let Some(ben) = bot(address, &[variant, "--name", "Bén"]) else { return };
        let (ada, ben) = tokio::join!(finish(ada), finish(ben));
        let ((ada, cause), theirs) = (verdict(&ada, "Bén"), verdict(&ben, "ada"));
        let other = match ada.as_str() {
            "won" => "lost",
            "lost" => "won",
            same => same,
        };
        assert_eq!(theirs, (other.into(), cause.clone()), "{variant}");
        assert!(is_possible(variant, &ada, &cause), "{variant}: {ada} ({cause})");
    }
}

#[tokio::test]
async fn the_example_bot_plays_java_tech_unless_told_otherwise() {
    let (address, _server) = serve(WITH_BOT);
    let Some(command) = bot(address, &[]) else { return };
    let output = finish(command).await;
    assert!(stdout(&output).contains("for a game of java-tech:21"), "{}", stderr(&output));
}

#[tokio::test]
async fn the_example_bot_says_what_is_wrong_and_fails() {
    let (address, _server) = serve(WITH_BOT);
    let (_socket, unused) = nobody();
    let long = "x".repeat(25);
    for (address, words, complaint) in [
        (unused, &[][..], "no server answers at 127.0.0.1"),
        (address, &["java-tech:0"], "a pile has 1 to 10^18 objects"),
        (address, &["chess"], "no game has this name"),
        (address, &["--name", ""], "a name needs at least one visible character"),
        (address, &["--name", &long], "a name has at most 24 characters"),
    ] {
        let Some(command) = bot(address, words) else { return };
        let output = finish(command).await;
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(stderr(&output).contains(complaint), "{words:?}: {}", stderr(&output));
        assert!(!stderr(&output).contains("Traceback"), "{words:?}: {}", stderr(&output));
    }
}

#[tokio::test]
async fn the_example_bot_without_patience_fails_when_the_server_goes() {
    let (address, server) = serve(WITHOUT_BOTS);
    let Some(mut command) = bot(address, &["--give-up", "0"]) else { return };
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("it sits down").unwrap();
    assert!(first.is_some_and(|line| line.contains("waits in")));
    drop(server);
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("it ends").unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).contains("the server ends the connection: it is stopping"),
        "{}",
        stderr(&output)
    );
}

#[tokio::test]
async fn the_example_bot_declines_draws_rests_and_lets_moves_be_taken_back() {
    let server = TestServer::start();
    let mut anna = server.client("anna").await;
    anna.create_on(NewLobby { bot: BotWish::PeopleOnly, ..terms("take:400:1") }).await;
    let Some(mut command) = bot(server.address(), &["take:400:1"]) else { return };
    let child = command.spawn().unwrap();
    let me = anna.player();
    let mine = move |lobby: &Lobby| lobby.to_move().is_some_and(|player| player.id == me);
    anna.until_lobby(mine).await;
    let turn = anna.lobby().turn();
    anna.ask(LobbyRequest::Offer(Offer::Draw)).await;
    anna.until_event(|event| matches!(event, Event::Declined { .. })).await;
    anna.ask(LobbyRequest::Offer(Offer::Pause)).await;
    anna.until_event(|event| *event == Event::Paused).await;
    anna.ask(LobbyRequest::Resume).await;
    anna.ask(LobbyRequest::Play { turn, mv: anna.lobby().board().position().moves().next().unwrap() }).await;
    anna.until_lobby(|lobby| lobby.turn() == turn + 2).await;
    anna.ask(LobbyRequest::Offer(Offer::Takeback)).await;
    anna.until_event(|event| *event == Event::TakenBack { moves: 2 }).await;
    assert_eq!(anna.lobby().board().write_position(), "400 first");
    anna.ask(LobbyRequest::Resign).await;
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("it ends").unwrap();
    assert_eq!(verdict(&output, "anna"), ("won".into(), "resigned".into()));
}

/// Stands between a client and the server; the first connection breaks once this many bytes have come from
/// the server.
async fn break_once_after(bytes: u64, server: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        for most in std::iter::once(bytes).chain(std::iter::repeat(u64::MAX)) {
            let Ok((client, _)) = listener.accept().await else { return };
            tokio::spawn(pass_on(client, server, most));
        }
    });
    address
}

/// Passes on what both say, until one closes or the server has sent this many bytes.
async fn pass_on(mut client: TcpStream, server: SocketAddr, most: u64) {
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    let ((mut ears, mut mouth), (from_server, mut to_server)) = (client.split(), server.split());
    let mut from_server = from_server.take(most);
    tokio::select! {
        _ = tokio::io::copy(&mut ears, &mut to_server) => {}
        _ = tokio::io::copy(&mut from_server, &mut mouth) => {}
    }
}

/// The bytes that a client is told of a game up to some point in its midst: the welcome, its seat and several
/// moves.
const MID_GAME: u64 = 275;

#[tokio::test]
async fn the_example_bot_comes_back_by_itself_when_its_connection_is_cut_in_the_middle_of_a_game() {
    let (server, _server) = serve(WITH_BOT);
    for variant in ["java-tech:21", "connect-four", "mu-torere"] {
        let Some(command) = bot(break_once_after(MID_GAME, server).await, &[variant]) else { return };
        let output = finish(command).await;
        let (verdict, cause) = verdict(&output, "minimax [bot, perfect]");
        assert!(is_possible(variant, &verdict, &cause), "{variant}: {verdict} ({cause})");
        assert!(stderr(&output).contains("trying to come back"), "{variant}: the connection was not cut");
    }
}

#[tokio::test]
async fn a_cut_connection_costs_neither_of_two_bots_a_move_wherever_it_is_cut() {
    let (server, _server) = serve(WITHOUT_BOTS);
    // Before its seat has come a bot has no ticket; after some 330 bytes the game is over.
    for cut in (175..330).step_by(13) {
        let Some(ada) = bot(break_once_after(cut, server).await, &["tic-tac-toe", "--name", "ada"]) else {
            return;
        };
        let Some(ben) = bot(server, &["tic-tac-toe", "--name", "ben"]) else { return };
        let (ada, ben) = tokio::join!(finish(ada), finish(ben));
        let ((_, cause), (_, theirs)) = (verdict(&ada, "ben"), verdict(&ben, "ada"));
        assert_eq!((cause.as_str(), theirs.as_str()), ("rules", "rules"), "cut after {cut} bytes");
    }
}

/// Plays a private game against the bot, leaves, and writes what it finds of it.
const READS: &str = "
import sys
from nim_client import Client, Refused
with Client.connect(sys.argv[1], 'anna') as client:
    client.create('take:3:1', bot='at_once', listed=False)
    client.play_game(lambda position: position.random_move())
    client.leave()
    [game] = client.games(with_='ANNA')
    assert client.games(game='java-tech') == [] and game['mine'], game
    sys.stdout.write(client.record(**game['name']))
with Client.connect(sys.argv[1], 'ben') as client:
    assert client.games() == []
    try:
        client.record(1, 1)
    except Refused as refused:
        assert refused.reason == {'Hall': 'NoSuchRecord'}, refused.reason
    else:
        raise AssertionError('it was given')
";

#[tokio::test]
async fn the_python_client_reads_the_records_of_its_games_and_of_no_others() {
    use nim::record::Record;
    let server = TestServer::keeping(nim::server::storage::Memory::new(), |_| {});
    let Some(mut command) = python() else { return };
    command.args(["-c", READS, &server.address().to_string()]).env("PYTHONPATH", vectors::proto("python"));
    let output = finish(command).await;
    assert!(output.status.success(), "{}", stderr(&output));
    let record = Record::read(stdout(&output).as_bytes()).unwrap();
    assert_eq!((record.variant().text(), record.boards().len()), ("take:3:1:normal".into(), 4));
}
