//! Minimax as in the textbook: every line of play to its end. It has no table and prunes nothing, and is the
//! test oracle of every faster search. Its result is the exact value of the position, or an estimate if the
//! plies are limited.

use super::evaluation::Heuristic;
use super::limits::{Budget, GaveUp};
use super::run::{Answer, Params, Run};
use super::run::{Event, Observer};
use super::{Evaluation, Score, Stop, Value, children};
use crate::game::Game;

/// The value of a position, found by playing out every game that can follow; `None` if it was stopped.
///
/// It visits the whole tree and recurses as deep as the longest game, so it is for small games that end. For
/// others use [`super::memo`], which has a budget.
///
/// Source: J. von Neumann's minimax theorem (1928), with lengths, so that it prefers quick wins and slow
/// losses.
pub fn minimax<G: Game>(position: &G, stop: &Stop) -> Option<Value> {
    let answer: Answer<Score> = search(position, Params::plain(Budget::UNBOUNDED, stop)).ok()?;
    Some(answer.value.value())
}

/// The same for any evaluation, with a budget, a heuristic and an observer.
pub fn search<G: Game, W: Evaluation<G>, E: Heuristic<G, W>, T: Observer<G, W>>(
    position: &G,
    params: Params<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    let mut search = Search(Run::new(params));
    let value = search.value(position, None, search.0.plies())?;
    Ok(search.0.answer(value))
}

struct Search<'a, E, T>(Run<'a, E, T>);

impl<E, T> Search<'_, E, T> {
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
        let value = match self.0.bottom(position, plies) {
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
                self.0.observe(Event::Better { mv, value });
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
    use crate::search::evaluation::{Even, Written};
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
            let answer: Answer<Verdict> =
                search(&root, Params::plain(Budget::UNBOUNDED, &Stop::new())).unwrap();
            assert_eq!((answer.nodes, answer.exact), (nodes, true));
        }
    }

    /// The value of each node that is left, for the side to move there.
    #[derive(Default)]
    struct Left(HashMap<AbstractTree, Points>);

    impl Observer<AbstractTree, Points> for Left {
        fn observe(&mut self, event: Event<'_, AbstractTree, Points>) {
            if let Event::Leave { position, value, .. } = event {
                self.0.insert(position.clone(), value);
            }
        }
    }

    #[test]
    fn the_sides_alternately_maximize_and_minimize() {
        let (stop, root, mut left) = (Stop::new(), textbook(), Left::default());
        let params =
            Params { budget: Budget::UNBOUNDED, heuristic: Written, stop: &stop, observer: &mut left };
        let answer = search(&root, params).unwrap();
        assert_eq!(answer, Answer { value: Points(10), exact: true, nodes: 31 });
        let extent = Extent { merged: false, size: 100, depth: 9 };
        let tree = Graph::build(&root, extent, &stop).unwrap();
        for (node, (value, _)) in tree.nodes().iter().zip(tree.values(&Written).unwrap()) {
            assert_eq!(left.0[&node.position], value, "{}", node.position.name());
        }
    }

    #[test]
    fn beyond_the_last_ply_it_estimates_and_says_so() {
        let stop = Stop::new();
        let two_plies = Budget { nodes: 100, plies: 2 };
        let pendulum = search(&Pendulum(Side::First), Params::plain(two_plies, &stop)).unwrap();
        assert_eq!(pendulum, Answer { value: Verdict::Draw, exact: false, nodes: 3 });
        let root: AbstractTree = "A\n B = 3\n  C = 9\n D = 4\n  E = 1\n".parse().unwrap();
        let params =
            Params { budget: Budget { nodes: 100, plies: 1 }, heuristic: Written, stop: &stop, observer: () };
        assert_eq!(search(&root, params).unwrap(), Answer { value: Points(4), exact: false, nodes: 3 });
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
