//! Two threads beside one. One position is searched by one thread, so the positions are shared out: as bots that think
//! at the same time share the threads of a server.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nim::game::connect_four::ConnectFour;
use nim::search::connect_four::{ScoreBounds, Solver, TABLE_BYTES};

use super::limits;
use crate::smoke;

/// Each round solves all positions with one thread, and then with two.
const ROUNDS: usize = 7;

/// How often each position is solved in a round, so that no thread is left with a long one at the end.
const TIMES: usize = 3;

/// Prints how many times as fast two threads are.
pub(super) fn print(name: &str, positions: &[(ConnectFour, i32)]) {
    let rounds = smoke::all_or(1, ROUNDS);
    let mut ratios: Vec<f64> = (0..rounds)
        .map(|_| {
            let [one, two] = [1, 2].map(|threads| solve_all(positions, threads));
            one.as_secs_f64() / two.as_secs_f64()
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    let (least, median, greatest) = (ratios[0], ratios[rounds / 2], ratios[rounds - 1]);
    println!(
        "\n{name}, {} positions {TIMES} times: two threads are {median:.2} ({least:.2}..{greatest:.2}) times as fast as one, \
         {rounds} rounds",
        positions.len(),
    );
}

/// Solves all positions with this number of threads. Returns how long it took.
fn solve_all(positions: &[(ConnectFour, i32)], threads: usize) -> Duration {
    let (start, next) = (Instant::now(), AtomicUsize::new(0));
    let solve_some = || {
        let mut solver = Solver::new(TABLE_BYTES);
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= TIMES * positions.len() {
                break;
            }
            let (position, score) = &positions[number % positions.len()];
            assert_eq!(solver.solve(position, &limits()).score, ScoreBounds::exactly(*score), "{position:?}");
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(solve_some);
        }
    });
    start.elapsed()
}
