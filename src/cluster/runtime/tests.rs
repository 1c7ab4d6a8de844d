//! Nodes as a whole, with real servers and real connections between them, in one process.

mod releases;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::AbortOnDropHandle;

use super::{ClusterNode, NodeOptions, StartError};
use crate::cluster::about::About;
use crate::cluster::archive::ArchiveStore;
use crate::cluster::engine::certificates::{new_certificates, tls_of};
use crate::cluster::engine::etcd::SeenHealth;
use crate::cluster::engine::memory::MemoryEtcd;
use crate::cluster::engine::real::RealEtcd;
use crate::cluster::engine::{Engine, EngineMaker, Key, Range};
use crate::cluster::format::{Format, Formats};
use crate::cluster::keys::{self, Slot};
use crate::cluster::network::Tcp;
use crate::cluster::node::{LEASE, Living};
use crate::cluster::pages::{Restored, restore};
use crate::cluster::tls::NodeTls;
use crate::lobby::{ClockRule, Code, Hints, Level, Text, WhenAway};
use crate::server::storage::LobbyId;
use crate::server::storage::sqlite::Durability;
use crate::server::{Config, Ended, Member, PeerId, Place, Server};
use crate::wire::{
    AwayWish, BotWish, ClientKind, Greeting, HallRequest, Magic, NewLobby, Starts, Ticket, ToClient,
    ToServer, VERSION, decode, encode,
};

/// What happens in its own time gets so much of it.
const PATIENCE: Duration = Duration::from_secs(30);

/// A lease that does not end by itself during a test.
const LONG: Duration = Duration::from_mins(10);

struct Running {
    node: ClusterNode,
    /// Where its clients connect.
    address: SocketAddr,
    member: Member,
    _server: AbortOnDropHandle<Ended>,
    _archive: TempDir,
}

impl Running {
    async fn start(engines: EngineMaker, name: &str, lease: Duration, machine: &str) -> Self {
        Self::start_with(engines, name, lease, machine, None).await.unwrap()
    }

    async fn start_with(
        engines: EngineMaker,
        name: &str,
        lease: Duration,
        machine: &str,
        tls: Option<NodeTls>,
    ) -> Result<Self, StartError> {
        Self::start_as(engines, name, lease, machine, tls, Format::WRITTEN).await
    }

    /// The same as a release that writes these formats.
    async fn start_as(
        engines: EngineMaker,
        name: &str,
        lease: Duration,
        machine: &str,
        tls: Option<NodeTls>,
        formats: Formats,
    ) -> Result<Self, StartError> {
        let (listener, tunnels) = (listen().await, listen().await);
        let (address, tunnel) = (listener.local_addr().unwrap(), tunnels.local_addr().unwrap());
        let about = About { formats, ..About::new(tunnel, Some(address.to_string()), machine) };
        let (name, first_number) = (name.parse().unwrap(), LobbyId(1));
        let options = NodeOptions {
            name,
            about,
            network: Arc::new(Tcp),
            tls,
            lease,
            first_number,
            health: SeenHealth::default(),
        };
        let mut node = ClusterNode::join(engines, options).await?;
        let folder = tempfile::tempdir().unwrap();
        let history = Config::default().history;
        let (archive, _) = ArchiveStore::open(folder.path(), Durability::Process, history).unwrap();
        let storage = node.storage(archive.clone()).unwrap();
        let config = Config { thinkers: Some(1), ..Config::default() };
        let (server, _) = Server::on_with_peers(listener, config, Box::new(storage), node.peers()).unwrap();
        let member = server.member();
        node.start((member.clone(), server.shared_rules()), archive, Box::new(tunnels));
        let server = AbortOnDropHandle::new(tokio::spawn(server.run(std::future::pending())));
        Ok(Self { node, address, member, _server: server, _archive: folder })
    }

    fn id(&self) -> PeerId {
        PeerId(self.node.membership().epoch().0.0)
    }

    /// Waits until it has this number of slots.
    async fn owns(&self, count: usize) {
        let places = &self.node.peering.places;
        let has = || Slot::all().filter(|slot| places.place(*slot) == Place::Here).count();
        assert!(comes_true(|| has() == count).await, "{} of {count} slots", has());
    }

    /// Waits until it knows of this number of nodes.
    async fn knows(&self, count: usize) {
        let nodes = || self.node.nodes();
        assert!(comes_true(|| nodes() == count).await, "{} of {count} nodes", nodes());
    }

