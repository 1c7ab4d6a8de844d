//! What is certain of positions of Connect Four, and the best moves, for whoever has only so much time: a position is
//! searched when it is asked about, and what was found is kept for the next question. It has no opinions: where it
//! does not get to the end, it leaves the choice to those of [`threats`](super::threats).

use std::cell::RefCell;
use std::collections::HashMap;

use super::choice::Choice;
use super::inquiry::Inquiry;
use super::table::Table;
use super::threats::Threats;
use super::{Bounds, Limits, Rated, Search, TABLE_BYTES};
use crate::game::connect_four::{Column, ConnectFour};
use crate::search::budget::Budget;
use crate::search::{Best, Grounds, Known, Stop, children, deepening};

/// How far it looks ahead where it is left to opinions.
const LOOKAHEAD: Budget = Budget { nodes: 50_000, plies: 42 };

/// In which parts of all nodes the moves are rated: each move gets one of 64, then each that is still open one of 32.
const ALLOWANCES: [u64; 6] = [64, 32, 16, 8, 4, 2];

/// Answers questions about the positions of one game.
#[derive(Debug)]
pub struct Judge {
    /// The most nodes for the best moves of one position.
    nodes: u64,
    stop: Stop,
    work: RefCell<Work>,
}

/// What has been found, and what may still be spent.
#[derive(Debug)]
struct Work {
    table: Table,
    found: HashMap<ConnectFour, Bounds>,
    chosen: HashMap<ConnectFour, Choice>,
    /// How many nodes are left for all questions.
    left: u64,
}

impl Judge {
    /// A judge that takes at most so many nodes to choose a move, and as many again for all that is asked beside.
    pub fn new(nodes: u64, stop: &Stop) -> Self {
        let work = Work {
            table: Table::new(TABLE_BYTES),
            found: HashMap::new(),
            chosen: HashMap::new(),
            left: nodes.saturating_mul(2),
        };
        Self { nodes, stop: stop.clone(), work: RefCell::new(work) }
    }

    /// What is certain of a position; `None` if nothing is with what could be spent.
    pub fn known(&self, position: &ConnectFour) -> Option<Known> {
        let (score, _) = self.inquire(self.nodes, |inquiry| inquiry.score(position));
        score.known(position.stones())
    }

    /// The best moves; `None` if they are not certain, or if the game is over.
    pub fn best(&self, position: &ConnectFour) -> Option<Best<Column>> {
        self.choice(position).certain
    }

    /// The best moves as far as opinions go, but none that is known to be worse than another; `None` if the game is
    /// over.
    pub fn guess(&self, position: &ConnectFour) -> Option<Best<Column>> {
        let left = self.choice(position).left;
        let among = |mv| left.contains(&mv);
        let guess = deepening::best_among(position, among, &Threats, LOOKAHEAD, &self.stop);
        let moves = guess.map_or(left, |guess| guess.moves);
        (!moves.is_empty()).then_some(Best { moves, grounds: Grounds::Estimated })
    }

    /// The choice of a move, made once.
    fn choice(&self, position: &ConnectFour) -> Choice {
        let made = self.work.borrow().chosen.get(position).cloned();
        made.unwrap_or_else(|| {
            let choice = self.choose(position);
            self.work.borrow_mut().chosen.insert(*position, choice.clone());
            choice
        })
    }

    /// Who wins and how soon comes first, then which moves are as good as that, then which of those are the nicest.
    fn choose(&self, position: &ConnectFour) -> Choice {
        let share = self.nodes / 8;
        let shown = self.show_what_is_known(position, share);
        let (score, searched) =
            self.inquire((6 * share).saturating_sub(shown), |inquiry| inquiry.score(position));
        let rated = self.rate(position, score, self.nodes.saturating_sub(share + shown + searched));
        let choice = Choice::of(score, &rated, position.stones());
        self.inquire(share, |inquiry| choice.nicest(position, inquiry)).0
    }

    /// Finds a move that is as good as the book says that there is one, and says how many nodes it took: what is known by
    /// heart of a position names no move.
    fn show_what_is_known(&self, position: &ConnectFour, share: u64) -> u64 {
        let by_heart = self.inquire(0, |inquiry| inquiry.bounds(position)).0;
        let rated = self.inquire(0, |inquiry| inquiry.rated(position, by_heart)).0;
        let is_met = rated.iter().any(|rated| rated.score.low >= by_heart.low);
        let (shown, first) =
            self.inquire(3 * share, |inquiry| is_met || inquiry.show(position, by_heart.low));
        // That it wins at all may be easier to show than how soon.
        let (_, second) =
            self.inquire(2 * share, |inquiry| shown || inquiry.show(position, by_heart.low.min(1)));
        first + second
    }

