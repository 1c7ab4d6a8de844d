//! Moves between people: the real server beside two bare relays, in turns, with several numbers of lobbies.

use std::time::Duration;

use super::choice::Choice;
use super::kind::Kind;
use super::process::Process;
use super::program::Program;
use super::script::Script;
use super::seating::seat;
use super::traffic::{Tally, Traffic};
use crate::clock::cpu_time;

mod tables;

/// The result of one server in one round.
#[derive(Debug, Clone)]
struct Round {
    /// Server CPU per move in microseconds, with requests as fast as possible.
    cpu: f64,
    /// The same at the fixed rate.
    paced_cpu: f64,
    /// The generator's own CPU per move in microseconds.
    own_cpu: f64,
    moves_a_second: f64,
    bytes_a_move: f64,
    /// The 50th, 99th and 99.9th percentiles at the fixed rate, in microseconds.
    waits: [f64; 3],
    /// The moves per second at the fixed rate.
    kept_up: f64,
}

/// How often each kind has its turn within a round, where they take turns by the second.
const TURNS: usize = 4;

/// Measures each number of lobbies, and prints a table for each.
pub(crate) fn run(choice: &Choice) -> anyhow::Result<()> {
    for lobbies in choice.lobbies() {
        let mut rounds = vec![Vec::new(); choice.kinds.len()];
        for number in 0..choice.rounds() {
            // The first kind after a pause has an advantage, so the order rotates.
            let mut order: Vec<usize> = (0..rounds.len()).collect();
            order.rotate_left(number % rounds.len());
            let kinds: Vec<Kind> = order.iter().map(|&place| choice.kinds[place]).collect();
            let measured = if choice.by_second {
                measure(choice, &kinds, lobbies, TURNS)?
            } else {
                let alone = kinds.iter().map(|kind| measure(choice, &[*kind], lobbies, 1));
                alone.collect::<anyhow::Result<Vec<_>>>()?.concat()
            };
            for (place, round) in order.into_iter().zip(measured) {
                rounds[place].push(round);
            }
        }
        let results: Vec<(Kind, Vec<Round>)> = choice.kinds.iter().copied().zip(rounds).collect();
        tables::print(choice, lobbies, &results);
    }
    Ok(())
}

/// Starts servers of these kinds, and gives each some turns of traffic, one after the other.
fn measure(choice: &Choice, kinds: &[Kind], lobbies: usize, turns: usize) -> anyhow::Result<Vec<Round>> {
    let start = |kind: &Kind| Running::start(choice, *kind, lobbies);
    let mut all = kinds.iter().map(start).collect::<anyhow::Result<Vec<_>>>()?;
    let time = choice.time();
    for _ in 0..turns {
        for running in &mut all {
            running.flat_out(time)?;
        }
    }
    for _ in 0..turns {
        for running in &mut all {
            running.paced(choice.rate(lobbies), 2 * time)?;
        }
    }
    all.into_iter().map(Running::finish).collect()
}

/// A server with its traffic, and what was measured so far.
struct Running {
    program: Program,
    traffic: Traffic,
    flat_out: Measured,
    paced: Measured,
}

/// The traffic of all turns, and the CPU time of the server and of the generator.
struct Measured {
    tally: Tally,
    cpu: Duration,
    own_cpu: Duration,
}

impl Running {
    fn start(choice: &Choice, kind: Kind, lobbies: usize) -> anyhow::Result<Self> {
        let program = Program::start(kind)?;
        let script = Script::of(choice.setting().variant)?;
        let seats = seat(kind, program.address(), choice.setting(), lobbies)?;
        let mut traffic = Traffic::of(seats, script, kind.is_bare())?;
        let warm = choice.time() / 4;
        traffic.flat_out(|tally| tally.time >= warm)?;
        let none = || -> anyhow::Result<Measured> {
            Ok(Measured { tally: Tally::new()?, cpu: Duration::ZERO, own_cpu: Duration::ZERO })
        };
        Ok(Self { program, traffic, flat_out: none()?, paced: none()? })
    }

    fn flat_out(&mut self, time: Duration) -> anyhow::Result<()> {
        let process = self.program.process();
        self.flat_out.add(&process, || self.traffic.flat_out(|tally| tally.time >= time))
    }

    fn paced(&mut self, rate: f64, time: Duration) -> anyhow::Result<()> {
        let process = self.program.process();
        self.paced.add(&process, || self.traffic.paced(rate, time))
    }

    fn finish(self) -> anyhow::Result<Round> {
        let Self { flat_out, paced, .. } = &self;
        let tally = &flat_out.tally;
        let round = Round {
            cpu: tally.micros_a_move(flat_out.cpu),
            paced_cpu: paced.tally.micros_a_move(paced.cpu),
            own_cpu: tally.micros_a_move(flat_out.own_cpu),
            moves_a_second: tally.moves_a_second(),
            bytes_a_move: tally.bytes as f64 / tally.moves.max(1) as f64,
            waits: paced.tally.percentiles(),
            kept_up: paced.tally.moves_a_second(),
        };
        self.traffic.leave()?;
        Ok(round)
    }
}

impl Measured {
    /// Adds a turn of traffic.
    fn add(&mut self, server: &Process, turn: impl FnOnce() -> anyhow::Result<Tally>) -> anyhow::Result<()> {
        let (cpu, own_cpu) = (server.cpu()?, cpu_time());
        self.tally.add(&turn()?)?;
        self.cpu += server.cpu()?.saturating_sub(cpu);
        self.own_cpu += cpu_time().saturating_sub(own_cpu);
        Ok(())
    }
}
