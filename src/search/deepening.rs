//! Iterative deepening: looks one ply ahead, then two, and so on until the budget is spent, in games that
//! are too large to solve. Each round uses the table of the one before and tries its best moves first. The
//! result is a [`Score`]: a win or a loss that was seen, or a heuristic estimate of what lies beyond.
//!
//! Source: D. J. Slate and L. R. Atkin, "Chess 4.5" (1977).

use super::alpha_beta::Search;
use super::evaluation::Heuristic;
use super::limits::{Budget, GaveUp};
use super::ordering::History;
use super::run::{Params, Run};
use super::transposition::{Table, TranspositionTable};
use super::{Best, Evaluation, Grounds, Merit, Score, Stop, Value, Verdict};
use crate::game::Game;

/// The size of the table: a few megabytes.
const SLOTS: usize = 1 << 14;

/// The best moves within the budget; `None` if the game is over, or if it was stopped at once.
///
/// A win or a loss that it finds is certain, and so is a draw if it has seen every end. Everything else is
/// estimated.
pub fn best<G: Game>(
    position: &G,
    heuristic: &impl Heuristic<G, Score>,
    budget: Budget,
    stop: &Stop,
) -> Option<Best<G::Move>> {
    best_among(position, |_| true, heuristic, budget, stop)
}

/// The same among the `wanted` moves only, as if the others were illegal.
pub fn best_among<G: Game>(
    position: &G,
    wanted: impl Fn(G::Move) -> bool,
    heuristic: &impl Heuristic<G, Score>,
    budget: Budget,
    stop: &Stop,
) -> Option<Best<G::Move>> {
    let mut table = TranspositionTable::new(SLOTS);
    let mut rounds = Rounds::new(heuristic, &mut table, budget, stop);
    let mut found: Option<Round<G::Move>> = None;
    for depth in 1..=budget.plies {
        let first = found.as_ref().and_then(Round::first);
        let round = rounds.round(position, &wanted, depth, first);
        let (complete, decided) = (round.complete, round.value().is_some());
        // An incomplete round is better than none, but not better than a complete one of less depth.
        if complete || decided || found.is_none() {
            found = Some(round);
        }
        if decided || !complete {
            break;
        }
    }
    found.filter(|round| !round.moves.is_empty()).map(|round| round.answer(position.move_count()))
}

/// A move, and its place in the order of [`Game::moves`].
type Listed<M> = (usize, M);

/// The result of a search to a fixed depth.
struct Round<M> {
    score: Score,
    moves: Vec<Listed<M>>,
    depth: u32,
    /// Whether all moves were searched to that depth.
    complete: bool,
    met_horizon: bool,
}

impl<M: Copy> Round<M> {
    fn first(&self) -> Option<Listed<M>> {
        self.moves.first().copied()
    }

    /// The value of the root, if it is certain.
    ///
    /// An entry of the table may be deeper than this round, where a quicker win may have been missed. So
    /// lengths are certain only within the depth of the round.
    fn value(&self) -> Option<Value> {
        let seen = |plies: u32| plies <= self.depth || (self.complete && !self.met_horizon);
        match self.score.decided() {
            Some(Value::Win(plies)) => seen(plies).then_some(Value::Win(plies)),
            Some(Value::Loss(plies)) => (self.complete && seen(plies)).then_some(Value::Loss(plies)),
            _ => (self.complete && !self.met_horizon).then_some(Value::Draw),
        }
    }

    fn answer(mut self, move_count: u64) -> Best<M> {
        let all = self.moves.len() as u64 == move_count;
        let merit = match self.value().map(Value::verdict) {
            _ if all => Merit::Nothing,
            Some(Verdict::Draw) => Merit::Result,
            _ => Merit::Length,
        };
        let grounds = self.value().map_or(Grounds::Estimated, |value| Grounds::Searched { value, merit });
        self.moves.sort_by_key(|&(place, _)| place);
        Best { moves: self.moves.into_iter().map(|(_, mv)| mv).collect(), grounds }
    }
}

/// Rounds of search with one budget for all.
struct Rounds<'a, G: Game, E>(Search<'a, G, Score, &'a E, (), History<G::Move>>);

impl<'a, G: Game, E: Heuristic<G, Score>> Rounds<'a, G, E> {
    fn new(heuristic: &'a E, table: &'a mut Table<G, Score>, budget: Budget, stop: &'a Stop) -> Self {
        let run = Run::new(Params { budget, heuristic, stop, observer: () });
        Self(Search { run, table: Some(table), ordering: History::default() })
    }

    /// The best of the wanted moves by a search of `depth` plies. `first` is tried first.
    fn round(
        &mut self,
        root: &G,
        wanted: impl Fn(G::Move) -> bool,
        depth: u32,
        first: Option<Listed<G::Move>>,
    ) -> Round<G::Move> {
        let mut round = Round {
            score: <Score as Evaluation<G>>::LEAST,
            moves: Vec::new(),
            depth,
            complete: true,
            met_horizon: false,
        };
        self.0.run.take_met_horizon();
        let others = root.moves().enumerate().filter(|&listed| Some(listed) != first && wanted(listed.1));
        for (place, mv) in first.into_iter().chain(others) {
            // `moves` yields legal moves only, so nothing is left out.
            let Ok(child) = root.play(mv) else { continue };
            let Ok(score) = self.value(&child, mv, depth - 1, round.score) else {
                round.complete = false;
                break;
            };
            if score > round.score || round.moves.is_empty() {
                (round.score, round.moves) = (score, vec![(place, mv)]);
            } else if score == round.score {
                round.moves.push((place, mv));
            }
        }
        round.met_horizon = self.0.run.take_met_horizon();
        round
    }

    /// The value of the move to `child`: exact if it is as good as `best`.
    fn value(&mut self, child: &G, mv: G::Move, plies: u32, best: Score) -> Result<Score, GaveUp> {
        // The window opens one below the best, so that equally good moves are found.
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
    fn twin<G: Game>(position: &G) -> (Value, Vec<G::Move>) {
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
            let (value, moves) = twin(&maze);
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
