//! Alpha-beta with a memory: what was found out about a position serves again when it comes up by another way. Its
//! number means what that of [`super::alpha_beta`] means. With a horizon, a position of which more is remembered
//! than the horizon would show counts as what is remembered.
//!
//! Source: D. J. Slate and L. R. Atkin, "Chess 4.5" (1977), for the transposition table.

use super::Bounded;
use super::budget::GaveUp;
use super::evaluation::Evaluation;
use super::ordering::Ordering;
use super::transposition::Transpositions;
use super::walk::{Answer, Terms, Walk};
use super::watch::{Event, Watch};
use crate::game::Game;

/// What is remembered of a position.
#[derive(Debug, Clone, Copy)]
pub struct Memory<M, W> {
    reach: Reach,
    bound: Bound<W>,
    /// The move to try first.
    best: Option<M>,
}

/// How deep a position was looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// So many plies, with estimates beyond.
    Plies(u32),
    /// To the end, as far as it mattered.
    End,
}

/// What a search has shown of a worth.
#[derive(Debug, Clone, Copy)]
enum Bound<W> {
    AtLeast(W),
    Exactly(W),
    AtMost(W),
}

impl<W: Copy + Ord> Bound<W> {
    /// What a search with this window that came to `worth` has shown.
    fn shown(worth: W, (alpha, beta): (W, W)) -> Self {
        if worth >= beta {
            Self::AtLeast(worth)
        } else if worth > alpha {
            Self::Exactly(worth)
        } else {
            Self::AtMost(worth)
        }
    }

    /// The answer to a search with this window, if this is enough to give it.
    fn answer(self, (alpha, beta): (W, W)) -> Option<W> {
        match self {
            Self::AtLeast(worth) => (worth >= beta).then_some(worth),
            Self::Exactly(worth) => Some(worth),
            Self::AtMost(worth) => (worth <= alpha).then_some(worth),
        }
    }
}

/// A memory for the positions of one game, with the one evaluation and the one kind of worth that it was made with.
pub type Memories<G, W> = Transpositions<G, Memory<<G as Game>::Move, W>>;

/// What a position is worth, by what is remembered and what has to be searched; the memory is the fuller for it.
pub fn search<G: Game, W: Bounded<G>, E: Evaluation<G, W>, T: Watch<G, W>, O: Ordering<G>>(
    position: &G,
    memories: &Memories<G, W>,
    ordering: O,
    terms: Terms<'_, E, T>,
) -> Result<Answer<W>, GaveUp> {
    let plies = terms.budget.plies;
    let mut search = Search { walk: Walk::new(terms), memories, ordering };
    let worth = search.worth(position, None, plies, (W::LEAST, W::GREATEST))?;
    Ok(search.walk.answer(worth))
}

/// The most moves that are put in order; a vaster choice is made one by one.
const MAX_ORDERED: usize = 1_000;

/// A search that goes on: the memory and the ordering learn from one position to the next.
pub(super) struct Search<'a, G: Game, W, E, T, O> {
    pub(super) walk: Walk<'a, E, T>,
    pub(super) memories: &'a Memories<G, W>,
    pub(super) ordering: O,
}

