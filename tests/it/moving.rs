//! The client where its game moves from one server of a cluster to another, and where it knows several servers. The
//! servers are played by the tests.

mod nearer;
mod presence;
mod rivals;
mod unnoticed;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::BytesMut;
use nim::client::dial::{Dial, Dialing, Stream};
use nim::client::json::{JsonFace, Script};
use nim::client::redial::DEFAULT_PATIENCE;
use nim::client::session::{ConnectionStatus, SessionEvent};
use nim::client::{Action, Address, Endpoint, Failure, Leaving, Model, SeatStore, Session, Terms};
use nim::lobby::{Event, Hand, List, Lobby, LobbyRequest, Moment, Name, PlayerId, Text};
use nim::wire::{
    ChatLine, ChatRoom, ClientKind, Farewell, HallEvent, HallRefusal, HallRequest, HelloRefusal, Refusal,
    ToClient, ToServer, decode, encode, next_body,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use crate::harness::news;
use crate::harness::pretender::{entered, entered_into, game, welcome};

/// A server, as the test plays it.
struct Server {
    stream: DuplexStream,
    inbox: BytesMut,
    /// The address that was dialed.
    host: String,
}

impl Server {
    async fn says(&mut self, message: &ToClient) {
        self.stream.write_all(&encode(message)).await.unwrap();
    }

    async fn hears(&mut self) -> ToServer {
        loop {
            if let Some(body) = next_body(&mut self.inbox).unwrap() {
                return decode(&body).unwrap();
            }
            assert_ne!(self.stream.read_buf(&mut self.inbox).await.unwrap(), 0, "the client closed");
        }
    }

    /// Welcomes the client, and reads its first request.
    async fn welcomes(&mut self) -> HallRequest {
        assert!(matches!(self.hears().await, ToServer::Hello(_)));
        self.says(&welcome(1_000, 2_000)).await;
        match self.hears().await {
            ToServer::Hall { request, .. } => request,
            other => panic!("{other:?}"),
        }
    }

    async fn moves_away(mut self) {
        self.says(&ToClient::Goodbye(Farewell::Moved)).await;
    }
}

/// A network in which every address is a server that the test plays.
#[derive(Debug)]
struct FakeNetwork(mpsc::UnboundedSender<(String, DuplexStream)>, Arc<AtomicBool>);

impl Dial for FakeNetwork {
    fn dial<'a>(&'a self, address: &'a Address, port: u16) -> Dialing<'a> {
        if self.1.swap(false, Ordering::Relaxed) {
            let refused = Failure::Unreachable { address: address.clone(), port, why: "it refuses".into() };
            return Box::pin(std::future::ready(Err(refused)));
        }
        let (near, far) = tokio::io::duplex(64 * 1024);
        self.0.send((address.host.clone(), far)).unwrap();
        Box::pin(std::future::ready(Ok(Box::new(near) as Box<dyn Stream>)))
    }
}

/// The servers that are dialed, and whether the next one refuses the connection.
struct Servers(mpsc::UnboundedReceiver<(String, DuplexStream)>, Arc<AtomicBool>);

impl Servers {
    /// Nothing listens at the address that is dialed next.
    fn refuse_one(&self) {
        self.1.store(true, Ordering::Relaxed);
    }

    async fn next(&mut self) -> Server {
        let (host, stream) = self.0.recv().await.unwrap();
        Server { stream, inbox: BytesMut::new(), host }
    }
}

fn endpoint(patience: Duration) -> (Endpoint, Servers) {
    let (dialed, servers) = mpsc::unbounded_channel();
    let refuses = Arc::<AtomicBool>::default();
    let endpoint = Endpoint {
        address: "a".parse().unwrap(),
        others: Vec::new(),
        default_port: 7_646,
        name: Name::clean("anna").unwrap(),
        kind: ClientKind::Person,
        patience,
        network: Arc::new(FakeNetwork(dialed, Arc::clone(&refuses))),
    };
    (endpoint, Servers(servers, refuses))
}

/// A session after this action, which the server has read, and the server.
async fn begun(patience: Duration, action: Action) -> (Session, Server, Servers) {
    let (endpoint, mut servers) = endpoint(patience);
    let first = async {
        let mut server = servers.next().await;
        assert!(matches!(server.hears().await, ToServer::Hello(_)));
        server.says(&welcome(1_000, 2_000)).await;
        server
    };
    let (connected, mut server) = tokio::join!(endpoint.connect(), first);
    let (connection, name) = connected.unwrap();
    let mut session = Session::new(connection, Model::new(name)).coming_back(endpoint, None);
    session.act(action);
    server.hears().await;
    (session, server, servers)
}

/// The same in a game.
async fn playing() -> (Session, Server, Servers) {
    playing_in(&game()).await
}

/// The same in this lobby.
async fn playing_in(lobby: &Lobby) -> (Session, Server, Servers) {
    let (mut session, mut server, servers) = begun(DEFAULT_PATIENCE, Action::Create(terms())).await;
    server.says(&entered_into(lobby)).await;
    assert!(matches!(news(&mut session).await, SessionEvent::Entered));
    (session, server, servers)
}

fn terms() -> Terms {
    Terms { variant: "java-tech:21".parse().unwrap(), ..Terms::default() }
}

/// The addresses of a cluster.
fn addresses(hosts: &[&str]) -> ToClient {
    ToClient::Servers { addresses: List::first_of(hosts.iter().map(|host| Text::cut(host))) }
}

/// The answer to a return after which nothing was missed.
fn returned() -> ToClient {
    ToClient::Returned { attendance: *game().attendance(), now: Moment::START }
}

/// The next event that is worth showing.
async fn told(session: &mut Session) -> SessionEvent {
    loop {
        match news(session).await {
            SessionEvent::Nothing => {}
            event => return event,
        }
    }
}

/// The lobby after one more move.
fn moved() -> Lobby {
    let mut lobby = game();
    let mv = lobby.board().read_move("1").unwrap();
    let event = Event::Moved { turn: 1, player: PlayerId(1), mv, hand: Hand::Own };
    lobby.apply(&event, Moment::START).unwrap();
    lobby
}

#[tokio::test(start_paused = true)]
async fn a_game_that_moves_within_a_second_goes_on_without_a_word() {
    let (session, server, mut servers) = playing().await;
    let mut session = session.measuring();
    server.moves_away().await;
    assert!(matches!(news(&mut session).await, SessionEvent::Nothing));
    let moved = Instant::now();
    assert!(session.is_moving() && !session.is_lost() && session.lobby().is_some());
    assert!(!matches!(session.connection_status(), Some(ConnectionStatus::Lost)));
    let there = async {
        let mut server = servers.next().await;
        assert!(moved.elapsed() <= Duration::from_millis(2), "{:?}", moved.elapsed());
        assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 3, .. }));
        sleep(Duration::from_millis(900)).await;
        server.says(&returned()).await;
        server
    };
    let (event, _server) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { quiet: true, anew: false, .. }), "{event:?}");
    assert!(!session.is_away());
}

