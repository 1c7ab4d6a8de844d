//! The Connect Four solver: the exact score of a position and of every move. It knows no clock and no levels.
//!
//! Reading order: [`bounds`] is what is known of a score, [`node`] is a position with its threats, [`zugzwang`] proves
//! bounds without a search, [`tree`] answers one question about a score, [`table`] remembers, [`schedule`] chooses the
//! questions, [`team`] is several threads. [`judge`] is for those who want moves and have only so much time: [`inquiry`]
//! asks for it about several positions, [`book`] knows the first ones by heart, [`choice`] picks among the moves, and [`threats`] has an opinion where nothing is
//! certain.
//!
//! The frame (bitboards, null windows, threats as the order of moves) is that of Pascal Pons' tutorial "Solving
//! Connect Four".
//!
//! A *node* is one call of the recursive function, as in the tutorial. What is settled before a call is no node.
//!
//! # What paid
//! Mean nodes on the file `L2_R2`, each idea with all above it; the published solver needs 43,967.
//!
//! | idea | nodes |
//! |---|---|
//! | a lost or won position is seen from the one above it | 24,347 |
//! | ask the table about all children before searching one | 21,313 |
//! | play forced replies at once, in the same call | 13,914 |
//! | the second side follows up | 11,262 |
//! | the first side follows up below a threat in an odd row | 7,817 |
//! | its threats add up in the score; questions come in from far out (see [`schedule`]) | 5,544 |
//! | of moves with as many threats and as near to the centre, the higher one first | 5,452 |
//! | a table that grows late: 7 % more nodes, but `L1_R3` takes two thirds of the time | 5,827 |
//!
//! # What did not
//! - The best move of the table first: 2 % more nodes. A fixed order of columns meets more transpositions.
//! - A history of the moves that refuted: 18 % more nodes as a part of the rank; as a mere tie-break 6 % fewer, but 2 %
//!   more on `L1_R2` and 5 % more time.
//! - Moves ranked by the threats that they deny to the other side: 30 % more on middle, 70 % more on hard positions.
//! - Ten weights for kinds of threats, tuned on 1,240 positions: 1 % to 5 % fewer, less than sets of positions differ.
//! - Cells out of reach before the win that is asked for: 1 % fewer nodes, 10 % more time.
//! - Exact pairs of next cells when following up, not all of them together: 1.4 % fewer nodes, 5 % more time.
//! - Mirror images taken for one everywhere: 1.6 % fewer nodes on `L1_R3`, 4 % more time. So they are only where both
//!   can arise, and with few stones.
//! - Touching the table early, in place of a prefetch (which needs unsafe code): no gain.

pub mod book;
mod bounds;
mod choice;
mod inquiry;
pub mod judge;
mod node;
#[cfg(test)]
mod oracle;
mod schedule;
mod table;
mod team;
pub mod threats;
mod tree;
mod zugzwang;

pub use self::book::Book;
pub use self::bounds::Bounds;
pub use self::judge::Judge;
use self::node::{Node, win_now};
use self::table::Table;
use self::tree::Tree;
use super::Stop;
use crate::game::connect_four::{Column, ConnectFour};
use crate::game::{Game, Outcome};

/// How much memory a table may take for a thought of some seconds, in bytes. It starts small, and grows only as long as
/// the search goes on.
pub const TABLE_BYTES: usize = 1 << 26;

/// How far a search may go, and with how many threads.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// The search ends within a millisecond or so after this is raised, and notes its nodes here.
    pub stop: &'a Stop,
    /// The search ends at this number of nodes: 5 to 10 million are a second's work.
    pub nodes: u64,
    /// How many threads search, where the position turns out to be hard; 0 is taken as 1.
    pub threads: usize,
}

/// What a search has found out about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The score, or what is known of it when the search was stopped.
    pub score: Bounds,
    /// How many nodes it took: calls of the recursive function.
    pub nodes: u64,
}

/// A move and the score that it leads to, for the side that makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rated {
    /// The move.
    pub column: Column,
    /// Its score, or what is known of it when the search was stopped.
    pub score: Bounds,
}

