//! Plain minimax: it searches every line of play to its end. It has no transposition table and prunes
//! nothing. It is the test oracle of all faster searches. Its result is exact, or an estimate if the plies
//! are limited.

use super::evaluation::Heuristic;
use super::limits::{Budget, GaveUp};
use super::run::{Observer, SearchStep};
use super::run::{Params, SearchResult, SearchRun};
use super::{Evaluation, Score, Stop, Value, children};
use crate::game::Game;

/// Returns the exact value of a position, or `None` if the search was stopped.
///
/// It visits the whole tree and recurses as deep as the longest game, so it is for small games that end.
/// Other games need a budget: see [`super::memo`].
///
/// Source: J. von Neumann's minimax theorem (1928). Values include lengths, so quick wins and slow losses
/// are preferred.
pub fn minimax<G: Game>(position: &G, stop: &Stop) -> Option<Value> {
    let answer: SearchResult<Score> = search(position, Params::plain(Budget::UNBOUNDED, stop)).ok()?;
    Some(answer.value.value())
}

/// Searches with any value type, budget, heuristic and observer.
pub fn search<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>>(
    position: &G,
    params: Params<'_, E, T>,
) -> Result<SearchResult<W>, GaveUp> {
    let mut search = Minimax(SearchRun::new(params));
    let value = search.value(position, None, search.0.plies())?;
    Ok(search.0.answer(value))
}

struct Minimax<'a, E, T>(SearchRun<'a, E, T>);

impl<E, T> Minimax<'_, E, T> {
    /// The value of `position` for the side to move there. `by` is the move that led to it.
    fn value<G: Game, W: Evaluation<G>>(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        plies: u32,
    ) -> Result<W, GaveUp>
    where
        E: Heuristic<G, W>,
        T: Observer<G, W>,
    {
        let before = self.0.enter(position, by, None)?;
        let value = match self.0.leaf_value(position, plies) {
            Some(value) => value,
            None => self.best_child(position, plies - 1)?,
        };
        self.0.leave(position, value, before);
        Ok(value)
    }

    fn best_child<G: Game, W: Evaluation<G>>(&mut self, position: &G, plies: u32) -> Result<W, GaveUp>
    where
        E: Heuristic<G, W>,
        T: Observer<G, W>,
    {
        let mut best = None;
        for (mv, child) in children(position) {
            let value: W = self.value(&child, Some(mv), plies)?.for_mover();
            if best < Some(value) {
                best = Some(value);
                self.0.observe(SearchStep::NewBest { mv, value });
            }
        }
        // A game that goes on has a move.
        Ok(best.unwrap_or(W::EVEN))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::game::Side;
    use crate::game::abstract_tree::AbstractTree;
    use crate::search::evaluation::{Even, NodeNumbers};
    use crate::search::graph::{Extent, Graph};
    use crate::search::test_games::{Pendulum, nim, textbook};
    use crate::search::{Points, Verdict};

    fn value(text: &str) -> Value {
        minimax(&nim(text), &Stop::new()).unwrap()
    }

    #[test]
    fn a_value_says_who_wins_and_how_soon() {
        assert_eq!(value("java-tech:1"), Value::Loss(1));
        assert_eq!(value("java-tech:5"), Value::Loss(3));
        assert_eq!(value("one-two-ten"), Value::Win(7));
        assert_eq!(value("nim:2-2"), Value::Loss(4));
        assert_eq!(value("nim:1-2"), Value::Win(3));
    }

    #[test]
    fn it_enters_every_node_of_the_tree() {
        for (pile, nodes) in [(1, 2), (2, 4), (3, 8), (4, 15)] {
            let root = nim(&format!("java-tech:{pile}"));
            let answer: SearchResult<Verdict> =
                search(&root, Params::plain(Budget::UNBOUNDED, &Stop::new())).unwrap();
            assert_eq!((answer.nodes, answer.exact), (nodes, true));
        }
    }

    /// The value with which the search left each node.
    #[derive(Default)]
    struct Left(HashMap<AbstractTree, Points>);

    impl Observer<AbstractTree, Points> for Left {
        fn observe(&mut self, event: SearchStep<'_, AbstractTree, Points>) {
            if let SearchStep::Leave { position, value, .. } = event {
                self.0.insert(position.clone(), value);
            }
        }
    }

    #[test]
    fn the_sides_alternately_maximize_and_minimize() {
        let (stop, root, mut left) = (Stop::new(), textbook(), Left::default());
        let params =
            Params { budget: Budget::UNBOUNDED, heuristic: NodeNumbers, stop: &stop, observer: &mut left };
        let answer = search(&root, params).unwrap();
        assert_eq!(answer, SearchResult { value: Points(10), exact: true, nodes: 31 });
        let extent = Extent { merged: false, size: 100, depth: 9 };
        let tree = Graph::build(&root, extent, &stop).unwrap();
        for (node, (value, _)) in tree.nodes().iter().zip(tree.values(&NodeNumbers).unwrap()) {
            assert_eq!(left.0[&node.position], value, "{}", node.position.name());
        }
    }

    #[test]
    fn beyond_the_last_ply_it_estimates_and_says_so() {
        let stop = Stop::new();
        let two_plies = Budget { nodes: 100, plies: 2 };
        let pendulum = search(&Pendulum(Side::First), Params::plain(two_plies, &stop)).unwrap();
        assert_eq!(pendulum, SearchResult { value: Verdict::Draw, exact: false, nodes: 3 });
        let root: AbstractTree = "A\n B = 3\n  C = 9\n D = 4\n  E = 1\n".parse().unwrap();
        let params = Params {
            budget: Budget { nodes: 100, plies: 1 },
            heuristic: NodeNumbers,
            stop: &stop,
            observer: (),
        };
        assert_eq!(search(&root, params).unwrap(), SearchResult { value: Points(4), exact: false, nodes: 3 });
    }

    #[test]
    fn it_stops_on_the_flag_and_when_its_budget_is_spent() {
        let stop = Stop::new();
        let few = Params {
            budget: Budget { nodes: 1_000, plies: 500 },
            heuristic: Even,
            stop: &stop,
            observer: (),
        };
        assert_eq!(search::<_, Score, _, _>(&nim("nim:20-20-20"), few).unwrap_err(), GaveUp::TooLarge);
        stop.clone().raise();
        assert_eq!(minimax(&nim("nim:20-20-20"), &stop), None);
    }
}