#[tokio::test(start_paused = true)]
async fn a_game_that_moves_while_the_connection_stays_goes_on_without_a_word() {
    let (mut session, mut server, _servers) = playing().await;
    let mv = session.lobby().unwrap().board().read_move("1").unwrap();
    session.act(Action::Play(mv));
    assert!(matches!(server.hears().await, ToServer::Lobby { .. }));
    server.says(&ToClient::LobbyMoved).await;
    assert!(matches!(news(&mut session).await, SessionEvent::Nothing));
    assert!(session.is_moving() && !session.is_lost());
    let ToServer::Hall { request, .. } = server.hears().await else { panic!("it asks for its seat") };
    assert!(matches!(request, HallRequest::Return { seen: 3, .. }), "{request:?}");
    sleep(Duration::from_millis(900)).await;
    server.says(&returned()).await;
    let event = told(&mut session).await;
    assert!(matches!(event, SessionEvent::Returned { quiet: true, anew: false, .. }), "{event:?}");
    assert!(!session.is_away());
    // The other server does not have the move.
    let again = server.hears().await;
    assert!(matches!(again, ToServer::Lobby { request: LobbyRequest::Play { .. }, .. }), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn who_leaves_a_game_just_when_it_moves_leaves_it_there() {
    let (mut session, mut server, _servers) = playing().await;
    session.act(Action::Leave(Leaving::GiveUp));
    assert!(matches!(server.hears().await, ToServer::Lobby { request: LobbyRequest::Leave, .. }));
    server.says(&ToClient::LobbyMoved).await;
    assert!(matches!(news(&mut session).await, SessionEvent::Nothing));
    let asked = server.hears().await;
    assert!(matches!(asked, ToServer::Hall { request: HallRequest::Return { .. }, .. }), "{asked:?}");
    server.says(&returned()).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Returned { .. }));
    let again = server.hears().await;
    assert!(matches!(again, ToServer::Lobby { request: LobbyRequest::Leave, .. }), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn who_is_told_to_return_and_then_to_connect_again_does_so_at_once() {
    let (mut session, mut server, mut servers) = playing().await;
    server.says(&ToClient::LobbyMoved).await;
    news(&mut session).await;
    server.hears().await;
    server.moves_away().await;
    let moved = Instant::now();
    let there = async {
        let mut server = servers.next().await;
        assert!(matches!(server.welcomes().await, HallRequest::Return { seen: 3, .. }));
        server.says(&returned()).await;
        server
    };
    let (event, _server) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { quiet: true, .. }), "{event:?}");
    assert!(moved.elapsed() <= Duration::from_millis(2), "{:?}", moved.elapsed());
}

