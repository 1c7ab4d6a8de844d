//! The solver: it repeats null-window searches until the score is known or a limit is reached.

use super::book::Book;
use super::bounds::{ScoreBounds, next_target};
use super::node::{SolverNode, win_now};
use super::null_window::NullWindowSearch;
use super::table::SolverTable;
use crate::game::connect_four::ConnectFour;
use crate::game::connect_four::board::{Bitboard, CELLS};
use crate::search::Stop;

/// The limit of memory for a table in a search of a few seconds, in bytes. A table starts small and grows
/// with the search.
pub const TABLE_BYTES: usize = 1 << 26;

/// The limits of a search.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Stops the search within about a millisecond, or once the table has grown. It also counts the nodes.
    pub stop: &'a Stop,
    /// The limit of nodes. The solver searches 3 to 5 million a second.
    pub nodes: u64,
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolverResult {
    /// The bounds of the score. They are equal unless a limit was reached.
    pub score: ScoreBounds,
    /// The number of nodes: calls of the recursive function.
    pub nodes: u64,
}

/// A solver with its transposition table, whose memory is reused by the next search.
#[derive(Debug)]
pub struct Solver {
    table: SolverTable,
}

impl Solver {
    /// A solver with this limit of memory for its table, in bytes; at least 8 KiB.
    pub fn new(table_bytes: usize) -> Self {
        Self { table: SolverTable::new(table_bytes) }
    }

    /// The score of a position for the side to move. The search starts with an empty table.
    pub fn solve(&mut self, position: &ConnectFour, limits: &Limits) -> SolverResult {
        self.table.clear();
        self.solve_warm(position.board(), limits)
    }

    /// As [`solve`](Self::solve), with an opening book.
    pub fn solve_with_book(&mut self, book: &Book, position: &ConnectFour, limits: &Limits) -> SolverResult {
        self.table.clear();
        self.solve_within(position.board(), book.bounds(position.board()), limits)
    }

    /// As [`solve`](Self::solve), with the entries of earlier searches in the table: for related boards.
    pub fn solve_warm(&mut self, board: Bitboard, limits: &Limits) -> SolverResult {
        self.solve_within(board, ScoreBounds::ANY, limits)
    }

    /// The score of a board, which lies within the bounds `known`.
    fn solve_within(&mut self, board: Bitboard, known: ScoreBounds, limits: &Limits) -> SolverResult {
        let mut search = ScoreSearch::new(&mut self.table, limits);
        let score = match Immediate::of(board) {
            Immediate::Score(score) => ScoreBounds::exactly(score),
            Immediate::Open(root) => search.narrow(&root, root.bounds().intersection(known)),
        };
        SolverResult { score, nodes: search.nodes }
    }
}

/// What is known of a position without a search.
pub(super) enum Immediate {
    /// The score: the game is over, or will be within two stones.
    Score(i32),
    /// A search is needed.
    Open(SolverNode),
}

impl Immediate {
    pub(super) fn of(board: Bitboard) -> Self {
        let stones = board.stones().cast_signed();
        if board.last_mover_has_four() {
            return Self::Score(-win_now(stones - 1));
        }
        if board.stones() == CELLS {
            return Self::Score(0);
        }
        match SolverNode::new(board) {
            None => Self::Score(win_now(stones)),
            Some(root) if root.safe_moves() == 0 => Self::Score(root.score_without_safe_moves()),
            Some(root) => Self::Open(root),
        }
    }

    pub(super) fn bounds(&self) -> ScoreBounds {
        match self {
            Self::Score(score) => ScoreBounds::exactly(*score),
            Self::Open(root) => root.bounds(),
        }
    }
}

/// A search for the score of a position, by null-window searches.
pub(super) struct ScoreSearch<'a> {
    table: &'a mut SolverTable,
    limits: &'a Limits<'a>,
    /// The nodes so far.
    pub(super) nodes: u64,
}

impl<'a> ScoreSearch<'a> {
    /// A search with the entries of earlier ones in the table.
    pub(super) fn new(table: &'a mut SolverTable, limits: &'a Limits<'a>) -> Self {
        Self { table, limits, nodes: 0 }
    }

    /// Narrows the bounds `score` until they are equal or a limit is reached.
    pub(super) fn narrow(&mut self, root: &SolverNode, mut score: ScoreBounds) -> ScoreBounds {
        while score.low < score.high {
            let target = next_target(root.bounds(), score);
            let Some(answer) = self.ask(root, target) else { break };
            score = score.narrowed(answer, target);
        }
        score
    }

