//! What a move costs each kind of server, and how long it takes, at the same rate.

use std::net::SocketAddr;
use std::time::Duration;

use super::kind::{KINDS, Kind};
use super::setup::{number, settled};
use crate::load::guest::Setting;
use crate::load::kind::Kind as Alone;
use crate::load::process::Process;
use crate::load::program::Program;
use crate::load::report::{Spread, Table};
use crate::load::script::Script;
use crate::load::seating::seat_at;
use crate::load::traffic::{Tally, Traffic};

/// For how many seconds the traffic of one measurement lasts.
const SECONDS: usize = 4;

/// What was measured of one kind of server in one round.
struct Round {
    /// CPU of all servers and of all etcds a move, in microseconds.
    cpu: [f64; 2],
    /// The 50th and the 99th percentile, in microseconds.
    waits: [f64; 2],
    kept_up: f64,
}

/// Measures all kinds in turns, and prints a table.
pub(super) fn moves(runtime: &tokio::runtime::Runtime) -> anyhow::Result<()> {
    let (games, rate) = (number("NIM_GAMES", 3, 1_000), number("NIM_RATE", 100, 6_000));
    let mut rounds: Vec<Vec<Round>> = KINDS.iter().map(|_| Vec::new()).collect();
    for _ in 0..number("NIM_ROUNDS", 1, 5) {
        for (of_kind, kind) in rounds.iter_mut().zip(&KINDS).filter(|(_, kind)| kind.is_wanted()) {
            of_kind.extend(measure(runtime, kind, games, rate)?);
        }
    }
    let headings = ["", "CPU µs a move", "of one machine", "etcd's CPU µs", "p50 µs", "p99 µs", "moves/s"];
    let mut table = Table::new(&headings);
    for (kind, of_kind) in KINDS.iter().zip(&rounds).filter(|(kind, _)| kind.is_wanted()) {
        let of = |figure: fn(&Round) -> f64| spread(of_kind.iter().map(figure));
        let ratio = spread(of_kind.iter().zip(&rounds[0]).map(|(one, alone)| one.cpu[0] / alone.cpu[0]));
        table.row(vec![
            kind.name.into(),
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

/// Measures one kind of server. `None` without etcd.
fn measure(
    runtime: &tokio::runtime::Runtime,
    kind: &Kind,
    games: usize,
    rate: usize,
) -> anyhow::Result<Option<Round>> {
    if kind.nodes == 0 {
        let program = Program::start(Alone::Process)?;
        return play(kind, (&[program.process()], &[program.address()]), &[], games, rate).map(Some);
    }
    let Some(cluster) = runtime.block_on(settled(kind.nodes)) else { return Ok(None) };
    let process = |program: &crate::programs::Program| program.id().map(Process::of);
    let nodes: Vec<Process> = cluster.nodes.iter().filter_map(process).collect();
    let etcds: Vec<Process> = cluster.etcds.iter().filter_map(process).collect();
    play(kind, (&nodes, &cluster.addresses), &etcds, games, rate).map(Some)
}

fn play(
    kind: &Kind,
    (servers, addresses): (&[Process], &[SocketAddr]),
    etcds: &[Process],
    games: usize,
    rate: usize,
) -> anyhow::Result<Round> {
    let setting = Setting::untimed("java-tech");
    let seats = seat_at(|lobby| kind.way(lobby, addresses), setting, games)?;
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
