//! Iterative deepening, for games that are too large to solve: it searches one ply deep, then two, and so
//! on until the budget is spent. All iterations share a transposition table, and each searches the best
//! move of the previous one first. The result is a [`Score`]: a win or a loss, or a heuristic estimate.
//!
//! Source: D. J. Slate and L. R. Atkin, "Chess 4.5" (1977).

use super::alpha_beta::AlphaBeta;
use super::evaluation::Heuristic;
use super::limits::{Budget, GaveUp};
use super::ordering::HistoryTable;
use super::run::{Params, SearchRun};
use super::transposition::{ResultTable, TranspositionTable};
use super::{Best, Evaluation, Grounds, Merit, Score, Stop, Value, Verdict};
use crate::game::Game;

/// The number of slots in the transposition table: a few megabytes.
const SLOTS: usize = 1 << 14;

/// The best moves within the budget; `None` if the game is over, or if the search ended before its first
/// move.
///
/// The grounds are [`Grounds::Searched`] if the value is proved, else [`Grounds::Estimated`].
pub fn best<G: Game>(
    position: &G,
    heuristic: &impl Heuristic<G, Score>,
    budget: Budget,
    stop: &Stop,
) -> Option<Best<G::Move>> {
    best_among(position, |_| true, heuristic, budget, stop)
}

/// The best of the `wanted` moves, as if the others were illegal.
pub fn best_among<G: Game>(
    position: &G,
    wanted: impl Fn(G::Move) -> bool,
    heuristic: &impl Heuristic<G, Score>,
    budget: Budget,
    stop: &Stop,
) -> Option<Best<G::Move>> {
    let mut table = TranspositionTable::new(SLOTS);
    let mut deepening = Deepening::new(heuristic, &mut table, budget, stop);
    let mut found: Option<Iteration<G::Move>> = None;
    for depth in 1..=budget.plies {
        let first = found.as_ref().and_then(Iteration::first);
        let iteration = deepening.iterate(position, &wanted, depth, first);
        let (complete, decided) = (iteration.complete, iteration.value().is_some());
        // A complete iteration is better than a deeper one that is incomplete.
        if complete || decided || found.is_none() {
            found = Some(iteration);
        }
        if decided || !complete {
            break;
        }
    }
    found
        .filter(|iteration| !iteration.moves.is_empty())
        .map(|iteration| iteration.into_best(position.move_count()))
}

/// A move with its index in [`Game::moves`].
type IndexedMove<M> = (usize, M);

/// The result of one iteration: a search to a fixed depth.
struct Iteration<M> {
    score: Score,
    moves: Vec<IndexedMove<M>>,
    depth: u32,
    /// Whether all moves were searched to that depth.
    complete: bool,
    met_horizon: bool,
}

impl<M: Copy> Iteration<M> {
    fn first(&self) -> Option<IndexedMove<M>> {
        self.moves.first().copied()
    }

    /// The value of the root, if it is certain.
    ///
    /// A table entry may show a win beyond the depth of this iteration, where another line may win sooner.
    /// So a length is certain only within that depth, or if no line reached the horizon.
    fn value(&self) -> Option<Value> {
        let seen = |plies: u32| plies <= self.depth || (self.complete && !self.met_horizon);
        match self.score.decided() {
            Some(Value::Win(plies)) => seen(plies).then_some(Value::Win(plies)),
            Some(Value::Loss(plies)) => (self.complete && seen(plies)).then_some(Value::Loss(plies)),
            _ => (self.complete && !self.met_horizon).then_some(Value::Draw),
        }
    }

    fn into_best(mut self, move_count: u64) -> Best<M> {
        let all = self.moves.len() as u64 == move_count;
        let merit = match self.value().map(Value::verdict) {
            _ if all => Merit::Nothing,
            Some(Verdict::Draw) => Merit::Result,
            _ => Merit::Length,
        };
        let grounds = self.value().map_or(Grounds::Estimated, |value| Grounds::Searched { value, merit });
        self.moves.sort_by_key(|&(index, _)| index);
        Best { moves: self.moves.into_iter().map(|(_, mv)| mv).collect(), grounds }
    }
}

/// Iterations that share one budget, one table and one move ordering.
struct Deepening<'a, G: Game, E>(AlphaBeta<'a, G, Score, &'a E, (), HistoryTable<G::Move>>);

impl<'a, G: Game, E: Heuristic<G, Score>> Deepening<'a, G, E> {
    fn new(heuristic: &'a E, table: &'a mut ResultTable<G, Score>, budget: Budget, stop: &'a Stop) -> Self {
        let run = SearchRun::new(Params { budget, heuristic, stop, observer: () });
        Self(AlphaBeta { run, table: Some(table), ordering: HistoryTable::default() })
    }

