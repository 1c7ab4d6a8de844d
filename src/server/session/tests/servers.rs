//! Several servers in one process that share all lobbies, without sockets.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::client::Client;
use crate::lobby::{Code, Name};
use crate::server::app::App;
use crate::server::config::Config;
use crate::server::journal::Journal;
use crate::server::metrics::Metrics;
use crate::server::names::Names;
use crate::server::peers::{Later, PeerId, PeerStream, Peers, Place};
use crate::server::pipe::Pipe;
use crate::server::record_service::RecordService;
use crate::server::services::Services;
use crate::server::socket::Arrival;
use crate::server::storage::LobbyId;
use crate::server::{Entrance, Member};

/// The servers, and where their lobbies are.
#[derive(Debug)]
pub(super) struct Servers {
    apps: Vec<Arc<App>>,
    shared: Arc<Shared>,
}

/// What all servers know.
#[derive(Debug)]
struct Shared {
    /// Where each lobby is that was moved.
    places: Mutex<HashMap<Code, Place>>,
    /// Where all others are; `None` if each is where its code says.
    home: Mutex<Option<Place>>,
    /// Where people meet for quick matches.
    matches: Mutex<Place>,
    /// Where new lobbies are opened.
    new: Mutex<Place>,
    changes: watch::Sender<u64>,
    /// The ways into the servers.
    members: Mutex<HashMap<PeerId, Member>>,
    /// Cuts all connections to the first server.
    cut: Mutex<CancellationToken>,
    /// What answers in place of a server, if anything does.
    impostor: Mutex<Option<Pipe>>,
    /// Where clients reach each server, if they are told.
    address: Mutex<Option<&'static str>>,
    /// Which server has claimed a name last.
    names: Mutex<HashMap<String, PeerId>>,
}

/// What one of the servers knows.
#[derive(Debug)]
struct Known {
    me: PeerId,
    shared: Arc<Shared>,
}

impl Peers for Known {
    fn place_of(&self, code: Code) -> Place {
        let moved = self.shared.places.lock().get(&code).copied().or(*self.shared.home.lock());
        self.seen(moved.unwrap_or_else(|| self.shared.by_code(code)))
    }

    fn place_of_matches(&self, _: &str) -> Place {
        self.seen(*self.shared.matches.lock())
    }

    fn place_of_new(&self) -> Place {
        self.seen(*self.shared.new.lock())
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    fn connect(&self, peer: PeerId, client: SocketAddr) -> Later<'_, io::Result<Box<dyn PeerStream>>> {
        Box::pin(async move {
            if let Some(impostor) = self.shared.impostor.lock().take() {
                return Ok(Box::new(impostor) as Box<dyn PeerStream>);
            }
            let cut = self.shared.cut.lock().clone();
            let member = self.shared.members.lock().get(&peer).cloned().filter(|_| !cut.is_cancelled());
            let mut far = carried_to(&member.ok_or(io::ErrorKind::ConnectionRefused)?, client);
            let (near, mut middle) = tokio::io::duplex(1024);
            tokio::spawn(cut.run_until_cancelled_owned(async move {
                let _ = tokio::io::copy_bidirectional(&mut middle, &mut far).await;
            }));
            Ok(Box::new(near) as Box<dyn PeerStream>)
        })
    }

    fn claim_name(&self, name: &Name) -> Later<'_, bool> {
        self.take_name(name);
        Box::pin(async { true })
    }

    fn take_name(&self, name: &Name) {
        self.shared.names.lock().insert(name.to_string(), self.me);
    }

    fn release_name(&self, name: &Name) {
        let mut names = self.shared.names.lock();
        if names.get(name.as_str()) == Some(&self.me) {
            names.remove(name.as_str());
        }
    }

    fn next_lobby(&self) -> Option<LobbyId> {
        Some(LobbyId(fastrand::u64(..)))
    }

    fn is_certain(&self) -> bool {
        true
    }

    fn has_others(&self) -> bool {
        self.shared.members.lock().len() > 1
    }

    fn addresses(&self) -> watch::Receiver<Arc<Vec<String>>> {
        watch::channel(Arc::default()).1
    }

    fn address_of(&self, _: PeerId) -> Option<String> {
        self.shared.address.lock().map(str::to_owned)
    }
}

impl Shared {
    /// The server of a code: each has as many.
    fn by_code(&self, code: Code) -> Place {
        let (sum, count) = (code.to_string().bytes().map(u64::from).sum::<u64>(), self.members.lock().len());
        Place::At(PeerId(sum % u64::try_from(count).unwrap()))
    }
}

impl Known {
    /// A place as this server sees it.
    fn seen(&self, place: Place) -> Place {
        if place == Place::At(self.me) { Place::Here } else { place }
    }
}

