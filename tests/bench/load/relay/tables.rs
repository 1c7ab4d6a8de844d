//! What the rounds of all kinds come to, side by side.

use super::Round;
use crate::load::choice::Choice;
use crate::load::kind::Kind;
use crate::load::report::{Spread, Table, short};

/// The rounds of each kind.
pub(super) type Results = [(Kind, Vec<Round>)];

/// Prints the tables for this many lobbies.
pub(super) fn print(choice: &Choice, lobbies: usize, results: &Results) {
    print_costs(lobbies, results);
    print_waits(choice, lobbies, results);
    print_calls(results);
}

fn of(results: &Results, wanted: Kind) -> Option<&Vec<Round>> {
    results.iter().find(|(kind, _)| *kind == wanted).map(|(_, rounds)| rounds)
}

fn spread(rounds: &[Round], figure: impl Fn(&Round) -> f64) -> String {
    shown(Spread::of(rounds.iter().map(figure)))
}

/// How many times the figure of another kind, taken in the same round.
fn ratio(rounds: &[Round], others: Option<&Vec<Round>>, figure: impl Fn(&Round) -> f64) -> String {
    let both = rounds.iter().zip(others.into_iter().flatten());
    shown(Spread::of(both.map(|(round, other)| figure(round) / figure(other))))
}

fn shown(spread: Option<Spread>) -> String {
    spread.map_or_else(|| "-".to_owned(), |spread| spread.to_string())
}

fn print_costs(lobbies: usize, results: &Results) {
    let (framed, direct) = (of(results, Kind::Framed), of(results, Kind::Direct));
    let mut table = Table::new(&[
        "",
        "CPU µs a move",
        "of framed",
        "of direct",
        "moves/s",
        "bytes a move",
        "generator µs",
    ]);
    for (kind, rounds) in results {
        table.row(vec![
            kind.name().to_owned(),
            spread(rounds, |round| round.cpu),
            ratio(rounds, framed, |round| round.cpu),
            ratio(rounds, direct, |round| round.cpu),
            spread(rounds, |round| round.moves_a_second),
            spread(rounds, |round| round.bytes_a_move),
            spread(rounds, |round| round.own_cpu),
        ]);
    }
    table.print(&format!("relay, {lobbies} lobbies, each asks as soon as it is answered"));
}

fn print_waits(choice: &Choice, lobbies: usize, results: &Results) {
    let (framed, direct) = (of(results, Kind::Framed), of(results, Kind::Direct));
    let mut table = Table::new(&[
        "",
        "CPU µs a move",
        "of framed",
        "of direct",
        "p50 µs",
        "p99 µs",
        "p99.9 µs",
        "p99 of framed",
        "moves/s",
    ]);
    for (kind, rounds) in results {
        table.row(vec![
            kind.name().to_owned(),
            spread(rounds, |round| round.paced_cpu),
            ratio(rounds, framed, |round| round.paced_cpu),
            ratio(rounds, direct, |round| round.paced_cpu),
            spread(rounds, |round| round.waits[0]),
            spread(rounds, |round| round.waits[1]),
            spread(rounds, |round| round.waits[2]),
            ratio(rounds, framed, |round| round.waits[1]),
            spread(rounds, |round| round.kept_up),
        ]);
    }
    table.print(&format!("relay, {lobbies} lobbies, {} requests a second", choice.rate(lobbies)));
}

fn print_calls(results: &Results) {
    let counted = results.iter().find_map(|(_, rounds)| rounds.iter().find_map(|round| round.calls.as_ref()));
    let Some(counted) = counted else {
        return println!("\nsystem calls a move: not measured, since there is no perf here that may count");
    };
    let names: Vec<&str> = counted.iter().map(|(name, _)| name.as_str()).collect();
    let mut table = Table::new(&[&[""], &names[..]].concat());
    for (kind, rounds) in results {
        let cells = names.iter().map(|name| median_calls(rounds, name).map_or_else(|| "-".to_owned(), short));
        table.row([kind.name().to_owned()].into_iter().chain(cells).collect());
    }
    table.print("system calls a move, each asks as soon as it is answered");
}

fn median_calls(rounds: &[Round], wanted: &str) -> Option<f64> {
    let found = rounds.iter().filter_map(|round| {
        let (_, calls) = round.calls.as_ref()?.iter().find(|(name, _)| name == wanted)?;
        Some(*calls)
    });
    Spread::of(found).map(|spread| spread.median)
}
