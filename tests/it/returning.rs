//! The client program after a lost connection, and after the end of the program itself.

mod asking_again;
mod choosing;
mod departing;
mod halted;
mod keyboard;
mod lapsed;
mod telling;
mod unwritten;
mod windows;
mod wrong_server;

use std::time::Duration;

use nim::client::json;
use nim::lobby::{Departure, Event, Hand, Lobby, Notice, WhenAway};
use nim::wire::{AwayWish, LobbyRequest, NewLobby};

#[cfg(unix)]
use crate::harness::Terminal;
use crate::harness::{Home, Network, NetworkState, Program, TestClient, TestServer, connect, take, terms};

/// Ben in a lobby of his own, and anna's program, which has joined it over the network.
pub(crate) async fn ben_and_annas(
    server: &TestServer,
    network: &Network,
    flags: &[&str],
) -> (TestClient, Program) {
    ben_and_annas_on(server, network, flags, terms("take:9:4")).await
}

async fn ben_and_annas_on(
    server: &TestServer,
    network: &Network,
    flags: &[&str],
    terms: NewLobby,
) -> (TestClient, Program) {
    let mut ben = server.client("ben").await;
    let code = ben.create_on(terms).await.to_string();
    let program = connect(network.address(), "anna", &[&["--join", &code], flags].concat());
    ben.until_playing().await;
    (ben, program)
}

/// The flag of a program that retries every second.
const PATIENT: [&str; 2] = ["--give-up", "20s"];

/// The same with a new server and network; anna's seats are saved in this folder.
async fn begun(flags: &[&str]) -> (Home, TestServer, Network, TestClient, Program) {
    begun_there(TestServer::start(), flags).await
}

