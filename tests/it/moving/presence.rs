//! What people read of players who are away for a moment, or longer, and what scripts are told.

use nim::client::input::InputLines;
use nim::client::line::{LineFace, Typing};
use nim::game::{BySide, Outcome, Side};
use nim::lobby::{Absence, Attendance, Cause, ConnectionLoss, GameResult, Notice};
use tokio::task::JoinHandle;

use super::nearer::reached;
use super::unnoticed::{Screen, Told, Typed};
use super::*;
use crate::tui::person::Person;

/// The other player, eve.
const EVE: Side = Side::Second;

const AWAY: &str = "eve is away: the connection has closed.";
const BACK: &str = "eve is back.";

/// A time in the lobby, in milliseconds.
fn at(millis: u64) -> Moment {
    Moment::START + Duration::from_millis(millis)
}

/// That eve goes away at this time, when the client is told so.
fn goes_away(since: Moment) -> ToClient {
    ToClient::Notice { at: since, notice: Notice::Away { side: EVE, since, loss: ConnectionLoss::Closed } }
}

fn comes_back(at: Moment) -> ToClient {
    ToClient::Notice { at, notice: Notice::Back { side: EVE } }
}

fn watched(at: Moment, name: &str) -> ToClient {
    ToClient::Notice { at, notice: Notice::Watched { name: Name::clean(name).unwrap() } }
}

/// Eve is away since then.
fn without_eve(since: Moment) -> Attendance {
    let absence = Absence { since, loss: ConnectionLoss::Closed, waited: false };
    Attendance { absences: BySide { first: None, second: Some(absence) }, ..*game().attendance() }
}

/// The answer of another server to a client that asks for its seat, at this time: the lobby was restarted there, and eve is
/// away since then.
async fn takes_over(server: &mut Server, (restarted, now): (Moment, Moment)) {
    server.says(&ToClient::Lobby { number: 4, at: restarted, event: Event::Restarted }).await;
    server.says(&ToClient::Returned { attendance: without_eve(restarted), now }).await;
}

/// The lobby moves to another server, to which the same connection leads, and where eve is away at first.
async fn moves(server: &mut Server) {
    server.says(&ToClient::LobbyMoved).await;
    assert!(matches!(server.lives().await, ToServer::Hall { request: HallRequest::Return { .. }, .. }));
    takes_over(server, (at(100), at(100))).await;
}

/// Answers pings for so long.
async fn lives_for(server: &mut Server, time: Duration) {
    let other = tokio::time::timeout(time, server.lives()).await;
    assert!(other.is_err(), "{other:?}");
}

/// A person at the line face, in the game.
struct Reader {
    told: Told,
    face: JoinHandle<Result<(), Failure>>,
    /// While it lives, the input has no end.
    _keyboard: std::sync::mpsc::Sender<String>,
}

impl Reader {
    async fn playing() -> (Self, Server, Servers) {
        let (session, mut server, servers) = begun(DEFAULT_PATIENCE, Action::Look).await;
        let (keyboard, typed) = std::sync::mpsc::channel();
        let told = Told::default();
        let input = InputLines::of(Typed(typed));
        let face = LineFace::new(session, input, Typing::AtTerminal, told.clone(), terms());
        let face = tokio::spawn(async move { face.run("anna", &Action::Create(terms())).await });
        server.hears().await;
        server.says(&entered()).await;
        told.until("Your move").await;
        (Self { told, face, _keyboard: keyboard }, server, servers)
    }

    /// What is read while this happens, and in the moment after it.
    async fn reads(&self, happens: impl Future<Output = ()>) -> Vec<String> {
        let before = self.told.text();
        happens.await;
        sleep(Duration::from_millis(1)).await;
        let all = self.told.text();
        let new = all.strip_prefix(&before).unwrap().trim_start();
        new.lines().map(str::to_owned).collect()
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.face.abort();
    }
}

