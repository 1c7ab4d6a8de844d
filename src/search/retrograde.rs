//! Retrograde analysis: solves a game backwards from its ends. It is for games in which play can return to
//! an earlier position, so that the tree is infinite.
//!
//! A position is won if a move leads to a lost one, and lost if every move leads to a won one. All others
//! are draws, because each side can repeat positions rather than lose. Lengths are exact: the winner takes
//! the shortest way, and the loser the longest.
//!
//! The analysis ignores the rule that the third repetition of a position is a draw. A shortest win repeats
//! no position, so the rule matters only if positions were repeated before.
//!
//! Source: K. Thompson, "Retrograde analysis of certain endgames" (1986). A counter of undecided moves for
//! each position is common practice.

use std::collections::VecDeque;

use super::graph::{Extent, Graph};
use super::limits::{Budget, GaveUp};
use super::{Stop, Tablebase, Value};
use crate::game::Game;
use crate::number::saturating;

/// Solves the game from `root` on: any game with few enough positions and moves, endless or not.
///
/// Only the node limit of the budget applies, because there is no recursion. It also bounds the memory.
pub fn solve<G: Game>(root: &G, budget: Budget, stop: &Stop) -> Result<Tablebase<G>, GaveUp> {
    let extent = Extent { merged: true, size: saturating(budget.nodes), depth: u32::MAX };
    let graph = Graph::build(root, extent, stop)?;
    let moves: usize = graph.nodes().iter().map(|node| node.moves.len()).sum();
    stop.add_nodes((graph.nodes().len() + moves) as u64);
    let positions = graph.nodes().iter().map(|node| node.position.canonical());
    Ok(Tablebase(positions.zip(values(&graph)).collect()))
}

/// The value of every position.
///
/// The queue starts with the ends of the game. It is a breadth-first search from there, so positions are
/// labelled in the order of their lengths.
fn values<G: Game>(graph: &Graph<G>) -> Vec<Value> {
    let nodes = graph.nodes();
    let mut parents = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        node.moves.iter().for_each(|&(_, to)| parents[to].push(at));
    }
    // The number of moves of each position that are not known to lose.
    let mut undecided: Vec<usize> = nodes.iter().map(|node| node.moves.len()).collect();
    let end = |position: &G| position.outcome().map(|outcome| Value::of(outcome, position.turn()));
    let mut values: Vec<Option<Value>> = nodes.iter().map(|node| end(&node.position)).collect();
    let mut queue: VecDeque<usize> = (0..nodes.len()).filter(|&at| values[at].is_some()).collect();
    while let Some(at) = queue.pop_front() {
        let value = values[at].unwrap_or(Value::Draw).for_mover();
        for &parent in &parents[at] {
            let is_settled = match value {
                Value::Win(_) => true,
                Value::Draw => false,
                Value::Loss(_) => {
                    undecided[parent] -= 1;
                    undecided[parent] == 0
                }
            };
            if is_settled && values[parent].is_none() {
                values[parent] = Some(value);
                queue.push_back(parent);
            }
        }
    }
    values.into_iter().map(|value| value.unwrap_or(Value::Draw)).collect()
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;
    use crate::game::any::Position;
    use crate::game::{Side, for_each_reachable};
    use crate::search::test_games::{Pendulum, nim, start};
    use crate::search::{WHOLE_GAME, children, memo, tablebase};

    fn solved<G: Game>(root: &G) -> Tablebase<G> {
        solve(root, WHOLE_GAME, &Stop::new()).unwrap()
    }

    #[test]
    fn it_agrees_with_memoization_in_games_that_end() {
        for text in ["java-tech", "nim:3-4-5:misere", "tic-tac-toe", "even-or-odd", "even-or-odd:8"] {
            let table = memo::solve(&start(text), WHOLE_GAME, &Stop::new()).unwrap();
            assert_eq!(solved(&start(text)).0, table.0);
        }
    }

    /// The slow oracle: round n finds the wins and losses in n plies from the results of earlier rounds.
    fn by_rounds<G: Game>(root: &G) -> FxHashMap<G, Value> {
        let (mut positions, mut values) = (Vec::new(), FxHashMap::default());
        assert!(for_each_reachable(root, 10_000, |position| positions.push(position.clone())));
        loop {
            let found: Vec<(G, Value)> = positions
                .iter()
                .filter(|position| !values.contains_key(*position))
                .filter_map(|position| Some((position.clone(), by_its_moves(position, &values)?)))
                .collect();
            if found.is_empty() {
                break;
            }
            values.extend(found);
        }
        for position in positions {
            values.entry(position).or_insert(Value::Draw);
        }
        values
    }

    /// The value of a position, if the values of earlier rounds decide it.
    fn by_its_moves<G: Game>(position: &G, values: &FxHashMap<G, Value>) -> Option<Value> {
        if let Some(outcome) = position.outcome() {
            return Some(Value::of(outcome, position.turn()));
        }
        let value: Vec<Option<Value>> =
            children(position).map(|(_, child)| values.get(&child).map(|value| value.for_mover())).collect();
        let best = value.iter().flatten().max().copied()?;
        (matches!(best, Value::Win(_)) || value.iter().all(Option::is_some)).then_some(best)
    }

    #[test]
    fn it_agrees_with_the_rounds_in_endless_games() {
        for text in ["pong-hau-ki", "mu-torere"] {
            assert_eq!(solved(&start(text)).0, by_rounds(&start(text)), "{text}");
        }
    }

    #[test]
    fn the_best_moves_of_a_drawn_position_leave_the_most_losing_replies() {
        for text in ["pong-hau-ki", "mu-torere"] {
            let (table, oracle) = (solved(&start(text)), by_rounds(&start(text)));
            for position in oracle.keys().filter(|position| oracle[*position] == Value::Draw) {
                let losing = |child: &Position| {
                    children(child).filter(|(_, reply)| matches!(oracle[reply], Value::Win(_))).count()
                };
                let drawing = || children(position).filter(|(_, child)| oracle[child] == Value::Draw);
                let most = drawing().map(|(_, child)| losing(&child)).max();
                let chosen: Vec<_> =
                    drawing().filter(|(_, child)| Some(losing(child)) == most).map(|(mv, _)| mv).collect();
                assert_eq!(tablebase::best(position, &table).unwrap().moves, chosen, "{position:?}");
            }
        }
    }

    #[test]
    fn a_pendulum_is_a_draw() {
        let table = solved(&Pendulum(Side::First));
        assert_eq!((table.0.len(), table.value(&Pendulum(Side::Second))), (2, Some(Value::Draw)));
    }

    #[test]
    fn a_budget_is_kept_to_the_last_node() {
        // Positions 2, 1 and 0, the 0 with either side to move: four of them, with 2 + 1 moves.
        let refusal = |nodes| solve(&nim("take:2:2"), Budget { nodes, plies: 0 }, &Stop::new()).err();
        assert_eq!((refusal(7), refusal(6)), (None, Some(GaveUp::TooLarge)));
    }

    #[test]
    fn too_many_moves_and_too_long_a_game_are_too_large() {
        for text in ["nim:1000000000000000000", "take:1000000000000000000:3"] {
            assert_eq!(solve(&nim(text), WHOLE_GAME, &Stop::new()).unwrap_err(), GaveUp::TooLarge);
        }
    }
}
