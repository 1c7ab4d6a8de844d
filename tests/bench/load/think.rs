//! People who play each other while bots think hard: whether the ones wait for the others.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::anyhow;
use serde_json::json;

use super::choice::Choice;
use super::kind::Kind;
use super::opponent;
use super::program::Program;
use super::report::{Report, Table};
use super::script::Script;
use super::seating::seat;
use super::spread::Spread;
use super::traffic::Traffic;

/// How many lobbies of people there are, and how many of bots for each thinking thread: enough that none is ever idle.
const LOBBIES: usize = 100;
const HARD_LOBBIES_A_THREAD: usize = 4;

/// How long the bots have, before anything is measured, to come to positions that are hard.
const WARMING: Duration = Duration::from_secs(1);

/// What the people waited in one round, in microseconds, and how busy each thinking thread was, from 0 to 1.
#[derive(Debug, Clone, Copy)]
struct Round {
    waits: [f64; 3],
    busy: f64,
    moves_a_second: f64,
}

/// Measures both in turns, and prints a table.
pub(crate) fn run(choice: &Choice, report: &mut Report) -> anyhow::Result<()> {
    let (mut quiet, mut busy) = (Vec::new(), Vec::new());
    for _ in 0..choice.rounds() {
        quiet.push(measure(choice, false)?);
        busy.push(measure(choice, true)?);
    }
    let mut table =
        Table::new(&["", "p50 µs", "p99 µs", "p99.9 µs", "p99 of without", "moves/s", "threads think"]);
    for (name, rounds) in [("without bots", &quiet), ("bots that think hard", &busy)] {
        let ratios = rounds.iter().zip(&quiet).map(|(round, without)| round.waits[1] / without.waits[1]);
        let ratio = Spread::of(ratios).map_or_else(String::new, |spread| spread.to_string());
        let shown = |figure: &dyn Fn(&Round) -> f64| {
            Spread::of(rounds.iter().map(figure)).map_or_else(String::new, |spread| spread.to_string())
        };
        table.row(vec![
            name.to_owned(),
            shown(&|round| round.waits[0]),
            shown(&|round| round.waits[1]),
            shown(&|round| round.waits[2]),
            ratio,
            shown(&|round| round.moves_a_second),
            shown(&|round| round.busy),
        ]);
    }
    table.print(&format!("think, {LOBBIES} lobbies of people, {} requests a second", choice.rate(LOBBIES)));
    let kept = |rounds: &[Round]| -> Vec<_> {
        let one = |round: &Round| json!({ "wait_micros": round.waits, "busy": round.busy });
        rounds.iter().map(one).collect()
    };
    report.keep("think", json!({ "without": kept(&quiet), "with": kept(&busy) }));
    Ok(())
}

fn measure(choice: &Choice, with_bots: bool) -> anyhow::Result<Round> {
    let program = Program::start(Kind::Memory)?;
    let (process, address) = (program.process(), program.address());
    let thinks = |name: &str| name.starts_with("thinker");
    let threads = process.threads(thinks)?;
    let hard = if with_bots { threads * HARD_LOBBIES_A_THREAD } else { 0 };
    let pairs = seat(Kind::Memory, address, choice.setting(), LOBBIES)?;
    let done = Arc::new(AtomicBool::new(false));
    let opponents: Vec<_> = (2 * LOBBIES..2 * LOBBIES + hard)
        .map(|number| {
            let done = Arc::clone(&done);
            thread::spawn(move || opponent::play(address, number, &done))
        })
        .collect();
    let mut traffic = Traffic::of(pairs, Script::of(choice.setting().variant)?, false)?;
    traffic.paced(choice.rate(LOBBIES), WARMING.min(choice.time()))?;

    let busy = process.busy(thinks)?;
    let tally = traffic.paced(choice.rate(LOBBIES), 4 * choice.time())?;
    let busy = process.busy(thinks)?.saturating_sub(busy);
    traffic.leave()?;
    done.store(true, Ordering::Release);
    drop(program);
    for opponent in opponents {
        opponent.join().map_err(|_| anyhow!("a player against the bot has panicked"))??;
    }
    Ok(Round {
        waits: tally.percentiles(),
        busy: busy.as_secs_f64() / tally.time.as_secs_f64() / threads.max(1) as f64,
        moves_a_second: tally.moves_a_second(),
    })
}
