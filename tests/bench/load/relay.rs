//! Moves between people: the real server beside two bare relays, in turns, with several numbers of lobbies.

use super::choice::Choice;
use super::kind::Kind;
use super::program::Program;
use super::script::Script;
use super::seating::seat;
use super::traffic::Traffic;
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

/// Measures each number of lobbies, and prints a table for each.
pub(crate) fn run(choice: &Choice) -> anyhow::Result<()> {
    for lobbies in choice.lobbies() {
        let mut rounds = vec![Vec::new(); choice.kinds.len()];
        for number in 0..choice.rounds() {
            // The first kind after a pause has an advantage, so the order rotates.
            for place in 0..rounds.len() {
                let place = (place + number) % rounds.len();
                rounds[place].push(measure(choice, choice.kinds[place], lobbies)?);
            }
        }
        let results: Vec<(Kind, Vec<Round>)> = choice.kinds.iter().copied().zip(rounds).collect();
        tables::print(choice, lobbies, &results);
    }
    Ok(())
}

fn measure(choice: &Choice, kind: Kind, lobbies: usize) -> anyhow::Result<Round> {
    let program = Program::start(kind)?;
    let (process, time) = (program.process(), choice.time());
    let script = Script::of(choice.setting().variant)?;
    let mut traffic =
        Traffic::of(seat(kind, program.address(), choice.setting(), lobbies)?, script, kind.is_bare())?;
    traffic.flat_out(|tally| tally.time >= time / 4)?;

    let (cpu, own) = (process.cpu()?, cpu_time());
    let flat_out = traffic.flat_out(|tally| tally.time >= time)?;
    let (cpu, own) = (process.cpu()?.saturating_sub(cpu), cpu_time().saturating_sub(own));

    let paced_cpu = process.cpu()?;
    let paced = traffic.paced(choice.rate(lobbies), 2 * time)?;
    let paced_cpu = process.cpu()?.saturating_sub(paced_cpu);

    traffic.leave()?;
    Ok(Round {
        cpu: flat_out.micros_a_move(cpu),
        paced_cpu: paced.micros_a_move(paced_cpu),
        own_cpu: flat_out.micros_a_move(own),
        moves_a_second: flat_out.moves_a_second(),
        bytes_a_move: flat_out.bytes as f64 / flat_out.moves.max(1) as f64,
        waits: paced.percentiles(),
        kept_up: paced.moves_a_second(),
    })
}
