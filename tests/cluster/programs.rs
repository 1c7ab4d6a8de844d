//! The programs of a cluster: three etcds and some nodes, which can be killed, stopped and started again.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nim::cluster::engine::etcd::Etcd;
use nim::cluster::keys::{Epoch, Slot};
use nim::cluster::map::{SlotMap, moves, read_map_and_living};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::etcds::{Server, engine_at, servers, until_answers};
use crate::ground::{Ground, Place, START_DEADLINE, ports};

/// The program of a node.
const SERVER: &str = env!("CARGO_BIN_EXE_nim-server");

/// The lease of nodes of which some die, hang or are cut off: how soon the others notice it is what is tested. In seconds.
const SHORT_LEASE: &str = "1";

/// The lease of nodes that nobody is to take for dead, also where the disk stands still for a moment. In seconds.
const LONG_LEASE: &str = "10";

/// The flags of nodes on which many games are played from one address.
const FOR_MANY_GAMES: &[&str] = &[
    "--no-web",
    "--max-connections=100000",
    "--max-connections-each=100000",
    "--max-hellos-each=100000",
    "--max-lobbies-each=100000",
    "--max-requests-each=100000",
    "--max-journal-each=2000",
];

/// A program that can be started again.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) place: Place,
    file: String,
    arguments: Vec<String>,
    log: std::path::PathBuf,
    child: Option<Child>,
}

impl Program {
    fn new(place: Place, program: &str, arguments: Vec<String>, log: std::path::PathBuf) -> Self {
        Self { place, file: program.into(), arguments, log, child: None }
    }

    /// Starts it. Returns its standard output.
    pub(crate) fn start(&mut self) -> impl BufRead + use<> {
        let log = File::options().create(true).append(true).open(&self.log).expect("the log opens");
        let mut command: Command = self.place.command(&self.file);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("it starts");
        let out = child.stdout.take().expect("it has an output");
        self.child = Some(child);
        BufReader::new(out)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().expect("it runs"))
    }

    /// The number of its process, if it was started and not killed.
    #[allow(dead_code, reason = "the bench alone asks for it")]
    pub(crate) fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Whether it was started and not killed.
    pub(crate) fn is_running(&self) -> bool {
        self.child.is_some()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it takes a signal");
    }

    /// Ends it at once: it cannot do or write anything any more.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Waits until it has ended by itself.
    pub(crate) fn wait(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.wait();
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A cluster: three etcds and its nodes.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) ground: Ground,
    pub(crate) etcds: Vec<Program>,
    /// Where clients reach each etcd.
    pub(crate) endpoints: Vec<String>,
    pub(crate) nodes: Vec<Program>,
    /// Where clients reach each node.
    pub(crate) addresses: Vec<SocketAddr>,
    /// Where the other nodes reach it.
    pub(crate) tunnels: Vec<SocketAddr>,
    /// Where it serves its metrics.
    pub(crate) metrics: Vec<SocketAddr>,
    /// Whether clients are told where they reach each node.
    is_advertised: bool,
    /// How long the lease of each node is, in seconds.
    lease: &'static str,
    /// Further flags of each node.
    flags: &'static [&'static str],
    pub(crate) folder: TempDir,
}

impl Cluster {
    /// Starts three etcds, and this number of nodes one after the other, with a short lease. `None` if etcd is not
    /// installed, which is said.
    pub(crate) async fn start(nodes: usize) -> Option<Self> {
        Self::start_as(nodes, SHORT_LEASE, FOR_MANY_GAMES, true).await
    }

    /// The same behind a balancer: no client is told where it reaches a node.
    pub(crate) async fn start_behind_a_balancer(nodes: usize) -> Option<Self> {
        Self::start_as(nodes, SHORT_LEASE, FOR_MANY_GAMES, false).await
    }

    /// The same with a long lease, for tests in which no node is to be taken for dead.
    pub(crate) async fn start_without_faults(nodes: usize) -> Option<Self> {
        Self::start_as(nodes, LONG_LEASE, FOR_MANY_GAMES, true).await
    }