/// A session that watches the game.
async fn watching() -> (Session, Server, Servers) {
    let (mut session, mut server, servers) = begun(DEFAULT_PATIENCE, Action::Look).await;
    session.act(Action::Watch(game().code(), None));
    server.hears().await;
    server.says(&ToClient::Watching { lobby: game().snapshot(), now: Moment::START }).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Entered));
    (session, server, servers)
}

#[tokio::test(start_paused = true)]
async fn who_watches_a_game_that_moves_while_the_connection_stays_watches_again() {
    let (mut session, mut server, _servers) = watching().await;
    server.says(&ToClient::LobbyMoved).await;
    assert!(matches!(news(&mut session).await, SessionEvent::Nothing));
    let asked = server.hears().await;
    assert!(matches!(asked, ToServer::Hall { request: HallRequest::Watch { .. }, .. }), "{asked:?}");
    server.says(&ToClient::Watching { lobby: game().snapshot(), now: Moment::START }).await;
    let event = told(&mut session).await;
    assert!(matches!(event, SessionEvent::Returned { quiet: true, anew: false, .. }), "{event:?}");
}

#[tokio::test(start_paused = true)]
async fn a_game_that_moves_for_longer_is_told_to_do_so_after_a_second() {
    let (mut session, server, mut servers) = playing().await;
    server.moves_away().await;
    let moved = Instant::now();
    let there = async {
        let mut server = servers.next().await;
        server.welcomes().await;
        sleep(Duration::from_millis(1_500)).await;
        server.says(&ToClient::Ping(0)).await;
        sleep(Duration::from_millis(1_500)).await;
        server.says(&returned()).await;
        server
    };
    let hears = async {
        let lost = told(&mut session).await;
        assert!(matches!(lost, SessionEvent::Lost { failure: Failure::Goodbye(Farewell::Moved), .. }));
        assert_eq!(moved.elapsed().as_secs(), 1);
        assert!(session.is_lost() && !session.is_moving());
        told(&mut session).await
    };
    let (event, _server) = tokio::join!(hears, there);
    assert!(matches!(event, SessionEvent::Returned { quiet: false, .. }), "{event:?}");
}