/// A solver with its table. The memory is kept from one search to the next, what is in it is not.
#[derive(Debug)]
pub struct Solver {
    table: Table,
}

impl Solver {
    /// A solver whose table never takes more memory than this, in bytes, or the 8 KiB that it starts with.
    pub fn new(table_bytes: usize) -> Self {
        Self { table: Table::new(table_bytes) }
    }

    /// The score of a position for the side to move. Nothing is carried over from an earlier search.
    pub fn solve(&mut self, position: &ConnectFour, limits: &Limits) -> Answer {
        let mut search = Search::cold(&mut self.table, limits);
        let score = search.score(position);
        Answer { score, nodes: search.nodes }
    }

    /// As [`solve`](Self::solve), with what a book says.
    pub fn solve_by(&mut self, book: &Book, position: &ConnectFour, limits: &Limits) -> Answer {
        let mut search = Search::cold(&mut self.table, limits);
        let score = search.score_within(position, book.bounds(position.board()));
        Answer { score, nodes: search.nodes }
    }

    /// As [`solve`](Self::solve), with what the searches before it have left in the table: for whoever solves many
    /// positions that have much in common.
    pub fn go_on(&mut self, position: &ConnectFour, limits: &Limits) -> Answer {
        let mut search = Search::warm(&mut self.table, limits);
        let score = search.score(position);
        Answer { score, nodes: search.nodes }
    }

    /// The score of every move, from left to right. The limits hold for all moves together, and nothing is carried
    /// over from an earlier search.
    pub fn rate(&mut self, position: &ConnectFour, limits: &Limits) -> Vec<Rated> {
        let mut search = Search::cold(&mut self.table, limits);
        let after = |column: Column| position.play(column).map(|next| (column, next)).ok();
        let moves: Vec<_> = position.moves().filter_map(after).collect();
        let rate = |(column, next): &_| Rated { column: *column, score: search.score(next).negated() };
        moves.iter().map(rate).collect()
    }
}

/// From how many nodes on a search is worth the help of other threads.
const NODES_BEFORE_HELP: u64 = 20_000;

/// What a look at a position tells.
enum Sight {
    /// The score: the game is over, or it is with the next two stones.
    Settled(i32),
    /// Nobody can help going on.
    Open(Node),
}

impl Sight {
    fn of(position: &ConnectFour) -> Self {
        let stones = position.stones().cast_signed();
        match (position.outcome(), Node::new(position.board())) {
            (Some(Outcome::Draw), _) => Self::Settled(0),
            (Some(Outcome::Win(_)), _) => Self::Settled(-win_now(stones - 1)),
            (None, None) => Self::Settled(win_now(stones)),
            (None, Some(root)) if root.safe_moves() == 0 => Self::Settled(root.score_without_safe_moves()),
            (None, Some(root)) => Self::Open(root),
        }
    }

    fn bounds(&self) -> Bounds {
        match self {
            Self::Settled(score) => Bounds::exactly(*score),
            Self::Open(root) => root.bounds(),
        }
    }
}

/// A search on its way.
struct Search<'a> {
    table: &'a mut Table,
    limits: &'a Limits<'a>,
    /// How many nodes it has taken so far.
    nodes: u64,
}

impl<'a> Search<'a> {
    /// A search that begins with nothing.
    fn cold(table: &'a mut Table, limits: &'a Limits<'a>) -> Self {
        table.clear();
        Self::warm(table, limits)
    }

    /// A search that begins with what an earlier one has left in the table.
    fn warm(table: &'a mut Table, limits: &'a Limits<'a>) -> Self {
        Self { table, limits, nodes: 0 }
    }

    fn score(&mut self, position: &ConnectFour) -> Bounds {
        self.score_within(position, Bounds::ANY)
    }

    /// The score of a position of which this is known before.
    fn score_within(&mut self, position: &ConnectFour, known: Bounds) -> Bounds {
        match Sight::of(position) {
            Sight::Settled(score) => Bounds::exactly(score),
            Sight::Open(root) => self.narrow(&root, root.bounds().both(known)),
        }
    }

