//! A server that may have few open files, under a flood of idle connections. Each of the players has an
//! address of their own, as in a classroom.

use std::io::ErrorKind;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use nim::wire::encode;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::harness::{Program, TestClient, Wire, first_move, hello, play_out, server, within};

/// The open files that the server may have.
const FILES: usize = 256;

const PLAYERS: u8 = 100;

/// The addresses of the flood, and how many connections each tries to keep.
const ATTACKERS: [u8; 5] = [1, 2, 3, 4, 5];
const EACH: usize = 60;

/// A server in this folder that may have this many open files.
async fn limited(folder: &std::path::Path, files: usize) -> (Program, SocketAddr) {
    let shell = server(&["--bind", "127.0.0.1:0", "--data", folder.to_str().unwrap()]);
    let program = shell.as_std().get_program().to_owned();
    let mut limited = tokio::process::Command::new("sh");
    limited.env("NIM_NO_ANNOUNCE", "true");
    limited.args(["-c", &format!("ulimit -n {files} && exec \"$0\" \"$@\"")]).arg(program);
    let mut host = Program::spawn(limited.args(shell.as_std().get_args()));
    let address = host.listens().await;
    (host, address)
}

async fn connect_from(from: Ipv4Addr, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((from, 0).into())?;
    socket.connect(to).await
}

/// A player at an address of their own. One that is turned away, or has to make room, tries again.
async fn player(number: u8, to: SocketAddr) -> TestClient {
    let coming = async {
        loop {
            let stream = connect_from(Ipv4Addr::new(127, 0, 1, number), to).await.unwrap();
            let mut wire = Wire::over(stream);
            if wire.try_send_hello(&format!("player {number}")).await.is_ok()
                && let Some(client) = TestClient::welcomed(wire).await
            {
                return client;
            }
        }
    };
    within("a player to be welcomed", coming).await
}

/// Connections that only say hello, from each of [`ATTACKERS`], with a new one for each that was closed.
struct Flood {
    stop: Arc<AtomicBool>,
    tasks: JoinSet<usize>,
}

impl Flood {
    fn of(to: SocketAddr) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let attack = |number| attack(Ipv4Addr::new(127, 0, 2, number), to, Arc::clone(&stop));
        Self { tasks: ATTACKERS.map(attack).into_iter().collect(), stop }
    }

    /// Returns how many connections were closed by the server.
    async fn ends(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.join_all().await.into_iter().sum()
    }
}

async fn attack(from: Ipv4Addr, to: SocketAddr, stop: Arc<AtomicBool>) -> usize {
    let (mut open, mut closed) = (Vec::<TcpStream>::new(), 0);
    while !stop.load(Ordering::Relaxed) {
        // What is read is dropped, up to the end.
        let is_open = |stream: &mut TcpStream| match stream.try_read(&mut [0; 256]) {
            Ok(count) => count > 0,
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        };
        let before = open.len();
        open.retain_mut(is_open);
        closed += before - open.len();
        if open.len() < EACH
            && let Ok(stream) = connect_from(from, to).await
        {
            // It may be closed already.
            let _ = stream.try_write(&encode(&hello("eve")));
            open.push(stream);
        }
        tokio::task::yield_now().await;
    }
    closed
}

/// Two players who have just begun a game.
async fn pair(number: u8, to: SocketAddr) -> [TestClient; 2] {
    let (mut anna, mut ben) = (player(number, to).await, player(number + 1, to).await);
    let code = anna.create("java-tech:21").await;
    ben.join(code).await;
    anna.until_playing().await;
    [anna, ben]
}

/// Two players meet, wait for all others, and play a game to its end.
async fn play(number: u8, to: SocketAddr, all: Arc<Barrier>) {
    let [mut anna, mut ben] = pair(number, to).await;
    within("everybody to sit", all.wait()).await;
    play_out(&mut anna, &mut ben, first_move).await;
}

/// Sets the limit on open files of a running server.
fn allow(host: &Program, files: u64) {
    let pid = Pid::from_raw(host.id()).unwrap();
    let limit = Rlimit { current: Some(files), maximum: Some(FILES as u64) };
    prlimit(Some(pid), Resource::Nofile, limit).unwrap();
}

/// When a line of the log was written, and its pause.
fn when_and_pause(line: &str) -> (SystemTime, Duration) {
    let when = line.split(' ').next().map(humantime::parse_rfc3339);
    let pause = line.rsplit_once("pause=").map(|(_, pause)| humantime::parse_duration(pause));
    let (Some(Ok(when)), Some(Ok(pause))) = (when, pause) else { panic!("no time or no pause: {line}") };
    (when, pause)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_few_files_serves_a_hundred_players_under_a_flood_of_idle_connections() {
    let folder = tempfile::tempdir().unwrap();
    let (mut host, address) = limited(folder.path(), FILES).await;
    host.until("This system allows 256 open files, so there are at most ").await;
    let flood = Flood::of(address);
    let all = Arc::new(Barrier::new(usize::from(PLAYERS) / 2));
    let games = (1..=PLAYERS).step_by(2).map(|number| play(number, address, Arc::clone(&all)));
    let mut games: JoinSet<()> = games.collect();
    while let Some(played) = games.join_next().await {
        played.unwrap();
    }
    assert!(flood.ends().await > ATTACKERS.len() * EACH, "the flood fills the server");
    host.signal("TERM").await;
    let log = host.ended().await.stderr;
    assert!(!log.contains("could not accept") && !log.contains("makes room"), "{log}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_cannot_accept_closes_an_idle_connection_and_continues_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let (mut host, address) = limited(folder.path(), FILES).await;
    let [mut anna, mut ben] = pair(1, address).await;
    // From now on it may open fewer files than it expects.
    allow(&host, 48);
    let flood = Flood::of(address);
    host.until_error("an idle connection makes room").await;
    play_out(&mut anna, &mut ben, first_move).await;
    let [mut cleo, mut dora] = pair(3, address).await;
    play_out(&mut cleo, &mut dora, first_move).await;
    flood.ends().await;
}

#[tokio::test]
async fn a_server_without_an_idle_connection_or_a_file_retries_with_growing_pauses() {
    let folder = tempfile::tempdir().unwrap();
    let (mut host, address) = limited(folder.path(), FILES).await;
    let [mut anna, mut ben] = pair(1, address).await;
    // File descriptors are the lowest numbers that are free.
    allow(&host, 4);
    let mut waiting = Vec::new();
    for (first, pauses) in [(true, &[5, 10, 20, 40][..]), (false, &[5])] {
        waiting.push(connect_from(Ipv4Addr::new(127, 0, 1, 3), address).await.unwrap());
        let mut before: Option<(SystemTime, Duration)> = None;
        for pause in pauses.iter().copied().map(Duration::from_millis) {
            let line = host.until_error("could not accept a connection").await;
            let (when, said) = when_and_pause(&line);
            assert_eq!(said, pause, "{line}");
            if let Some((earlier, waited)) = before {
                assert!(when >= earlier + waited, "it did not wait for {waited:?}: {line}");
            }
            before = Some((when, said));
        }
        if first {
            allow(&host, FILES as u64);
            player(4, address).await;
            allow(&host, 4);
        }
    }
    // A player whose game is over could be evicted.
    allow(&host, FILES as u64);
    play_out(&mut anna, &mut ben, first_move).await;
}
