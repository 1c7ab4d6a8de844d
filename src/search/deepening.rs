//! Looking ahead in a game that is too large to solve: alpha-beta to one ply, then to two, and so on until the
//! budget is spent. Beyond its horizon it has no opinion: what lies there counts as even.
//!
//! Source: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning" (1975), in the negamax form.

use super::budget::{Budget, GaveUp, Purse};
use super::{Best, Grounds, Merit, Stop, Value, Verdict, children};
use crate::game::Game;

/// What a win at ply 0 would score; at ply p a win scores p less and a loss p more than its negative, so that quick
/// wins and slow losses score higher. Everything that is not decided scores 0.
const CERTAIN: i64 = 1 << 40;

/// The best moves as far as the budget lets it see; `None` if the game is over or it was stopped at once.
///
/// A win or a loss that it sees is certain, and so is a draw if it saw every end. Anything else is estimated.
pub fn best<G: Game>(position: &G, budget: Budget, stop: &Stop) -> Option<Best<G::Move>> {
    let mut search = Search { purse: Purse::new(budget, stop), met_horizon: false };
    let mut found: Option<Round<G::Move>> = None;
    for depth in 1..=budget.plies {
        let round = search.round(position, depth);
        if round.value().is_some() {
            found = Some(round);
            break;
        }
        if !round.complete {
            // It has not seen all moves: better than nothing, but not than a whole round to a lesser depth.
            found = found.or(Some(round));
            break;
        }
        found = Some(round);
    }
    found.filter(|round| !round.moves.is_empty()).map(|round| round.answer(position.move_count()))
}

/// What one search to a fixed depth came to.
struct Round<M> {
    score: i64,
    moves: Vec<M>,
    /// Whether all moves were searched to that depth.
    complete: bool,
    met_horizon: bool,
}

impl<M> Round<M> {
    /// The value of the root, where it is certain.
    fn value(&self) -> Option<Value> {
        let plies = u32::try_from(CERTAIN - self.score.abs()).ok();
        match self.score {
            0 => (self.complete && !self.met_horizon).then_some(Value::Draw),
            1.. => plies.map(Value::Win),
            _ => plies.filter(|_| self.complete).map(Value::Loss),
        }
    }

    fn answer(self, move_count: u64) -> Best<M> {
        let all = self.moves.len() as u64 == move_count;
        let merit = match self.value().map(Value::verdict) {
            _ if all => Merit::Nothing,
            Some(Verdict::Draw) => Merit::Result,
            _ => Merit::Length,
        };
        let grounds = self.value().map_or(Grounds::Estimated, |value| Grounds::Searched { value, merit });
        Best { moves: self.moves, grounds }
    }
}

struct Search<'a> {
    purse: Purse<'a>,
    met_horizon: bool,
}