impl Servers {
    /// As many servers as that.
    pub(super) fn start(count: u64) -> Self {
        Self::with_limit(u32::MAX, count)
    }

    /// The same where each address may make so many requests in a second.
    pub(super) fn with_limit(max_requests_each: u32, count: u64) -> Self {
        let shared = Arc::new(Shared {
            places: Mutex::default(),
            home: Mutex::default(),
            matches: Mutex::new(Place::At(PeerId(0))),
            new: Mutex::new(Place::Here),
            changes: watch::Sender::default(),
            members: Mutex::default(),
            cut: Mutex::default(),
            impostor: Mutex::default(),
            address: Mutex::default(),
            names: Mutex::default(),
        });
        let apps = (0..count).map(|number| {
            Arc::new(app(Known { me: PeerId(number), shared: Arc::clone(&shared) }, max_requests_each))
        });
        let apps: Vec<Arc<App>> = apps.collect();
        let members = (0..).map(PeerId).zip(apps.iter().map(Member::new));
        shared.members.lock().extend(members);
        Self { apps, shared }
    }

    pub(super) fn app(&self, number: usize) -> &Arc<App> {
        &self.apps[number]
    }

    /// A client of this server that has said nothing yet.
    pub(super) fn stranger(&self, number: usize) -> Client {
        Client::over(Entrance::new(&self.apps[number]).connect(address()))
    }

    /// A client of this server that was welcomed.
    pub(super) async fn client(&self, number: usize, name: &str) -> Client {
        let mut client = self.stranger(number);
        client.hello(name).await;
        client
    }

    /// A client that another server has carried to this one.
    pub(super) async fn carried(&self, number: usize, name: &str) -> Client {
        let mut client = Client::over(carried_to(&Member::new(&self.apps[number]), address()));
        client.hello(name).await;
        client
    }

    /// Moves a lobby there.
    pub(super) fn put(&self, code: Code, place: Place) {
        self.shared.places.lock().insert(code, place);
        self.shared.changes.send_modify(|changes| *changes += 1);
    }

    /// Has all lobbies be there that are not moved.
    pub(super) fn all_are_at(&self, place: Place) {
        *self.shared.home.lock() = Some(place);
    }

    /// Has people meet there for quick matches.
    pub(super) fn match_at(&self, place: Place) {
        *self.shared.matches.lock() = place;
        self.shared.changes.send_modify(|changes| *changes += 1);
    }

    /// Has new lobbies be opened there.
    pub(super) fn open_at(&self, place: Place) {
        *self.shared.new.lock() = place;
        self.shared.changes.send_modify(|changes| *changes += 1);
    }

    /// Clients are told from now on that each server is at this address.
    pub(super) fn are_at(&self, address: &'static str) {
        *self.shared.address.lock() = Some(address);
    }

    /// The server that has this name among all.
    pub(super) fn owner_of(&self, name: &str) -> Option<PeerId> {
        self.shared.names.lock().get(name).copied()
    }

    /// Cuts all connections between servers, and lets none begin.
    pub(super) fn cut(&self) {
        self.shared.cut.lock().cancel();
    }

    /// Lets connections begin again.
    pub(super) fn mend(&self) {
        *self.shared.cut.lock() = CancellationToken::new();
    }

    /// The next connection to a server leads to the test, over the pipe that is returned.
    pub(super) fn impostor(&self) -> Client {
        let (near, far) = Pipe::pair();
        *self.shared.impostor.lock() = Some(near);
        Client::over(far)
    }
}

/// The way to a server of a client with this address, which another server carries there.
fn carried_to(member: &Member, client: SocketAddr) -> Pipe {
    let (near, far) = Pipe::pair();
    let (incoming, outgoing) = far.split();
    member.take_in(Arrival { incoming, outgoing, peer: client });
    near
}

pub(super) fn address() -> SocketAddr {
    SocketAddr::from((IpAddr::from([192, 0, 2, 7]), 4_000))
}

fn app(known: Known, max_requests_each: u32) -> App {
    let config = Config {
        thinkers: Some(0),
        max_requests_each,
        max_hellos_each: u32::MAX,
        max_lines: u32::MAX,
        seed: known.me.0,
        forgives_stops: false,
        ..Config::default()
    };
    let metrics = Arc::<Metrics>::default();
    let journal = Journal::disabled(&config, &metrics);
    let peers: Arc<dyn Peers> = Arc::new(known);
    let names = Names::new(Some(Arc::clone(&peers)));
    let services = Services::new(config, names, metrics, journal, Some(peers));
    App::new(services, RecordService::new(None, false))
}