    /// Searches the wanted moves to a depth of `depth` plies, `first` first.
    fn iterate(
        &mut self,
        root: &G,
        wanted: impl Fn(G::Move) -> bool,
        depth: u32,
        first: Option<IndexedMove<G::Move>>,
    ) -> Iteration<G::Move> {
        let mut iteration = Iteration {
            score: <Score as Evaluation<G>>::LEAST,
            moves: Vec::new(),
            depth,
            complete: true,
            met_horizon: false,
        };
        self.0.run.take_met_horizon();
        let others = root.moves().enumerate().filter(|&listed| Some(listed) != first && wanted(listed.1));
        for (index, mv) in first.into_iter().chain(others) {
            // `moves` yields only legal moves, so this skips none.
            let Ok(child) = root.play(mv) else { continue };
            let Ok(score) = self.value(&child, mv, depth - 1, iteration.score) else {
                iteration.complete = false;
                break;
            };
            if score > iteration.score || iteration.moves.is_empty() {
                (iteration.score, iteration.moves) = (score, vec![(index, mv)]);
            } else if score == iteration.score {
                iteration.moves.push((index, mv));
            }
        }
        iteration.met_horizon = self.0.run.take_met_horizon();
        iteration
    }

    /// The value of the move to `child`: exact if it is at least `best`, else an upper bound.
    fn value(&mut self, child: &G, mv: G::Move, plies: u32, best: Score) -> Result<Score, GaveUp> {
        // Alpha is one below the best score, so that equally good moves get exact scores.
        let window = (<Score as Evaluation<G>>::GREATEST, best.just_below());
        let window = (Evaluation::<G>::for_replier(window.0), Evaluation::<G>::for_replier(window.1));
        Ok(Evaluation::<G>::for_mover(self.0.value(child, Some(mv), plies, window)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::search::children;
    use crate::search::evaluation::Even;
    use crate::search::minimax::minimax;
    use crate::search::test_games::{ENDGAMES, Maze, Pendulum, nim, sample};

    const AMPLE: Budget = Budget { nodes: 1_000_000, plies: 50 };

    fn value_of<G: Game>(child: &G) -> Value {
        minimax(child, &Stop::new()).unwrap().for_mover()
    }

    /// The value of `position` and the moves that keep it, by plain minimax.
    fn oracle<G: Game>(position: &G) -> (Value, Vec<G::Move>) {
        let value = minimax(position, &Stop::new()).unwrap();
        (value, children(position).filter(|(_, child)| value_of(child) == value).map(|(mv, _)| mv).collect())
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_positions_of_large_games() {
        for (position, value) in &*ENDGAMES {
            let found = best(position, &Even, AMPLE, &Stop::new()).map(|best| best.grounds);
            let known =
                |grounds| matches!(grounds, Grounds::Searched { value: claimed, .. } if claimed == *value);
            assert!(
                found.is_none_or(known) && found.is_none() == position.outcome().is_some(),
                "{position:?}"
            );
        }
    }

    #[test]
    fn with_any_budget_what_it_calls_certain_is_true_and_kept_by_its_moves() {
        let (mut certain, mut estimated) = (0, 0);
        for maze in (0..sample(50, 400)).map(Maze::new) {
            let (value, moves) = oracle(&maze);
            for nodes in 1..40 {
                let found = best(&maze, &Even, Budget { nodes, plies: 4 }, &Stop::new()).unwrap();
                match found.grounds {
                    Grounds::Searched { value: claimed, .. } => {
                        certain += 1;
                        assert_eq!(claimed, value, "{maze:?} {nodes}");
                        assert!(found.moves.iter().all(|mv| moves.contains(mv)), "{maze:?} {nodes}");
                    }
                    _ => estimated += 1,
                }
            }
        }
        assert!(certain > 100 && estimated > 100, "{certain} certain, {estimated} estimated");
    }

    #[test]
    fn it_prunes_most_of_the_tree() {
        // The complete tree has 489,396 nodes; the lost position at its root is certain within 20,000.
        let found =
            best(&nim("java-tech:21"), &Even, Budget { nodes: 20_000, plies: 50 }, &Stop::new()).unwrap();
        assert!(matches!(found.grounds, Grounds::Searched { value: Value::Loss(11), .. }));
    }

    #[test]
    fn in_an_endless_game_it_estimates() {
        let found = best(&Pendulum(Side::First), &Even, AMPLE, &Stop::new());
        assert_eq!(found, Some(Best { moves: vec![()], grounds: Grounds::Estimated }));
    }

    #[test]
    fn of_a_vast_choice_it_looks_at_no_more_than_its_budget() {
        let found =
            best(&nim("nim:1000000000000000000"), &Even, Budget { nodes: 1_000, plies: 50 }, &Stop::new())
                .unwrap();
        assert_eq!((found.moves.len(), found.grounds), (1_000, Grounds::Estimated));
    }
}