/// The same on this server, once the program has shown that the game goes on.
async fn begun_there(server: TestServer, flags: &[&str]) -> (Home, TestServer, Network, TestClient, Program) {
    let (home, server, network, ben, mut program) = begun_on(server, flags, terms("take:9:4")).await;
    program.until(if flags.contains(&"--json") { r#""event":"started""# } else { "ben starts." }).await;
    (home, server, network, ben, program)
}

async fn begun_on(
    server: TestServer,
    flags: &[&str],
    terms: NewLobby,
) -> (Home, TestServer, Network, TestClient, Program) {
    let (home, network) = (Home::new(), Network::before(server.address()).await);
    let flags = [flags, &home.state()].concat();
    let (ben, program) = ben_and_annas_on(&server, &network, &flags, terms).await;
    (home, server, network, ben, program)
}

/// The same, with anna's program at a terminal.
#[cfg(unix)]
async fn begun_at_terminal(terms: NewLobby) -> (Home, TestServer, Network, TestClient, Terminal) {
    let (home, server) = (Home::new(), TestServer::start());
    let network = Network::before(server.address()).await;
    let mut ben = server.client("ben").await;
    let (code, address) = (ben.create_on(terms).await.to_string(), network.address().to_string());
    let joins = ["connect", &address, "--name", "anna", "--join", &code];
    let anna = Terminal::keeping(home.path(), &joins);
    ben.until_playing().await;
    (home, server, network, ben, anna)
}

/// Ben takes this many objects.
async fn takes(ben: &mut TestClient, count: u64) {
    ben.play(take(count)).await;
}

async fn sees_left(ben: &mut TestClient) {
    ben.until_event(|event| matches!(event, Event::Left { how: Departure::Quit, .. })).await;
}

async fn sees_away(ben: &mut TestClient) {
    ben.until_away(!ben.side()).await;
}

/// Breaks the connection of ben's opponent, and waits until he is told.
async fn breaks(network: &Network, ben: &mut TestClient) {
    network.set(NetworkState::Down);
    sees_away(ben).await;
}

async fn sees_back(ben: &mut TestClient) {
    ben.until_notice(|notice| matches!(notice, Notice::Back { .. })).await;
}

/// The moves that ben receives until the turn has this number, each with the hand that made it.
async fn hands_until(ben: &mut TestClient, turn: u32) -> Vec<Hand> {
    let mut hands = Vec::new();
    while ben.lobby().turn() < turn {
        let event = ben.until_event(|event| matches!(event, Event::Moved { .. })).await;
        if let Event::Moved { hand, .. } = event {
            hands.push(hand);
        }
    }
    hands
}

#[tokio::test]
async fn a_program_whose_connection_breaks_comes_back_by_itself() {
    let (_home, _server, network, mut ben, mut program) = begun(&[]).await;
    takes(&mut ben, 1).await;
    program.until("Your move").await;
    for _ in 0..3 {
        network.set(NetworkState::Down);
        let line = program.until("reconnecting for up to").await;
        assert!(line.starts_with("The connection to the server broke: "), "{line}");
        sees_away(&mut ben).await;
        network.set(NetworkState::Up);
        program.until("You are back in your seat.").await;
        program.until("Your turn.").await;
        sees_back(&mut ben).await;
    }
    program.types("4\n").await;
    assert_eq!(hands_until(&mut ben, 3).await, [Hand::Own]);
    takes(&mut ben, 4).await;
    program.until("You lost").await;
    program.quits().await;
}

#[tokio::test]
async fn missed_events_do_not_mention_the_players_own_lost_connection() {
    let (_home, _server, network, mut ben, mut program) = begun(&[]).await;
    takes(&mut ben, 2).await;
    program.until("Your move").await;
    breaks(&network, &mut ben).await;
    ben.ask(LobbyRequest::Wait).await;
    ben.until_notice(|notice| matches!(notice, Notice::WaitedFor { .. })).await;
    network.set(NetworkState::Up);
    program.until("reconnecting").await;
    let mut line = program.line().await;
    while line != "You are back in your seat." {
        assert!(!line.starts_with("The connection is lost"), "{line}");
        line = program.line().await;
    }
}

#[tokio::test]
async fn a_move_that_never_arrived_is_made_after_the_return() {
    let (_home, _server, network, mut ben, mut program) = begun(&[]).await;
    takes(&mut ben, 1).await;
    program.until("Your move").await;
    network.set(NetworkState::LosesRequests);
    program.types("4\n").await;
    network.has_swallowed(1).await;
    breaks(&network, &mut ben).await;
    network.set(NetworkState::Up);
    assert_eq!(hands_until(&mut ben, 3).await, [Hand::Own]);
    program.until("You: take 4").await;
}

#[tokio::test]
async fn a_move_whose_answer_never_arrived_is_made_once() {
    let (_home, _server, network, mut ben, mut program) = begun(&[]).await;
    takes(&mut ben, 1).await;
    program.until("Your move").await;
    network.set(NetworkState::LosesAnswers);
    program.types("1\n").await;
    assert_eq!(hands_until(&mut ben, 3).await, [Hand::Own]);
    breaks(&network, &mut ben).await;
    takes(&mut ben, 1).await;
    network.set(NetworkState::Up);
    program.until("You: take 1").await;
    program.until("ben: take 1").await;
    program.until("You are back in your seat.").await;
    program.until("Your move").await;
    sees_back(&mut ben).await;
    assert_eq!(ben.lobby().turn(), 4, "the move of turn 2 was not made again in turn 4");
    program.types("2\n").await;
    assert_eq!(hands_until(&mut ben, 5).await, [Hand::Own]);
}

#[cfg(unix)]
#[tokio::test]
async fn an_unanswered_move_is_shown_as_sent() {
    let (_home, _server, network, mut ben, mut anna) = begun_at_terminal(terms("take:9:4")).await;
    takes(&mut ben, 1).await;
    anna.until("or help): ").await;
    network.set(NetworkState::LosesRequests);
    anna.types("4");
    network.has_swallowed(1).await;
    for typed in ["why", "3"] {
        anna.asks(typed, "Your move is on its way").await;
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_move_typed_during_the_absence_is_made_after_the_return() {
    let (_home, _server, network, mut ben, mut anna) = begun_at_terminal(terms("take:9:4")).await;
    takes(&mut ben, 1).await;
    anna.until("Your move (1 to 4, or help): ").await;
    network.set(NetworkState::Down);
    anna.until("reconnecting").await;
    anna.asks("resign", "only a move, leave and quit can be typed ahead").await;
    anna.asks("3", "Your move is made as soon as the connection is back.").await;
    anna.asks("4", "Your move is made").await;
    network.set(NetworkState::Up);
    anna.until("You: take 4").await;
    assert_eq!(hands_until(&mut ben, 3).await, [Hand::Own]);
}

#[cfg(unix)]
#[tokio::test]
async fn a_move_typed_for_a_turn_that_is_over_is_reported_as_not_made() {
    let at_once =
        NewLobby { away: AwayWish { then: WhenAway::StandIn, level: None, after: 0 }, ..terms("take:20:3") };
    let (_home, _server, network, mut ben, mut anna) = begun_at_terminal(at_once).await;
    takes(&mut ben, 1).await;
    anna.until("Your move (1, 2 or 3, or help): ").await;
    network.set(NetworkState::Down);
    anna.until("reconnecting").await;
    anna.asks("3", "Your move is made as soon as the connection is back.").await;
    assert_eq!(hands_until(&mut ben, 3).await, [Hand::StandIn]);
    network.set(NetworkState::Up);
    anna.until("You are back in your seat.").await;
    anna.until("The move that you typed was not made: its turn is over.").await;
}

#[tokio::test]
async fn a_silent_connection_is_replaced_by_a_new_one() {
    let server = TestServer::with(|config| {
        config.ping_after = Duration::from_millis(300);
        config.gone_after = Duration::from_millis(1_200);
    });
    let network = Network::before(server.address()).await;
    let mut program = connect(network.address(), "anna", &["--new", "take:9:4", "--bot"]);
    program.until("Your move").await;
    network.set(NetworkState::LosesAnswers);
    program.until("reconnecting").await;
    network.set(NetworkState::Up);
    program.until("You are back in your seat.").await;
    program.until("Your move").await;
    program.asks("1", "minimax [bot, perfect]: take").await;
}

#[tokio::test]
async fn a_program_that_was_killed_is_resumed_by_another_one() {
    let (home, _server, _network, mut ben, mut program) = begun(&[]).await;
    program.dies().await;
    sees_away(&mut ben).await;
    assert_eq!(home.kept(), 1);
    for _ in 0..2 {
        let mut again = home.resumes(&[]);
        again.until("take:9:4:normal: ben against anna.").await;
        again.until("You are back in your seat.").await;
        sees_back(&mut ben).await;
        again.dies().await;
        sees_away(&mut ben).await;
    }
    let mut last = home.resumes(&[]);
    takes(&mut ben, 1).await;
    last.until("Your move").await;
    last.gives_up().await;
    sees_left(&mut ben).await;
    assert_eq!(home.kept(), 0, "leaving voids the ticket");
}

#[tokio::test]
async fn a_client_that_does_not_come_back_says_that_the_seat_is_kept() {
    for (patience, code, words) in [
        ("0", 7, "Your seat is kept for a while: nim-client resume goes on."),
        ("300ms", 10, "could not be reached again within"),
    ] {
        let (home, _server, network, mut ben, program) = begun(&["--give-up", patience]).await;
        breaks(&network, &mut ben).await;
        let ended = program.ended().await;
        ended.fails(code, words);
        ended.fails(code, "nim-client resume");
        network.set(NetworkState::Up);
        home.is_back(&[]).await;
    }
}

#[tokio::test]
async fn only_giving_up_leaves_the_lobby() {
    let server = TestServer::start();
    let network = Network::before(server.address()).await;
    let signals = if cfg!(unix) { &["INT", "HUP", "TERM"][..] } else { &[] };
    for act in ["quit", "leave", "resign\nquit", "the end of the input"].iter().chain(signals) {
        let (mut ben, mut program) = ben_and_annas(&server, &network, &[]).await;
        takes(&mut ben, 1).await;
        program.until("Your move").await;
        match *act {
            "quit" | "leave" => {
                program.types(format!("{act}\n")).await;
                sees_away(&mut ben).await;
            }
            "resign\nquit" => {
                program.types(format!("{act}\n")).await;
                sees_left(&mut ben).await;
            }
            "the end of the input" => {
                program.finish().await.fails(8, "nim-client resume goes on");
                sees_away(&mut ben).await;
            }
            #[cfg(unix)]
            signal => {
                program.signal(signal).await;
                sees_away(&mut ben).await;
            }
            #[cfg(not(unix))]
            _ => unreachable!("there are no signals"),
        }
        ben.leave().await;
    }
}

#[tokio::test]
async fn resume_lists_the_saved_seats() {
    let (server, home) = (TestServer::start(), Home::new());
    home.resumed(&[]).await.fails(11, "you have no unfinished game");

    let network = Network::before(server.address()).await;
    let mut codes = Vec::new();
    for _ in 0..2 {
        let (ben, mut program) = ben_and_annas(&server, &network, &home.state()).await;
        program.until("starts.").await;
        program.dies().await;
        codes.push(ben.lobby().code().to_string());
    }
    let several = home.resumed(&[]).await;
    assert_eq!(several.code, Some(11));
    for code in &codes {
        let mut lines = several.stderr.lines().skip_while(|line| !line.contains(code.as_str()));
        let (command, line) = (lines.next().unwrap().trim(), lines.next().unwrap());
        assert!(command.starts_with("nim-client resume ") && !command.contains(','), "{command}");
        assert!(
            line.contains("take:9:4") && line.contains("against ben") && line.contains("last played "),
            "{line}"
        );
        assert!(line.contains(" second") && line.ends_with(" ago"), "{line}");
        let mut again = home.is_back(&[code]).await;
        again.dies().await;
    }
    let command = |code: &String| format!("nim-client resume {code} --state {}", home.path().display());
    assert!(codes.iter().all(|code| several.stderr.contains(&command(code))), "{several:?}");
    let script = home.resumed(&["--json"]).await;
    let Some((seats, end)) = script.stdout.split_once('\n') else { panic!("two objects: {script:?}") };
    let Ok(json::EventLine::Seats { kept }) = serde_json::from_str(seats) else { panic!("{script:?}") };
    for code in &codes {
        let seat = kept.iter().find(|seat| seat.code.to_string() == *code).unwrap();
        assert!(seat.name.as_str().starts_with("anna") && seat.opponent.as_ref().unwrap().starts_with("ben"));
        assert_eq!((&seat.command, &seat.server), (&command(code), &Some(network.address().to_string())));
    }
    assert!(end.contains(r#""words":"several seats of yours are kept; say which one""#), "{end}");
    let unknown = home.resumed(&["brave-otter"]).await;
    assert_eq!(unknown.code, Some(11));
    let no_code = home.resumed(&["ben"]).await;
    no_code.fails(11, "ben: a lobby's code is two words, as in brave-otter");
    assert!(codes.iter().all(|code| no_code.stderr.contains(code.as_str())), "{no_code:?}");
}

#[tokio::test]
async fn a_script_is_told_that_the_connection_is_lost_and_back() {
    let (_home, _server, network, mut ben, mut program) = begun(&["--json"]).await;
    network.set(NetworkState::Down);
    let lost = program.until(r#""event":"lost""#).await;
    assert!(lost.contains(r#""patience":600000"#), "{lost}");
    sees_away(&mut ben).await;
    takes(&mut ben, 1).await;
    network.set(NetworkState::Up);
    program.until(r#""event":"moved""#).await;
    program.until(r#""event":"returned""#).await;
    program.until(r#""event":"your_turn""#).await;
    program.types("{\"do\":\"play\",\"move\":\"4\"}\n").await;
    assert_eq!(hands_until(&mut ben, 3).await, [Hand::Own]);
}

#[tokio::test]
async fn a_returning_script_is_told_that_the_opponent_left_meanwhile() {
    let (_home, server, network, mut ben, mut program) = begun(&["--json"]).await;
    network.set(NetworkState::Down);
    program.until(r#""event":"lost""#).await;
    sees_away(&mut ben).await;
    let mut cleo = server.client("cleo").await;
    cleo.watch(ben.lobby().code()).await;
    let bens = ben.claim();
    drop(ben);
    cleo.until_lobby(Lobby::is_deserted).await;
    network.set(NetworkState::Up);
    let away = program.until(r#""event":"away""#).await;
    assert!(away.contains(r#""name":"ben""#), "{away}");
    program.until(r#""event":"returned""#).await;
    let _ben = server.comes_back(bens).await;
    program.until(r#""event":"back""#).await;
}
