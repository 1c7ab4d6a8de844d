//! The results of all kinds of servers, side by side.

use super::Round;
use crate::load::choice::Choice;
use crate::load::kind::{Kind, name};
use crate::load::report::{Spread, Table};

/// The rounds of each kind.
pub(super) type Results = [(Kind, Vec<Round>)];

/// A heading, and a figure of each round; or its ratio to another kind's figure in the same round.
type Column = (&'static str, Option<Kind>, fn(&Round) -> f64);

const COSTS: [Column; 6] = [
    ("CPU µs a move", None, |round| round.cpu),
    ("of framed", Some(Kind::Framed), |round| round.cpu),
    ("of direct", Some(Kind::Direct), |round| round.cpu),
    ("moves/s", None, |round| round.moves_a_second),
    ("bytes a move", None, |round| round.bytes_a_move),
    ("generator µs", None, |round| round.own_cpu),
];

const WAITS: [Column; 8] = [
    ("CPU µs a move", None, |round| round.paced_cpu),
    ("of framed", Some(Kind::Framed), |round| round.paced_cpu),
    ("of direct", Some(Kind::Direct), |round| round.paced_cpu),
    ("p50 µs", None, |round| round.waits[0]),
    ("p99 µs", None, |round| round.waits[1]),
    ("p99.9 µs", None, |round| round.waits[2]),
    ("p99 of framed", Some(Kind::Framed), |round| round.waits[1]),
    ("moves/s", None, |round| round.kept_up),
];

/// Prints the tables for this number of lobbies.
pub(super) fn print(choice: &Choice, lobbies: usize, results: &Results) {
    let title = format!("relay, {lobbies} lobbies, each asks as soon as it is answered");
    table(results, &COSTS).print(&title);
    table(results, &WAITS)
        .print(&format!("relay, {lobbies} lobbies, {} requests a second", choice.rate(lobbies)));
}

fn table(results: &Results, columns: &[Column]) -> Table {
    let headings: Vec<&str> =
        std::iter::once("").chain(columns.iter().map(|(heading, ..)| *heading)).collect();
    let mut table = Table::new(&headings);
    for (kind, rounds) in results {
        let cells = columns.iter().map(|(_, other, figure)| cell(results, rounds, *other, *figure));
        table.row(std::iter::once(name(kind)).chain(cells).collect());
    }
    table
}

fn cell(results: &Results, rounds: &[Round], other: Option<Kind>, figure: fn(&Round) -> f64) -> String {
    let figures: Vec<f64> = match other {
        None => rounds.iter().map(figure).collect(),
        Some(other) => {
            let others = results.iter().filter(|(kind, _)| *kind == other).flat_map(|(_, rounds)| rounds);
            rounds.iter().zip(others).map(|(round, other)| figure(round) / figure(other)).collect()
        }
    };
    Spread::of(figures).map_or_else(|| "-".to_owned(), |spread| spread.to_string())
}
