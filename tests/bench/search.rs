//! The cost of searches on games that they solve to the end: `cargo bench --bench bench -- search`.
//!
//! Every line answers the same question in another way: who wins, and how soon if the method tells. The
//! number of nodes is the same on every run. A time is the smallest, the median and the largest of 21 rounds
//! of CPU time; only times of the same run can be compared. It uses no solver's internals.

use std::hint::black_box;
use std::time::{Duration, Instant};

use nim::game::Rules;
use nim::game::any::{Position, Variant};
use nim::game::tic_tac_toe::{TicTacToe, TicTacToeVariant};
use nim::search::Budget;
use nim::search::ordering::{AsListed, HistoryTable, MoveOrdering};
use nim::search::run::Params;
use nim::search::transposition::TranspositionTable;
use nim::search::{Evaluation, GaveUp, Score, Stop, Verdict, WHOLE_GAME, alpha_beta, closed, memo, minimax};

use crate::smoke;

/// The number of rounds for each time.
const ROUNDS: usize = 21;

/// The shortest length of a round, since clocks are coarse.
const LEAST_ROUND: Duration = Duration::from_millis(20);

/// The number of slots in the transposition table.
const SLOTS: usize = 1 << 11;

pub(crate) fn run() {
    println!("{:44} {:>9} {:>12} {:>12} {:>12}", "", "nodes", "least", "median", "most");
    print_tic_tac_toe();
    print_closed_forms();
}

fn print_tic_tac_toe() {
    let root = TicTacToeVariant.start();
    println!("tic-tac-toe from the empty board");
    line("  plain minimax, with lengths", || {
        minimax::search::<_, Score, _, _>(&root, params()).map(|answer| answer.nodes)
    });
    line("  alpha-beta, with lengths", || {
        alpha_beta::search::<_, Score, _, _>(&root, params()).map(|answer| answer.nodes)
    });
    line("  alpha-beta with a table, with lengths", || with_table::<Score>(root, AsListed));
    line("  the same, who wins", || with_table::<Verdict>(root, AsListed));
    line("  the same, with the history heuristic", || with_table::<Verdict>(root, HistoryTable::default()));
    line("  every position of the game, with lengths", || {
        let stop = Stop::new();
        memo::solve(&root, WHOLE_GAME, &stop).map(|_| stop.nodes())
    });
}

fn with_table<W: Evaluation<TicTacToe>>(
    root: TicTacToe,
    ordering: impl MoveOrdering<TicTacToe>,
) -> Result<u64, GaveUp> {
    let mut table = TranspositionTable::new(SLOTS);
    alpha_beta::search_with::<_, W, _, _, _>(&root, &mut table, ordering, params()).map(|answer| answer.nodes)
}

fn print_closed_forms() {
    let games =
        ["java-tech:1000000000000000000", "nim:3-4-5", "nim:1000000000000-77-3:misere", "even-or-odd:999"];
    println!("closed forms, a best move");
    for (text, position) in games.map(|text| (text, start(text))) {
        line(&format!("  {text}"), || closed::best(black_box(&position)).map(|_| 0).ok_or("no closed form"));
    }
    println!("closed forms, who wins");
    for (text, position) in games.map(|text| (text, start(text))) {
        line(&format!("  {text}"), || {
            closed::verdict(black_box(&position)).map(|_| 0).ok_or("no closed form")
        });
    }
}

fn params() -> Params<'static, nim::search::evaluation::Even, ()> {
    static NEVER: std::sync::LazyLock<Stop> = std::sync::LazyLock::new(Stop::new);
    Params::plain(Budget::UNBOUNDED, &NEVER)
}

#[expect(clippy::expect_used, reason = "the variants are part of this program")]
fn start(text: &str) -> Position {
    text.parse::<Variant>().expect("a variant").start().position()
}

/// Prints the cost of one method; `answer` returns the number of nodes.
fn line<E: std::fmt::Debug>(name: &str, mut answer: impl FnMut() -> Result<u64, E>) {
    let nodes = match answer() {
        Ok(nodes) => nodes,
        Err(error) => return println!("{name:44} no answer: {error:?}"),
    };
    let count = smoke::all_or(1, ROUNDS);
    let mut rounds: Vec<f64> = (0..count).map(|_| round(&mut || drop(black_box(answer())))).collect();
    rounds.sort_by(f64::total_cmp);
    let [least, median, most] = [0, count / 2, count - 1].map(|at| micros(rounds[at]));
    println!("{name:44} {nodes:9} {least:>12} {median:>12} {most:>12}");
}

/// The seconds per answer, averaged over a round.
fn round(answer: &mut impl FnMut()) -> f64 {
    let (start, mut times) = (Instant::now(), 0_u32);
    let least = smoke::all_or(Duration::from_nanos(1), LEAST_ROUND);
    while times == 0 || start.elapsed() < least {
        (0..8).for_each(|_| answer());
        times += 8;
    }
    start.elapsed().as_secs_f64() / f64::from(times)
}

fn micros(seconds: f64) -> String {
    format!("{:.3} µs", seconds * 1e6)
}