    /// Every move of a position with this score, and whether it is as good as the least that the score can be. No move
    /// gets many nodes before all had a few, so that one that is hard to refute does not take what proves another.
    fn rate(&self, position: &ConnectFour, score: Bounds, nodes: u64) -> Vec<Rated> {
        let mut open: Vec<ConnectFour> = children(position).map(|(_, child)| child).collect();
        let mut left = nodes;
        for allowance in ALLOWANCES.map(|part| nodes / part) {
            open.retain(|child| {
                let ask = |inquiry: &mut Inquiry| inquiry.ask(child, 1 - score.low);
                let (answer, spent) = self.inquire(allowance.min(left), ask);
                left = left.saturating_sub(spent);
                answer.is_none()
            });
        }
        let rated = |judge: &Self| judge.inquire(0, |inquiry| inquiry.rated(position, score)).0;
        if score.low > 1 && rated(self).iter().all(|rated| rated.score.low < score.low) {
            // Then at least which moves win.
            for (_, child) in children(position) {
                self.inquire(nodes / ALLOWANCES[0], |inquiry| inquiry.ask(&child, 0));
            }
        }
        rated(self)
    }

    /// Goes on with the search for at most so many nodes more, and says how many it took.
    fn inquire<T>(&self, nodes: u64, ask: impl FnOnce(&mut Inquiry) -> T) -> (T, u64) {
        let work = &mut *self.work.borrow_mut();
        let limits = Limits { stop: &self.stop, nodes: nodes.min(work.left), threads: 1 };
        let search = Search::warm(&mut work.table, &limits);
        let mut inquiry = Inquiry { search, found: &mut work.found };
        let answer = ask(&mut inquiry);
        let spent = inquiry.search.nodes;
        work.left = work.left.saturating_sub(spent);
        (answer, spent)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::oracle;
    use super::*;
    use crate::game::connect_four::ConnectFourVariant;
    use crate::game::{Game, Outcome, Rules};
    use crate::search::{Merit, Value, WHOLE_GAME, memo, policy};

    fn position(text: &str) -> ConnectFour {
        ConnectFourVariant.read_position(text).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn it_chooses_as_a_table_of_the_whole_game_does(position in oracle::positions(31..=42)) {
            let table = memo::solve(&position, WHOLE_GAME, &Stop::new()).unwrap();
            let judge = Judge::new(100_000, &Stop::new());
            prop_assert_eq!(judge.best(&position), policy::best(&position, &table));
            for (_, child) in children(&position) {
                prop_assert_eq!(judge.known(&child), table.value(&child).map(Known::Value));
            }
        }

        #[test]
        fn with_little_to_spend_it_claims_nothing_that_is_wrong(
            position in oracle::positions(16..=34),
            nodes in 0..2_000_u64,
        ) {
            let (hasty, patient) = (Judge::new(nodes, &Stop::new()), Judge::new(u64::MAX, &Stop::new()));
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
        fn it_never_misses_a_win_in_one_or_a_block_of_one(position in oracle::positions(0..=41), nodes in 0..50_u64) {
            let stop = Stop::new();
            stop.raise();
            for stop in [stop, Stop::new()] {
                let judge = Judge::new(nodes, &stop);
                let Some(best) = judge.best(&position).or_else(|| judge.guess(&position)) else { return Ok(()) };
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
        let best = Judge::new(8, &Stop::new()).best(&position("22334")).unwrap();
        assert_eq!(best.moves, [Column(0), Column(4)]);
        assert_eq!(best.grounds, Grounds::Searched { value: Value::Loss(2), merit: Merit::Replies });
    }

    #[test]
    fn what_was_chosen_is_not_searched_again() {
        let stop = Stop::new();
        let judge = Judge::new(2_000, &stop);
        // Behind the book, and hard.
        let hard = position("2416615552");
        assert_eq!(judge.best(&hard), None);
        let nodes = stop.nodes();
        assert!(judge.guess(&hard).is_some());
        assert!(nodes <= 2_000 && stop.nodes() <= nodes + LOOKAHEAD.nodes);
    }

    #[test]
    fn a_finished_game_has_no_best_move() {
        let judge = Judge::new(1_000, &Stop::new());
        assert_eq!((judge.best(&position("1212121")), judge.guess(&position("1212121"))), (None, None));
        assert_eq!(judge.known(&position("1212121")), Some(Known::Value(Value::Loss(0))));
    }
}