#[tokio::test(start_paused = true)]
async fn any_other_loss_is_told_at_once() {
    let (mut session, server, _servers) = playing().await;
    drop(server);
    assert!(matches!(news(&mut session).await, SessionEvent::Lost { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_lobby_that_was_sent_whole_is_shown_only_if_something_has_happened_in_it() {
    for (lobby, is_new) in [(game(), false), (moved(), true)] {
        let (mut session, server, mut servers) = begun(DEFAULT_PATIENCE, Action::Look).await;
        let mut server = server;
        session.act(Action::Watch(game().code(), None));
        server.says(&ToClient::Watching { lobby: game().snapshot(), now: Moment::START }).await;
        assert!(matches!(told(&mut session).await, SessionEvent::Entered));
        server.moves_away().await;
        let there = async {
            let mut server = servers.next().await;
            assert!(matches!(server.welcomes().await, HallRequest::Watch { .. }));
            server.says(&ToClient::Watching { lobby: lobby.snapshot(), now: Moment::START }).await;
            server
        };
        let (event, _server) = tokio::join!(told(&mut session), there);
        let SessionEvent::Returned { anew, quiet: true, .. } = event else { panic!("{event:?}") };
        assert_eq!((anew, session.lobby().unwrap().turn()), (is_new, lobby.turn()));
    }
}

#[tokio::test(start_paused = true)]
async fn the_list_of_lobbies_is_not_shown_anew_after_a_move() {
    let (mut session, mut server, mut servers) = begun(DEFAULT_PATIENCE, Action::Look).await;
    let list =
        ToClient::Hall(HallEvent::Lobbies { listed: List::default(), gone: List::default(), complete: true });
    server.says(&list).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Hall { looking: true, .. }));
    server.moves_away().await;
    let there = async {
        let mut server = servers.next().await;
        assert_eq!(server.welcomes().await, HallRequest::Look);
        server.says(&list).await;
        server
    };
    let (event, _server) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Hall { looking: false, .. }), "{event:?}");
    assert!(!session.is_away());
}

#[tokio::test(start_paused = true)]
async fn a_move_typed_while_the_game_moves_is_made_there() {
    let (mut session, server, mut servers) = playing().await;
    server.moves_away().await;
    news(&mut session).await;
    let mv = game().board().read_move("2").unwrap();
    session.act(Action::Play(mv));
    let there = async {
        let mut server = servers.next().await;
        server.welcomes().await;
        server.says(&returned()).await;
        server.hears().await
    };
    let (event, heard) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { quiet: true, late: false, .. }), "{event:?}");
    assert!(matches!(heard, ToServer::Lobby { .. }), "{heard:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_gone_silent_is_left_after_two_seconds_for_another_one() {
    let (mut session, mut server, mut servers) = playing().await;
    server.says(&addresses(&["a:7646", "b:7646", "what is this", "b"])).await;
    assert!(matches!(news(&mut session).await, SessionEvent::Nothing));
    let silent = Instant::now();
    let lost = told(&mut session).await;
    assert!(matches!(lost, SessionEvent::Lost { failure: Failure::Silent(2), .. }), "{lost:?}");
    assert_eq!(silent.elapsed(), Duration::from_secs(2));
    assert_eq!(server.hears().await, ToServer::Ping(0));
    let there = async {
        let mut other = servers.next().await;
        assert_eq!(other.host, "b");
        other.welcomes().await;
        other.says(&returned()).await;
        other
    };
    let (event, other) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { .. }), "{event:?}");
    // The address that the person typed is still that of the server.
    assert_eq!(session.server().unwrap().to_string(), "a");
    // From now on the other one is the first that is tried.
    other.moves_away().await;
    let there = async {
        let other = servers.next().await;
        assert_eq!(other.host, "b");
    };
    tokio::join!(there, async { news(&mut session).await });
}

