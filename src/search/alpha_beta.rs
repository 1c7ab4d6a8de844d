//! Alpha-beta: minimax that leaves out what cannot matter. Once a side has a better choice elsewhere, the
//! rest of a position is skipped. For a window `(alpha, beta)` the result is exact if it lies between the
//! two. A result of alpha or less is an upper bound, a result of beta or more a lower bound.
//!
//! Source: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning" (1975), in the negamax form.

use super::evaluation::Heuristic;
use super::limits::GaveUp;
use super::run::{Answer, Params, Run};
use super::run::{Event, Observer};
use super::{Bounded, children};
use crate::game::Game;

/// The value of a position, as minimax finds it, in less time. Moves are tried in the order of
/// [`Game::moves`].
pub fn search<G: Game, W: Bounded<G>, E: Heuristic<G, W>, T: Observer<G, W>>(
    position: &G,
    params: Params<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    let plies = params.budget.plies;
    let mut search = Search(Run::new(params));
    let value = search.value(position, None, plies, (W::LEAST, W::GREATEST))?;
    Ok(search.0.answer(value))
}

struct Search<'a, E, T>(Run<'a, E, T>);

impl<E, T> Search<'_, E, T> {
    /// The value of `position` for the side to move there, as exact as the window requires.
    fn value<G: Game, W: Bounded<G>>(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        plies: u32,
        window: (W, W),
    ) -> Result<W, GaveUp>
    where
        E: Heuristic<G, W>,
        T: Observer<G, W>,
    {
        let before = self.0.enter(position, by, Some(window))?;
        let value = match self.0.bottom(position, plies) {
            Some(value) => value,
            None => self.best_child(position, plies - 1, window)?,
        };
        self.0.leave(position, value, before);
        Ok(value)
    }

    fn best_child<G: Game, W: Bounded<G>>(
        &mut self,
        position: &G,
        plies: u32,
        (mut alpha, beta): (W, W),
    ) -> Result<W, GaveUp>
    where
        E: Heuristic<G, W>,
        T: Observer<G, W>,
    {
        let mut best = None;
        let mut left = position.move_count();
        for (mv, child) in children(position) {
            left -= 1;
            let window = (beta.for_replier(), alpha.for_replier());
            let value: W = self.value(&child, Some(mv), plies, window)?.for_mover();
            best = best.max(Some(value));
            if value > alpha {
                alpha = value;
                self.0.observe(Event::Better { mv, value });
            }
            if alpha >= beta && left > 0 {
                self.0.observe(Event::Cut { left });
                break;
            }
        }
        Ok(best.unwrap_or(W::EVEN))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::abstract_tree::AbstractTree;
    use crate::game::{Side, for_each_reachable};
    use crate::search::Budget;
    use crate::search::evaluation::Written;
    use crate::search::minimax;
    use crate::search::test_games::{Arbitrary, ENDGAMES, Maze, Pendulum, nim, textbook};
    use crate::search::{Points, Score, Stop, Value, Verdict};

    fn params(plies: u32, stop: &Stop) -> Params<'_, Arbitrary, ()> {
        Params { budget: Budget { nodes: u64::MAX, plies }, heuristic: Arbitrary, stop, observer: () }
    }

    /// Compares it with plain minimax in every reachable position, with this limit of plies.
    fn agrees<G: Game, W: Bounded<G>>(root: &G, plies: u32)
    where
        Arbitrary: Heuristic<G, W>,
    {
        let stop = Stop::new();
        for_each_reachable(root, 10_000, |position| {
            let plain: Answer<W> = minimax::search(position, params(plies, &stop)).unwrap();
            let pruned: Answer<W> = search(position, params(plies, &stop)).unwrap();
            assert_eq!(pruned.value, plain.value, "{position:?} {plies}");
            assert!(pruned.nodes <= plain.nodes);
            assert!(pruned.exact || !plain.exact);
        });
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_mazes() {
        for maze in (0..200).map(Maze::new) {
            agrees::<_, Verdict>(&maze, 50);
            for plies in [0, 1, 3, 50] {
                agrees::<_, Score>(&maze, plies);
            }
        }
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_nim() {
        for text in ["java-tech:12", "zero-sum:12", "one-two-ten", "nim:2-3-2", "nim:3-3:misere", "nim:6"] {
            agrees::<_, Verdict>(&nim(text), 50);
            agrees::<_, Score>(&nim(text), 50);
            agrees::<_, Score>(&nim(text), 4);
        }
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_positions_of_large_games() {
        let stop = Stop::new();
        for (position, value) in &*ENDGAMES {
            let found: Answer<Score> = search(position, params(100, &stop)).unwrap();
            assert_eq!(found.value.decided().unwrap_or(Value::Draw), *value, "{position:?}");
        }
    }

    /// The names of the nodes that it enters, and the number of moves that it skips.
    #[derive(Default)]
    struct Seen {
        entered: Vec<String>,
        left_out: u64,
    }

    impl Observer<AbstractTree, Points> for Seen {
        fn observe(&mut self, event: Event<'_, AbstractTree, Points>) {
            match event {
                Event::Enter { position, .. } => self.entered.push(position.name().to_owned()),
                Event::Cut { left } => self.left_out += left,
                _ => {}
            }
        }
    }

    #[test]
    fn it_skips_the_parts_of_the_textbooks_tree_that_cannot_matter() {
        let (stop, mut seen) = (Stop::new(), Seen::default());
        let params =
            Params { budget: Budget::UNBOUNDED, heuristic: Written, stop: &stop, observer: &mut seen };
        let answer = search(&textbook(), params).unwrap();
        // I is worth 9 or less, and D has 10. E is worth 14 or more, and B has 10. F is worth 2, and A has
        // 10: G and all below it are left out; so are the second ends below I, L and M, and all of K.
        assert_eq!((answer.value, answer.nodes), (Points(10), 31 - 13));
        assert_eq!(seen.left_out, 5);
        for name in ["K", "k1", "k2", "G", "N", "O", "n1", "n2", "o1", "o2", "i2", "l2", "m2"] {
            assert!(!seen.entered.contains(&name.to_owned()), "{name} was entered");
        }
    }

    #[test]
    fn a_position_without_an_end_is_estimated() {
        let stop = Stop::new();
        let answer: Answer<Verdict> = search(&Pendulum(Side::First), params(9, &stop)).unwrap();
        assert_eq!(answer, Answer { value: Verdict::Draw, exact: false, nodes: 10 });
    }

    #[test]
    fn it_stops_on_the_flag() {
        let stop = Stop::new();
        stop.raise();
        let answer: Result<Answer<Score>, _> = search(&nim("nim:20-20-20"), params(500, &stop));
        assert_eq!(answer, Err(GaveUp::Stopped));
    }
}
