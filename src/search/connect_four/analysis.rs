//! The values and best moves of positions of Connect Four, within a budget of nodes. Positions are searched
//! on demand, and results are cached. If nothing is proved, the heuristic of [`threats`](super::threats)
//! decides.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::book::Book;
use super::bounds::ScoreBounds;
use super::choice::MoveChoice;
use super::query::Query;
use super::solver::{Limits, ScoreSearch, TABLE_BYTES};
use super::table::SolverTable;
use super::threats::Threats;
use crate::game::connect_four::{Column, ConnectFour};
use crate::search::Budget;
use crate::search::{Best, Grounds, Known, Stop, children, deepening};

/// The budget of the heuristic search.
const LOOKAHEAD: Budget = Budget { nodes: 50_000, plies: 42 };

/// The shares of the nodes for rating one move: 1/64 in the first pass, 1/32 in the second if the move is
/// still undecided, and so on.
const ALLOWANCES: [u64; 6] = [64, 32, 16, 8, 4, 2];

/// Searches the positions of one game on demand.
#[derive(Debug)]
pub struct Analysis {
    /// The limit of nodes for the best moves of one position.
    nodes: u64,
    stop: Stop,
    book: Arc<Book>,
    work: RefCell<AnalysisState>,
}

/// What has been found, and the budget that is left.
#[derive(Debug)]
struct AnalysisState {
    table: SolverTable,
    found: HashMap<ConnectFour, ScoreBounds>,
    chosen: HashMap<ConnectFour, MoveChoice>,
    /// The nodes left for all searches.
    left: u64,
}

impl Analysis {
    /// An analysis with this limit of nodes for choosing one move, and twice as many in total.
    pub fn new(nodes: u64, stop: &Stop) -> Self {
        Self::with_book(Arc::clone(Book::built_in()), nodes, stop)
    }

    /// As [`new`](Self::new), with another book than the built-in one.
    pub fn with_book(book: Arc<Book>, nodes: u64, stop: &Stop) -> Self {
        let work = AnalysisState {
            table: SolverTable::new(TABLE_BYTES),
            found: HashMap::new(),
            chosen: HashMap::new(),
            left: nodes.saturating_mul(2),
        };
        Self { nodes, stop: stop.clone(), book, work: RefCell::new(work) }
    }

    /// The nodes of the solver so far.
    pub fn spent(&self) -> u64 {
        self.nodes.saturating_mul(2) - self.work.borrow().left
    }

    /// The proved value of a position; `None` if the budget does not suffice.
    pub fn known(&self, position: &ConnectFour) -> Option<Known> {
        if let Some(best) = self.book.answer(position) {
            return best.grounds.known();
        }
        let (score, _) = self.query(self.nodes, |query| query.score(position));
        score.known(position.stones())
    }

    /// The best moves; `None` if they are not proved, or if the game is over.
    pub fn best(&self, position: &ConnectFour) -> Option<Best<Column>> {
        self.choice(position).certain
    }

    /// The best moves by the heuristic, among those that are not known to be worse than another; `None` if
    /// the game is over.
    pub fn estimate(&self, position: &ConnectFour) -> Option<Best<Column>> {
        let candidates = self.choice(position).candidates;
        let among = |mv| candidates.contains(&mv);
        let guess = deepening::best_among(position, among, &Threats, LOOKAHEAD, &self.stop);
        let moves = guess.map_or(candidates, |guess| guess.moves);
        (!moves.is_empty()).then_some(Best { moves, grounds: Grounds::Estimated })
    }

    /// The choice in a position, which is made once and cached.
    fn choice(&self, position: &ConnectFour) -> MoveChoice {
        let made = self.work.borrow().chosen.get(position).cloned();
        made.unwrap_or_else(|| {
            let choice = self.choose(position);
            self.work.borrow_mut().chosen.insert(*position, choice.clone());
            choice
        })
    }

    /// Finds the score first, then the moves that have it, then those of them that are hardest to answer.
    fn choose(&self, position: &ConnectFour) -> MoveChoice {
        if let Some(best) = self.book.answer(position) {
            return MoveChoice { candidates: best.moves.clone(), certain: Some(best) };
        }
        let share = self.nodes / 8;
        let shown = self.find_book_move(position, share);
        let (score, searched) = self.query((6 * share).saturating_sub(shown), |query| query.score(position));
        let rated = self.rate(position, score, self.nodes.saturating_sub(share + shown + searched));
        let choice = MoveChoice::of(score, &rated, position.stones());
        self.query(share, |query| choice.hardest_to_answer(position, query)).0
    }

    /// Finds a move with the score that the book gives for the position. Returns the number of nodes.
    fn find_book_move(&self, position: &ConnectFour, share: u64) -> u64 {
        let in_book = self.query(0, |query| query.bounds(position)).0;
        let rated = self.query(0, |query| query.rated(position, in_book)).0;
        let is_found = rated.iter().any(|(_, score)| score.low >= in_book.low);
        let (shown, first) =
            self.query(3 * share, |query| is_found || query.find_move(position, in_book.low));
        // Any win may be easier to find than the quickest one.
        let (_, second) =
            self.query(2 * share, |query| shown || query.find_move(position, in_book.low.min(1)));
        first + second
    }