#[tokio::test(start_paused = true)]
async fn of_a_game_that_moves_and_goes_on_within_a_moment_a_person_reads_nothing() {
    let (reader, mut server, _servers) = Reader::playing().await;
    // The other server knows nothing that was not recorded, and no time after it.
    server.says(&watched(at(7_000), "zoe")).await;
    let read = reader.reads(async {
        moves(&mut server).await;
        lives_for(&mut server, Duration::from_millis(900)).await;
        server.says(&comes_back(at(1_000))).await;
        lives_for(&mut server, Duration::from_secs(20)).await;
    });
    assert_eq!(read.await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn of_a_next_game_that_begins_while_the_lobby_moves_a_person_reads_nothing_else() {
    let (reader, mut server, _servers) = Reader::playing().await;
    let says = async |server: &mut Server, number, event| {
        server.says(&ToClient::Lobby { number, at: at(100), event }).await;
    };
    let result = GameResult { outcome: Outcome::Win(!EVE), cause: Cause::Resigned };
    says(&mut server, 4, Event::Ended { result }).await;
    says(&mut server, 5, Event::AgainWanted { side: !EVE }).await;
    let read = reader.reads(async {
        server.says(&ToClient::LobbyMoved).await;
        assert!(matches!(server.lives().await, ToServer::Hall { request: HallRequest::Return { .. }, .. }));
        says(&mut server, 6, Event::Restarted).await;
        // The other player is back first. Both want another game now, and it has not begun yet.
        says(&mut server, 7, Event::AgainWanted { side: EVE }).await;
        says(&mut server, 8, Event::Started { game: 2, swap: true }).await;
        let attendance = *game().attendance();
        server.says(&ToClient::Returned { attendance, now: at(100) }).await;
    });
    let read = read.await;
    assert!(
        !read.is_empty() && read.iter().all(|line| !line.contains("back") && !line.contains("away")),
        "{read:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn who_is_not_back_a_moment_after_a_game_has_moved_is_told_of_then() {
    let (reader, mut server, _servers) = Reader::playing().await;
    let read = reader.reads(async {
        moves(&mut server).await;
        lives_for(&mut server, Duration::from_millis(990)).await;
    });
    assert_eq!(read.await, [""; 0]);
    let read = reader.reads(lives_for(&mut server, Duration::from_millis(10))).await;
    assert_eq!(read[..2], [AWAY, "Your turn; eve is away for 1 second."], "{read:?}");
    let read = reader.reads(server.says(&comes_back(at(3_000)))).await;
    assert_eq!(read[..2], [BACK, "Your turn."], "{read:?}");
}

#[tokio::test(start_paused = true)]
async fn an_outage_that_is_over_within_a_second_is_never_told_and_a_longer_one_a_second_late() {
    let (mut session, mut server, _servers) = playing().await;
    for (begins, lasts) in [(0, 999), (5_000, 1), (9_000, 500)] {
        server.says(&goes_away(at(begins))).await;
        sleep(Duration::from_millis(lasts)).await;
        server.says(&comes_back(at(begins + lasts))).await;
        for _ in 0..2 {
            assert!(matches!(news(&mut session).await, SessionEvent::Nothing));
            assert!(session.lobby().unwrap().absence(EVE).is_none());
        }
    }
    server.says(&goes_away(at(12_000))).await;
    let began = Instant::now();
    let event = told(&mut session).await;
    assert!(
        matches!(event, SessionEvent::Noticed(Notice::Away { side: EVE, since, .. }) if since == at(12_000))
    );
    assert_eq!(began.elapsed(), Duration::from_secs(1));
    assert_eq!(session.lobby().unwrap().absence(EVE).unwrap().since, at(12_000));
    server.says(&comes_back(at(13_100))).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Noticed(Notice::Back { side: EVE })));
    assert!(session.lobby().unwrap().absence(EVE).is_none());
}

#[tokio::test(start_paused = true)]
async fn who_was_away_for_longer_when_a_client_comes_back_is_told_of_at_once() {
    let (mut session, mut server, _servers) = playing().await;
    server.says(&ToClient::LobbyMoved).await;
    news(&mut session).await;
    server.hears().await;
    takes_over(&mut server, (at(100), at(1_100))).await;
    let event = told(&mut session).await;
    let SessionEvent::Returned { noticed, quiet: true, .. } = event else { panic!("{event:?}") };
    assert!(matches!(noticed[..], [Notice::Away { side: EVE, .. }]), "{noticed:?}");
}

#[tokio::test(start_paused = true)]
async fn a_screen_does_not_flicker_while_its_game_moves_and_shows_who_stays_away() {
    let (session, mut server, _servers) = playing().await;
    let mut screen = Screen::of(session);
    screen.until(lives_for(&mut server, Duration::from_secs(2))).await;
    let before = screen.screen();
    screen.until(moves(&mut server)).await;
    for _ in 0..9 {
        screen.until(lives_for(&mut server, Duration::from_millis(100))).await;
        assert_eq!(screen.screen(), before);
    }
    screen.until(lives_for(&mut server, Duration::from_millis(200))).await;
    screen.shows_all(["eve [away]", "eve is away: the"]);
    screen.hides("server");
}

#[tokio::test(start_paused = true)]
async fn who_read_of_a_lost_connection_reads_that_the_server_is_back_and_who_is_not() {
    let (reader, server, mut servers) = Reader::playing().await;
    let read = reader.reads(async {
        drop(server);
        let mut server = servers.next().await;
        assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 3, .. }));
        takes_over(&mut server, (at(100), at(200))).await;
        lives_for(&mut server, Duration::from_millis(10)).await;
    });
    let read = read.await;
    assert!(read[0].starts_with("The connection to the server broke"), "{read:?}");
    let at = read.iter().position(|line| line == "The server is back.").unwrap();
    let then = ["You are back in your seat.", "Your turn; eve is away for less than a second."];
    assert_eq!(read[at + 1..at + 3], then, "{read:?}");
}

