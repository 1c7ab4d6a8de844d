//! What several nodes cost beside a single machine: `cargo bench --features cluster --bench bench -- cluster [PART…]`.
//!
//! PART is `moves` for what a move costs, or `takeover` for how soon survivors have the lobbies of a node that dies; without
//! one it is both. It needs etcd, of which it starts three. `NIM_ROUNDS` (5), `NIM_GAMES` (1000), `NIM_RATE` (6000 moves a
//! second), `NIM_SECONDS` (4) of traffic and `NIM_LOBBIES` (10000) are numbers in the environment. Checkpoints are written
//! after some 8 s of traffic, and pages after some 30.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use nim::wire::{BotWish, HallRequest};
use rustix::process::Signal;

use crate::load::guest::{Guest, Setting, terms};
use crate::load::kind::Kind;
use crate::load::process::Process;
use crate::load::program::Program;
use crate::load::report::{Spread, Table};
use crate::load::script::Script;
use crate::load::seating::seat_at;
use crate::load::traffic::{Tally, Traffic};
use crate::programs::Cluster;
use crate::smoke;

/// For how many seconds the traffic of one measurement lasts.
const SECONDS: usize = 4;

/// How long a part of the bench may take to come about.
const PATIENCE: Duration = Duration::from_mins(1);

/// Runs these parts.
pub(crate) fn run(wanted: &[String]) -> anyhow::Result<()> {
    rlimit::increase_nofile_limit(u64::MAX)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let wants = |part: &str| wanted.is_empty() || wanted.iter().any(|word| word == part);
    if wants("moves") {
        moves(&runtime)?;
    }
    if wants("takeover") {
        takeover(&runtime)?;
    }
    Ok(())
}

/// A number from the environment.
fn number(name: &str, few: usize, all: usize) -> usize {
    let given = std::env::var(name).ok().and_then(|text| text.parse().ok());
    given.unwrap_or_else(|| smoke::all_or(few, all))
}

/// What was measured of one kind of server in one round.
struct Round {
    /// CPU of all servers and of all etcds a move, in microseconds.
    cpu: [f64; 2],
    /// The 50th and the 99th percentile, in microseconds.
    waits: [f64; 2],
    kept_up: f64,
}

/// A single machine with its journal; one node; two nodes, where one of two players comes through a tunnel; three nodes,
/// each with a third of the games; all at the same rate.
const KINDS: [(&str, usize); 4] = [
    ("one machine", 0),
    ("node", 1),
    ("two nodes, one player by tunnel", 2),
    ("three nodes, one player by tunnel", 3),
];

fn moves(runtime: &tokio::runtime::Runtime) -> anyhow::Result<()> {
    let (games, rate) = (number("NIM_GAMES", 3, 1_000), number("NIM_RATE", 100, 6_000));
    let mut rounds: Vec<Vec<Round>> = KINDS.iter().map(|_| Vec::new()).collect();
    for _ in 0..number("NIM_ROUNDS", 1, 5) {
        for (place, (_, nodes)) in KINDS.iter().enumerate() {
            rounds[place].extend(measure(runtime, *nodes, games, rate)?);
        }
    }
    let headings = ["", "CPU µs a move", "of one machine", "etcd's CPU µs", "p50 µs", "p99 µs", "moves/s"];
    let mut table = Table::new(&headings);
    for ((name, _), rounds_of) in KINDS.iter().zip(&rounds) {
        let of = |figure: fn(&Round) -> f64| spread(rounds_of.iter().map(figure));
        let ratio = spread(rounds_of.iter().zip(&rounds[0]).map(|(one, alone)| one.cpu[0] / alone.cpu[0]));
        table.row(vec![
            (*name).into(),
            of(|round| round.cpu[0]),
            ratio,
            of(|round| round.cpu[1]),
            of(|round| round.waits[0]),
            of(|round| round.waits[1]),
            of(|round| round.kept_up),
        ]);
    }
    table.print(&format!("cluster, {games} games, {rate} requests a second, three etcds on this machine"));
    Ok(())
}

fn spread(figures: impl IntoIterator<Item = f64>) -> String {
    Spread::of(figures).map_or_else(|| "-".to_owned(), |spread| spread.to_string())
}