    /// Starts a cluster with these flags of each node, and with a long lease.
    pub(crate) async fn start_with(nodes: usize, flags: &'static [&'static str]) -> Option<Self> {
        Self::start_as(nodes, LONG_LEASE, flags, true).await
    }

    async fn start_as(
        nodes: usize,
        lease: &'static str,
        flags: &'static [&'static str],
        is_advertised: bool,
    ) -> Option<Self> {
        if Command::new("etcd").arg("--version").stdout(Stdio::null()).status().is_err() {
            eprintln!("\n== NOT CHECKED: a cluster on etcd, since etcd is not installed");
            assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "etcd is missing");
            return None;
        }
        let (mut ground, mut folder) = (Ground::new(), tempfile::tempdir().expect("a folder"));
        if std::env::var_os("NIM_KEEP").is_some() {
            folder.disable_cleanup(true);
            println!("the logs are kept in {}", folder.path().display());
        }
        let servers = servers(&mut ground, folder.path()).into_iter().enumerate();
        let (etcds, endpoints) = servers
            .map(|(number, Server { place, arguments, endpoint })| {
                let log = folder.path().join(format!("etcd{number}.log"));
                (Program::new(place, "nice", arguments, log), endpoint)
            })
            .unzip();
        let mut cluster = Self {
            ground,
            etcds,
            endpoints,
            nodes: Vec::new(),
            addresses: Vec::new(),
            tunnels: Vec::new(),
            metrics: Vec::new(),
            is_advertised,
            lease,
            flags,
            folder,
        };
        for etcd in &mut cluster.etcds {
            drop(etcd.start());
        }
        cluster.until_etcd_answers().await;
        for _ in 0..nodes {
            cluster.add_node().await;
        }
        Some(cluster)
    }

    /// Waits until etcd does something.
    pub(crate) async fn until_etcd_answers(&self) {
        until_answers(&self.engine()).await;
    }

    /// Waits until each server of etcd has all that the others have.
    pub(crate) async fn until_each_etcd_answers(&self) {
        for endpoint in &self.endpoints {
            until_answers(&engine_at(vec![endpoint.clone()])).await;
        }
    }

    /// Waits until all nodes that run are living and own as many slots as each other, so that none moves any more, and no slot
    /// is without a living owner.
    pub(crate) async fn until_settled(&self) {
        let (engine, mut last) = (self.engine(), String::new());
        let nodes = self.nodes.iter().filter(|node| node.is_running()).count();
        let settled = async {
            loop {
                // etcd may be late on a busy machine.
                if let Ok((stored, living)) = read_map_and_living(&engine).await {
                    let living = living.nodes.into_keys().collect();
                    let Some(why) = unrest(&stored.map, &living, nodes) else { return };
                    last = why;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let is_late = tokio::time::timeout(START_DEADLINE, settled).await.is_err();
        assert!(!is_late, "the slots are not shared out: {last}");
    }

    /// A way to the cluster's keys.
    pub(crate) fn engine(&self) -> Etcd {
        engine_at(self.endpoints.clone())
    }

    /// Adds a node, and waits until it listens.
    pub(crate) async fn add_node(&mut self) {
        let name = ["A", "B", "C", "D", "E"][self.nodes.len()];
        let place = self.ground.place(name);
        let serves = ports(place.address).map(|port| SocketAddr::from((place.address, port)));
        let arguments = self.arguments(name, serves);
        let [game, tunnel, metrics] = serves;
        let log = self.folder.path().join(format!("{name}.log"));
        self.nodes.push(Program::new(place, SERVER, arguments, log));
        self.addresses.push(game);
        self.tunnels.push(tunnel);
        self.metrics.push(metrics);
        self.start_node(self.nodes.len() - 1).await;
    }

    /// The arguments of a node of this name, which serves clients, other nodes and its metrics at these addresses.
    fn arguments(&self, name: &str, [game, tunnel, metrics]: [SocketAddr; 3]) -> Vec<String> {
        let folder = self.folder.path().join(name);
        let flags = [
            ("--cluster", self.endpoints.join(",")),
            ("--node-name", name.into()),
            ("--bind", game.to_string()),
            ("--advertise", if self.is_advertised { game.to_string() } else { "none".into() }),
            ("--cluster-bind", tunnel.to_string()),
            ("--cluster-lease", self.lease.into()),
            ("--metrics", metrics.to_string()),
            ("--data", folder.display().to_string()),
        ];
        let own = flags.into_iter().flat_map(|(flag, value)| [flag.into(), value]);
        own.chain(["--no-announce".into()]).chain(self.flags.iter().map(ToString::to_string)).collect()
    }

    /// Runs a node with these flags instead of those of the others, until it ends by itself. Returns its exit code, and
    /// what it has written.
    pub(crate) async fn node_ends(&self, flags: &[(&str, &str)]) -> (Option<i32>, String) {
        let data = self.folder.path().join(fastrand::u64(..).to_string());
        let own = ["--no-announce", "--no-web", "--bind=127.0.0.1:0"];
        let mut command = tokio::process::Command::from(self.nodes[0].place.command(SERVER));
        command.args(own).arg("--data").arg(data).kill_on_drop(true);
        command.args(flags.iter().flat_map(|(flag, value)| [flag, value]));
        let ended = tokio::time::timeout(START_DEADLINE, command.output()).await;
        let ended = ended.expect("a node that cannot join ends").expect("it starts");
        (ended.status.code(), String::from_utf8_lossy(&ended.stderr).into_owned())
    }

    /// The addresses of etcd, as the flag `--cluster` has them.
    pub(crate) fn endpoints(&self) -> String {
        self.endpoints.join(",")
    }

    /// Starts a node again, and waits until it listens.
    pub(crate) async fn start_node(&mut self, number: usize) {
        let mut out = self.nodes[number].start();
        let listens = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            let _ = out.read_line(&mut line);
            // Its output is read to the end, or it would wait for a reader.
            std::thread::spawn(move || std::io::copy(&mut out, &mut std::io::sink()));
            line
        });
        let line =
            tokio::time::timeout(START_DEADLINE, listens).await.expect("a node starts").expect("no panic");
        assert!(line.starts_with("listening on"), "{line:?}\n{}", self.log(number));
    }

    /// Runs `nim-server` with these words. Returns its exit code, and all that it writes.
    pub(crate) async fn command(&self, words: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nim-server"));
        command.args(words).stdin(Stdio::null());
        let done = tokio::task::spawn_blocking(move || command.output().expect("it runs"));
        let done = done.await.expect("no panic");
        let written = [done.stdout, done.stderr].concat();
        (done.status.code().expect("no signal"), String::from_utf8(written).expect("it is text"))
    }

    /// Asks the node of this name with `nim-server admin`. Returns the exit code, and the answer.
    pub(crate) async fn admin(&self, node: &str, words: &[&str]) -> (i32, String) {
        let data = self.folder.path().join(node).display().to_string();
        let (exit, said) = self.command(&[&["admin"], words, &["--data", &data]].concat()).await;
        (exit, said.trim_end().into())
    }

    /// The addresses of etcd, as they are typed.
    pub(crate) fn url(&self) -> String {
        self.endpoints.join(",")
    }

    /// The log of a node.
    pub(crate) fn log(&self, number: usize) -> String {
        std::fs::read_to_string(&self.nodes[number].log).unwrap_or_default()
    }

    /// The addresses of all etcds.
    pub(crate) fn etcd_addresses(&self) -> Vec<Ipv4Addr> {
        self.etcds.iter().map(|etcd| etcd.place.address).collect()
    }

    /// The number of etcd's leader.
    pub(crate) async fn etcd_leader(&self) -> usize {
        for (number, endpoint) in self.endpoints.iter().enumerate() {
            if !self.etcds[number].is_running() {
                continue;
            }
            if let Ok(mut client) = etcd_client::Client::connect([endpoint], None).await
                && let Ok(status) = client.status().await
                && status.header().is_some_and(|header| header.member_id() == status.leader())
            {
                return number;
            }
        }
        panic!("etcd has no leader")
    }
}