impl<G: Game, W: Bounded<G>, E: Evaluation<G, W>, T: Watch<G, W>, O: Ordering<G>> Search<'_, G, W, E, T, O> {
    /// What `position` is worth to the side that is to move there, as far as the window asks.
    pub(super) fn worth(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        plies: u32,
        window: (W, W),
    ) -> Result<W, GaveUp> {
        let before = self.walk.enter(position, by, Some(window))?;
        if let Some(worth) = self.walk.bottom(position, plies) {
            self.walk.leave(position, worth, before);
            return Ok(worth);
        }
        let memory = self.memories.get(position);
        if let Some(worth) = self.recall(memory, plies, window) {
            self.walk.leave(position, worth, before);
            return Ok(worth);
        }
        let nodes = self.walk.nodes();
        let first = memory.and_then(|memory| memory.best);
        let (worth, best) = self.best_child(position, first, plies - 1, window)?;
        let reach = if self.walk.leave(position, worth, before) { Reach::Plies(plies) } else { Reach::End };
        let memory = Memory { reach, bound: Bound::shown(worth, window), best };
        self.memories.put(position.clone(), memory, self.walk.nodes() - nodes);
        Ok(worth)
    }

    /// The worth of a position from what is remembered of it, if that reaches deep enough and answers the window.
    fn recall(&mut self, memory: Option<Memory<G::Move, W>>, plies: u32, window: (W, W)) -> Option<W> {
        let memory = memory.filter(|memory| memory.reach >= Reach::Plies(plies))?;
        let worth = memory.bound.answer(window)?;
        if memory.reach != Reach::End {
            self.walk.recall_estimate();
        }
        self.walk.see::<G, W>(Event::Known);
        Some(worth)
    }

    /// The worth of the best child, and the move that leads to it.
    fn best_child(
        &mut self,
        position: &G,
        first: Option<G::Move>,
        plies: u32,
        (mut alpha, beta): (W, W),
    ) -> Result<(W, Option<G::Move>), GaveUp> {
        let mut best: Option<(W, G::Move)> = None;
        let mut left = position.move_count();
        for mv in self.ordered(position, first).into_iter().chain(position.moves().skip(MAX_ORDERED)) {
            // `moves` yields legal moves only, so nothing is left out.
            let Ok(child) = position.play(mv) else { continue };
            left -= 1;
            let window = (beta.for_replier(), alpha.for_replier());
            let worth = self.worth(&child, Some(mv), plies, window)?.for_mover();
            if best.is_none_or(|(best, _)| worth > best) {
                best = Some((worth, mv));
            }
            if worth > alpha {
                alpha = worth;
                self.walk.see(Event::Better { mv, worth });
            }
            if alpha >= beta {
                self.ordering.has_cut(mv, plies);
                if left > 0 {
                    self.walk.see::<G, W>(Event::Cut { left });
                }
                break;
            }
        }
        Ok(best.map_or((W::EVEN, None), |(worth, mv)| (worth, Some(mv))))
    }

    /// The moves in the order in which they are tried: what is remembered as the best comes first.
    fn ordered(&self, position: &G, first: Option<G::Move>) -> Vec<G::Move> {
        let mut moves: Vec<G::Move> = position.moves().take(MAX_ORDERED).collect();
        self.ordering.arrange(position, &mut moves);
        if let Some(at) = moves.iter().position(|&mv| Some(mv) == first) {
            moves[..=at].rotate_right(1);
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::for_each_reachable;
    use crate::search::budget::Budget;
    use crate::search::ordering::{AsListed, History};
    use crate::search::toy::{LARGE, Maze, Opinion, nim, samples, textbook};
    use crate::search::{Points, Score, Stop, Value, Verdict, alpha_beta, evaluation, minimax};

    fn terms(plies: u32, stop: &Stop) -> Terms<'_, Opinion, ()> {
        Terms { budget: Budget { nodes: u64::MAX, plies }, evaluation: Opinion, stop, watch: () }
    }

    /// Holds it to plain minimax in every position that can be reached, with a memory that it keeps from one to the
    /// next and that is too small for them all.
    fn agrees<G: Game, W: Bounded<G>>(root: &G, slots: usize)
    where
        Opinion: Evaluation<G, W>,
    {
        let (stop, memories) = (Stop::new(), Transpositions::new(slots));
        let mut history = History::default();
        for_each_reachable(root, 10_000, |position| {
            let plain: Answer<W> = minimax::search(position, terms(500, &stop)).unwrap();
            let mut search =
                Search { walk: Walk::new(terms(500, &stop)), memories: &memories, ordering: history.clone() };
            let worth = search.worth(position, None, 500, (W::LEAST, W::GREATEST)).unwrap();
            history = search.ordering;
            assert_eq!(worth, plain.worth, "{position:?}");
        });
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_mazes() {
        for maze in (0..200).map(Maze::new) {
            for slots in [2, 8, 1_000] {
                agrees::<_, Verdict>(&maze, slots);
                agrees::<_, Score>(&maze, slots);
            }
        }
    }

    #[test]
    fn it_agrees_with_plain_minimax_in_nim() {
        for text in ["java-tech:12", "zero-sum:12", "one-two-ten", "nim:2-3-2", "nim:3-3:misere", "nim:6"] {
            agrees::<_, Verdict>(&nim(text), 16);
            agrees::<_, Score>(&nim(text), 16);
        }
    }

    #[test]
    fn it_agrees_with_plain_minimax_wherever_a_large_game_may_lead() {
        let stop = Stop::new();
        for text in LARGE {
            // One memory for all of a game's positions.
            let memories = Transpositions::new(200);
            for (position, value) in samples(&nim(text)) {
                let found: Answer<Score> =
                    search(&position, &memories, History::default(), terms(100, &stop)).unwrap();
                assert_eq!(found.worth.decided().unwrap_or(Value::Draw), value, "{position:?}");
            }
        }
    }

    #[test]
    fn with_a_horizon_it_estimates_as_plain_minimax_does_where_a_position_has_one_depth() {
        let stop = Stop::new();
        for maze in (0..300).map(Maze::new) {
            for plies in 0..7 {
                let plain: Answer<Score> = minimax::search(&maze, terms(plies, &stop)).unwrap();
                let found: Answer<Score> =
                    search(&maze, &Transpositions::new(64), AsListed, terms(plies, &stop)).unwrap();
                assert_eq!(found.worth, plain.worth, "{maze:?} {plies}");
                assert!(found.exact || !plain.exact);
            }
        }
    }

    #[test]
    fn a_deeper_horizon_never_takes_a_shallow_memory_for_an_answer() {
        let stop = Stop::new();
        for maze in (0..300).map(Maze::new) {
            let memories = Transpositions::new(64);
            for plies in 0..7 {
                let plain: Answer<Score> = minimax::search(&maze, terms(plies, &stop)).unwrap();
                let found: Answer<Score> =
                    search(&maze, &memories, History::default(), terms(plies, &stop)).unwrap();
                assert_eq!(found.worth, plain.worth, "{maze:?} {plies}");
            }
        }
    }

    #[test]
    fn it_enters_fewer_positions_than_without_a_memory() {
        let stop = Stop::new();
        let root = nim("java-tech:21");
        let forgetful: Answer<Verdict> = alpha_beta::search(&root, terms(500, &stop)).unwrap();
        let found: Answer<Verdict> =
            search(&root, &Transpositions::new(100), AsListed, terms(500, &stop)).unwrap();
        assert_eq!(found.worth, forgetful.worth);
        assert!(found.nodes * 50 < forgetful.nodes, "{} of {}", found.nodes, forgetful.nodes);
    }

    #[test]
    fn in_a_tree_nothing_comes_up_twice_and_a_memory_is_no_help() {
        let stop = Stop::new();
        let plain = Terms { budget: Budget::UNBOUNDED, evaluation: evaluation::Even, stop: &stop, watch: () };
        let without: Answer<Points> = alpha_beta::search(&textbook(), plain.clone()).unwrap();
        assert_eq!(search(&textbook(), &Transpositions::new(100), AsListed, plain).unwrap(), without);
    }

    #[test]
    fn it_stops_when_told() {
        let stop = Stop::new();
        stop.raise();
        let found: Result<Answer<Score>, _> =
            search(&nim("nim:9-9-9"), &Transpositions::new(100), AsListed, terms(500, &stop));
        assert_eq!(found, Err(GaveUp::Stopped));
    }
}
