//! What the Connect Four solver costs, and whether its scores are right:
//! `cargo bench --bench bench -- connect_four [WHAT…]`.
//!
//! WHAT is one or more of the files of `tests/data/connect4` (`L1_R3`), `opening` for the seven first
//! moves, whose scores take too long for `cargo test`, or `threads` for the hardest file with two threads. It uses
//! published positions, and only the solver's public functions.

mod threads;

use std::sync::LazyLock;
use std::time::{Duration, Instant};

use nim::game::connect_four::{ConnectFour, ConnectFourVariant};
use nim::game::{Rules, children};
use nim::search::Stop;
use nim::search::connect_four::{Limits, ScoreBounds, Solver, SolverResult, TABLE_BYTES};

use crate::clock::cpu_time;
use crate::smoke;

/// A file of positions, and the average cost of one position in Pascal Pons' solver: nodes and CPU time.
struct Set {
    name: &'static str,
    text: &'static str,
    published_nodes: f64,
    published_micros: f64,
}

const SETS: [Set; 6] = [
    set("L3_R1", include_str!("../data/connect4/L3_R1.txt"), 50.9, 5.9),
    set("L2_R1", include_str!("../data/connect4/L2_R1.txt"), 453.9, 46.0),
    set("L2_R2", include_str!("../data/connect4/L2_R2.txt"), 43_966.6, 5_000.0),
    set("L1_R1", include_str!("../data/connect4/L1_R1.txt"), 3_369.1, 320.0),
    set("L1_R2", include_str!("../data/connect4/L1_R2.txt"), 818_595.3, 91_000.0),
    set("L1_R3", include_str!("../data/connect4/L1_R3.txt"), 23_440_492.3, 2_900_000.0),
];

const fn set(name: &'static str, text: &'static str, published_nodes: f64, published_micros: f64) -> Set {
    Set { name, text, published_nodes, published_micros }
}

/// The scores of the first moves, from left to right.
const OPENING: [i32; 7] = [-2, -1, 0, 1, 0, -1, -2];

/// The shortest time to repeat a file for, since the system's account of CPU time is coarse.
const LEAST_TIME: Duration = Duration::from_millis(500);

static NEVER: LazyLock<Stop> = LazyLock::new(Stop::new);

pub(crate) fn limits() -> Limits<'static> {
    Limits { stop: &NEVER, nodes: u64::MAX }
}

pub(crate) fn run(wanted: &[String]) {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    println!(
        "A node is one call of the recursive search function. Forced replies are played, and the table and"
    );
    println!("the proofs without search are asked, before a call. The table is cold for every position.\n");
    println!("file    positions  right   mean nodes   largest    published   mean CPU time    published");
    // A single position of the hardest set takes seconds.
    let sets = &SETS[..smoke::all_or(5, 6)];
    sets.iter().filter(|set| is_wanted(set.name)).for_each(print_set);
    if is_wanted("threads") {
        let set = &SETS[smoke::all_or(0, SETS.len() - 1)];
        threads::print(set.name, &set.positions());
    }
    // The opening takes minutes, and has no smaller sample.
    if is_wanted("opening") && !smoke::is_wanted() {
        print_opening();
    }
}

impl Set {
    fn positions(&self) -> Vec<(ConnectFour, i32)> {
        let count = smoke::all_or(1, usize::MAX);
        self.text.lines().take(count).map(read_line).collect()
    }
}

#[allow(clippy::expect_used, reason = "the files are part of this program")]
pub(crate) fn read_line(line: &str) -> (ConnectFour, i32) {
    let (columns, score) = line.split_once(' ').expect("a line has a position and a score");
    let position = ConnectFourVariant.read_position(columns).expect("the position can be reached");
    (position, score.parse().expect("the score is a number"))
}

/// The cost of solving some positions.
#[derive(Default)]
pub(crate) struct Cost {
    pub(crate) solved: u32,
    pub(crate) right: u32,
    pub(crate) nodes: u64,
    largest: u64,
}

impl Cost {
    pub(crate) fn add(&mut self, answer: SolverResult, score: i32) {
        self.solved += 1;
        self.right += u32::from(answer.score == ScoreBounds::exactly(score));
        self.nodes += answer.nodes;
        self.largest = self.largest.max(answer.nodes);
    }
}

fn print_set(set: &Set) {
    let positions = set.positions();
    let mut solver = Solver::new(TABLE_BYTES);
    let mut cost = Cost::default();
    let start = cpu_time();
    let least = smoke::all_or(Duration::from_nanos(1), LEAST_TIME);
    while cpu_time() < start + least {
        for (position, score) in &positions {
            cost.add(solver.solve(position, &limits()), *score);
        }
    }
    let micros = cpu_time().saturating_sub(start).as_secs_f64() * 1e6 / f64::from(cost.solved);
    println!(
        "{:6} {:10} {:>6} {:12.1} {:9} {:12.1} {:12.2} µs {:9.1} µs",
        set.name,
        positions.len(),
        if cost.right == cost.solved { "all" } else { "NOT" },
        cost.nodes as f64 / f64::from(cost.solved),
        cost.largest,
        set.published_nodes,
        micros,
        set.published_micros,
    );
}

fn print_opening() {
    let start = Instant::now();
    let mut solver = Solver::new(TABLE_BYTES);
    let mut score = |next: ConnectFour| solver.solve_warm(next.board(), &limits()).score.negated().score();
    let scores: Vec<Option<i32>> = children(&ConnectFour::default()).map(|(_, next)| score(next)).collect();
    let right = scores == OPENING.map(Some);
    println!("\nthe first moves: {scores:?}, right: {right}, in {:.1?}", start.elapsed());
}
