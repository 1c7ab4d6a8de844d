//! Tests: one of several servers, to which lobbies come and from which they go while it runs, and which may be
//! fenced off.

use std::future::{Future, pending, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::BytesMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;
use tokio::time::{Instant, advance, timeout};

use super::TELL_AFTER;
use crate::game::any::Move;
use crate::game::nim::Take;
use crate::lobby::{Code, Conditions, LobbyRequest, Name, Text};
use crate::server::app::App;
use crate::server::connection::{Closing, Connection};
use crate::server::lobby::LobbyHandle;
use crate::server::lobby::tests::{Player, config, connected, opened};
use crate::server::peers::Place;
use crate::server::peers::fake::FakePeers;
use crate::server::pipe::Pipe;
use crate::server::storage::StorageError;
use crate::server::storage::fake::FakeStorage;
use crate::server::{Arrival, Config, Ended, Entrance, Listen, Member, Server};
use crate::wire::{
    ClientKind, Farewell, Greeting, HallRefusal, HallRequest, Magic, Refusal, ToClient, ToServer, VERSION,
    decode, encode, next_body,
};

/// A temporary error, in words for players.
const AWAY: &str = "the common record cannot be reached";

/// One of several servers, with its storage and what it knows of the others.
fn one_of_several() -> (Arc<App>, FakeStorage, Arc<FakePeers>) {
    let (storage, peers) = (FakeStorage::default(), FakePeers::new());
    let shared = Arc::clone(&peers);
    let (app, _) = App::with_storage(config(), Box::new(storage.clone()), Some(shared)).unwrap();
    (Arc::new(app), storage, peers)
}

/// A lobby in which anna and ben play, and anna has moved.
fn game(app: &App) -> (Arc<LobbyHandle>, [Player; 2]) {
    let lobby = opened(app, Conditions::default());
    let [anna, ben] = ["anna", "ben"].map(|name| Player::sits(app, &lobby, name));
    anna.asks(&lobby, move_of_turn(1)).unwrap();
    (lobby, [anna, ben])
}

fn move_of_turn(turn: u32) -> LobbyRequest {
    LobbyRequest::Play { turn, mv: Move::Nim(Take { pile: 0, count: 1 }) }
}

/// The goodbye with which a connection is ended; `None` if it is not.
async fn goodbye(connection: &Connection) -> Option<Farewell> {
    let closing = timeout(Duration::ZERO, poll_fn(|context| connection.poll_closing(context))).await;
    match closing {
        Ok(Closing::Farewell(word)) => Some(word),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_lobby_goes_on_in_another_server_with_the_next_event_and_the_first_one_records_nothing_more() {
    let (first, recorded, _) = one_of_several();
    let (lobby, [anna, ben]) = game(&first);
    Member::new(&first).give_away(|code| code == lobby.code).await.unwrap();
    for player in [&anna, &ben] {
        assert_eq!(goodbye(&player.connection).await, Some(Farewell::Moved));
    }
    assert!(first.registry.find(lobby.code).is_none());
    let events = recorded.events();

    // What the first server was asked too late, what falls due there, and the ends of the connections.
    let _ = ben.asks(&lobby, move_of_turn(2));
    lobby.on_disconnect(anna.who, &anna.connection);
    advance(Duration::from_hours(1)).await;
    lobby.restart();
    assert_eq!(recorded.events(), events);
    assert_eq!(first.registry.why_given_up(anna.ticket.hash()), None);

    let (second, goes_on, peers) = one_of_several();
    // She is there before her seat is.
    let early = second.services.names.claim(&Name::clean("anna").unwrap());
    assert_eq!(Member::new(&second).restore(recorded.lobbies()), []);
    assert!(peers.names().here.contains("anna") && peers.names().here.contains("ben"));
    let there = second.registry.find(lobby.code).unwrap();
    let (connection, socket) = connected();
    there.come_back(&ben.ticket, *events.last().unwrap(), &connection).unwrap();
    drop(early);
    there.ask((ben.who, &connection), move_of_turn(2), Instant::now()).unwrap();
    let all: Vec<u32> = events.into_iter().chain(goes_on.events()).collect();
    assert_eq!(all, (1..=all.last().copied().unwrap()).collect::<Vec<_>>(), "one number after the other");
    assert!(socket.messages().iter().any(|message| matches!(message, ToClient::Returned { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_lobby_comes_back_to_the_server_that_gave_it_away() {
    let (app, recorded, _) = one_of_several();
    let (lobby, [anna, _ben]) = game(&app);
    let member = Member::new(&app);
    for _ in 0..3 {
        member.give_away(|_| true).await.unwrap();
        assert_eq!((app.registry.count(), member.listings(9)), (0, vec![]));
        assert_eq!(member.restore(recorded.lobbies()), []);
        assert_eq!((app.registry.count(), member.listings(9).len()), (1, 1));
    }
    let there = app.registry.lobby_of_seat(anna.ticket.hash()).unwrap();
    assert_eq!(there.code, lobby.code);
    there.come_back(&anna.ticket, 0, &connected().0).unwrap();
    let events = recorded.events();
    assert_eq!(events, (1..=events.last().copied().unwrap()).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn who_asks_a_lobby_that_was_given_away_is_to_come_back_instead_of_getting_an_answer() {
    let (app, recorded, _) = one_of_several();
    let (lobby, [anna, ben]) = game(&app);
    let _other = opened(&app, Conditions::default());
    app.give_away(|code| code == lobby.code).await.unwrap();
    assert_eq!(app.registry.count(), 1, "another code");
    let before = recorded.count();
    let [(returns, _), (watches, _)] = [(); 2].map(|()| connected());
    let _ = lobby.come_back(&anna.ticket, 0, &returns);
    let name = app.services.names.claim(&Name::clean("cleo").unwrap());
    let _ = lobby.watch(&name, None, &watches, false);
    for connection in [&returns, &watches] {
        assert_eq!(goodbye(connection).await, Some(Farewell::Moved));
    }
    lobby.leave(ben.who, &ben.connection);
    lobby.close(&Farewell::LobbyClosed);
    assert_eq!(recorded.count(), before);
    assert_eq!(app.services.lobby_list.own(9), []);
}

#[tokio::test(start_paused = true)]
async fn lobbies_are_given_away_once_everything_is_recorded() {
    let (app, storage, _) = one_of_several();
    let (lobby, [_anna, ben]) = game(&app);
    storage.fails_with(Some(AWAY));
    ben.asks(&lobby, move_of_turn(2)).unwrap();
    let before = storage.events();
    let failed = app.give_away(|_| true).await.unwrap_err();
    assert_eq!(failed.for_players, AWAY);
    assert!(app.registry.find(lobby.code).is_some());
    storage.fails_with(None);
    app.give_away(|_| true).await.unwrap();
    assert_eq!(storage.events().len(), before.len() + 1);
    assert!(app.registry.find(lobby.code).is_none());
}

#[tokio::test(start_paused = true)]
async fn a_damaged_lobby_of_another_server_is_set_aside_until_it_is_given_away() {
    let (first, recorded, _) = one_of_several();
    let (lobby, _players) = game(&first);
    let mut stored = recorded.lobbies();
    stored[0].events.remove(1);
    let (second, ..) = one_of_several();
    let damaged = Member::new(&second).restore(stored.clone());
    assert_eq!(damaged.iter().map(|damage| damage.lobby).collect::<Vec<_>>(), [stored[0].lobby]);
    assert!(matches!(second.registry.why_none(lobby.code), HallRefusal::SetAside { .. }));
    second.give_away(|_| true).await.unwrap();
    assert_eq!(second.registry.why_none(lobby.code), HallRefusal::NoSuchLobby);
}

/// A listener to which nobody comes.
#[derive(Debug)]
struct NoListener;

impl Listen for NoListener {
    async fn accept(&self) -> io::Result<Arrival> {
        pending().await
    }
}

/// A server that runs, and how it is reached and seen.
struct Running {
    app: Arc<App>,
    storage: FakeStorage,
    peers: Arc<FakePeers>,
    ended: JoinHandle<Ended>,
}

impl Running {
    fn start() -> Self {
        Self::start_with(pending())
    }

    fn start_with(stop: impl Future<Output = ()> + Send + 'static) -> Self {
        Self::start_as(config(), stop)
    }

    fn start_as(config: Config, stop: impl Future<Output = ()> + Send + 'static) -> Self {
        let (storage, peers) = (FakeStorage::default(), FakePeers::new());
        let (kept, shared) = (Box::new(storage.clone()), Arc::clone(&peers));
        let (server, _) = Server::on_with_peers(NoListener, config, kept, shared).unwrap();
        let app = Arc::clone(&server.app);
        Self { app, storage, peers, ended: tokio::spawn(server.run(stop)) }
    }

    /// A client that was welcomed, and the messages since then.
    async fn welcomes(&self, name: &str) -> Client {
        self.welcomes_from([10, 0, 0, 1], name).await
    }

    /// The same of one that comes from this address.
    async fn welcomes_from(&self, ip: [u8; 4], name: &str) -> Client {
        let pipe = Entrance::new(&self.app).connect(SocketAddr::from((ip, 1)));
        let mut client = Client { pipe, inbox: BytesMut::new() };
        let (name, kind) = (Text::cut(name), ClientKind::Person);
        client.says(&ToServer::Hello(Greeting { magic: Magic, version: VERSION.into(), name, kind })).await;
        client
    }
}

struct Client {
    pipe: Pipe,
    inbox: BytesMut,
}

impl Client {
    async fn says(&mut self, message: &ToServer) {
        self.pipe.write_all(&encode(message)).await.unwrap();
    }

    /// The addresses in the next message, which is the list of servers; else that message.
    async fn hears_of_servers(&mut self) -> Vec<String> {
        match self.hears().await {
            Some(ToClient::Servers { addresses }) => addresses.iter().map(ToString::to_string).collect(),
            other => vec![format!("{other:?}")],
        }
    }

    async fn asks(&mut self, request: HallRequest) {
        self.says(&ToServer::Hall { id: 1, request }).await;
    }

    /// The next message; `None` if none comes for half a second.
    async fn hears(&mut self) -> Option<ToClient> {
        let next = async {
            loop {
                if let Some(body) = next_body(&mut self.inbox).unwrap() {
                    return decode(&body).unwrap();
                }
                assert!(self.pipe.read_buf(&mut self.inbox).await.unwrap() > 0, "the connection is closed");
            }
        };
        timeout(Duration::from_millis(500), next).await.ok()
    }
}

fn wrong_code() -> HallRequest {
    HallRequest::Watch { code: Text::cut(&Code::from_bits(1, 1).to_string()), password: None }
}

#[tokio::test(start_paused = true)]
async fn a_client_learns_the_addresses_of_all_servers_and_when_to_try_another_one() {
    let running = Running::start();
    running.peers.are_at(&["a.example:7646", "b.example:7646"]);
    let mut client = running.welcomes("anna").await;
    let welcome = client.hears().await;
    assert!(
        matches!(welcome, Some(ToClient::Welcome { ping_after: 1_000, gone_after: 2_000, .. })),
        "{welcome:?}"
    );
    assert_eq!(client.hears_of_servers().await, ["a.example:7646", "b.example:7646"]);
    running.peers.are_at(&["b.example:7646"]);
    assert_eq!(client.hears_of_servers().await, ["None"], "when one has died, there is more urgent work");
    advance(TELL_AFTER).await;
    assert_eq!(client.hears_of_servers().await, ["b.example:7646"]);
}

#[tokio::test(start_paused = true)]
async fn a_client_learns_at_once_of_a_new_server_since_the_one_that_it_is_at_may_die_next() {
    let running = Running::start();
    running.peers.are_at(&["a.example:7646", "b.example:7646"]);
    let mut client = running.welcomes("anna").await;
    assert!(matches!(client.hears().await, Some(ToClient::Welcome { .. })));
    assert_eq!(client.hears_of_servers().await, ["a.example:7646", "b.example:7646"]);
    running.peers.are_at(&["a.example:7646", "b.example:7646", "c.example:7646"]);
    assert_eq!(client.hears_of_servers().await, ["a.example:7646", "b.example:7646", "c.example:7646"]);
    // One that has gone comes back elsewhere before anybody is told.
    running.peers.are_at(&["a.example:7646", "b.example:7646"]);
    assert_eq!(client.hears().await, None);
    running.peers.are_at(&["a.example:7646", "b.example:7646", "d.example:7646"]);
    assert_eq!(client.hears_of_servers().await, ["a.example:7646", "b.example:7646", "d.example:7646"]);
    advance(TELL_AFTER).await;
    assert_eq!(client.hears().await, None, "once");
}

#[tokio::test(start_paused = true)]
async fn an_address_of_a_private_network_is_listed_only_for_who_comes_from_one() {
    let running = Running::start();
    running.peers.are_at(&["192.168.1.7:7646", "b.example:7646"]);
    for (ip, all) in [([10, 0, 0, 1], true), ([198, 51, 100, 4], false)] {
        let mut client = running.welcomes_from(ip, "anna").await;
        client.hears().await;
        let listed = client.hears_of_servers().await;
        assert_eq!(listed, ["192.168.1.7:7646", "b.example:7646"][usize::from(!all)..], "{ip:?}");
    }
    let mut stranger = running.welcomes_from([198, 51, 100, 4], "ben").await;
    stranger.hears().await;
    stranger.hears().await;
    running.peers.are_at(&["192.168.1.7:7646"]);
    assert_eq!(stranger.hears().await, None);
    advance(TELL_AFTER).await;
    assert_eq!(stranger.hears_of_servers().await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn what_is_not_recorded_is_told_only_once_it_is_certain() {
    for request in [wrong_code(), HallRequest::Look] {
        let running = Running::start();
        let mut client = running.welcomes("anna").await;
        assert!(matches!(client.hears().await, Some(ToClient::Welcome { .. })));
        client.asks(request.clone()).await;
        let at_once = client.hears().await.unwrap();
        assert_eq!(running.storage.confirmed(), 0);

        running.peers.are_certain(false);
        client.asks(request.clone()).await;
        assert_eq!(client.hears().await, Some(at_once.clone()), "it is confirmed first");
        assert_eq!(running.storage.confirmed(), 1);

        running.storage.fails_with(Some(AWAY));
        client.asks(request).await;
        assert_eq!(client.hears().await, None);
        running.storage.fails_with(None);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(client.hears().await, Some(at_once));
    }
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_a_lobby_that_is_on_its_way_waits_for_it_also_while_nothing_can_be_recorded() {
    let running = Running::start();
    let (lobby, [anna, ben]) = game(&running.app);
    let mut client = running.welcomes("cleo").await;
    assert!(matches!(client.hears().await, Some(ToClient::Welcome { .. })));
    running.storage.fails_with(Some(AWAY));
    ben.asks(&lobby, move_of_turn(2)).unwrap();
    let mut errors = running.app.services.journal.watch();
    errors.wait_for(Option::is_some).await.unwrap();
    let code = Text::cut(&lobby.code.to_string());
    let returns = HallRequest::Return { code, ticket: anna.ticket, seen: 0 };
    client.asks(returns.clone()).await;
    assert!(matches!(client.hears().await, Some(ToClient::Refused { refusal: Refusal::Halted { .. }, .. })));

    running.peers.place_by(|_| Place::Moving);
    client.asks(returns).await;
    assert_eq!(client.hears().await, None);
    running.storage.fails_with(None);
    errors.wait_for(Option::is_none).await.unwrap();
    running.peers.place_by(|_| Place::Here);
    let told = client.hears().await;
    assert!(matches!(told, Some(ToClient::Entered { .. })), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_fenced_off_tells_nothing_more_and_ends() {
    let running = Running::start();
    let mut client = running.welcomes("anna").await;
    assert!(matches!(client.hears().await, Some(ToClient::Welcome { .. })));
    let (lobby, [anna, ben]) = game(&running.app);
    // Something falls due if she stays away.
    lobby.on_disconnect(anna.who, &anna.connection);
    running.peers.are_certain(false);
    running.storage.fails_with(Some(StorageError::FENCED_OFF));
    let before = running.storage.events();
    ben.asks(&lobby, move_of_turn(2)).unwrap();
    client.asks(wrong_code()).await;
    let told = client.hears().await;
    // The error is known by then, or it was not.
    let told = if matches!(told, Some(ToClient::Refused { refusal: Refusal::Halted { .. }, .. })) {
        client.hears().await
    } else {
        told
    };
    assert_eq!(told, Some(ToClient::Goodbye(Farewell::Moved)));
    drop(client);
    assert_eq!(running.ended.await.unwrap(), Ended::FencedOff);
    assert_eq!(running.storage.events(), before);
    let told = ben.socket.messages();
    assert!(!told.iter().any(|message| matches!(message, ToClient::Halted { .. })), "nobody waits for it");
    let left = Arc::downgrade(&lobby);
    drop((running.app, lobby, anna, ben));
    tokio::task::yield_now().await;
    assert!(left.upgrade().is_none(), "nothing of its lobbies is left");
}

#[tokio::test]
async fn a_server_of_several_whose_program_fails_ends_and_says_that_it_was_not_stopped() {
    // The journal has a thread.
    let running = Running::start_as(Config { thinkers: Some(1), ..config() }, pending());
    let (lobby, [_anna, ben]) = game(&running.app);
    running.storage.panics();
    ben.asks(&lobby, move_of_turn(2)).unwrap();
    assert_eq!(running.ended.await.unwrap(), Ended::Failed);
}

#[tokio::test]
async fn players_of_a_server_of_several_learn_that_nothing_can_be_recorded_though_nobody_moves() {
    // The journal has a thread.
    let running = Running::start_as(Config { thinkers: Some(1), ..config() }, pending());
    let (_lobby, [anna, _ben]) = game(&running.app);
    for error in [Some(AWAY), None] {
        running.storage.fails_with(error);
        let is_told = |message: &ToClient| matches!(message, ToClient::Halted { why, .. } if why.is_some() == error.is_some());
        while !anna.socket.messages().iter().any(is_told) {
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_of_several_that_stops_sends_everybody_to_another_one() {
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let running = Running::start_with(async { drop(stopped.await) });
    let mut client = running.welcomes("anna").await;
    assert!(matches!(client.hears().await, Some(ToClient::Welcome { .. })));
    stop.send(()).unwrap();
    assert_eq!(client.hears().await, Some(ToClient::Goodbye(Farewell::Moved)));
    drop(client);
    assert_eq!(running.ended.await.unwrap(), Ended::Stopped);
}

#[tokio::test(start_paused = true)]
async fn who_is_sent_away_may_come_back_to_the_same_server() {
    let running = Running::start();
    let mut client = running.welcomes("anna").await;
    assert!(matches!(client.hears().await, Some(ToClient::Welcome { .. })));
    Member::new(&running.app).send_all_away();
    assert_eq!(client.hears().await, Some(ToClient::Goodbye(Farewell::Moved)));
    let mut client = running.welcomes("anna").await;
    assert!(matches!(client.hears().await, Some(ToClient::Welcome { .. })));
}
