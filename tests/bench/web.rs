//! What a browser's seat costs, and a move told to browsers: `cargo bench --bench bench -- web [--help]`.
//!
//! Beside the browsers, the same games are played by native clients in the same round. The README in this folder
//! says what is measured.

mod browser;
mod choice;
mod metered;
mod pair;
mod players;
mod visit;

use std::time::Duration;

use anyhow::Context;
use clap::Parser;

use crate::load::guest::Setting;
use crate::load::kind::Kind;
use crate::load::program::Program;
use crate::load::report::{Spread, Table, short};
use crate::load::script::Script;
use crate::load::seating::seat;
use crate::load::traffic::Traffic;
use choice::Choice;
use players::Players;

/// The figures of one kind of player in one round.
#[derive(Debug, Clone)]
struct Figures {
    /// KiB by which the server's memory grows with the first game.
    once: f64,
    /// KiB of the server's memory for each further seat, before anybody has moved.
    seated: f64,
    /// The same after everybody has.
    moved: f64,
    /// Microseconds of server CPU for each seat in a second without moves.
    idle: f64,
    /// Microseconds of server CPU for each move, with moves as fast as possible.
    cpu: f64,
    moves_a_second: f64,
    /// The same at the fixed rate.
    paced_cpu: f64,
    /// The 50th and 99th percentiles at the fixed rate, in microseconds.
    waits: [f64; 2],
    bytes_a_move: f64,
}

/// Runs the bench.
pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let choice = Choice::parse_from(std::iter::once("web").chain(arguments.iter().map(String::as_str)));
    rlimit::increase_nofile_limit(u64::MAX)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    println!("{} cores, {} rounds", std::thread::available_parallelism()?, choice.rounds());
    visit::run(&runtime)?;
    for games in choice.games() {
        let mut rounds = Vec::new();
        for number in 0..choice.rounds() {
            let native = native(&choice, games).context("native clients")?;
            let browsers = runtime.block_on(browsers(&choice, games)).context("browsers")?;
            if choice.is_wordy() {
                println!("round {number}: {browsers:?}");
            }
            rounds.push((native, browsers));
        }
        print(&choice, games, &rounds);
    }
    Ok(())
}

fn kib_a_seat(bytes: u64, games: usize) -> f64 {
    bytes as f64 / 1024.0 / (2 * games) as f64
}

fn micros_a_seat(cpu: Duration, time: Duration, games: usize) -> f64 {
    cpu.as_secs_f64() * 1e6 / time.as_secs_f64() / (2 * games) as f64
}

/// The games of browsers.
async fn browsers(choice: &Choice, games: usize) -> anyhow::Result<Figures> {
    let (program, time, script) = (Program::start(Kind::Memory)?, choice.time(), choice.script()?);
    let process = program.process();
    let before = process.resident()?;
    let first = Players::seat(program.address(), games..games + 1, choice.variant(), script.clone()).await?;
    let empty = process.resident()?;
    let mut players = Players::seat(program.address(), 0..games, choice.variant(), script).await?;
    players.silent(time).await?;
    let seated = process.resident()?.saturating_sub(empty);
    let cpu = process.cpu()?;
    players.silent(choice.silence()).await?;
    let idle = process.cpu()?.saturating_sub(cpu);

    players.flat_out(time / 4).await?;
    let cpu = process.cpu()?;
    let flat_out = players.flat_out(time).await?;
    let cpu = process.cpu()?.saturating_sub(cpu);
    let moved = process.resident()?.saturating_sub(empty);

    let paced_cpu = process.cpu()?;
    let paced = players.paced(choice.rate(), choice.long()).await?;
    let paced_cpu = process.cpu()?.saturating_sub(paced_cpu);
    drop(first);
    Ok(Figures {
        once: empty.saturating_sub(before) as f64 / 1024.0,
        seated: kib_a_seat(seated, games),
        moved: kib_a_seat(moved, games),
        idle: micros_a_seat(idle, choice.silence(), games),
        cpu: flat_out.micros_a_move(cpu),
        moves_a_second: flat_out.moves_a_second(),
        paced_cpu: paced.micros_a_move(paced_cpu),
        waits: paced.waits(),
        bytes_a_move: flat_out.bytes_a_move(),
    })
}

