//! The independent client in `proto/python`: its own tests, and whole games with the real server.
//!
//! Without python3 they pass, and `zz_tools` says so.

mod following;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use nim::game::Game;
use nim::game::any::Variant;
use nim::lobby::{Event, Lobby, Offer};
use nim::wire::LobbyRequest;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;

use crate::harness::{TestServer, campaign, nobody, tools};
use crate::storage::memory::Memory;
use crate::vectors;

/// The timeout of a program; each takes less than a second.
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

fn bot(address: SocketAddr, words: &[&str]) -> Option<Command> {
    let mut command = python()?;
    command.arg(vectors::proto("python").join("example_bot.py")).arg(address.to_string()).args(words);
    Some(command)
}

/// Runs the program once for each list of arguments, all in one process: Python takes longer to start than a
/// game. An error at the end of a run is a line of the output.
const RUNS: &str = "
import json, runpy, sys
program, runs = sys.argv[1:]
for arguments in json.loads(runs):
    sys.argv = [program, *arguments]
    try:
        runpy.run_path(program, run_name='__main__')
    except SystemExit as end:
        print('ended:', end, flush=True)
";

/// The arguments of the example bot for this server.
fn run(address: SocketAddr, words: &[&str]) -> Vec<String> {
    std::iter::once(address.to_string()).chain(words.iter().map(|&word| word.to_owned())).collect()
}

/// The example bot, with each of these lists of arguments.
fn bots(runs: &[Vec<String>]) -> Option<Command> {
    let mut command = python()?;
    let runs = serde_json::to_string(runs).unwrap();
    let folder = vectors::proto("python");
    command.args(["-c", RUNS]).arg(folder.join("example_bot.py")).arg(runs).env("PYTHONPATH", folder);
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

/// Whether the server's bot joins, and then at once.
const WITH_BOT: bool = true;
const WITHOUT_BOTS: bool = false;

/// A server whose bot, if it has one, does not pause between moves.
fn serve(bots: bool) -> TestServer {
    TestServer::with(|config| (config.bots, config.bot_after) = (bots, Duration::ZERO))
}

#[tokio::test]
async fn the_python_client_passes_its_own_tests() {
    let Some(mut command) = python() else { return };
    command.args(["-m", "unittest"]).current_dir(vectors::proto("python"));
    let output = finish(command).await;
    assert!(output.status.success(), "{}", stderr(&output));
}

/// A variant of every game, including the largest.
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

/// The results of a bot's games against this opponent and their causes, from the last line about each.
fn verdicts(output: &Output, opponent: &str) -> Vec<(String, String)> {
    assert!(output.status.success(), "{}", stderr(output));
    let text = stdout(output);
    let ends = text.lines().filter_map(|line| line.strip_suffix(')')?.split_once(" against "));
    let verdict = |(verdict, rest): (&str, &str)| {
        let (name, cause) = rest.rsplit_once(" (").unwrap();
        // A client that missed the answer repeats its request, while the seat already has its name.
        let (called, mark) = opponent.split_once(' ').unwrap_or((opponent, ""));
        let is_again = name.starts_with(&format!("{called}-")) && name.ends_with(mark);
        let is_opponent = name == opponent || is_again;
        assert!(is_opponent, "{name} is not {opponent}");
        (verdict.to_owned(), cause.to_owned())
    };
    ends.map(verdict).collect()
}

/// Whether a game of this variant can have this result.
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
    let server = serve(WITH_BOT);
    let address = server.address();
    // Two example bots play all of them, too.
    let every = if campaign::is_on() { 1 } else { 5 };
    let variants: Vec<&str> = VARIANTS.into_iter().step_by(every).collect();
    // The last one is the bot's default.
    let runs: Vec<_> =
        variants.iter().map(|variant| run(address, &[variant])).chain([run(address, &[])]).collect();
    let Some(command) = bots(&runs) else { return };
    let output = finish(command).await;
    let found = verdicts(&output, "minimax [bot, perfect]");
    assert_eq!(found.len(), runs.len(), "{}", stdout(&output));
    for (variant, (verdict, cause)) in variants.into_iter().chain(["java-tech:21"]).zip(found) {
        assert!(is_possible(variant, &verdict, &cause), "{variant}: {verdict} ({cause})");
    }
    let told = stdout(&output);
    let waits = "waits for another player, and after 0 s for the server's bot";
    assert_eq!(
        (told.matches(waits).count(), told.matches("java-tech:21").count()),
        (runs.len(), 2),
        "{told}"
    );
}