#[tokio::test(start_paused = true)]
async fn a_script_is_told_at_once_of_everything_in_a_game_that_moves() {
    let (session, mut server, _servers) = begun(DEFAULT_PATIENCE, Action::Look).await;
    let (told, mut lines) = mpsc::unbounded_channel();
    let face = JsonFace::new(session, Listener(told), terms());
    let face = tokio::spawn(async move { face.run(&Action::Create(terms())).await });
    server.hears().await;
    server.says(&entered()).await;
    while !lines.recv().await.unwrap().contains("your_turn") {}
    let moved = Instant::now();
    moves(&mut server).await;
    server.says(&comes_back(at(200))).await;
    server.says(&goes_away(at(300))).await;
    // Anna is back before eve.
    for word in ["restarted", "back", "back", "away"] {
        let line = lines.recv().await.unwrap();
        assert!(line.contains(&format!("\"{word}\"")), "{word}: {line}");
    }
    assert!(moved.elapsed() < Duration::from_millis(10));
    face.abort();
}

#[tokio::test(start_paused = true)]
async fn who_watches_a_game_that_moves_reads_nothing_of_it_nor_of_the_others_who_watch_it() {
    let (mut session, mut server, _servers) = watching().await;
    server.says(&ToClient::LobbyMoved).await;
    news(&mut session).await;
    server.hears().await;
    let mut lobby = game();
    lobby.apply(&Event::Restarted, at(100)).unwrap();
    server.says(&ToClient::Watching { lobby: lobby.snapshot(), now: at(100) }).await;
    let event = told(&mut session).await;
    let SessionEvent::Returned { anew: false, quiet: true, noticed, .. } = event else { panic!("{event:?}") };
    assert!(noticed.is_empty() && Side::BOTH.map(|side| session.lobby().unwrap().absence(side)) == [None; 2]);
    server.says(&watched(at(200), "wes")).await;
    server.says(&comes_back(at(200))).await;
    // Anna is not back, and somebody else comes.
    let event = told(&mut session).await;
    assert!(matches!(event, SessionEvent::Noticed(Notice::Away { side: Side::First, .. })), "{event:?}");
    server.says(&watched(at(1_200), "zoe")).await;
    let event = told(&mut session).await;
    assert!(
        matches!(&event, SessionEvent::Noticed(Notice::Watched { name }) if name.as_str() == "zoe"),
        "{event:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn who_is_away_when_the_client_goes_to_a_nearer_server_is_told_of_a_second_after_that() {
    let (mut session, mut first, mut there, _servers) = reached().await;
    first.says(&goes_away(at(5_000))).await;
    let began = Instant::now();
    assert!(matches!(news(&mut session).await, SessionEvent::Nothing));
    news(&mut session).await;
    assert!(matches!(there.hears().await, ToServer::Hall { request: HallRequest::Return { .. }, .. }));
    assert!(session.is_moving());
    sleep(Duration::from_millis(600)).await;
    there.says(&ToClient::Returned { attendance: without_eve(at(5_000)), now: at(5_600) }).await;
    let event = told(&mut session).await;
    let SessionEvent::Returned { noticed, quiet: true, .. } = event else { panic!("{event:?}") };
    assert!(noticed.is_empty(), "{noticed:?}");
    assert!(matches!(told(&mut session).await, SessionEvent::Noticed(Notice::Away { side: EVE, .. })));
    assert_eq!(began.elapsed(), Duration::from_secs(1));
}
