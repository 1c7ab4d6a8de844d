//! The programs of a cluster: three etcds and some nodes, which can be killed, stopped and started again.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use nim::cluster::engine::etcd::{Etcd, EtcdOptions};
use nim::cluster::engine::{Engine, Key, Range};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::ground::{Ground, Place};

/// How long a program may take to start on a busy machine.
const START_DEADLINE: Duration = Duration::from_secs(60);

/// A program that can be started again.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) place: Place,
    program: String,
    arguments: Vec<String>,
    log: std::path::PathBuf,
    child: Option<Child>,
}

impl Program {
    fn new(place: Place, program: &str, arguments: Vec<String>, log: std::path::PathBuf) -> Self {
        Self { place, program: program.into(), arguments, log, child: None }
    }

    /// Starts it. Returns its standard output.
    pub(crate) fn start(&mut self) -> impl BufRead + use<> {
        let log = File::options().create(true).append(true).open(&self.log).expect("the log opens");
        let mut command: Command = self.place.command(&self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
        let mut child = command.spawn().expect("it starts");
        let out = child.stdout.take().expect("it has an output");
        self.child = Some(child);
        BufReader::new(out)
    }

    fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().expect("it runs"))
    }

    /// Whether it was started and not killed.
    pub(crate) fn is_running(&self) -> bool {
        self.child.is_some()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it takes a signal");
    }

    /// Ends it at once, as a loss of power would.
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
    endpoints: Vec<String>,
    pub(crate) nodes: Vec<Program>,
    /// Where clients reach each node.
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) folder: TempDir,
}

impl Cluster {
    /// Starts three etcds, and this number of nodes one after the other. `None` if etcd is not installed, which is said.
    pub(crate) async fn start(nodes: usize) -> Option<Self> {
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
        let (etcds, endpoints) = etcds(&mut ground, folder.path());
        let mut cluster = Self { ground, etcds, endpoints, nodes: Vec::new(), addresses: Vec::new(), folder };
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
        let engine = self.engine();
        let answers = async {
            while engine.range(Range::key(Key::from("none"))).await.is_err() {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(START_DEADLINE, answers).await.expect("etcd answers");
    }

    /// A way to the cluster's keys.
    pub(crate) fn engine(&self) -> Etcd {
        let (endpoints, namespace) = (self.endpoints.clone(), "nim/".into());
        Etcd::new(EtcdOptions { endpoints, namespace, login: None, tls: None })
    }

    /// Adds a node, and waits until it listens.
    pub(crate) async fn add_node(&mut self) {
        let name = ["A", "B", "C", "D", "E"][self.nodes.len()];
        let place = self.ground.place(name);
        let [game, tunnel] = ports(place.address);
        let address = SocketAddr::from((place.address, game));
        let folder = self.folder.path().join(name);
        let flags = [
            ("--cluster", self.endpoints.join(",")),
            ("--node-name", name.into()),
            ("--bind", address.to_string()),
            ("--advertise", address.to_string()),
            ("--cluster-bind", format!("{}:{tunnel}", place.address)),
            ("--data", folder.display().to_string()),
        ];
        let mut arguments: Vec<String> =
            flags.into_iter().flat_map(|(flag, value)| [flag.into(), value]).collect();
        arguments.extend(["--no-announce", "--no-web"].map(Into::into));
        let limits = [
            ("--max-connections-each", "100000"),
            ("--max-lobbies-each", "100000"),
            ("--max-requests-each", "100000"),
            ("--max-journal-each", "2000"),
        ];
        arguments.extend(limits.iter().flat_map(|(flag, most)| [(*flag).into(), (*most).into()]));
        let log = self.folder.path().join(format!("{name}.log"));
        self.nodes.push(Program::new(place, env!("CARGO_BIN_EXE_nim-server"), arguments, log));
        self.addresses.push(address);
        self.start_node(self.nodes.len() - 1).await;
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

/// Three etcds that know each other, with the flags that docs/cluster.md names.
fn etcds(ground: &mut Ground, folder: &Path) -> (Vec<Program>, Vec<String>) {
    let places: Vec<(Place, [u16; 2])> = (1..=3)
        .map(|number| {
            let place = ground.place(&format!("e{number}"));
            let ports = ports(place.address);
            (place, ports)
        })
        .collect();
    let url = |place: &Place, port: u16| format!("http://{}:{port}", place.address);
    let members: Vec<String> = places
        .iter()
        .enumerate()
        .map(|(number, (place, [_, peer]))| format!("e{number}={}", url(place, *peer)))
        .collect();
    let (members, mut endpoints, mut etcds) = (members.join(","), Vec::new(), Vec::new());
    for (number, (place, [client, peer])) in places.into_iter().enumerate() {
        let (client, peer) = (url(&place, client), url(&place, peer));
        let data = folder.join(format!("etcd{number}"));
        let flags = [
            ("--data-dir", data.display().to_string()),
            ("--name", format!("e{number}")),
            ("--initial-cluster", members.clone()),
            ("--listen-client-urls", client.clone()),
            ("--advertise-client-urls", client.clone()),
            ("--listen-peer-urls", peer.clone()),
            ("--initial-advertise-peer-urls", peer),
            ("--heartbeat-interval", "50".into()),
            ("--election-timeout", "500".into()),
            ("--snapshot-count", "10000".into()),
            ("--logger", "zap".into()),
        ];
        let arguments = flags.into_iter().flat_map(|(flag, value)| [flag.into(), value]).collect();
        let log = folder.join(format!("etcd{number}.log"));
        etcds.push(Program::new(place, "etcd", arguments, log));
        endpoints.push(client);
    }
    (etcds, endpoints)
}

/// Two ports: free ones where all share an address, else those of the pages.
fn ports(address: Ipv4Addr) -> [u16; 2] {
    if !address.is_loopback() {
        return [7646, 7647];
    }
    let held = [(); 2].map(|()| TcpListener::bind((address, 0)).expect("a free port"));
    held.map(|listener| listener.local_addr().expect("it is bound").port())
}
