//! A server inside the test, on its own port. It stops on drop.

use std::net::{Ipv4Addr, SocketAddr};
#[cfg(unix)]
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nim::client::dial::Tcp;
use nim::client::session::SessionEvent;
use nim::client::{Endpoint, Model, Session};
use nim::lobby::{Code, Name};
#[cfg(unix)]
use nim::server::admin::AdminPlace;
use nim::server::storage::{Damage, Storage};
use nim::server::{Config, Ended, Server};
use nim::web::Site;
use nim::wire::{ClientKind, HallRefusal, NewLobby, Refusal, Ticket};
use socket2::{Domain, Socket, Type};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

#[cfg(unix)]
use super::Terminal;
use super::{Claim, Program, TestClient, Wire, come_back, connect, pair_at, play_out, terms, within};

/// Longer than any test, so that a server never reaches this deadline.
const NEVER: Duration = Duration::from_hours(1);

/// A server that runs until it is dropped or stopped.
#[derive(Debug)]
pub(crate) struct TestServer {
    address: SocketAddr,
    stop: CancellationToken,
    running: JoinHandle<Ended>,
}

impl TestServer {
    /// A server where bots join only on request, and move at once.
    pub(crate) fn start() -> Self {
        Self::with(|_| {})
    }

    /// The same, and clients that were welcomed one after the other.
    pub(crate) async fn start_for<const N: usize>(names: [&str; N]) -> (Self, [TestClient; N]) {
        let server = Self::start();
        let clients = server.clients(names).await;
        (server, clients)
    }

    /// The same with a changed configuration.
    pub(crate) fn with(choose: impl FnOnce(&mut Config)) -> Self {
        Self::serves(Server::bind(Self::config(choose)).unwrap())
    }

    /// A server that loads the lobbies of this storage.
    pub(crate) fn keeping(storage: impl Storage + 'static, choose: impl FnOnce(&mut Config)) -> Self {
        let (server, damaged) = Self::keeping_what_it_can(storage, choose);
        assert_eq!(damaged, [], "nothing is damaged");
        server
    }

    /// The same, and the damage that it found there.
    pub(crate) fn keeping_what_it_can(
        storage: impl Storage + 'static,
        choose: impl FnOnce(&mut Config),
    ) -> (Self, Vec<Damage>) {
        let (server, found) = Server::bind_with_storage(Self::config(choose), Box::new(storage)).unwrap();
        (Self::serves(server), found.damaged)
    }

    /// A server with an admin socket in this folder.
    #[cfg(unix)]
    pub(crate) fn with_admin(folder: &Path, choose: impl FnOnce(&mut Config)) -> Self {
        let mut server = Server::bind(Self::config(choose)).unwrap();
        server.serve_admin(&AdminPlace::in_folder(folder)).unwrap();
        Self::serves(server)
    }

    /// A server with a web site, which answers to the name annas-laptop too. Its API is also for the pages of
    /// `https://games.example`.
    pub(crate) fn with_web(choose: impl FnOnce(&mut Config)) -> Self {
        Self::serves_web(Self::config(choose), None)
    }

    /// The same, of which the web site believes that others reach it at this address.
    pub(crate) fn with_web_elsewhere(elsewhere: Option<SocketAddr>) -> Self {
        Self::serves_web(Self::config(|_| {}), elsewhere)
    }

    fn serves_web(config: Config, elsewhere: Option<SocketAddr>) -> Self {
        let server = Server::bind(config).unwrap();
        let (names, origins) = (["annas-laptop".to_owned()], vec!["https://games.example".parse().unwrap()]);
        server.serve_web(|entrance| Arc::new(Site::new(entrance, names, origins).reached_at(elsewhere)));
        Self::serves(server)
    }

    /// A server with a web site, which loads the lobbies of this storage.
    pub(crate) fn with_web_keeping(storage: impl Storage + 'static) -> Self {
        let (server, _) = Server::bind_with_storage(Self::config(|_| {}), Box::new(storage)).unwrap();
        server.serve_web(|entrance| Arc::new(Site::new(entrance, [], Vec::new())));
        Self::serves(server)
    }

    pub(crate) fn config(choose: impl FnOnce(&mut Config)) -> Config {
        let mut config = Config {
            bind: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            bot_after: NEVER,
            bot_pace: Duration::ZERO,
            seed: 7646,
            // A test sends requests as fast as its machine can, and people do not, so the rate limit is off.
            max_requests_each: u32::MAX,
            max_lobbies_each: usize::MAX,
            max_guesses: u32::MAX,
            // A test waits for nobody.
            shortest_away: Duration::ZERO,
            // Many tests advance the clock themselves.
            forgives_stops: false,
            ..Config::default()
        };
        choose(&mut config);
        config
    }

    fn serves(server: Server) -> Self {
        let (address, stop) = (server.address().unwrap(), CancellationToken::new());
        let running = tokio::spawn(server.run(stop.clone().cancelled_owned()));
        Self { address, stop, running }
    }

    /// The server's address.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// A connection without a hello.
    pub(crate) async fn connect(&self) -> Wire {
        Wire::connect(self.address).await
    }

    /// A welcomed client.
    pub(crate) async fn client(&self, name: &str) -> TestClient {
        TestClient::hello(self.connect().await, name).await
    }