/// Measures one kind of server: this number of nodes, or none for a single machine. `None` without etcd.
fn measure(
    runtime: &tokio::runtime::Runtime,
    nodes: usize,
    games: usize,
    rate: usize,
) -> anyhow::Result<Option<Round>> {
    if nodes == 0 {
        let program = Program::start(Kind::Process)?;
        let address = program.address();
        return play(&[program.process()], &[], |_| address, games, rate).map(Some);
    }
    let Some(cluster) = runtime.block_on(settled(nodes)) else { return Ok(None) };
    let process = |program: &crate::programs::Program| program.id().map(Process::of);
    let servers: Vec<Process> = cluster.nodes.iter().filter_map(process).collect();
    let etcds: Vec<Process> = cluster.etcds.iter().filter_map(process).collect();
    // The first of two players opens the lobby, which is at the node that it is connected to.
    let address = |guest: usize| cluster.addresses[(guest / 2 + guest % 2) % nodes];
    play(&servers, &etcds, address, games, rate).map(Some)
}

/// A cluster in which no slot moves any more. A client whose lobby moved would be sent away.
async fn settled(nodes: usize) -> Option<Cluster> {
    let cluster = Cluster::start(nodes).await?;
    cluster.until_settled().await;
    Some(cluster)
}

fn play(
    servers: &[Process],
    etcds: &[Process],
    address: impl Fn(usize) -> SocketAddr,
    games: usize,
    rate: usize,
) -> anyhow::Result<Round> {
    let setting = Setting::untimed("java-tech");
    let seats = seat_at(address, setting, games)?;
    let mut traffic = Traffic::of(seats, Script::of(setting.variant)?, false)?;
    let time = Duration::from_secs(number("NIM_SECONDS", 0, SECONDS) as u64).max(Duration::from_millis(50));
    let rate = rate as f64;
    traffic.paced(rate, time / 4)?;
    let before = [total(servers)?, total(etcds)?];
    let tally: Tally = traffic.paced(rate, time)?;
    let after = [total(servers)?, total(etcds)?];
    let cpu = [0, 1].map(|place| tally.micros_a_move(after[place].saturating_sub(before[place])));
    let [p50, p99, _] = tally.percentiles();
    traffic.leave()?;
    Ok(Round { cpu, waits: [p50, p99], kept_up: tally.moves_a_second() })
}

/// The CPU time of all of these.
fn total(processes: &[Process]) -> anyhow::Result<Duration> {
    processes.iter().map(Process::cpu).sum()
}

/// Opens lobbies at one of three nodes, kills it, and says how soon the others have them all.
fn takeover(runtime: &tokio::runtime::Runtime) -> anyhow::Result<()> {
    let lobbies = number("NIM_LOBBIES", 20, 10_000);
    let Some(mut cluster) = runtime.block_on(settled(3)) else { return Ok(()) };
    let owner = cluster.addresses[0];
    let process = Process::of(cluster.nodes[0].id().context("it runs")?);
    let empty = process.resident()?;
    let mut last = None;
    for opened in 0..lobbies {
        let mut guest = Guest::connect(owner, opened)?;
        guest.say_hello(opened)?;
        guest.ask_hall(HallRequest::Create(terms(Setting::untimed("take:3:21"), BotWish::PeopleOnly)))?;
        last = Some(guest.until_seated()?);
    }
    let last = last.context("no lobby")?;
    let bytes = process.resident()?.saturating_sub(empty) / lobbies as u64;
    cluster.nodes[0].signal(Signal::KILL);
    let killed = Instant::now();
    // The last one is watched from another node, at the node that has it by now.
    let mut guest = Guest::connect(cluster.addresses[1], 0)?;
    guest.set_patience(PATIENCE)?;
    guest.say_hello(0)?;
    let code = nim::lobby::Text::cut(&last.to_string());
    guest.ask_hall(HallRequest::Watch { code, password: None })?;
    guest.until(|message| matches!(message, nim::wire::ToClient::Watching { .. }).then_some(()))?;
    println!(
        "\ncluster, takeover: a node with {lobbies} lobbies of one absent player ({bytes} bytes of it each) was killed;\n\
         the last lobby was watched from another node {:.2?} later. In the logs of the others:",
        killed.elapsed()
    );
    cluster.nodes[0].kill();
    let mut taken = 0;
    for node in 1..3 {
        for line in cluster.log(node).lines().filter(|line| line.contains("took over slots")) {
            println!("  {line}");
            taken += 1;
        }
    }
    ensure!(taken > 0, "nobody says that it took over anything");
    Ok(())
}