#[tokio::test]
async fn the_example_bot_plays_against_the_servers_bot_at_once_if_asked_to() {
    let server = TestServer::start();
    let Some(command) = bot(server.address(), &["--bot"]) else { return };
    let output = finish(command).await;
    assert_eq!(verdicts(&output, "minimax [bot, perfect]").len(), 1);
    let told = stdout(&output);
    assert!(told.starts_with("example-bot plays java-tech:21 in ") && !told.contains("waits"), "{told}");
}

#[tokio::test]
async fn the_bot_of_twelve_lines_at_the_start_of_the_page_plays_a_whole_game() {
    let page = vectors::read("JSON.md");
    let (_, rest) = page.split_once("```python\n").unwrap();
    let (bot, _) = rest.split_once("```").unwrap();
    assert_eq!(bot.lines().count(), 12);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("dice.py");
    std::fs::write(&file, bot).unwrap();
    let server = serve(WITH_BOT);
    let Some(mut command) = python() else { return };
    let programs = Path::new(env!("CARGO_BIN_EXE_nim-client")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap_or_default());
    command.arg(file).arg(server.address().to_string());
    command.env("PATH", path).env("HOME", folder.path()).env("NIM_CONFIG", "");
    let output = finish(command).await;
    assert!(output.status.success(), "{}", stderr(&output));
    let told = stdout(&output);
    assert!(told.starts_with("You won: ") || told.starts_with("You lost: "), "{told}");
}