    /// A client that has opened a lobby on these terms, and the lobby's code.
    pub(crate) async fn opened(&self, name: &str, terms: NewLobby) -> (TestClient, Code) {
        let mut client = self.client(name).await;
        let code = client.create_on(terms).await;
        (client, code)
    }

    /// A client that has joined the lobby with this code.
    pub(crate) async fn joined(&self, name: &str, code: Code) -> TestClient {
        let mut client = self.client(name).await;
        client.join(code).await;
        client
    }

    /// Clients welcomed one after the other.
    pub(crate) async fn clients<const N: usize>(&self, names: [&str; N]) -> [TestClient; N] {
        let mut clients = Vec::with_capacity(N);
        for name in names {
            clients.push(self.client(name).await);
        }
        clients.try_into().expect("one for each name")
    }

    /// The session of a client program without a face, which does not reconnect.
    pub(crate) async fn session(&self, name: &str) -> Session {
        let (name, network) = (Name::clean(name).unwrap(), Arc::new(Tcp));
        let (address, patience) = (self.address.into(), Duration::ZERO);
        let (kind, others) = (ClientKind::Person, Vec::new());
        let endpoint = Endpoint { address, others, default_port: 1, name, kind, patience, network };
        let (connection, given) = endpoint.connect().await.unwrap();
        Session::new(connection, Model::new(given))
    }

    /// A client that watches the lobby of this player.
    pub(crate) async fn watcher(&self, name: &str, player: &TestClient) -> TestClient {
        let mut watcher = self.client(name).await;
        watcher.watch(player.lobby().code()).await;
        watcher
    }

    /// The client program, connected to this server.
    pub(crate) fn program(&self, name: &str, flags: &[&str]) -> Program {
        connect(self.address, name, flags)
    }

    /// The same at a terminal, in the line face.
    #[cfg(unix)]
    pub(crate) fn terminal(&self, name: &str, flags: &[&str]) -> Terminal {
        Terminal::client(&[&["connect", &self.address.to_string(), "--name", name], flags].concat())
    }

    /// A welcomed client from this loopback address; Linux has several.
    #[cfg(target_os = "linux")]
    pub(crate) async fn client_from(&self, address: std::net::Ipv4Addr, name: &str) -> TestClient {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((address, 0).into()).unwrap();
        let stream = within("a connection", socket.connect(self.address)).await.unwrap();
        TestClient::hello(Wire::over(stream), name).await
    }

    /// A new client, back in the seat of this ticket.
    pub(crate) async fn comes_back(&self, claim: Claim) -> TestClient {
        let mut client = self.client("somebody").await;
        client.tries(Claim { seen: 0, ..claim }.request()).await.expect("the ticket is valid");
        client
    }

    /// Waits until this name is free.
    pub(crate) async fn name_is_free(&self, name: &str) {
        let free = async { while self.client(name).await.name() != name {} };
        within(&format!("the name {name} to be free"), free).await;
    }

    /// Waits until the lobby with this code is closed. The request for it changes nothing.
    pub(crate) async fn lobby_is_freed(&self, code: Code) {
        let mut asker = self.client("asker").await;
        let wrong = come_back(code, Ticket::of([0; 16]), 0);
        let gone = Refusal::Hall(HallRefusal::NoSuchLobby);
        let freed = async { while asker.refused_in_hall(wrong.clone()).await != gone {} };
        within(&format!("{code} to be freed"), freed).await;
    }

    /// Plays an honest game to its end, to show that the server still works.
    pub(crate) async fn still_serves(&self) {
        let (mut one, mut other) = (self.client("honest").await, self.client("upright").await);
        let code = one.create("take:3:1").await;
        other.join(code).await;
        let result = play_out(&mut one, &mut other, |heaps| heaps.moves()[0]).await;
        assert_eq!(
            result.outcome.winner(),
            Some(one.side()),
            "3 objects, one by one: the first player takes the last"
        );
    }

    /// Tells it to stop, as Ctrl-C does, and does not wait.
    pub(crate) fn interrupt(&self) {
        self.stop.cancel();
    }

    /// Stops it, as Ctrl-C does. These clients vanish first, so that the server does not wait for them to
    /// read its goodbye.
    pub(crate) async fn stops<T>(self, clients: T) {
        self.interrupt();
        drop(clients);
        self.stopped().await;
    }

    /// Waits for its end. A panic in the server is a panic here.
    pub(crate) async fn stopped(mut self) {
        within("the server to stop", &mut self.running).await.unwrap();
    }
}

/// A server, and two clients in a game of this variant: anna, the opener, and ben.
pub(crate) async fn game(variant: &str) -> (TestServer, TestClient, TestClient) {
    game_on(terms(variant)).await
}

/// The same on these terms.
pub(crate) async fn game_on(terms: NewLobby) -> (TestServer, TestClient, TestClient) {
    let server = TestServer::start();
    let (anna, ben) = pair(&server, terms).await;
    (server, anna, ben)
}

/// Two clients in a lobby of their own, anna the opener; their game has begun.
pub(crate) async fn pair(server: &TestServer, terms: NewLobby) -> (TestClient, TestClient) {
    pair_at(server.address(), terms).await
}

/// The next event of a session.
pub(crate) async fn news(session: &mut Session) -> SessionEvent {
    let heard = within("something to be said to the session", session.next()).await.unwrap();
    session.handle(heard).unwrap()
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// An address without a listener. The held socket keeps its port reserved.
pub(crate) fn nobody() -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    (socket, address)
}
