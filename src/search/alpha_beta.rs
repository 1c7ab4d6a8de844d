//! Minimax that leaves out what cannot matter: once one side has a better way elsewhere, the rest of a position is not
//! looked at. Its number, for a window `(alpha, beta)`, is exact between the two; at or below alpha the position is
//! worth that or less, at or above beta that or more.
//!
//! Source: D. E. Knuth and R. W. Moore, "An analysis of alpha-beta pruning" (1975), in the negamax form.

use super::budget::GaveUp;
use super::evaluation::Evaluation;
use super::walk::{Answer, Terms, Walk};
use super::watch::{Event, Watch};
use super::{Bounded, children};
use crate::game::Game;

/// What a position is worth: as minimax finds it, in less time. The moves are tried in the order of [`Game::moves`].
pub fn search<G: Game, W: Bounded<G>, E: Evaluation<G, W>, T: Watch<G, W>>(
    position: &G,
    terms: Terms<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    let plies = terms.budget.plies;
    let mut search = Search(Walk::new(terms));
    let worth = search.worth(position, None, plies, (W::LEAST, W::GREATEST))?;
    Ok(search.0.answer(worth))
}

struct Search<'a, E, T>(Walk<'a, E, T>);

impl<E, T> Search<'_, E, T> {
    /// What `position` is worth to the side that is to move there, as far as the window asks.
    fn worth<G: Game, W: Bounded<G>>(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        plies: u32,
        window: (W, W),
    ) -> Result<W, GaveUp>
    where
        E: Evaluation<G, W>,
        T: Watch<G, W>,
    {
        let before = self.0.enter(position, by, Some(window))?;
        let worth = match self.0.bottom(position, plies) {
            Some(worth) => worth,
            None => self.best_child(position, plies - 1, window)?,
        };
        self.0.leave(position, worth, before);
        Ok(worth)
    }

    fn best_child<G: Game, W: Bounded<G>>(
        &mut self,
        position: &G,
        plies: u32,
        (mut alpha, beta): (W, W),
    ) -> Result<W, GaveUp>
    where
        E: Evaluation<G, W>,
        T: Watch<G, W>,
    {
        let mut best = None;
        let mut left = position.move_count();
        for (mv, child) in children(position) {
            left -= 1;
            let window = (beta.for_replier(), alpha.for_replier());
            let worth: W = self.worth(&child, Some(mv), plies, window)?.for_mover();
            best = best.max(Some(worth));
            if worth > alpha {
                alpha = worth;
                self.0.see(Event::Better { mv, worth });
            }
            if alpha >= beta && left > 0 {
                self.0.see(Event::Cut { left });
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
    use crate::search::budget::Budget;
    use crate::search::evaluation::Written;
    use crate::search::minimax;
    use crate::search::toy::{LARGE, Maze, Opinion, Pendulum, nim, samples, textbook};
    use crate::search::{Points, Score, Stop, Value, Verdict};

    fn terms(plies: u32, stop: &Stop) -> Terms<'_, Opinion, ()> {
        Terms { budget: Budget { nodes: u64::MAX, plies }, evaluation: Opinion, stop, watch: () }
    }

    /// Holds it to plain minimax in every position that can be reached, with this horizon.
    fn agrees<G: Game, W: Bounded<G>>(root: &G, plies: u32)
    where
        Opinion: Evaluation<G, W>,
    {
        let stop = Stop::new();
        for_each_reachable(root, 10_000, |position| {
            let plain: Answer<W> = minimax::search(position, terms(plies, &stop)).unwrap();
            let pruned: Answer<W> = search(position, terms(plies, &stop)).unwrap();
            assert_eq!(pruned.worth, plain.worth, "{position:?} {plies}");
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
    fn it_agrees_with_plain_minimax_wherever_a_large_game_may_lead() {
        let stop = Stop::new();
        for (position, value) in LARGE.iter().flat_map(|text| samples(&nim(text))) {
            let found: Answer<Score> = search(&position, terms(100, &stop)).unwrap();
            assert_eq!(found.worth.decided().unwrap_or(Value::Draw), value, "{position:?}");
        }
    }

    /// The names of the nodes that it enters, and how many moves it leaves out in all.
    #[derive(Default)]
    struct Seen {
        entered: Vec<String>,
        left_out: u64,
    }

    impl Watch<AbstractTree, Points> for Seen {
        fn see(&mut self, event: Event<'_, AbstractTree, Points>) {
            match event {
                Event::Enter { position, .. } => self.entered.push(position.name().to_owned()),
                Event::Cut { left } => self.left_out += left,
                _ => {}
            }
        }
    }

    #[test]
    fn of_the_textbooks_tree_it_leaves_out_what_cannot_matter() {
        let (stop, mut seen) = (Stop::new(), Seen::default());
        let terms = Terms { budget: Budget::UNBOUNDED, evaluation: Written, stop: &stop, watch: &mut seen };
        let answer = search(&textbook(), terms).unwrap();
        // I is worth 9 or less, and D has 10. E is worth 14 or more, and B has 10. F is worth 2, and A has 10: G and all
        // below it are left out; so are the second ends below I, L and M, and all of K.
        assert_eq!((answer.worth, answer.nodes), (Points(10), 31 - 13));
        assert_eq!(seen.left_out, 5);
        for name in ["K", "k1", "k2", "G", "N", "O", "n1", "n2", "o1", "o2", "i2", "l2", "m2"] {
            assert!(!seen.entered.contains(&name.to_owned()), "{name} was entered");
        }
    }

    #[test]
    fn a_position_without_an_end_is_estimated() {
        let stop = Stop::new();
        let answer: Answer<Verdict> = search(&Pendulum(Side::First), terms(9, &stop)).unwrap();
        assert_eq!(answer, Answer { worth: Verdict::Draw, exact: false, nodes: 10 });
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Stop::new();
        stop.raise();
        let answer: Result<Answer<Score>, _> = search(&nim("nim:20-20-20"), terms(500, &stop));
        assert_eq!(answer, Err(GaveUp::Stopped));
    }
}