    /// Asks one question after the other until the score, of which this is known, is found or the limits are reached.
    fn narrow(&mut self, root: &Node, mut score: Bounds) -> Bounds {
        while score.low < score.high {
            let target = schedule::next_target(root.bounds(), score);
            let Some(answer) = self.question(root, target) else { break };
            score = score.narrowed(answer, target);
        }
        score
    }

    /// A bound of the score that says whether it is at least `target`; `None` if the limits are reached before.
    fn question(&mut self, root: &Node, target: i32) -> Option<i32> {
        while !self.is_at_its_limit() {
            match self.ask(root, target) {
                Some(answer) => return Some(answer),
                // The search begins anew, but it has everything in the table that it had found out.
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
            team::ask(self.table, self.limits.stop, most_nodes, self.limits.threads as u64, root, target)
        } else {
            let mut tree = Tree::new(self.table, self.limits.stop, most_nodes);
            (tree.ask(root, target), tree.nodes())
        };
        self.nodes += nodes;
        answer
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;

    use super::*;
    use crate::game::Rules;
    use crate::game::connect_four::ConnectFourVariant;

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
        fn the_score_is_that_of_plain_minimax(position in oracle::positions(32..=42)) {
            prop_assert_eq!(solve(&position), Some(oracle::score(&position)));
        }

        #[test]
        fn the_score_of_a_move_is_that_of_the_position_behind_it(position in oracle::positions(32..=41)) {
            let rated = Solver::new(TABLE_BYTES).rate(&position, &unlimited(&NEVER));
            prop_assert!(rated.iter().map(|rated| rated.column).eq(position.moves()));
            for rated in rated {
                let behind = oracle::score(&position.play(rated.column).unwrap());
                prop_assert_eq!(rated.score, Bounds::exactly(-behind));
            }
        }

        #[test]
        fn mirror_images_have_the_same_score(position in oracle::positions(20..=42)) {
            prop_assert_eq!(solve(&position), solve(&position.mirrored()));
        }

        #[test]
        fn a_search_that_is_cut_short_returns_bounds_that_hold(
            position in oracle::positions(12..=30),
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
        assert_all_right(include_str!("../../tests/data/connect4/L3_R1.txt"));
    }

    #[test]
    fn the_published_scores_of_easy_positions_in_the_middle_are_found() {
        assert_all_right(include_str!("../../tests/data/connect4/L2_R1.txt"));
    }

    #[test]
    fn the_published_scores_of_easy_positions_at_the_beginning_are_found() {
        assert_all_right(include_str!("../../tests/data/connect4/L1_R1.txt"));
    }

    #[test]
    fn threads_together_find_what_one_finds_alone() {
        let mut solver = Solver::new(TABLE_BYTES);
        for (position, score) in facts(include_str!("../../tests/data/connect4/L1_R2.txt")).take(3) {
            let answer = solver.solve(&position, &Limits { threads: 3, ..unlimited(&NEVER) });
            assert_eq!(answer.score, Bounds::exactly(score));
        }
    }

    #[test]
    fn a_search_leaves_nothing_behind_for_the_next_one() {
        let mut solver = Solver::new(TABLE_BYTES);
        let hard = position("2531276566711153");
        let first = solver.solve(&hard, &unlimited(&NEVER));
        solver.solve(&hard.mirrored(), &unlimited(&NEVER));
        assert_eq!(solver.solve(&hard, &unlimited(&NEVER)), first);
    }

    #[test]
    fn every_node_is_noted_and_no_other() {
        for threads in [1, 2] {
            let stop = Stop::new();
            let limits = Limits { threads, ..unlimited(&stop) };
            let answer = Solver::new(TABLE_BYTES).solve(&position("2531276566711153"), &limits);
            assert_eq!(stop.nodes(), answer.nodes);
        }
    }

    #[test]
    fn a_stopped_search_says_what_is_known_from_the_number_of_stones() {
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