#[tokio::test]
async fn two_example_bots_play_a_whole_game_of_each_variant() {
    let server = serve(WITHOUT_BOTS);
    let address = server.address();
    let runs = |name| VARIANTS.map(|variant| run(address, &[variant, "--name", name]));
    let (Some(ada), Some(ben)) = (bots(&runs("ada")), bots(&runs("Bén"))) else { return };
    let (ada, ben) = tokio::join!(finish(ada), finish(ben));
    let (ada, ben) = (verdicts(&ada, "Bén [program]"), verdicts(&ben, "ada [program]"));
    assert_eq!((ada.len(), ben.len()), (VARIANTS.len(), VARIANTS.len()));
    for ((variant, (ada, cause)), theirs) in VARIANTS.into_iter().zip(ada).zip(ben) {
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
async fn the_example_bot_reports_errors_and_fails() {
    let server = serve(WITH_BOT);
    let address = server.address();
    let (_socket, unused) = nobody();
    let long = "x".repeat(25);
    let cases = [
        (unused, &[][..], "no server answers at 127.0.0.1"),
        (address, &["java-tech:0"], "a pile has 1 to 10^18 objects"),
        (address, &["chess"], "no game has this name"),
        (address, &["--name", ""], "name: empty"),
        (address, &["--name", &long], "name: too long"),
    ];
    let Some(command) = bots(&cases.map(|(address, words, _)| run(address, words))) else { return };
    let output = finish(command).await;
    assert!(!stderr(&output).contains("Traceback"), "{}", stderr(&output));
    let ends: Vec<_> =
        stdout(&output).lines().filter_map(|line| line.strip_prefix("ended: ")).map(str::to_owned).collect();
    assert_eq!(ends.len(), cases.len(), "{ends:?}");
    for ((_, words, complaint), end) in cases.into_iter().zip(ends) {
        assert!(end.starts_with("example_bot: ") && end.contains(complaint), "{words:?}: {end}");
    }
}

#[tokio::test]
async fn the_example_bot_without_retries_fails_when_the_server_stops() {
    let server = serve(WITHOUT_BOTS);
    let address = server.address();
    let Some(mut command) = bot(address, &["--give-up", "0"]) else { return };
    let mut child = command.spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let first = tokio::time::timeout(PATIENCE, lines.next_line()).await.expect("it sits down").unwrap();
    assert!(first.is_some_and(|line| line.ends_with("it waits for another player")));
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
async fn the_example_bot_declines_draws_and_accepts_pauses_and_takebacks() {
    let server = serve(WITHOUT_BOTS);
    let mut anna = server.client("anna").await;
    anna.create("take:400:1").await;
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
    anna.until_turn(turn + 2).await;
    anna.ask(LobbyRequest::Offer(Offer::Takeback)).await;
    anna.until_event(|event| *event == Event::TakenBack { moves: 2 }).await;
    assert_eq!(anna.lobby().board().write_position(), "400 first");
    anna.ask(LobbyRequest::Resign).await;
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("it ends").unwrap();
    assert_eq!(verdicts(&output, "anna"), [("won".into(), "resigned".into())]);
}

/// Forwards between a client and the server; the first connection breaks once this many bytes have come from
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

/// Forwards both directions, until one closes or the server has sent this many bytes.
async fn pass_on(mut client: TcpStream, server: SocketAddr, most: u64) {
    let Ok(mut server) = TcpStream::connect(server).await else { return };
    let ((mut ears, mut mouth), (from_server, mut to_server)) = (client.split(), server.split());
    let mut from_server = from_server.take(most);
    tokio::select! {
        _ = tokio::io::copy(&mut ears, &mut to_server) => {}
        _ = tokio::io::copy(&mut from_server, &mut mouth) => {}
    }
}

#[tokio::test]
async fn a_cut_connection_costs_neither_of_two_bots_a_move_wherever_it_is_cut() {
    let host = serve(WITHOUT_BOTS);
    let server = host.address();
    // A bot without a seat has no ticket yet; after some 330 bytes the shortest game is over.
    let variants = ["tic-tac-toe", "java-tech:21", "pong-hau-ki", "mu-torere"].into_iter().cycle();
    let cuts: Vec<(u64, &str)> = (175..330).step_by(13).zip(variants).collect();
    let (mut ada, mut ben) = (Vec::new(), Vec::new());
    for &(cut, variant) in &cuts {
        let way = break_once_after(cut, server).await;
        ada.push(run(way, &[variant, "--name", "ada"]));
        ben.push(run(server, &[variant, "--name", "ben"]));
    }
    let (Some(ada), Some(ben)) = (bots(&ada), bots(&ben)) else { return };
    let (ada, ben) = tokio::join!(finish(ada), finish(ben));
    for found in [verdicts(&ada, "ben [program]"), verdicts(&ben, "ada [program]")] {
        assert_eq!(found.len(), cuts.len(), "{}", stdout(&ada));
        for ((_, variant), (verdict, cause)) in cuts.iter().zip(found) {
            assert!(is_possible(variant, &verdict, &cause), "{variant}: {verdict} ({cause})");
        }
    }
    // A short game may be over before that.
    let returns = stderr(&ada).matches("trying again").count();
    assert!(2 * returns > cuts.len(), "{}", stderr(&ada));
}

/// Plays a private game against the bot, leaves, and prints which records it finds.
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
    let server = TestServer::keeping(Memory::default(), |_| {});
    let Some(mut command) = python() else { return };
    command.args(["-c", READS, &server.address().to_string()]).env("PYTHONPATH", vectors::proto("python"));
    let output = finish(command).await;
    assert!(output.status.success(), "{}", stderr(&output));
    let record = Record::read(stdout(&output).as_bytes()).unwrap();
    assert_eq!((record.variant().text(), record.boards().len()), ("take:3:1:normal".into(), 4));
}
