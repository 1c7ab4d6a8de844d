//! Minimax as it stands in the textbook: every line of play to its end. It forgets what it has seen, prunes nothing,
//! and is kept as the oracle that every faster search is tested against. Its number is the exact worth of the position,
//! or with a horizon an estimate of it.

use super::budget::{Budget, GaveUp};
use super::evaluation::Evaluation;
use super::walk::{Answer, Terms, Walk};
use super::watch::{Event, Watch};
use super::{Stop, Value, Worth, children};
use crate::game::Game;

/// The value of a position, by playing out every game that can follow it; `None` if it was stopped.
///
/// The time is that of the whole tree, and the recursion is as deep as the longest game: for small
/// positions of games that end. Anything else belongs to [`super::memo`], which has a budget.
///
/// Source: the minimax rule of von Neumann (1928), with lengths so that it prefers quick wins and slow losses.
pub fn minimax<G: Game>(position: &G, stop: &Stop) -> Option<Value> {
    search(position, Terms::plain(Budget::UNBOUNDED, stop)).ok().map(|answer| answer.worth)
}

/// The same for any kind of worth, with a budget, a horizon and somebody who looks on.
pub fn search<G: Game, W: Worth<G>, E: Evaluation<G, W>, T: Watch<G, W>>(
    position: &G,
    terms: Terms<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    let plies = terms.budget.plies;
    let mut search = Search(Walk::new(terms));
    let worth = search.worth(position, None, plies)?;
    Ok(search.0.answer(worth))
}

struct Search<'a, E, T>(Walk<'a, E, T>);

impl<E, T> Search<'_, E, T> {
    /// What `position` is worth to the side that is to move there, `by` being the move that led to it.
    fn worth<G: Game, W: Worth<G>>(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        plies: u32,
    ) -> Result<W, GaveUp>
    where
        E: Evaluation<G, W>,
        T: Watch<G, W>,
    {
        let before = self.0.enter(position, by, None)?;
        let worth = match self.0.bottom(position, plies) {
            Some(worth) => worth,
            None => self.best_child(position, plies - 1)?,
        };
        self.0.leave(position, worth, before);
        Ok(worth)
    }

    fn best_child<G: Game, W: Worth<G>>(&mut self, position: &G, plies: u32) -> Result<W, GaveUp>
    where
        E: Evaluation<G, W>,
        T: Watch<G, W>,
    {
        let mut best = None;
        for (mv, child) in children(position) {
            let worth: W = self.worth(&child, Some(mv), plies)?.for_mover();
            if best < Some(worth) {
                best = Some(worth);
                self.0.see(Event::Better { mv, worth });
            }
        }
        // A game that goes on has a move; one that had none would be nobody's win.
        Ok(best.unwrap_or(W::EVEN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;
    use crate::search::evaluation::{Even, Written};
    use crate::search::toy::{Pendulum, nim, textbook};
    use crate::search::{Points, Verdict};

    fn value(text: &str) -> Value {
        minimax(&nim(text), &Stop::new()).unwrap()
    }

    #[test]
    fn the_moves_of_the_textbook_figure_are_worth_loss_loss_win() {
        let values: Vec<Value> = children(&nim("java-tech:4"))
            .map(|(_, child)| minimax(&child, &Stop::new()).unwrap().for_mover())
            .collect();
        // Take 1, and the other side takes 2 of the 3 and leaves the last. Take 2, and it takes 1. Take 3, and it must.
        assert_eq!(values, [Value::Loss(3), Value::Loss(3), Value::Win(2)]);
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
                search(&root, Terms::plain(Budget::UNBOUNDED, &Stop::new())).unwrap();
            assert_eq!((answer.nodes, answer.exact), (nodes, true));
        }
    }

    /// What each node of the textbook's tree is worth to the first side, in the order in which they are left.
    struct Left(Vec<(String, i64)>);

    impl Watch<crate::game::abstract_tree::AbstractTree, Points> for Left {
        fn see(&mut self, event: Event<'_, crate::game::abstract_tree::AbstractTree, Points>) {
            if let Event::Leave { position, worth, .. } = event {
                let number = Points::of(worth.0, position.turn()).0;
                self.0.push((position.name().to_owned(), number));
            }
        }
    }

    #[test]
    fn the_sides_take_turns_to_want_large_and_small_numbers() {
        let mut left = Left(Vec::new());
        let stop = Stop::new();
        let terms = Terms { budget: Budget::UNBOUNDED, evaluation: Written, stop: &stop, watch: &mut left };
        assert_eq!(search(&textbook(), terms).unwrap(), Answer { worth: Points(10), exact: true, nodes: 31 });
        let inner: Vec<(&str, i64)> = left
            .0
            .iter()
            .filter(|(name, _)| name.len() == 1)
            .map(|(name, number)| (&**name, *number))
            .collect();
        assert_eq!(
            inner,
            [
                ("H", 10),
                ("I", 9),
                ("D", 10),
                ("J", 14),
                ("K", 5),
                ("E", 14),
                ("B", 10),
                ("L", 2),
                ("M", 1),
                ("F", 2),
                ("N", 20),
                ("O", 6),
                ("G", 20),
                ("C", 2),
                ("A", 10),
            ]
        );
    }

    #[test]
    fn beyond_its_horizon_it_estimates_and_says_so() {
        let stop = Stop::new();
        let two_plies = Budget { nodes: 100, plies: 2 };
        let pendulum = search(&Pendulum(Side::First), Terms::plain(two_plies, &stop)).unwrap();
        assert_eq!(pendulum, Answer { worth: Verdict::Draw, exact: false, nodes: 3 });
        let root: crate::game::abstract_tree::AbstractTree =
            "A\n B = 3\n  C = 9\n D = 4\n  E = 1\n".parse().unwrap();
        let terms =
            Terms { budget: Budget { nodes: 100, plies: 1 }, evaluation: Written, stop: &stop, watch: () };
        assert_eq!(search(&root, terms).unwrap(), Answer { worth: Points(4), exact: false, nodes: 3 });
    }

    #[test]
    fn it_stops_when_told_and_when_its_budget_is_spent() {
        let stop = Stop::new();
        let few =
            Terms { budget: Budget { nodes: 1_000, plies: 500 }, evaluation: Even, stop: &stop, watch: () };
        assert_eq!(search::<_, Value, _, _>(&nim("nim:20-20-20"), few).unwrap_err(), GaveUp::TooLarge);
        stop.clone().raise();
        assert_eq!(minimax(&nim("nim:20-20-20"), &stop), None);
    }
}
