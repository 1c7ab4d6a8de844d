//! The solver: asks whether the score is at least this or that, until the score is known or a limit is
//! reached.

use std::thread;

use super::book::Book;
use super::bounds::{Bounds, next_target};
use super::node::{Node, win_now};
use super::null_window::{Busy, NullWindowSearch};
use super::table::Table;
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::{Game, Outcome};
use crate::search::Stop;

/// The limit of memory for a table in a search of a few seconds, in bytes. A table starts small and grows
/// with the search.
pub const TABLE_BYTES: usize = 1 << 26;

/// The limits of a search, and its number of threads.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Stops the search within about a millisecond, and counts its nodes.
    pub stop: &'a Stop,
    /// The limit of nodes. A second is 5 to 10 million.
    pub nodes: u64,
    /// The number of threads for hard positions; 0 counts as 1.
    pub threads: usize,
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The score, or what was known of it when a limit was reached.
    pub score: Bounds,
    /// The number of nodes: calls of the recursive function.
    pub nodes: u64,
}

/// A move and its score for the side that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rated {
    /// The move.
    pub column: Column,
    /// Its score, or what was known of it when a limit was reached.
    pub score: Bounds,
}

/// A solver with its table. The memory is reused by the next search, its contents are not.
#[derive(Debug)]
pub struct Solver {
    table: Table,
}

impl Solver {
    /// A solver with this limit of memory for its table, in bytes; at least 8 KiB.
    pub fn new(table_bytes: usize) -> Self {
        Self { table: Table::new(table_bytes) }
    }

    /// The score of a position for the side to move, from a cold start.
    pub fn solve(&mut self, position: &ConnectFour, limits: &Limits) -> Answer {
        let mut search = Search::cold(&mut self.table, limits);
        let score = search.score(position);
        Answer { score, nodes: search.nodes }
    }

    /// As [`solve`](Self::solve), with an opening book.
    pub fn solve_by(&mut self, book: &Book, position: &ConnectFour, limits: &Limits) -> Answer {
        let mut search = Search::cold(&mut self.table, limits);
        let score = search.score_within(position, book.bounds(position.board()));
        Answer { score, nodes: search.nodes }
    }

    /// As [`solve`](Self::solve), with the table as earlier searches left it: for many related positions.
    pub fn go_on(&mut self, position: &ConnectFour, limits: &Limits) -> Answer {
        let mut search = Search::warm(&mut self.table, limits);
        let score = search.score(position);
        Answer { score, nodes: search.nodes }
    }

    /// The score of every move, from left to right, from a cold start. The limits hold for all moves
    /// together.
    pub fn rate(&mut self, position: &ConnectFour, limits: &Limits) -> Vec<Rated> {
        let mut search = Search::cold(&mut self.table, limits);
        let after = |column: Column| position.play(column).map(|next| (column, next)).ok();
        let moves: Vec<_> = position.moves().filter_map(after).collect();
        let rate = |(column, next): &_| Rated { column: *column, score: search.score(next).negated() };
        moves.iter().map(rate).collect()
    }
}

/// A search of fewer nodes is done by one thread.
const NODES_BEFORE_HELP: u64 = 20_000;

/// What is known of a position at once.
pub(super) enum Immediate {
    /// The score: the game is over, or will be within two stones.
    Settled(i32),
    /// A search is needed.
    Open(Node),
}

impl Immediate {
    pub(super) fn of(position: &ConnectFour) -> Self {
        let stones = position.stones().cast_signed();
        match (position.outcome(), Node::new(position.board())) {
            (Some(Outcome::Draw), _) => Self::Settled(0),
            (Some(Outcome::Win(_)), _) => Self::Settled(-win_now(stones - 1)),
            (None, None) => Self::Settled(win_now(stones)),
            (None, Some(root)) if root.safe_moves() == 0 => Self::Settled(root.score_without_safe_moves()),
            (None, Some(root)) => Self::Open(root),
        }
    }

    pub(super) fn bounds(&self) -> Bounds {
        match self {
            Self::Settled(score) => Bounds::exactly(*score),
            Self::Open(root) => root.bounds(),
        }
    }
}

/// A running search.
pub(super) struct Search<'a> {
    table: &'a mut Table,
    limits: &'a Limits<'a>,
    /// The nodes so far.
    pub(super) nodes: u64,
}

impl<'a> Search<'a> {
    /// A search with an empty table.
    fn cold(table: &'a mut Table, limits: &'a Limits<'a>) -> Self {
        table.clear();
        Self::warm(table, limits)
    }

    /// A search with the table as an earlier one left it.
    pub(super) fn warm(table: &'a mut Table, limits: &'a Limits<'a>) -> Self {
        Self { table, limits, nodes: 0 }
    }

    fn score(&mut self, position: &ConnectFour) -> Bounds {
        self.score_within(position, Bounds::ANY)
    }

