//! One attack after the other, each on a fresh server with a hundred honest games.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};

use super::choice::{From, Lobbies, Orders};
use super::means::Means;
use super::outcome::{HEADINGS, Outcome, Round};
use super::raider::Count;
use super::{host, newcomer};
use crate::load::guest::Setting;
use crate::load::kind::{Kind, name};
use crate::load::process::Process;
use crate::load::program::Program;
use crate::load::report::Table;
use crate::load::script::Script;
use crate::load::seating::seat_from;
use crate::load::traffic::Traffic;
use crate::smoke;

const VARIANT: &str = "java-tech";

/// The address of the newcomer: shared neither with the attackers nor with the players.
const NEWCOMER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);

/// The address of this honest player, shared only with the opponent.
fn player(number: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 0, 2, u8::try_from(number / 2).unwrap_or(u8::MAX))
}

/// The total request rate of the honest players, per second.
const RATE: f64 = 2_000.0;

/// The start of an attack, before the measurement: an address may open fifty connections a second.
const APPROACH: Duration = Duration::from_secs(1);

/// After an attack: the interval of the checks for recovery, and their timeout in such intervals.
const LOOK: Duration = Duration::from_millis(250);
const LOOKS: u32 = 80;

/// The p99 has recovered when it is within this factor: one slow move counts in a short measurement.
const NEARLY: f64 = 2.0;

/// Runs all attacks and prints a table of the results.
pub(crate) fn run(orders: &Orders, rounds: usize) -> anyhow::Result<()> {
    let (mut table, mut failed) = (Table::new(&HEADINGS), Vec::new());
    for means in orders.means() {
        for from in orders.from() {
            let name = format!("{}, {}", name(&means), name(&from));
            match besiege(orders, rounds, means, from) {
                Ok(outcome) => {
                    let row = outcome.row(name);
                    eprintln!("{}", row.join("; "));
                    table.row(row);
                }
                // The others are measured all the same.
                Err(error) => failed.push(format!("{name}: {error:#}")),
            }
        }
    }
    table.print(&format!("attack, beside {} games, {RATE} requests a second", orders.pairs()));
    anyhow::ensure!(failed.is_empty(), "not measured: {}", failed.join("; "));
    Ok(())
}

fn besiege(orders: &Orders, rounds: usize, means: Means, from: From) -> anyhow::Result<Outcome> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let program = host::serve(folder.path(), orders.files)?;
    let (process, server) = (program.process(), program.address());
    if means == Means::Records {
        host::play_short_games(server)?;
    }
    let pairs = seat_from(player, Kind::Process, server, Setting::untimed(VARIANT), orders.pairs())?;
    let mut traffic = Traffic::of(pairs, Script::of(VARIANT)?, false)?;
    let second_folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let second = orders.elsewhere.then(|| host::serve(second_folder.path(), orders.files)).transpose()?;
    let target = second.as_ref().map_or(server, Program::address);
    let (locked, _host) = host::locked_lobby(target)?;
    let lobbies = Lobbies { locked, watched: host::listed_games(target)? };
    traffic.paced(RATE, orders.time() / 4)?;

    let (before, descriptors) = (process.resident()?, process.descriptors()?);
    let (journal, log) = host::sizes(folder.path())?;
    let siege = Siege { time: orders.time(), means, from, server, target, lobbies: &lobbies };
    let is_empty = || Ok(process.descriptors()? <= descriptors + 1);
    let rounds = (0..rounds).map(|_| siege.round(&mut traffic, &process, is_empty));
    let rounds = rounds.collect::<anyhow::Result<Vec<_>>>()?;
    let sizes = host::sizes(folder.path())?;
    let after = process.resident()?;
    traffic.leave()?;
    Ok(Outcome {
        rounds,
        before,
        after,
        journal: sizes.0.saturating_sub(journal),
        log: sizes.1.saturating_sub(log),
    })
}

/// An attack on a server.
struct Siege<'a> {
    time: Duration,
    means: Means,
    from: From,
    server: SocketAddr,
    /// The attacked server.
    target: SocketAddr,
    lobbies: &'a Lobbies,
}

impl Siege<'_> {
    /// Measures without the attack, and then with it.
    fn round(
        &self,
        traffic: &mut Traffic,
        process: &Process,
        is_empty: impl Fn() -> anyhow::Result<bool>,
    ) -> anyhow::Result<Round> {
        // The baseline has the same CPU load as beside attackers, who run on other machines in reality.
        let busy = self.start(Means::Nothing)?;
        let alone = self.p99(traffic)?;
        busy.stop()?;

        let horde = self.start(self.means)?;
        traffic.paced(RATE, APPROACH.min(self.time))?;
        let enough = Arc::new(AtomicBool::new(false));
        let newcomer = newcomer::come_and_go(NEWCOMER, self.server, &enough);
        let (start, cpu) = (Instant::now(), process.cpu()?);
        let beside = self.p99(traffic)?;
        let cores = process.cpu()?.saturating_sub(cpu).as_secs_f64() / start.elapsed().as_secs_f64();
        enough.store(true, Ordering::Release);
        let resident = process.resident()?;
        let count = horde.stop()?;
        let calm = recover(self.time, traffic, alone, is_empty)?;
        let waits = newcomer.join().map_err(|_| anyhow!("the newcomer has panicked"))?;
        Ok(Round { alone, beside, cores, resident, waits, count, calm })
    }

    fn p99(&self, traffic: &mut Traffic) -> anyhow::Result<f64> {
        Ok(traffic.paced(RATE, self.time)?.percentiles()[1])
    }

    fn start(&self, means: Means) -> anyhow::Result<Horde> {
        Horde::start(means, self.from, self.target, self.lobbies)
    }
}

/// Plays on until moves are as fast as before and `is_empty`; returns the seconds.
fn recover(
    time: Duration,
    traffic: &mut Traffic,
    alone: f64,
    is_empty: impl Fn() -> anyhow::Result<bool>,
) -> anyhow::Result<Option<f64>> {
    let start = Instant::now();
    for _ in 0..smoke::all_or(5, LOOKS) {
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
    fn start(means: Means, from: From, server: SocketAddr, lobbies: &Lobbies) -> anyhow::Result<Self> {
        let program = std::env::current_exe()?;
        let (target, means, from) = (server.to_string(), name(&means), name(&from));
        let (locked, watched) = (&lobbies.locked, lobbies.watched.join(","));
        let words = ["load", "--by", &means, "--from", &from, "--target", &target];
        let words = words.into_iter().chain(["--locked", locked, "--watched", &watched]);
        let spawn = |mut command: Command| {
            command.args(words.clone()).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
        };
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
