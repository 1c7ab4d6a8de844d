//! The value of the opening book: `cargo bench --bench bench -- opening [WHAT…]`.
//!
//! WHAT is `published` for the hardest published positions, solved with the book, or `bot` for all positions
//! with up to 10 stones that a perfect bot can meet in either seat, against any play: in each it has to know
//! its best moves for certain within the cost of a bot's move. The second takes some minutes. `deep`, which
//! has to be asked for, continues to 12 stones, and takes half an hour. Both are independent of how the book was made.

use std::collections::HashSet;
use std::io::{IsTerminal, stderr};
use std::time::Duration;

use nim::game::any::{Move, Position};
use nim::game::connect_four::{Column, ConnectFour, ConnectFourVariant};
use nim::game::{Game, Rules, Side};
use nim::search::connect_four::book::EASY_NODES;
use nim::search::connect_four::{Book, Solver, TABLE_BYTES};
use nim::search::{Grounds, Solution, Stop, WHOLE_GAME};

use crate::clock::cpu_time;
use crate::connect_four::{Cost, limits, read_line};
use crate::smoke;

const HARDEST: &str = include_str!("../data/connect4/L1_R3.txt");

/// The number of stones up to which the bot is followed, and up to which it is followed for `deep`.
const STONES: u32 = 10;
const DEEP_STONES: u32 = 12;

pub(crate) fn run(wanted: &[String]) {
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| word == name);
    let start = cpu_time();
    Book::built_in();
    println!("the book is read in {:.1?}", cpu_time().saturating_sub(start));
    if is_wanted("published") {
        print_published();
    }
    let is_deep = wanted.iter().any(|word| word == "deep");
    if is_deep || is_wanted("bot") {
        println!(
            "\nseat    stones  positions  exact  result only  unknown  mean nodes    largest  > {EASY_NODES}  CPU time"
        );
        let most_stones = smoke::all_or(2, if is_deep { DEEP_STONES } else { STONES });
        let mut all = Account::default();
        for seat in Side::BOTH.into_iter().rev() {
            all.add(&print_bot(seat, most_stones));
        }
        println!(
            "{} positions, {} nodes each and {} at most; {} take more than {EASY_NODES}",
            all.positions,
            all.nodes / all.positions,
            all.largest,
            all.above
        );
    }
}

fn print_published() {
    let mut solver = Solver::new(TABLE_BYTES);
    let start = cpu_time();
    let mut cost = Cost::default();
    for (position, score) in HARDEST.lines().take(smoke::all_or(1, usize::MAX)).map(read_line) {
        cost.add(solver.solve_with_book(Book::built_in(), &position, &limits()), score);
    }
    let Cost { solved, right, nodes, .. } = cost;
    let time = cpu_time().saturating_sub(start);
    println!("L1_R3 with the book: {right} of {solved} right, {nodes} nodes and {time:.1?} for all");
}

/// Follows a bot in one seat through every possible game.
fn print_bot(seat: Side, most_stones: u32) -> Account {
    let mut positions = vec![ConnectFour::default()];
    let mut all = Account::default();
    for stones in 0..=most_stones {
        let mut account = Account::default();
        let mut next = HashSet::new();
        for (done, position) in positions.iter().enumerate() {
            let mine = position.turn() == seat;
            let moves = if mine { account.best(position) } else { position.moves().collect() };
            let after = moves.into_iter().filter_map(|mv| position.play(mv).ok());
            next.extend(after.filter(|after| after.outcome().is_none()).map(|after| after.canonical()));
            if mine && stderr().is_terminal() {
                eprint!("\r{stones} stones: {} of {}\r", done + 1, positions.len());
            }
        }
        if account.positions > 0 {
            account.print(seat, stones);
            all.add(&account);
        }
        positions = next.into_iter().collect();
    }
    all
}

/// What the bot knew of some positions, and at what cost.
#[derive(Default)]
struct Account {
    positions: u64,
    exact: u32,
    result_only: u32,
    unknown: u32,
    nodes: u64,
    largest: u64,
    /// Positions that took more than [`EASY_NODES`].
    above: u64,
    slowest: Duration,
}

impl Account {
    /// The moves among which the bot chooses.
    fn best(&mut self, position: &ConnectFour) -> Vec<Column> {
        let (stop, start, any) = (Stop::new(), cpu_time(), Position::ConnectFour(*position));
        let best = Solution::of(&any, WHOLE_GAME, &stop).best(&any);
        self.positions += 1;
        self.nodes += stop.nodes();
        self.largest = self.largest.max(stop.nodes());
        self.above += u64::from(stop.nodes() > EASY_NODES);
        self.slowest = self.slowest.max(cpu_time().saturating_sub(start));
        *match best.as_ref().map(|best| best.grounds) {
            Some(Grounds::Searched { .. }) => &mut self.exact,
            Some(_) => &mut self.result_only,
            None => {
                println!("unknown: {}", ConnectFourVariant.write_position(position));
                &mut self.unknown
            }
        } += 1;
        best.into_iter().flat_map(|best| best.moves).filter_map(column).collect()
    }

    fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.exact += other.exact;
        self.result_only += other.result_only;
        self.unknown += other.unknown;
        self.nodes += other.nodes;
        self.largest = self.largest.max(other.largest);
        self.above += other.above;
        self.slowest = self.slowest.max(other.slowest);
    }

    fn print(&self, seat: Side, stones: u32) {
        let Self { positions, exact, result_only, unknown, nodes, largest, above, slowest } = self;
        let (seat, mean) = (format!("{seat:?}"), nodes / positions);
        println!(
            "{seat:6} {stones:7} {positions:10} {exact:6} {result_only:12} {unknown:8} {mean:11} {largest:10} {above:9} {slowest:9.1?}"
        );
    }
}

fn column(mv: Move) -> Option<Column> {
    match mv {
        Move::ConnectFour(column) => Some(column),
        _ => None,
    }
}