#[tokio::test(start_paused = true)]
async fn a_halted_server_is_left_for_another_one() {
    let (mut session, mut server, mut servers) = playing().await;
    server.says(&addresses(&["a:7646", "b:7646"])).await;
    news(&mut session).await;
    drop(server);
    assert!(matches!(news(&mut session).await, SessionEvent::Lost { .. }));
    let there = async {
        let mut first = servers.next().await;
        assert_eq!(first.host, "a");
        first.welcomes().await;
        let refusal = Refusal::Halted { why: Text::cut("it cannot record") };
        first.says(&ToClient::Refused { id: 1, turn: 0, refusal }).await;
        let refused = Instant::now();
        let mut other = servers.next().await;
        assert!(other.host == "b" && refused.elapsed() < Duration::from_millis(200));
        other.welcomes().await;
        other.says(&returned()).await;
        (first, other)
    };
    let hears = async {
        assert!(matches!(told(&mut session).await, SessionEvent::RetryingReturn { .. }));
        told(&mut session).await
    };
    let (event, _servers) = tokio::join!(hears, there);
    assert!(matches!(event, SessionEvent::Returned { quiet: false, .. }), "{event:?}");
}

#[tokio::test(start_paused = true)]
async fn a_session_without_patience_follows_a_move_only_if_it_was_made_to() {
    let (mut session, server, _servers) = begun(Duration::ZERO, Action::Create(terms())).await;
    let mut server = server;
    server.says(&entered()).await;
    news(&mut session).await;
    server.says(&ToClient::LobbyMoved).await;
    let input = session.next().await.unwrap();
    let failure = session.handle(input).unwrap_err();
    assert!(matches!(failure, Failure::Goodbye(Farewell::Moved)), "{failure:?}");
    server.moves_away().await;
    let failure = session.next().await.unwrap_err();
    assert!(matches!(failure, Failure::Goodbye(Farewell::Moved)), "{failure:?}");

    let (session, mut server, mut servers) = begun(Duration::ZERO, Action::Create(terms())).await;
    let mut session = session.following_moves();
    server.says(&entered()).await;
    news(&mut session).await;
    server.says(&ToClient::LobbyMoved).await;
    news(&mut session).await;
    server.hears().await;
    server.says(&returned()).await;
    assert!(matches!(told(&mut session).await, SessionEvent::Returned { quiet: true, .. }));
    server.moves_away().await;
    let there = async {
        let mut server = servers.next().await;
        server.welcomes().await;
        server.says(&returned()).await;
        server
    };
    let (event, server) = tokio::join!(told(&mut session), there);
    assert!(matches!(event, SessionEvent::Returned { quiet: true, .. }), "{event:?}");
    // Where it is turned away there, it ends at once.
    server.moves_away().await;
    news(&mut session).await;
    drop(servers.next().await);
    let failure = session.next().await.unwrap_err();
    assert!(matches!(failure, Failure::Goodbye(Farewell::Moved)), "{failure:?}");
}