impl Search<'_> {
    fn round<G: Game>(&mut self, root: &G, depth: u32) -> Round<G::Move> {
        self.met_horizon = false;
        let (mut best, mut moves, mut complete) = (-CERTAIN, Vec::new(), true);
        for (mv, child) in children(root) {
            // The window is open one below the best, so that a move that is just as good shows as such.
            let Ok(score) = self.score(&child, depth - 1, 1, (-CERTAIN, 1 - best)).map(|score| -score) else {
                complete = false;
                break;
            };
            if score > best {
                (best, moves) = (score, vec![mv]);
            } else if score == best {
                moves.push(mv);
            }
        }
        Round { score: best, moves, complete, met_horizon: self.met_horizon }
    }

    /// The score of `position`, `ply` plies below the root, for the side that is to move there: exact inside the
    /// window `(alpha, beta)`; at or below `alpha` an upper bound, at or above `beta` a lower bound.
    fn score<G: Game>(
        &mut self,
        position: &G,
        depth: u32,
        ply: u32,
        (mut alpha, beta): (i64, i64),
    ) -> Result<i64, GaveUp> {
        self.purse.spend(1)?;
        if let Some(outcome) = position.outcome() {
            return Ok(match Value::of(outcome, position.turn()).verdict() {
                Verdict::Win => CERTAIN - i64::from(ply),
                Verdict::Draw => 0,
                Verdict::Loss => i64::from(ply) - CERTAIN,
            });
        }
        if depth == 0 {
            self.met_horizon = true;
            return Ok(0);
        }
        let mut best = -CERTAIN;
        for (_, child) in children(position) {
            best = best.max(-self.score(&child, depth - 1, ply + 1, (-beta, -alpha))?);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Side, for_each_reachable};
    use crate::search::minimax::minimax;
    use crate::search::toy::{Maze, Pendulum, nim};

    const AMPLE: Budget = Budget { nodes: 1_000_000, plies: 50 };

    fn worth<G: Game>(child: &G) -> Value {
        minimax(child, &Stop::new()).unwrap().for_mover()
    }

    /// The value of `position` and the moves that keep it, by plain minimax.
    fn twin<G: Game>(position: &G) -> (Value, Vec<G::Move>) {
        let value = minimax(position, &Stop::new()).unwrap();
        (value, children(position).filter(|(_, child)| worth(child) == value).map(|(mv, _)| mv).collect())
    }

    #[test]
    fn with_an_ample_budget_it_is_minimax() {
        for maze in (0..200).map(Maze::new) {
            for_each_reachable(&maze, 10_000, |position| {
                let Some(found) = best(position, AMPLE, &Stop::new()) else {
                    return assert!(position.outcome().is_some());
                };
                let (value, moves) = twin(position);
                assert_eq!(found.moves, moves, "{position:?}");
                let Grounds::Searched { value: claimed, merit } = found.grounds else { panic!("{found:?}") };
                assert_eq!(claimed, value, "{position:?}");
                let all = moves.len() as u64 == position.move_count();
                assert_eq!(merit == Merit::Nothing, all, "{position:?}");
                assert_eq!(merit == Merit::Result, !all && value == Value::Draw, "{position:?}");
            });
        }
    }

    #[test]
    fn with_any_budget_what_it_calls_certain_is_true_and_kept_by_its_moves() {
        let (mut certain, mut estimated) = (0, 0);
        for (maze, nodes) in
            (0..400).map(Maze::new).flat_map(|maze| (1..40).map(move |nodes| (maze.clone(), nodes)))
        {
            let (value, moves) = twin(&maze);
            let found = best(&maze, Budget { nodes, plies: 4 }, &Stop::new()).unwrap();
            match found.grounds {
                Grounds::Searched { value: claimed, .. } => {
                    certain += 1;
                    assert_eq!(claimed, value, "{maze:?} {nodes}");
                    assert!(found.moves.iter().all(|mv| moves.contains(mv)), "{maze:?} {nodes}");
                }
                _ => estimated += 1,
            }
        }
        assert!(certain > 100 && estimated > 100, "{certain} certain, {estimated} estimated");
    }

    #[test]
    fn it_prunes_most_of_the_tree() {
        // The complete tree has 489,396 nodes; the lost position at its root is certain within 20,000.
        let found = best(&nim("java-tech:21"), Budget { nodes: 20_000, plies: 50 }, &Stop::new()).unwrap();
        assert!(matches!(found.grounds, Grounds::Searched { value: Value::Loss(11), .. }));
    }

    #[test]
    fn in_an_endless_game_it_estimates() {
        let found = best(&Pendulum(Side::First), AMPLE, &Stop::new());
        assert_eq!(found, Some(Best { moves: vec![()], grounds: Grounds::Estimated }));
    }

    #[test]
    fn of_a_vast_choice_it_looks_at_no_more_than_its_budget() {
        let found =
            best(&nim("nim:1000000000000000000"), Budget { nodes: 1_000, plies: 50 }, &Stop::new()).unwrap();
        assert_eq!((found.moves.len(), found.grounds), (1_000, Grounds::Estimated));
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Stop::new();
        stop.raise();
        assert_eq!(best(&nim("nim:3-4-5"), AMPLE, &stop), None);
    }
}
