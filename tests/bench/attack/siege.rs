//! One attack after the other, each on a fresh server with a hundred honest games.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use nim::wire::{BotWish, HallRequest, NewLobby, Secret};

use super::choice::{From, Orders};
use super::means::Means;
use super::newcomer;
use super::raider::Count;
use crate::load::guest::{Guest, Setting, terms};
use crate::load::kind::{Kind, name};
use crate::load::process::Process;
use crate::load::program::Program;
use crate::load::report::{Spread, Table, short};
use crate::load::script::Script;
use crate::load::seating::seat;
use crate::load::traffic::Traffic;
use crate::smoke;

const VARIANT: &str = "java-tech";

/// The address of the newcomer: shared neither with the attackers nor with the players.
const NEWCOMER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// The total request rate of the honest players, per second.
const RATE: f64 = 2_000.0;

/// The warm-up of an attack before the measurement.
const APPROACH: Duration = Duration::from_millis(500);

/// The number of measurements in a row: a pause of a shared machine spoils only one of them.
const LOOKS: u32 = 5;

/// After an attack: the interval and the timeout of the checks for recovery.
const LOOK: Duration = Duration::from_millis(250);
const RECOVERS_WITHIN: Duration = Duration::from_secs(20);

/// The p99 has recovered when it is within this factor: one slow move counts in a short measurement.
const NEARLY: f64 = 2.0;

/// What the honest players measured.
#[derive(Debug)]
struct Fare {
    /// The 99th percentile of the time until a move is broadcast, in microseconds, over all measurements.
    p99: Spread,
    /// The number of cores that the server kept busy.
    cores: f64,
}

/// The result of one attack.
#[derive(Debug)]
struct Outcome {
    /// Before, and during the attack.
    alone: Fare,
    beside: Fare,
    /// Memory growth in bytes, at the end of the attack and after the recovery.
    grown: u64,
    left: u64,
    /// The newcomers' waits for a seat, in seconds.
    waits: Option<Spread>,
    count: Count,
    /// Seconds until moves were as fast as before and all attackers' connections closed; `None` if never.
    calm: Option<f64>,
}

/// Runs all attacks and prints a table of the results.
pub(crate) fn run(orders: &Orders) -> anyhow::Result<()> {
    let mut table = Table::new(&[
        "",
        "p99 µs",
        "alone",
        "times",
        "cores",
        "grown MiB",
        "left MiB",
        "newcomer s",
        "calm s",
        "refused",
        "closed",
    ]);
    for means in orders.means() {
        for from in orders.from() {
            let name = format!("{}, {}", name(&means), name(&from));
            table.row(besiege(orders.time(), means, from)?.row(name));
        }
    }
    table.print(&format!("attack, beside {} games, {RATE} requests a second", lobbies()));
    Ok(())
}

/// The number of honest games.
fn lobbies() -> usize {
    smoke::all_or(3, 100)
}

fn besiege(time: Duration, means: Means, from: From) -> anyhow::Result<Outcome> {
    let program = serve()?;
    let (process, server) = (program.process(), program.address());
    let pairs = seat(Kind::Memory, server, Setting::untimed(VARIANT), lobbies())?;
    let mut traffic = Traffic::of(pairs, Script::of(VARIANT)?, false)?;
    let (code, _host) = locked_lobby(server)?;
    traffic.paced(RATE, time / 4)?;
    // The baseline has the same CPU load as beside attackers, who run on other machines in reality.
    let busy = Horde::start(Means::Nothing, from, server, &code)?;
    let alone = fare(&mut traffic, &process, time)?;
    busy.stop()?;
    let (resident, descriptors) = (process.resident()?, process.descriptors()?);

    let horde = Horde::start(means, from, server, &code)?;
    traffic.paced(RATE, APPROACH.min(time))?;
    let enough = Arc::new(AtomicBool::new(false));
    let newcomer = newcomer::come_and_go(NEWCOMER, server, &enough);
    let beside = fare(&mut traffic, &process, time)?;
    enough.store(true, Ordering::Release);
    let grown = process.resident()?.saturating_sub(resident);
    let count = horde.stop()?;

    let is_empty = || Ok(process.descriptors()? <= descriptors + 1);
    let calm = recover(time, &mut traffic, alone.p99.median, is_empty)?;
    let left = process.resident()?.saturating_sub(resident);
    let waits = newcomer.join().map_err(|_| anyhow!("the newcomer has panicked"))?;
    traffic.leave()?;
    Ok(Outcome { alone, beside, grown, left, waits: Spread::of(waits), count, calm })
}