    /// The score of a position, within known bounds.
    fn score_within(&mut self, position: &ConnectFour, known: Bounds) -> Bounds {
        match Immediate::of(position) {
            Immediate::Settled(score) => Bounds::exactly(score),
            Immediate::Open(root) => self.narrow(&root, root.bounds().both(known)),
        }
    }

    /// Asks questions until the score is found or a limit is reached. `score` is what is known before.
    pub(super) fn narrow(&mut self, root: &Node, mut score: Bounds) -> Bounds {
        while score.low < score.high {
            let target = next_target(root.bounds(), score);
            let Some(answer) = self.question(root, target) else { break };
            score = score.narrowed(answer, target);
        }
        score
    }

    /// A bound that tells whether the score is at least `target`; `None` if a limit is reached first.
    pub(super) fn question(&mut self, root: &Node, target: i32) -> Option<i32> {
        while !self.is_at_its_limit() {
            match self.ask(root, target) {
                Some(answer) => return Some(answer),
                // The search starts again, with everything that it has found in the table.
                None if !self.is_at_its_limit() => self.table.grow(self.limits.stop),
                None => {}
            }
        }
        None
    }

    fn is_at_its_limit(&self) -> bool {
        self.nodes >= self.limits.nodes || self.limits.stop.is_raised()
    }

    fn ask(&mut self, root: &Node, target: i32) -> Option<i32> {
        let until = self.limits.nodes.min(self.table.enough().unwrap_or(u64::MAX));
        let most_nodes = until.saturating_sub(self.nodes);
        let (answer, nodes) = if self.limits.threads > 1 && self.nodes >= NODES_BEFORE_HELP {
            ask_together(self.table, self.limits.stop, most_nodes, self.limits.threads as u64, root, target)
        } else {
            let mut tree = NullWindowSearch::new(self.table, self.limits.stop, most_nodes);
            (tree.ask(root, target), tree.nodes())
        };
        self.nodes += nodes;
        answer
    }
}