    /// Opens a lobby as a client of this node. Returns the connection, and the lobby's code.
    async fn open_lobby(&self) -> (TcpStream, Code) {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let name = Text::cut("anna");
        let hello = Greeting { magic: Magic, version: VERSION.into(), name, kind: ClientKind::Person };
        let create = ToServer::Hall { id: 1, request: HallRequest::Create(new_lobby()) };
        for message in [ToServer::Hello(hello), create] {
            stream.write_all(&encode(&message)).await.unwrap();
        }
        loop {
            let mut body = vec![0; usize::try_from(stream.read_u32().await.unwrap()).unwrap()];
            stream.read_exact(&mut body).await.unwrap();
            match decode(&body).unwrap() {
                ToClient::Entered { lobby, .. } => return (stream, lobby.code),
                ToClient::Refused { refusal, .. } => panic!("{refusal:?}"),
                _ => {}
            }
        }
    }
}

async fn listen() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

fn new_lobby() -> NewLobby {
    NewLobby {
        variant: Text::cut("tic-tac-toe"),
        starts: Starts::Variant,
        bot: BotWish::PeopleOnly,
        hints: Hints::AgainstBots,
        level: Level::Perfect,
        away: AwayWish { then: WhenAway::StandIn, level: None, after: 10_000 },
        clock: ClockRule::None,
        best_of: 0,
        watched: true,
        listed: true,
        password: None,
        origin: None,
        seat: Ticket::random().hash(),
    }
}

fn memory(etcd: &MemoryEtcd) -> EngineMaker {
    let etcd = etcd.clone();
    Arc::new(move || etcd.client())
}

/// Waits for that, and returns whether it came true.
async fn comes_true(is_true: impl Fn() -> bool) -> bool {
    let waits = async {
        while !is_true() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, waits).await.is_ok()
}

/// All lobbies as a node that takes over now would find them.
async fn found(engines: &EngineMaker) -> Restored {
    let engine = engines();
    let living = Living::read(&*engine).await.unwrap();
    restore(&*engine, &living, Slot::all()).await.unwrap()
}

#[tokio::test]
async fn a_node_reaches_another_and_takes_over_at_once_when_nobody_listens_there_any_more() {
    let etcd = MemoryEtcd::default();
    let one = Running::start(memory(&etcd), "a", LONG, "attic").await;
    let other = Running::start(memory(&etcd), "b", LONG, "attic").await;
    tokio::join!(one.owns(128), other.owns(128));
    assert_eq!((one.node.nodes(), other.node.nodes()), (2, 2));
    let (peers, client) = (one.node.peers(), "192.0.2.7:4660".parse().unwrap());
    assert!(peers.is_certain() && peers.next_lobby().is_some());
    assert_ne!(peers.next_lobby(), other.node.peers().next_lobby());
    assert_eq!(peers.addresses().borrow().len(), 2);
    let stream = peers.connect(other.id(), client).await;
    assert!(stream.is_ok(), "{stream:?}");
    let dead = other.id();
    drop(other);
    assert!(peers.connect(dead, client).await.is_err());
    one.owns(256).await;
    assert_eq!(one.node.nodes(), 1);
}

#[tokio::test]
async fn a_node_notices_the_death_of_another_though_no_client_of_either_is_at_the_other() {
    let etcd = MemoryEtcd::default();
    let one = Running::start(memory(&etcd), "a", LONG, "attic").await;
    let other = Running::start(memory(&etcd), "b", LONG, "attic").await;
    tokio::join!(one.owns(128), other.owns(128));
    drop(other);
    one.owns(256).await;
    assert_eq!(one.node.nodes(), 1);
}