    /// Rates every move of a position with this score: does it reach the lower bound? All moves get a few
    /// nodes before any gets many, so that one move that is hard to refute does not use up the budget.
    fn rate(&self, position: &ConnectFour, score: ScoreBounds, nodes: u64) -> Vec<(Column, ScoreBounds)> {
        let mut undecided: Vec<ConnectFour> = children(position).map(|(_, child)| child).collect();
        let mut left = nodes;
        for allowance in ALLOWANCES.map(|part| nodes / part) {
            undecided.retain(|child| {
                let ask = |query: &mut Query| query.ask(child, 1 - score.low);
                let (answer, spent) = self.query(allowance.min(left), ask);
                left = left.saturating_sub(spent);
                answer.is_none()
            });
        }
        let rated = |analysis: &Self| analysis.query(0, |query| query.rated(position, score)).0;
        if score.low > 1 && rated(self).iter().all(|(_, rated)| rated.low < score.low) {
            // Then at least find which moves win.
            for (_, child) in children(position) {
                self.query(nodes / ALLOWANCES[0], |query| query.ask(&child, 0));
            }
        }
        rated(self)
    }

    /// Runs `ask` with at most this many nodes. Returns its result and the number of nodes.
    fn query<T>(&self, nodes: u64, ask: impl FnOnce(&mut Query) -> T) -> (T, u64) {
        let work = &mut *self.work.borrow_mut();
        let limits = Limits { stop: &self.stop, nodes: nodes.min(work.left) };
        let search = ScoreSearch::new(&mut work.table, &limits);
        let mut query = Query { search, found: &mut work.found, book: &self.book };
        let answer = ask(&mut query);
        let spent = query.search.nodes;
        work.left = work.left.saturating_sub(spent);
        (answer, spent)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::{Game, Outcome};
    use crate::search::test_games::{self, connect_four};
    use crate::search::{Merit, Value, WHOLE_GAME, memo, tablebase};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(test_games::sample(30, 100)))]

        #[test]
        fn it_chooses_the_moves_of_a_tablebase(position in test_games::connect_four_positions(31..=42)) {
            let table = memo::solve(&position, WHOLE_GAME, &Stop::new()).unwrap();
            let analysis = Analysis::new(100_000, &Stop::new());
            prop_assert_eq!(analysis.best(&position), tablebase::best(&position, &table));
            for (_, child) in children(&position) {
                prop_assert_eq!(analysis.known(&child), table.value(&child).map(Known::Value));
            }
        }

        #[test]
        fn with_a_small_budget_it_claims_nothing_wrong(
            position in test_games::connect_four_positions(16..=34),
            nodes in 0..2_000_u64,
        ) {
            let (hasty, patient) = (Analysis::new(nodes, &Stop::new()), Analysis::new(u64::MAX, &Stop::new()));
            let Some(guess) = hasty.best(&position).or_else(|| hasty.estimate(&position)) else { return Ok(()) };
            for mv in guess.moves {
                let right = patient.known(&position.play(mv).unwrap()).unwrap().for_mover();
                match guess.grounds {
                    Grounds::Searched { value, .. } => prop_assert_eq!(right, Known::Value(value)),
                    Grounds::Proved(verdict) => prop_assert_eq!(right.verdict(), verdict),
                    Grounds::Estimated => {}
                }
            }
        }

        #[test]
        fn it_never_misses_a_win_in_one_or_a_block_of_one(position in test_games::connect_four_positions(0..=41), nodes in 0..50_u64) {
            let stop = Stop::new();
            stop.raise();
            for stop in [stop, Stop::new()] {
                let analysis = Analysis::new(nodes, &stop);
                let Some(best) = analysis.best(&position).or_else(|| analysis.estimate(&position)) else { return Ok(()) };
                for mv in best.moves {
                    prop_assert_eq!(wins_now(&position, mv), can_win_now(&position));
                    let after = position.play(mv).unwrap();
                    let loses = position.moves().all(|mv| can_win_now(&position.play(mv).unwrap()));
                    prop_assert!(!can_win_now(&after) || loses, "{position:?} {mv:?}");
                }
            }
        }
    }

    fn wins_now(position: &ConnectFour, mv: Column) -> bool {
        position.play(mv).unwrap().outcome() == Some(Outcome::Win(position.turn()))
    }

    fn can_win_now(position: &ConnectFour) -> bool {
        position.moves().any(|mv| wins_now(position, mv))
    }

    #[test]
    fn one_of_two_threats_is_blocked_though_that_does_not_help() {
        // 2, 3 and 4 are taken, and both 1 and 5 make four. The budget is too small to find other wins.
        let best = Analysis::new(8, &Stop::new()).best(&connect_four("22334")).unwrap();
        assert_eq!(best.moves, [Column(0), Column(4)]);
        assert_eq!(best.grounds, Grounds::Searched { value: Value::Loss(2), merit: Merit::Replies });
    }

    #[test]
    fn a_choice_is_made_once() {
        let stop = Stop::new();
        let analysis = Analysis::new(2_000, &stop);
        // A hard position beyond the book.
        let hard = connect_four("2416615552");
        assert_eq!(analysis.best(&hard), None);
        let nodes = stop.nodes();
        assert!(analysis.estimate(&hard).is_some());
        assert!(nodes <= 2_000 && stop.nodes() <= nodes + LOOKAHEAD.nodes);
    }

    #[test]
    fn a_finished_game_has_no_best_move() {
        let analysis = Analysis::new(1_000, &Stop::new());
        assert_eq!(
            (analysis.best(&connect_four("1212121")), analysis.estimate(&connect_four("1212121"))),
            (None, None)
        );
        assert_eq!(analysis.known(&connect_four("1212121")), Some(Known::Value(Value::Loss(0))));
    }
}
