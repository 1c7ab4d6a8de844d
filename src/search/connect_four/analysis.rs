//! What is certain of positions of Connect Four, and their best moves, within a budget of nodes. A position
//! is searched when it is asked about, and what was found is kept for the next question. Where nothing is
//! certain, the heuristic of [`threats`](super::threats) decides.

use std::cell::RefCell;
use std::collections::HashMap;

use super::bounds::Bounds;
use super::choice::Choice;
use super::query::Query;
use super::solver::{Limits, Search, TABLE_BYTES};
use super::table::Table;
use super::threats::Threats;
use crate::game::connect_four::{Column, ConnectFour};
use crate::search::Budget;
use crate::search::{Best, Grounds, Known, Stop, children, deepening};

/// The budget for looking ahead by the heuristic.
const LOOKAHEAD: Budget = Budget { nodes: 50_000, plies: 42 };

/// The shares of the nodes for rating one move: first 1/64 for each move, then 1/32 for each that is still
/// open.
const ALLOWANCES: [u64; 6] = [64, 32, 16, 8, 4, 2];

/// Answers questions about the positions of one game.
#[derive(Debug)]
pub struct Analysis {
    /// The limit of nodes for the best moves of one position.
    nodes: u64,
    stop: Stop,
    work: RefCell<Work>,
}

/// What has been found, and the budget that is left.
#[derive(Debug)]
struct Work {
    table: Table,
    found: HashMap<ConnectFour, Bounds>,
    chosen: HashMap<ConnectFour, Choice>,
    /// The nodes left for all questions.
    left: u64,
}

impl Analysis {
    /// An analysis with this limit of nodes for choosing a move, and as many again for all other questions.
    pub fn new(nodes: u64, stop: &Stop) -> Self {
        let work = Work {
            table: Table::new(TABLE_BYTES),
            found: HashMap::new(),
            chosen: HashMap::new(),
            left: nodes.saturating_mul(2),
        };
        Self { nodes, stop: stop.clone(), work: RefCell::new(work) }
    }

    /// What is certain of a position; `None` if nothing is, within the budget.
    pub fn known(&self, position: &ConnectFour) -> Option<Known> {
        let (score, _) = self.query(self.nodes, |query| query.score(position));
        score.known(position.stones())
    }

    /// The best moves; `None` if they are not certain, or if the game is over.
    pub fn best(&self, position: &ConnectFour) -> Option<Best<Column>> {
        self.choice(position).certain
    }

    /// The best moves by the heuristic, among those that are not known to be worse than another; `None` if
    /// the game is over.
    pub fn guess(&self, position: &ConnectFour) -> Option<Best<Column>> {
        let left = self.choice(position).left;
        let among = |mv| left.contains(&mv);
        let guess = deepening::best_among(position, among, &Threats, LOOKAHEAD, &self.stop);
        let moves = guess.map_or(left, |guess| guess.moves);
        (!moves.is_empty()).then_some(Best { moves, grounds: Grounds::Estimated })
    }

    /// The choice in a position, made once.
    fn choice(&self, position: &ConnectFour) -> Choice {
        let made = self.work.borrow().chosen.get(position).cloned();
        made.unwrap_or_else(|| {
            let choice = self.choose(position);
            self.work.borrow_mut().chosen.insert(*position, choice.clone());
            choice
        })
    }

    /// Finds the score first, then the moves that have it, then those of them that are hardest to answer.
    fn choose(&self, position: &ConnectFour) -> Choice {
        let share = self.nodes / 8;
        let shown = self.show_what_is_known(position, share);
        let (score, searched) = self.query((6 * share).saturating_sub(shown), |query| query.score(position));
        let rated = self.rate(position, score, self.nodes.saturating_sub(share + shown + searched));
        let choice = Choice::of(score, &rated, position.stones());
        self.query(share, |query| choice.nicest(position, query)).0
    }

    /// The book gives the score of a position, but no move: finds a move with that score. Returns its number
    /// of nodes.
    fn show_what_is_known(&self, position: &ConnectFour, share: u64) -> u64 {
        let by_heart = self.query(0, |query| query.bounds(position)).0;
        let rated = self.query(0, |query| query.rated(position, by_heart)).0;
        let is_met = rated.iter().any(|(_, score)| score.low >= by_heart.low);
        let (shown, first) = self.query(3 * share, |query| is_met || query.show(position, by_heart.low));
        // A win may be easier to find than the quickest one.
        let (_, second) = self.query(2 * share, |query| shown || query.show(position, by_heart.low.min(1)));
        first + second
    }

    /// Every move of a position with this score, and whether it reaches the lower bound of it. All moves get
    /// a few nodes before any gets many, so that one that is hard to refute does not use up the budget.
    fn rate(&self, position: &ConnectFour, score: Bounds, nodes: u64) -> Vec<(Column, Bounds)> {
        let mut open: Vec<ConnectFour> = children(position).map(|(_, child)| child).collect();
        let mut left = nodes;
        for allowance in ALLOWANCES.map(|part| nodes / part) {
            open.retain(|child| {
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

    /// Continues the search for at most this many nodes. Returns the number of nodes too.
    fn query<T>(&self, nodes: u64, ask: impl FnOnce(&mut Query) -> T) -> (T, u64) {
        let work = &mut *self.work.borrow_mut();
        let limits = Limits { stop: &self.stop, nodes: nodes.min(work.left) };
        let search = Search::new(&mut work.table, &limits);
        let mut query = Query { search, found: &mut work.found };
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
        fn it_chooses_as_a_table_of_the_whole_game_does(position in test_games::connect_four_positions(31..=42)) {
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
            let Some(guess) = hasty.best(&position).or_else(|| hasty.guess(&position)) else { return Ok(()) };
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
                let Some(best) = analysis.best(&position).or_else(|| analysis.guess(&position)) else { return Ok(()) };
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
        // 2, 3 and 4 are taken, and both 1 and 5 make four: there is little time to find out what else wins.
        let best = Analysis::new(8, &Stop::new()).best(&connect_four("22334")).unwrap();
        assert_eq!(best.moves, [Column(0), Column(4)]);
        assert_eq!(best.grounds, Grounds::Searched { value: Value::Loss(2), merit: Merit::Replies });
    }

    #[test]
    fn a_choice_is_made_once() {
        let stop = Stop::new();
        let analysis = Analysis::new(2_000, &stop);
        // Hard, and beyond the book.
        let hard = connect_four("2416615552");
        assert_eq!(analysis.best(&hard), None);
        let nodes = stop.nodes();
        assert!(analysis.guess(&hard).is_some());
        assert!(nodes <= 2_000 && stop.nodes() <= nodes + LOOKAHEAD.nodes);
    }

    #[test]
    fn a_finished_game_has_no_best_move() {
        let analysis = Analysis::new(1_000, &Stop::new());
        assert_eq!(
            (analysis.best(&connect_four("1212121")), analysis.guess(&connect_four("1212121"))),
            (None, None)
        );
        assert_eq!(analysis.known(&connect_four("1212121")), Some(Known::Value(Value::Loss(0))));
    }
}