/// As [`NullWindowSearch::ask`], by several threads. Returns the number of their nodes too.
fn ask_together(
    table: &Table,
    stop: &Stop,
    most_nodes: u64,
    threads: u64,
    root: &Node,
    target: i32,
) -> (Option<i32>, u64) {
    let busy = Busy::new();
    let work = || {
        let mut tree = NullWindowSearch::new(table, stop, most_nodes / threads).beside(&busy);
        let answer = tree.ask(root, target);
        busy.finish();
        (answer, tree.nodes())
    };
    let results: Vec<(Option<i32>, u64)> = thread::scope(|scope| {
        // If the system refuses a thread, the others do its work.
        let start = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
        let others: Vec<_> = (1..threads).filter_map(start).collect();
        let own = work();
        others.into_iter().filter_map(|other| other.join().ok()).chain([own]).collect()
    });
    (results.iter().find_map(|(answer, _)| *answer), results.iter().map(|(_, nodes)| nodes).sum())
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::game::Rules;
    use crate::game::connect_four::ConnectFourVariant;
    use crate::search::test_games;

    static NEVER: LazyLock<Stop> = LazyLock::new(Stop::new);
    const TABLE_BYTES: usize = 1 << 22;

    fn position(text: &str) -> ConnectFour {
        ConnectFourVariant.read_position(text).unwrap()
    }

    fn unlimited(stop: &Stop) -> Limits<'_> {
        Limits { stop, nodes: u64::MAX, threads: 1 }
    }

    fn solve(position: &ConnectFour) -> Option<i32> {
        Solver::new(TABLE_BYTES).solve(position, &unlimited(&NEVER)).score.score()
    }

    /// The positions of a data file with their scores.
    fn facts(text: &str) -> impl Iterator<Item = (ConnectFour, i32)> {
        text.lines().map(|line| {
            let (columns, score) = line.split_once(' ').unwrap();
            (position(columns), score.parse().unwrap())
        })
    }

    fn assert_all_right(text: &str) {
        let mut solver = Solver::new(TABLE_BYTES);
        for (position, score) in facts(text) {
            let answer = solver.solve(&position, &unlimited(&NEVER));
            assert_eq!(answer.score, Bounds::exactly(score), "{position:?}");
        }
    }

    proptest! {
        #[test]
        fn the_score_is_that_of_plain_minimax(position in test_games::connect_four_positions(32..=42)) {
            prop_assert_eq!(solve(&position), Some(test_games::connect_four_score(&position)));
        }

        #[test]
        fn the_score_of_a_move_is_that_of_the_position_after_it(position in test_games::connect_four_positions(32..=41)) {
            let rated = Solver::new(TABLE_BYTES).rate(&position, &unlimited(&NEVER));
            prop_assert!(rated.iter().map(|rated| rated.column).eq(position.moves()));
            for rated in rated {
                let behind = test_games::connect_four_score(&position.play(rated.column).unwrap());
                prop_assert_eq!(rated.score, Bounds::exactly(-behind));
            }
        }

        #[test]
        fn mirror_images_have_the_same_score(position in test_games::connect_four_positions(20..=42)) {
            prop_assert_eq!(solve(&position), solve(&position.mirrored()));
        }

        #[test]
        fn a_search_that_is_cut_short_returns_bounds_that_hold(
            position in test_games::connect_four_positions(test_games::sample(20, 12)..=30),
            nodes in 0..400_u64,
        ) {
            let limits = Limits { stop: &NEVER, nodes, threads: 1 };
            let answer = Solver::new(TABLE_BYTES).solve(&position, &limits);
            prop_assert!(answer.nodes <= nodes);
            let score = solve(&position).unwrap();
            prop_assert!(answer.score.low <= score && score <= answer.score.high);
        }
    }

    #[test]
    fn the_published_scores_of_late_positions_are_found() {
        assert_all_right(include_str!("../../../tests/data/connect4/L3_R1.txt"));
    }

    #[test]
    fn the_published_scores_of_easy_positions_in_the_middle_are_found() {
        assert_all_right(include_str!("../../../tests/data/connect4/L2_R1.txt"));
    }

    #[test]
    fn the_published_scores_of_easy_positions_at_the_beginning_are_found() {
        assert_all_right(include_str!("../../../tests/data/connect4/L1_R1.txt"));
    }

    #[test]
    fn a_search_always_takes_the_same_nodes() {
        let mut solver = Solver::new(TABLE_BYTES);
        let mut nodes = |text: &str, count: usize| -> u64 {
            let searched = facts(text)
                .take(count)
                .map(|(position, _)| solver.solve(&position, &unlimited(&NEVER)).nodes);
            searched.sum()
        };
        let files = [
            nodes(include_str!("../../../tests/data/connect4/L3_R1.txt"), 300),
            nodes(include_str!("../../../tests/data/connect4/L2_R1.txt"), 300),
            nodes(include_str!("../../../tests/data/connect4/L2_R2.txt"), 20),
            nodes(include_str!("../../../tests/data/connect4/L1_R1.txt"), 200),
            nodes(include_str!("../../../tests/data/connect4/L1_R2.txt"), 2),
        ];
        assert_eq!(files, [2_749, 16_378, 148_585, 82_289, 68_204]);
    }

    #[test]
    fn several_threads_find_what_one_finds() {
        let mut solver = Solver::new(TABLE_BYTES);
        for (position, score) in facts(include_str!("../../../tests/data/connect4/L1_R2.txt")).take(3) {
            let answer = solver.solve(&position, &Limits { threads: 3, ..unlimited(&NEVER) });
            assert_eq!(answer.score, Bounds::exactly(score));
        }
    }

    #[test]
    fn a_search_does_not_depend_on_earlier_ones() {
        let mut solver = Solver::new(TABLE_BYTES);
        let hard = position("2531276566711153");
        let first = solver.solve(&hard, &unlimited(&NEVER));
        solver.solve(&hard.mirrored(), &unlimited(&NEVER));
        assert_eq!(solver.solve(&hard, &unlimited(&NEVER)), first);
    }

    #[test]
    fn every_node_is_counted_once() {
        for threads in [1, 2] {
            let stop = Stop::new();
            let limits = Limits { threads, ..unlimited(&stop) };
            let answer = Solver::new(TABLE_BYTES).solve(&position("2531276566711153"), &limits);
            assert_eq!(stop.nodes(), answer.nodes);
        }
    }

    #[test]
    fn a_stopped_search_returns_the_bounds_by_the_number_of_stones() {
        let stop = Stop::new();
        stop.raise();
        let answer = Solver::new(TABLE_BYTES).solve(&ConnectFour::default(), &unlimited(&stop));
        assert_eq!(answer, Answer { score: Bounds { low: -20, high: 20 }, nodes: 0 });
    }

    #[test]
    fn a_search_is_stopped_while_it_runs_by_any_thread() {
        for threads in [1, 2] {
            let stop = Stop::new();
            let limits = Limits { threads, ..unlimited(&stop) };
            let score = std::thread::scope(|scope| {
                let search =
                    scope.spawn(|| Solver::new(TABLE_BYTES).solve(&ConnectFour::default(), &limits).score);
                stop.raise();
                search.join().unwrap()
            });
            assert!(score.low <= 1 && 1 <= score.high);
        }
    }

    #[test]
    fn a_finished_game_has_the_score_of_its_end() {
        for (columns, score) in [("1212121", -18), ("12121232", -18)] {
            assert_eq!(solve(&position(columns)), Some(score), "{columns}");
        }
        assert_eq!(solve(&position("121212")), Some(18));
        assert_eq!(Solver::new(0).rate(&position("1212121"), &unlimited(&NEVER)), []);
    }
}
