//! What is left after many games: people come, play, and leave, again and again.

use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::choice::Choice;
use super::guest::Setting;
use super::kind::Kind;
use super::process::Process;
use super::program::Program;
use super::report::Table;
use super::script::Script;
use super::seating::seat;
use super::spread::short;
use super::traffic::Traffic;

/// The game of which many are played: one move long.
const SHORTEST: &str = "take:1:1";

/// How many lobbies play it at once, and how many games each time before everybody leaves and others come.
const LOBBIES: usize = 100;
const GAMES_A_VISIT: u64 = 10_000;

/// How long the server may take to notice that everybody has gone.
const GONE_WITHIN: Duration = Duration::from_secs(5);

/// Plays many games in one server: lobbies are opened and left, people come and go.
pub(crate) fn run(choice: &Choice) -> anyhow::Result<Value> {
    let program = Program::start(Kind::Memory)?;
    let process = program.process();
    let empty = process.descriptors()?;
    let mut table = Table::new(&["games", "resident MiB", "descriptors", "seconds"]);
    let (mut played, mut all, start) = (0, Vec::new(), Instant::now());
    for wanted in [choice.games() / 100, choice.games() / 10, choice.games()] {
        while played < wanted {
            played += visit(&program, GAMES_A_VISIT.min(wanted - played))?;
        }
        // Memory is looked at when everybody has gone.
        let descriptors = left_behind(&process, empty)?;
        let resident = process.resident()?;
        let seconds = start.elapsed().as_secs_f64();
        table.row(vec![
            played.to_string(),
            format!("{:.2}", resident as f64 / f64::from(1 << 20)),
            descriptors.to_string(),
            short(seconds),
        ]);
        all.push(json!({ "games": played, "resident_bytes": resident, "descriptors": descriptors, "seconds": seconds }));
    }
    table.print("idle, what is left after many games, when everybody has gone");
    Ok(all.into())
}

/// Plays `count` games by people who come and leave; returns how many they were.
fn visit(program: &Program, games: u64) -> anyhow::Result<u64> {
    let pairs = seat(Kind::Memory, program.address(), Setting::untimed(SHORTEST), LOBBIES)?;
    let mut traffic = Traffic::of(pairs, Script::of(SHORTEST)?, false)?;
    let tally = traffic.flat_out(|tally| tally.games >= games)?;
    traffic.leave()?;
    Ok(tally.games)
}

/// How many descriptors are open once the server has noticed that everybody has gone, or should have.
fn left_behind(process: &Process, empty: usize) -> anyhow::Result<usize> {
    let start = Instant::now();
    while process.descriptors()? > empty && start.elapsed() < GONE_WITHIN {
        thread::sleep(Duration::from_millis(10));
    }
    process.descriptors()
}