#[tokio::test(start_paused = true)]
async fn lines_of_chat_that_another_server_numbers_anew_are_shown() {
    let (mut session, mut server, mut servers) = playing().await;
    let said = |number: u32, words: &str| ChatLine {
        number,
        room: ChatRoom::Players,
        name: Name::clean("eve").unwrap(),
        at: Moment::START,
        words: Text::cut(words),
    };
    server.says(&ToClient::Said(List::first_of([said(1, "hello"), said(2, "good luck")]))).await;
    assert!(matches!(news(&mut session).await, SessionEvent::Said(lines) if lines.len() == 2));
    server.says(&ToClient::Said(List::first_of([said(2, "good luck")]))).await;
    assert!(matches!(news(&mut session).await, SessionEvent::Said(lines) if lines.is_empty()));
    server.moves_away().await;
    let there = async {
        let mut server = servers.next().await;
        server.welcomes().await;
        server.says(&returned()).await;
        server.says(&ToClient::Said(List::first_of([said(1, "well played")]))).await;
        server
    };
    let hears = async {
        told(&mut session).await;
        told(&mut session).await
    };
    let (event, _server) = tokio::join!(hears, there);
    assert!(matches!(event, SessionEvent::Said(lines) if lines.len() == 1));
    assert_eq!(session.model().lobby().unwrap().chat.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_other_servers_are_saved_with_the_seat() {
    let folder = tempfile::tempdir().unwrap();
    let seats = SeatStore::at(folder.path());
    let (there, mut servers) = endpoint(DEFAULT_PATIENCE);
    let first = async {
        let mut server = servers.next().await;
        assert!(matches!(server.hears().await, ToServer::Hello(_)));
        server.says(&welcome(1_000, 2_000)).await;
        server.says(&addresses(&["a:7646", "b:7646"])).await;
        server
    };
    let (connected, mut server) = tokio::join!(there.connect(), first);
    let (connection, name) = connected.unwrap();
    let mut session = Session::new(connection, Model::new(name)).coming_back(there, Some(seats.clone()));
    session.act(Action::Create(terms()));
    server.says(&entered()).await;
    while !matches!(news(&mut session).await, SessionEvent::Entered) {}
    let [seat] = &seats.all().unwrap()[..] else { panic!("one seat is saved") };
    assert_eq!((seat.server.to_string(), seat.others[0].to_string()), ("a".into(), "b:7646".into()));
}

/// A script that says nothing, and what it is told.
struct Listener(mpsc::UnboundedSender<String>);

impl Script for Listener {
    async fn next(&mut self) -> Option<String> {
        std::future::pending().await
    }

    async fn write(&mut self, line: String) -> io::Result<()> {
        self.0.send(line).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

#[tokio::test(start_paused = true)]
async fn a_script_is_not_asked_twice_for_a_turn_during_which_its_game_moves() {
    let (session, mut server, mut servers) = begun(DEFAULT_PATIENCE, Action::Look).await;
    let (told, mut lines) = mpsc::unbounded_channel();
    let face = JsonFace::new(session, Listener(told), terms());
    let face = tokio::spawn(async move { face.run(&Action::Create(terms())).await });
    server.hears().await;
    server.says(&entered()).await;
    while !lines.recv().await.unwrap().contains("your_turn") {}
    server.moves_away().await;
    let mut server = servers.next().await;
    server.welcomes().await;
    server.says(&returned()).await;
    server.says(&ToClient::HostSaid { words: Text::cut("hello") }).await;
    assert!(lines.recv().await.unwrap().contains("hello"));
    face.abort();
}

#[tokio::test(start_paused = true)]
async fn a_first_request_is_repeated_if_its_lobby_moves_just_then() {
    let code = game().code();
    for action in [Action::Join(code, None), Action::Watch(code, None)] {
        let (mut session, server, mut servers) = begun(DEFAULT_PATIENCE, action.clone()).await;
        server.moves_away().await;
        let there = async {
            let mut server = servers.next().await;
            let answer = match (server.welcomes().await, &action) {
                (HallRequest::Join { .. }, Action::Join(..)) => entered(),
                (HallRequest::Watch { .. }, Action::Watch(..)) => {
                    ToClient::Watching { lobby: game().snapshot(), now: Moment::START }
                }
                (other, _) => panic!("{other:?}"),
            };
            server.says(&answer).await;
            server
        };
        let (event, _server) = tokio::join!(told(&mut session), there);
        assert!(matches!(event, SessionEvent::Entered), "{event:?}");
        assert!(!session.is_away() && !session.is_arriving());
    }
}