    /// A bound that decides whether the score is at least `target`; `None` if a limit is reached first.
    pub(super) fn ask(&mut self, root: &SolverNode, target: i32) -> Option<i32> {
        while !self.is_at_its_limit() {
            match self.ask_once(root, target) {
                Some(answer) => return Some(answer),
                // The search restarts, with all its entries in the larger table.
                None if !self.is_at_its_limit() => self.table.grow(),
                None => {}
            }
        }
        None
    }

    fn is_at_its_limit(&self) -> bool {
        self.nodes >= self.limits.nodes || self.limits.stop.is_raised()
    }

    fn ask_once(&mut self, root: &SolverNode, target: i32) -> Option<i32> {
        let until = self.limits.nodes.min(self.table.growth_threshold().unwrap_or(u64::MAX));
        let most_nodes = until.saturating_sub(self.nodes);
        let mut tree = NullWindowSearch::new(self.table, self.limits.stop, most_nodes);
        let answer = tree.ask(root, target);
        self.nodes += tree.nodes();
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::search::test_games::{self, connect_four};

    static NEVER: LazyLock<Stop> = LazyLock::new(Stop::new);
    const TABLE_BYTES: usize = 1 << 22;

    fn unlimited(stop: &Stop) -> Limits<'_> {
        Limits { stop, nodes: u64::MAX }
    }

    fn solve(position: &ConnectFour) -> Option<i32> {
        Solver::new(TABLE_BYTES).solve(position, &unlimited(&NEVER)).score.score()
    }

    /// The positions of a data file with their scores.
    fn facts(text: &str) -> impl Iterator<Item = (ConnectFour, i32)> {
        text.lines().map(|line| {
            let (columns, score) = line.split_once(' ').unwrap();
            (connect_four(columns), score.parse().unwrap())
        })
    }

    proptest! {
        #[test]
        fn the_score_is_that_of_plain_minimax(position in test_games::connect_four_positions(32..=42)) {
            prop_assert_eq!(solve(&position), Some(test_games::connect_four_score(&position)));
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
            let limits = Limits { stop: &NEVER, nodes };
            let answer = Solver::new(TABLE_BYTES).solve(&position, &limits);
            prop_assert!(answer.nodes <= nodes);
            let score = solve(&position).unwrap();
            prop_assert!(answer.score.low <= score && score <= answer.score.high);
        }
    }

    #[test]
    fn the_published_scores_of_late_and_easy_positions_are_found() {
        let mut solver = Solver::new(TABLE_BYTES);
        for text in [
            include_str!("../../../tests/data/connect4/L3_R1.txt"),
            include_str!("../../../tests/data/connect4/L2_R1.txt"),
            include_str!("../../../tests/data/connect4/L1_R1.txt"),
        ] {
            for (position, score) in facts(text) {
                let answer = solver.solve(&position, &unlimited(&NEVER));
                assert_eq!(answer.score, ScoreBounds::exactly(score), "{position:?}");
            }
        }
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
        assert_eq!(files, [1_604, 8_413, 82_628, 40_799, 38_205]);
    }

    #[test]
    fn a_search_does_not_depend_on_earlier_ones() {
        let mut solver = Solver::new(TABLE_BYTES);
        let hard = connect_four("2531276566711153");
        let first = solver.solve(&hard, &unlimited(&NEVER));
        solver.solve(&hard.mirrored(), &unlimited(&NEVER));
        assert_eq!(solver.solve(&hard, &unlimited(&NEVER)), first);
    }

    #[test]
    fn every_node_is_counted_once() {
        let stop = Stop::new();
        let answer = Solver::new(TABLE_BYTES).solve(&connect_four("2531276566711153"), &unlimited(&stop));
        assert_eq!(stop.nodes(), answer.nodes);
    }

    #[test]
    fn a_stopped_search_returns_the_bounds_by_the_number_of_stones() {
        let stop = Stop::new();
        stop.raise();
        let answer = Solver::new(TABLE_BYTES).solve(&ConnectFour::default(), &unlimited(&stop));
        assert_eq!(answer, SolverResult { score: ScoreBounds { low: -20, high: 20 }, nodes: 0 });
    }

    #[test]
    fn a_search_is_stopped_while_it_runs() {
        let stop = Stop::new();
        let limits = unlimited(&stop);
        let score = std::thread::scope(|scope| {
            let search =
                scope.spawn(|| Solver::new(TABLE_BYTES).solve(&ConnectFour::default(), &limits).score);
            stop.raise();
            search.join().unwrap()
        });
        assert!(score.low <= 1 && 1 <= score.high);
    }

    #[test]
    fn a_finished_game_has_the_score_of_its_end() {
        for (columns, score) in [("1212121", -18), ("12121232", -18)] {
            assert_eq!(solve(&connect_four(columns)), Some(score), "{columns}");
        }
        assert_eq!(solve(&connect_four("121212")), Some(18));
    }
}