/// Why slots have to get another owner; `None` if so many nodes are living, each slot is at one of them, and none moves.
fn unrest(map: &SlotMap, living: &BTreeSet<Epoch>, nodes: usize) -> Option<String> {
    let owner = |slot| map.owner(slot).filter(|owner| living.contains(owner));
    let without: Vec<Slot> = Slot::all().filter(|slot| owner(*slot).is_none()).collect();
    if living.len() != nodes {
        Some(format!("{} of {nodes} nodes are living", living.len()))
    } else if !without.is_empty() {
        Some(format!("no living node owns {without:?}"))
    } else {
        moves(map, living, 1).first().map(|planned| format!("{planned:?} is to come"))
    }
}

#[test]
fn a_slot_without_a_living_owner_is_found() {
    use nim::cluster::engine::Revision;

    let [one, other, dead] = [1, 2, 3].map(|revision| Epoch(Revision(revision)));
    let living = BTreeSet::from([one, other]);
    let mut map = SlotMap::default();
    let found = |map: &SlotMap| unrest(map, &living, 2);
    assert!(found(&map).is_some_and(|why| why.starts_with("no living node owns")));
    for slot in Slot::all() {
        map.give(slot, if slot.0 % 2 == 0 { one } else { other });
    }
    assert_eq!(found(&map), None);
    assert!(unrest(&map, &living, 3).is_some_and(|why| why == "2 of 3 nodes are living"));
    // The others still have as many as each other.
    for slot in [4, 5] {
        map.give(Slot(slot), dead);
    }
    assert!(found(&map).is_some_and(|why| why.contains("Slot(4), Slot(5)")), "{:?}", found(&map));
    for slot in [4, 5] {
        map.give(Slot(slot), one);
    }
    assert!(found(&map).is_some_and(|why| why.ends_with("is to come")), "{:?}", found(&map));
}