fn fare(traffic: &mut Traffic, server: &Process, time: Duration) -> anyhow::Result<Fare> {
    let (start, before) = (Instant::now(), server.cpu()?);
    let looks = (0..LOOKS).map(|_| Ok(traffic.paced(RATE, time / LOOKS)?.percentiles()[1]));
    let looks = looks.collect::<anyhow::Result<Vec<_>>>()?;
    let cores = server.cpu()?.saturating_sub(before).as_secs_f64() / start.elapsed().as_secs_f64();
    Ok(Fare { p99: Spread::of(looks).context("nobody has moved")?, cores })
}

/// The real server as a host starts it, without a journal.
fn serve() -> anyhow::Result<Program> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nim-server"));
    command.args(["--bind", "127.0.0.1:0", "--memory"]);
    Program::run(command, None)
}

/// Opens a lobby with a password; it exists as long as its creator stays connected.
fn locked_lobby(server: SocketAddr) -> anyhow::Result<(String, Guest)> {
    let mut host = Guest::connect(server, 0)?;
    host.say_hello(0)?;
    let lobby = terms(Setting::untimed(VARIANT), BotWish::PeopleOnly);
    let password = Secret::of("open sesame");
    host.ask_hall(HallRequest::Create(NewLobby { password, listed: false, ..lobby }))?;
    Ok((host.until_seated()?.to_string(), host))
}

/// Plays on until moves are as fast as before and `is_empty`; returns the seconds.
fn recover(
    time: Duration,
    traffic: &mut Traffic,
    alone: f64,
    is_empty: impl Fn() -> anyhow::Result<bool>,
) -> anyhow::Result<Option<f64>> {
    let start = Instant::now();
    while start.elapsed() < RECOVERS_WITHIN.min(20 * time) {
        let waits = traffic.paced(RATE, LOOK.min(time))?.percentiles();
        if waits[1] <= NEARLY * alone && is_empty()? {
            return Ok(Some(start.elapsed().as_secs_f64()));
        }
    }
    Ok(None)
}

/// The process of the attackers, at idle priority.
struct Horde(Child);

impl Horde {
    fn start(means: Means, from: From, server: SocketAddr, code: &str) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let (target, means, from) = (server.to_string(), name(&means), name(&from));
        let words = ["load", "--by", &means, "--from", &from, "--target", &target, "--code", code];
        let spawn =
            |mut command: Command| command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        // Without these commands the process runs at normal priority.
        let polite = |command: &str, words: &[&str]| {
            let mut polite = Command::new(command);
            polite.args(words).arg(&program);
            polite
        };
        let idle = spawn(polite("chrt", &["--idle", "0"]));
        let spawned = idle.or_else(|_| spawn(polite("nice", &["-n", "19"])));
        Ok(Self(spawned.or_else(|_| spawn(Command::new(&program)))?))
    }

    /// Ends the attack and returns the attackers' counts.
    fn stop(mut self) -> anyhow::Result<Count> {
        drop(self.0.stdin.take());
        let said = self.0.wait_with_output()?;
        serde_json::from_slice(&said.stdout).context("the attackers reported no counts")
    }
}

impl Outcome {
    fn row(&self, name: String) -> Vec<String> {
        let mib = |bytes: u64| short(bytes as f64 / f64::from(1 << 20));
        let waits = self.waits.map_or_else(
            || "-".to_owned(),
            |waits| format!("{} ({})", short(waits.median), short(waits.most)),
        );
        vec![
            name,
            self.beside.p99.to_string(),
            self.alone.p99.to_string(),
            short(self.beside.p99.median / self.alone.p99.median),
            short(self.beside.cores),
            mib(self.grown),
            mib(self.left),
            waits,
            self.calm.map_or_else(|| "never".to_owned(), short),
            self.count.refused.to_string(),
            self.count.closed.to_string(),
        ]
    }
}