/// The same games of native clients.
fn native(choice: &Choice, games: usize) -> anyhow::Result<Figures> {
    let (program, time) = (Program::start(Kind::Memory)?, choice.time());
    let process = program.process();
    let (before, setting) = (process.resident()?, Setting::untimed(choice.variant()));
    let first = seat(Kind::Memory, program.address(), setting, 1)?;
    let empty = process.resident()?;
    let pairs = seat(Kind::Memory, program.address(), setting, games)?;
    let mut traffic = Traffic::of(pairs, Script::of(choice.variant())?, false)?;
    traffic.silent(time)?;
    let seated = process.resident()?.saturating_sub(empty);
    let cpu = process.cpu()?;
    traffic.silent(choice.silence())?;
    let idle = process.cpu()?.saturating_sub(cpu);

    traffic.flat_out(|tally| tally.time >= time / 4)?;
    let cpu = process.cpu()?;
    let flat_out = traffic.flat_out(|tally| tally.time >= time)?;
    let cpu = process.cpu()?.saturating_sub(cpu);
    let moved = process.resident()?.saturating_sub(empty);

    let paced_cpu = process.cpu()?;
    let paced = traffic.paced(choice.rate(), choice.long())?;
    let paced_cpu = process.cpu()?.saturating_sub(paced_cpu);
    let [half, most, _] = paced.percentiles();
    drop(first);
    Ok(Figures {
        once: empty.saturating_sub(before) as f64 / 1024.0,
        seated: kib_a_seat(seated, games),
        moved: kib_a_seat(moved, games),
        idle: micros_a_seat(idle, choice.silence(), games),
        cpu: flat_out.micros_a_move(cpu),
        moves_a_second: flat_out.moves_a_second(),
        paced_cpu: paced.micros_a_move(paced_cpu),
        waits: [half, most],
        bytes_a_move: flat_out.bytes as f64 / flat_out.moves.max(1) as f64,
    })
}

fn print(choice: &Choice, games: usize, rounds: &[(Figures, Figures)]) {
    type Figure = (&'static str, fn(&Figures) -> f64);
    let figures: [Figure; 10] = [
        ("KiB for the first game", |of| of.once),
        ("KiB a further seat", |of| of.seated),
        ("KiB a further seat after moves", |of| of.moved),
        ("CPU µs a seat a second, idle", |of| of.idle),
        ("CPU µs a move, flat out", |of| of.cpu),
        ("moves/s, flat out", |of| of.moves_a_second),
        ("CPU µs a move, at the fixed rate", |of| of.paced_cpu),
        ("p50 µs", |of| of.waits[0]),
        ("p99 µs", |of| of.waits[1]),
        ("bytes a move", |of| of.bytes_a_move),
    ];
    let mut table = Table::new(&["", "browsers", "native clients", "ratio"]);
    for (name, figure) in figures {
        let spread = |of: &dyn Fn(&(Figures, Figures)) -> f64| {
            Spread::of(rounds.iter().map(of)).map_or_else(String::new, |spread| spread.to_string())
        };
        let ratio = spread(&|(native, browsers)| figure(browsers) / figure(native));
        let [browsers, native] =
            [spread(&|(_, browsers)| figure(browsers)), spread(&|(native, _)| figure(native))];
        table.row(vec![name.to_owned(), browsers, native, ratio]);
    }
    table.print(&format!(
        "{games} games of {}, fixed rate {} moves/s: median (least..greatest)",
        choice.variant(),
        short(choice.rate()),
    ));
}
