//! The solution of a game by the best method for it. This is the only file that knows the solvers of single
//! games.

use super::connect_four::Analysis;
use super::evaluation::Even;
use super::limits::Budget;
use super::{
    Best, Known, LOOKAHEAD, Stop, Tablebase, WHOLE_GAME, closed, deepening, memo, retrograde, tablebase,
};
use crate::game::Game;
use crate::game::any::{Move, Position};

/// The best moves of any game, by the best method for it.
///
/// `None` if the game is over, or if the search was stopped before it found a move.
pub fn best(position: &Position, stop: &Stop) -> Option<Best<Move>> {
    Solution::of(position, WHOLE_GAME, stop).best_or_estimate(position, LOOKAHEAD, stop)
}

/// The solution of a position and of all positions that can follow it.
#[derive(Debug)]
pub enum Solution {
    /// The whole game was searched.
    Searched(Tablebase<Position>),
    /// The game has a closed form, which gives no lengths.
    ClosedForm,
    /// Connect Four, which is too large to search whole. Its solver searches each position on demand.
    ConnectFour(Analysis),
    /// Nothing is proved: the game is too large, or the search was stopped.
    Unknown,
}

/// The number of nodes of the Connect Four solver that take as long as one node of the other searches.
const SOLVER_NODES: u64 = 30;

/// The nodes of the Connect Four solver for the best moves of one position, as a perfect bot has them.
pub const CONNECT_FOUR_NODES: u64 = WHOLE_GAME.nodes * SOLVER_NODES;

impl Solution {
    /// Solves `position`: by the game's own solver, by a search within the budget, or by a closed form.
    pub fn of(position: &Position, budget: Budget, stop: &Stop) -> Self {
        if let Position::ConnectFour(_) = position {
            return Self::ConnectFour(Analysis::new(budget.nodes.saturating_mul(SOLVER_NODES), stop));
        }
        let solve = if position.repeats() { retrograde::solve } else { memo::solve };
        match solve(position, budget, stop) {
            Ok(table) => Self::Searched(table),
            Err(_) if closed::verdict(position).is_some() => Self::ClosedForm,
            Err(_) => Self::Unknown,
        }
    }

    /// The proved value of a position that can be reached from the solved one.
    pub fn known(&self, position: &Position) -> Option<Known> {
        match self {
            Self::Searched(table) => table.value(position).map(Known::Value),
            Self::ClosedForm => closed::verdict(position).map(Known::Verdict),
            Self::ConnectFour(analysis) => match position {
                Position::ConnectFour(position) => analysis.known(position),
                _ => None,
            },
            Self::Unknown => None,
        }
    }

    /// The best moves of such a position; `None` if they are not proved, or if the game is over.
    pub fn best(&self, position: &Position) -> Option<Best<Move>> {
        match self {
            Self::Searched(table) => tablebase::best(position, table),
            Self::ClosedForm => closed::best(position),
            Self::ConnectFour(analysis) => match position {
                Position::ConnectFour(position) => Some(analysis.best(position)?.map(Move::ConnectFour)),
                _ => None,
            },
            Self::Unknown => None,
        }
    }

    /// The best moves; if none is proved, those of a heuristic search. `lookahead` is its budget, except in
    /// Connect Four. `None` if the game is over, or if the search was stopped before it found a move.
    pub fn best_or_estimate(
        &self,
        position: &Position,
        lookahead: Budget,
        stop: &Stop,
    ) -> Option<Best<Move>> {
        self.best(position).or_else(|| match (self, position) {
            (Self::ConnectFour(analysis), Position::ConnectFour(position)) => {
                Some(analysis.estimate(position)?.map(Move::ConnectFour))
            }
            _ => deepening::best(position, &Even, lookahead, stop),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::test_games::start;
    use crate::search::{Grounds, Merit, Value, Verdict};

    fn solution(text: &str, nodes: u64) -> (Position, Solution) {
        let position = start(text);
        let solution = Solution::of(&position, Budget { nodes, plies: 500 }, &Stop::new());
        (position, solution)
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
    fn its_best_moves_are_those_of_the_search_or_of_the_closed_form() {
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

    fn grounds(text: &str) -> Grounds {
        best(&start(text), &Stop::new()).unwrap().grounds
    }

    #[test]
    fn a_small_game_is_searched_to_its_end_and_a_large_one_answered_by_its_closed_form() {
        assert_eq!(grounds("java-tech"), Grounds::Searched { value: Value::Loss(11), merit: Merit::Nothing });
        assert!(matches!(grounds("nim:15-15-15"), Grounds::Searched { .. }));
        assert_eq!(grounds("nim:20-20"), Grounds::Searched { value: Value::Loss(40), merit: Merit::Length });
        assert_eq!(grounds("nim:2000-2000"), Grounds::Proved(Verdict::Loss));
        assert_eq!(grounds("take:1000000000000000000:3:misere"), Grounds::Proved(Verdict::Win));
    }

    #[test]
    fn a_closed_form_answers_even_when_it_is_told_to_stop() {
        let stop = Stop::new();
        stop.raise();
        let found = best(&start("java-tech"), &stop).unwrap();
        assert_eq!(found.grounds, Grounds::Proved(Verdict::Loss));
    }

    #[test]
    fn an_endless_game_is_solved_backwards() {
        for text in ["pong-hau-ki", "mu-torere"] {
            let Grounds::Searched { value, .. } = grounds(text) else { panic!("{text} was not solved") };
            assert_eq!(value, Value::Draw, "{text}");
        }
    }

    #[test]
    fn a_finished_game_has_no_best_move() {
        let over = start("nim:1");
        let mv = over.moves().next().unwrap();
        assert_eq!(best(&over.play(mv).unwrap(), &Stop::new()), None);
    }
}
