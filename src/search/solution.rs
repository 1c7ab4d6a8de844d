//! What is certain of a game, found in the best way that there is for it: the one place where a game's own solver plugs
//! in. It does not guess: what no method reaches is not known.

use super::budget::Budget;
use super::connect_four::Judge;
use super::evaluation::Even;
use super::{Best, Stop, Table, Value, Verdict, closed, deepening, memo, policy, retrograde};
use crate::game::Game;
use crate::game::any::{Move, Position};
use crate::game::connect_four::Column;

/// What is certain of a position and of all that can follow it.
#[derive(Debug)]
pub enum Solution {
    /// All of it has been searched.
    Searched(Table<Position>),
    /// There is a closed form for it, which knows no lengths.
    Proved,
    /// It is Connect Four, which is too large to be searched whole: its own solver searches what it is asked about.
    Judged(Judge),
    /// Nothing: it is too large, or the search was stopped.
    Open,
}

/// What is certain of one position, for the side that is to move there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// How it comes out, and how soon.
    Value(Value),
    /// How it comes out.
    Verdict(Verdict),
}

impl Known {
    /// How it comes out.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Value(value) => value.verdict(),
            Self::Verdict(verdict) => verdict,
        }
    }

    /// After how many plies it ends, if that is known and anybody wins.
    pub fn plies(self) -> Option<u32> {
        match self {
            Self::Value(Value::Win(plies) | Value::Loss(plies)) => Some(plies),
            _ => None,
        }
    }

    /// Whether somebody wins, and it is not known how soon.
    pub fn is_open_ended(self) -> bool {
        self.plies().is_none() && self.verdict() != Verdict::Draw
    }

    /// What a move to a position of which this is known is worth to the side that makes the move.
    #[must_use]
    pub fn for_mover(self) -> Self {
        match self {
            Self::Value(value) => Self::Value(value.for_mover()),
            Self::Verdict(verdict) => Self::Verdict(!verdict),
        }
    }
}

/// How many nodes of the Connect Four solver are as much work as one of the searches for any game.
const SOLVER_NODES: u64 = 30;

impl Solution {
    /// What can be made certain of `position`: by the game's own solver, by a search within the budget, else by a
    /// closed form.
    pub fn of(position: &Position, budget: Budget, stop: &Stop) -> Self {
        if let Position::ConnectFour(_) = position {
            return Self::Judged(Judge::new(budget.nodes.saturating_mul(SOLVER_NODES), stop));
        }
        let solve = if position.repeats() { retrograde::solve } else { memo::solve };
        match solve(position, budget, stop) {
            Ok(table) => Self::Searched(table),
            Err(_) if closed::verdict(position).is_some() => Self::Proved,
            Err(_) => Self::Open,
        }
    }

    /// What is certain of a position that can be reached from the one that was solved.
    pub fn known(&self, position: &Position) -> Option<Known> {
        match self {
            Self::Searched(table) => table.value(position).map(Known::Value),
            Self::Proved => closed::verdict(position).map(Known::Verdict),
            Self::Judged(judge) => match position {
                Position::ConnectFour(position) => judge.known(position),
                _ => None,
            },
            Self::Open => None,
        }
    }

    /// The best moves of such a position; `None` if they are not certain, or if the game is over there.
    pub fn best(&self, position: &Position) -> Option<Best<Move>> {
        match self {
            Self::Searched(table) => policy::best(position, table),
            Self::Proved => closed::best(position),
            Self::Judged(judge) => match position {
                Position::ConnectFour(position) => judge.best(position).map(in_connect_four),
                _ => None,
            },
            Self::Open => None,
        }
    }

    /// The best moves even if they are not certain: then by looking ahead within this budget. `None` if the game is
    /// over, or if it was stopped before it had anything to say.
    pub fn best_or_guess(&self, position: &Position, lookahead: Budget, stop: &Stop) -> Option<Best<Move>> {
        self.best(position).or_else(|| match (self, position) {
            (Self::Judged(judge), Position::ConnectFour(position)) => {
                judge.guess(position).map(in_connect_four)
            }
            _ => deepening::best(position, &Even, lookahead, stop),
        })
    }
}

/// The same, among the games.
fn in_connect_four(best: Best<Column>) -> Best<Move> {
    Best { moves: best.moves.into_iter().map(Move::ConnectFour).collect(), grounds: best.grounds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{any, for_each_reachable};
    use crate::search::minimax::minimax;

    fn start(text: &str) -> Position {
        text.parse::<any::Variant>().unwrap().start().position()
    }

    fn solution(text: &str, nodes: u64) -> (Position, Solution) {
        let position = start(text);
        let solution = Solution::of(&position, Budget { nodes, plies: 500 }, &Stop::new());
        (position, solution)
    }

    #[test]
    fn what_it_knows_is_what_plain_minimax_finds() {
        for text in ["java-tech:9", "nim:2-3-2", "nim:3-3:misere", "one-two-ten"] {
            let (root, searched) = solution(text, 1_000_000);
            let (_, proved) = solution(text, 1);
            for_each_reachable(&root, 10_000, |position| {
                let value = minimax(position, &Stop::new()).unwrap();
                assert_eq!(searched.known(position), Some(Known::Value(value)));
                assert_eq!(proved.known(position), Some(Known::Verdict(value.verdict())));
            });
        }
    }

    #[test]
    fn what_is_known_of_a_position_says_what_a_move_there_is_worth() {
        let lost = Known::Value(Value::Loss(4));
        assert_eq!(lost.for_mover(), Known::Value(Value::Win(5)));
        assert_eq!((lost.plies(), lost.for_mover().plies()), (Some(4), Some(5)));
        assert_eq!(Known::Verdict(Verdict::Win).for_mover(), Known::Verdict(Verdict::Loss));
        assert_eq!((Known::Verdict(Verdict::Win).plies(), Known::Value(Value::Draw).plies()), (None, None));
    }

    #[test]
    fn a_search_that_is_stopped_leaves_what_needs_no_search() {
        let stop = Stop::new();
        stop.raise();
        let root = start("nim:3-4-5");
        let solution = Solution::of(&root, Budget::UNBOUNDED, &stop);
        assert_eq!(solution.known(&root), Some(Known::Verdict(Verdict::Win)));
        assert_eq!(stop.nodes(), 0);
    }

    #[test]
    fn its_best_moves_are_the_policys_or_those_of_the_closed_form() {
        let (root, searched) = solution("nim:3-4-5", 1_000_000);
        let (_, proved) = solution("nim:3-4-5", 1);
        assert_eq!(proved.best(&root), closed::best(&root));
        let best = searched.best(&root).unwrap();
        assert!(
            best.moves
                .iter()
                .all(|&mv| searched.known(&root.play(mv).unwrap()).unwrap().verdict() == Verdict::Loss)
        );
    }
}