/// Waits until so many nodes say that they drain.
async fn drain(etcd: &MemoryEtcd, count: usize) {
    let client = etcd.client();
    let drain = async {
        loop {
            let found = client.range(Range::prefix(&Key::from(keys::DRAINS), 100)).await.unwrap().found;
            if found.len() == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, drain).await.unwrap_or_else(|_| panic!("{count} nodes drain"));
}

#[tokio::test]
async fn a_node_that_joins_while_all_drain_drains_too_and_one_that_joins_after_that_is_taken_back_does_not() {
    let etcd = MemoryEtcd::default();
    let first = Running::start(memory(&etcd), "a", LONG, "attic").await;
    let told = |node: &Running, cancel| {
        let order = format!(r#"{{"drain_all":{{"cancel":{cancel}}}}}"#);
        node.member.carry_out(&order).unwrap()
    };
    told(&first, false);
    drain(&etcd, 1).await;
    let late = Running::start(memory(&etcd), "b", LONG, "attic").await;
    drain(&etcd, 2).await;
    assert!(*late.member.drains().borrow());
    told(&first, true);
    drain(&etcd, 1).await;
    told(&late, true);
    drain(&etcd, 0).await;
    let later = Running::start(memory(&etcd), "c", LONG, "attic").await;
    let _opened = later.open_lobby().await;
    assert!(!*later.member.drains().borrow());
}

#[tokio::test]
async fn nodes_with_certificates_reach_each_other_and_one_without_them_does_not_join() {
    let Some(files) = new_certificates("nodes with TLS") else { return };
    let files = tls_of(files.path()).unwrap();
    let (certificate, key) = files.identity.unwrap();
    let tls = NodeTls::new(&files.authority, &certificate, &key).unwrap();
    let etcd = MemoryEtcd::default();
    let start = async |name: &str, tls| Running::start_with(memory(&etcd), name, LONG, "attic", tls).await;
    let (one, other) = (start("a", Some(tls.clone())).await.unwrap(), start("b", Some(tls)).await.unwrap());
    tokio::join!(one.owns(128), other.owns(128));
    let error = start("c", None).await.err().unwrap().to_string();
    assert!(error.contains("--cluster-ca"), "{error}");
    let mut stream = one.node.peers().connect(other.id(), "192.0.2.7:4660".parse().unwrap()).await.unwrap();
    let name = Text::cut("anna");
    let hello = Greeting { magic: Magic, version: VERSION.into(), name, kind: ClientKind::Person };
    stream.write_all(&encode(&ToServer::Hello(hello))).await.unwrap();
    stream.flush().await.unwrap();
    let mut body = vec![0; usize::try_from(stream.read_u32().await.unwrap()).unwrap()];
    stream.read_exact(&mut body).await.unwrap();
    assert!(matches!(decode(&body).unwrap(), ToClient::Welcome { .. }));
    // Somebody who wants to speak without TLS is not waited for.
    let address = other.node.options.about.tunnel;
    let mut plain = TcpStream::connect(address).await.unwrap();
    plain.write_all(&[1; 100]).await.unwrap();
    let mut said = Vec::new();
    let _ = plain.read_to_end(&mut said).await;
    assert!(said.len() < 100, "an alert, and no hello");
}

#[tokio::test]
async fn a_loopback_of_another_machine_is_named_and_gets_no_slots_and_nobody_is_taken_for_dead() {
    let etcd = MemoryEtcd::default();
    let one = Running::start(memory(&etcd), "a", LONG, "attic").await;
    let other = Running::start(memory(&etcd), "b", LONG, "cellar").await;
    one.knows(2).await;
    let error = one.node.peers().connect(other.id(), "192.0.2.7:1".parse().unwrap()).await.unwrap_err();
    assert!(error.to_string().contains("--cluster-bind"), "{error}");
    // Slots would move to it ten times a second.
    tokio::time::sleep(Duration::from_secs(1)).await;
    one.owns(256).await;
    assert_eq!(one.node.nodes(), 2);
}

#[tokio::test]
async fn what_a_client_was_told_by_a_server_on_a_real_etcd_is_found_after_its_death() {
    let Some(etcd) = RealEtcd::start("servers on a real etcd").await else { return };
    let options = etcd.options("nim");
    let engines: EngineMaker =
        Arc::new(move || Arc::new(crate::cluster::engine::etcd::Etcd::new(options.clone())));
    let one = Running::start(Arc::clone(&engines), "a", LEASE, "attic").await;
    one.owns(256).await;
    let (_client, code) = one.open_lobby().await;
    let other = Running::start(Arc::clone(&engines), "b", LEASE, "attic").await;
    tokio::join!(one.owns(128), other.owns(128));
    let (_client, later) = one.open_lobby().await;
    drop(one);
    other.owns(256).await;
    let found = found(&engines).await;
    assert_eq!(found.damaged, []);
    for code in [code, later] {
        let lobby = found.lobbies.iter().find(|lobby| lobby.kept.meta.code == code);
        assert!(lobby.is_some_and(|lobby| lobby.kept.last >= 1 && lobby.kept.closed.is_none()), "{code}");
    }
}
