//! Silent connections and their cost each; and what is left in memory after many games.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::anyhow;

use super::choice::Choice;
use super::guest::Setting;
use super::kind::{Kind, name};
use super::process::Process;
use super::program::Program;
use super::report::{Spread, Table, short};
use super::script::Script;
use super::seating::seat;
use super::traffic::Traffic;
use crate::smoke;

/// The kinds whose silent connections are measured.
const KINDS: [Kind; 3] = [Kind::Framed, Kind::Direct, Kind::Memory];

/// The cost of this many connections.
#[derive(Debug)]
struct Cost {
    /// Bytes of memory beyond the empty server's, for all connections: before anybody has moved, and after
    /// everybody has.
    seated: u64,
    moved: u64,
    /// The CPU time of an idle second.
    cpu: Duration,
    /// The time from the signal to the exit.
    stop: Duration,
}

/// Measures each number of seats, then the memory after many games; prints a table for each.
pub(crate) fn run(choice: &Choice, descriptors: u64) -> anyhow::Result<()> {
    let mut table = Table::new(&["", "seats", "KiB a seat", "after moves", "CPU ms a second", "ms to stop"]);
    for seats in Choice::seats(descriptors) {
        for kind in KINDS {
            table.row(measure(choice, kind, seats)?.row(kind, seats));
        }
    }
    table.print("idle, everybody sits at a game and says nothing but pongs");
    grow(choice)?;
    play_many(choice)
}

/// A game that lasts longer than is measured.
const LONG: &str = "take:1000:3";

/// The number of seats, and the moves of their games after which memory is measured again.
const GROWING: usize = 2_000;
const MOVES: [u64; 2] = [20, 100];

/// Measures how the memory of a seat grows with the moves of its game.
fn grow(choice: &Choice) -> anyhow::Result<()> {
    let seats = if smoke::is_wanted() { 10 } else { GROWING };
    let mut table = Table::new(&["", "KiB a seat, silent", "after 20 moves", "after 100 moves"]);
    for kind in [Kind::Direct, Kind::Memory, Kind::Process] {
        let mut rounds = Vec::new();
        for _ in 0..choice.rounds() {
            rounds.push(grown(choice, kind, seats)?);
        }
        let spread = |place: usize| {
            let figures = Spread::of(rounds.iter().map(|round| round[place]));
            figures.map_or_else(String::new, |spread| spread.to_string())
        };
        table.row([vec![name(&kind)], (0..rounds[0].len()).map(spread).collect()].concat());
    }
    table.print(&format!("idle, how a seat grows with the moves of its game, {seats} seats"));
    Ok(())
}

/// KiB of memory for each seat: silent, and after each number of moves in its game.
fn grown(choice: &Choice, kind: Kind, seats: usize) -> anyhow::Result<[f64; 3]> {
    let program = Program::start(kind)?;
    let process = program.process();
    let empty = process.resident()?;
    let kib =
        || Ok::<f64, anyhow::Error>(process.resident()?.saturating_sub(empty) as f64 / 1024.0 / seats as f64);
    let pairs = seat(kind, program.address(), Setting::untimed(LONG), seats / 2)?;
    let mut traffic = Traffic::of(pairs, Script::of(LONG)?, kind.is_bare())?;
    traffic.silent(choice.time())?;
    let mut figures = [kib()?; 3];
    let mut moved = 0;
    for (figure, moves) in figures.iter_mut().skip(1).zip(MOVES) {
        let wanted = (moves - moved) * seats as u64 / 2;
        traffic.flat_out(|tally| tally.moves >= wanted)?;
        traffic.silent(choice.time())?;
        (*figure, moved) = (kib()?, moves);
    }
    Ok(figures)
}

fn measure(choice: &Choice, kind: Kind, seats: usize) -> anyhow::Result<Cost> {
    let program = Program::start(kind)?;
    let process = program.process();
    let empty = process.resident()?;
    let (pairs, script) =
        (seat(kind, program.address(), choice.setting(), seats / 2)?, Script::of(choice.setting().variant)?);
    let mut traffic = Traffic::of(pairs, script, kind.is_bare())?;
    traffic.silent(choice.time())?;
    let seated = process.resident()?.saturating_sub(empty);

    let (cpu, time) = (process.cpu()?, choice.silence());
    traffic.silent(time)?;
    let cpu = process.cpu()?.saturating_sub(cpu).div_f64(time.as_secs_f64());

    traffic.flat_out(|tally| tally.moves >= 2 * seats as u64)?;
    let moved = process.resident()?.saturating_sub(empty);
    Ok(Cost { seated, moved, cpu, stop: stop(program, traffic)? })
}

/// Stops the server while all clients read.
fn stop(program: Program, traffic: Traffic) -> anyhow::Result<Duration> {
    let since = program.terminate()?;
    let hearing = thread::spawn(move || traffic.hear_out());
    let stop = program.wait(since)?;
    hearing.join().map_err(|_| anyhow!("those who heard the server out have panicked"))??;
    Ok(stop)
}

impl Cost {
    fn row(&self, kind: Kind, seats: usize) -> Vec<String> {
        let [seated, moved] =
            [self.seated, self.moved].map(|bytes| short(bytes as f64 / 1024.0 / seats as f64));
        let [cpu, stop] = [self.cpu, self.stop].map(|time| short(time.as_secs_f64() * 1e3));
        vec![name(&kind), seats.to_string(), seated, moved, cpu, stop]
    }
}

/// The shortest game, with a single move.
const SHORTEST: &str = "take:1:1";

/// The number of lobbies that play at once, and of games before everybody leaves and new players come.
const LOBBIES: usize = 100;
const GAMES_A_VISIT: u64 = 10_000;

/// The timeout for the server to notice that everybody has gone.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// Plays many games on one server: lobbies open and close, people come and go.
fn play_many(choice: &Choice) -> anyhow::Result<()> {
    let program = Program::start(Kind::Memory)?;
    let process = program.process();
    let empty = process.descriptors()?;
    let mut table = Table::new(&["games", "resident MiB", "descriptors", "seconds"]);
    let (mut played, start) = (0, Instant::now());
    for wanted in [choice.games() / 100, choice.games() / 10, choice.games()] {
        while played < wanted {
            played += visit(&program, GAMES_A_VISIT.min(wanted - played))?;
        }
        // The measurement starts when everybody has gone.
        let descriptors = left_behind(&process, empty)?;
        let resident = process.resident()?;
        table.row(vec![
            played.to_string(),
            format!("{:.2}", resident as f64 / f64::from(1 << 20)),
            descriptors.to_string(),
            short(start.elapsed().as_secs_f64()),
        ]);
    }
    table.print("idle, what is left after many games, when everybody has gone");
    Ok(())
}

/// Plays this many games with people who come and leave; returns the actual number.
fn visit(program: &Program, games: u64) -> anyhow::Result<u64> {
    let pairs = seat(Kind::Memory, program.address(), Setting::untimed(SHORTEST), LOBBIES)?;
    let mut traffic = Traffic::of(pairs, Script::of(SHORTEST)?, false)?;
    let tally = traffic.flat_out(|tally| tally.games >= games)?;
    traffic.leave()?;
    Ok(tally.games)
}

/// The number of open descriptors once the server has noticed that everybody has gone, or after the timeout.
fn left_behind(process: &Process, empty: usize) -> anyhow::Result<usize> {
    let start = Instant::now();
    while process.descriptors()? > empty && start.elapsed() < GONE_WITHIN {
        thread::sleep(Duration::from_millis(10));
    }
    process.descriptors()
}
