//! A tablebase: the value of every position of a solved game. It ranks the moves of each position.
//!
//! In a won position, the quickest win is best. In a drawn one, it is the drawing move after which the most
//! replies lose. In a lost one, it is the longest defence; among equally long ones, that after which the
//! fewest replies win, because these are hard to find by luck.

use rustc_hash::FxHashMap;

use super::{Best, Grounds, Merit, Value, Verdict, children};
use crate::game::Game;

/// The values of the solved position and of all positions that can follow it. Only one of several
/// [equivalent positions](Game::canonical) is stored.
#[derive(Debug)]
pub struct Tablebase<G>(pub(super) FxHashMap<G, Value>);

impl<G: Game> Tablebase<G> {
    /// The value of `position`; `None` if it cannot follow the solved one.
    pub fn value(&self, position: &G) -> Option<Value> {
        self.0.get(&position.canonical()).copied()
    }
}

/// The best moves by a tablebase that holds every position reachable from `position`; `None` if the game is
/// over.
pub fn best<G: Game>(position: &G, table: &Tablebase<G>) -> Option<Best<G::Move>> {
    let mut candidates: Vec<_> = children(position)
        .filter_map(|(mv, child)| Some((table.value(&child)?.for_mover(), mv, child)))
        .collect();
    let &(value, ..) = candidates.iter().max_by_key(|(value, ..)| *value)?;
    let by_value = keep_greatest(&mut candidates, |(value, ..)| *value);
    let by_replies =
        keep_greatest(&mut candidates, |(_, _, child)| difficulty(value.verdict(), child, table));
    let merit = match value.verdict() {
        Verdict::Draw if by_replies => Merit::Replies,
        Verdict::Draw if by_value => Merit::Result,
        _ if by_value => Merit::Length,
        _ if by_replies => Merit::Replies,
        _ => Merit::Nothing,
    };
    let moves = candidates.into_iter().map(|(_, mv, _)| mv).collect();
    Some(Best { moves, grounds: Grounds::Searched { value, merit } })
}

/// How difficult a position is for the opponent, after a move with this result: greater is more difficult.
fn difficulty<G: Game>(verdict: Verdict, child: &G, table: &Tablebase<G>) -> i64 {
    match verdict {
        Verdict::Win => 0,
        Verdict::Draw => replies(child, Verdict::Loss, table),
        Verdict::Loss => -replies(child, Verdict::Win, table),
    }
}

/// The number of replies with this result for the side that makes them.
fn replies<G: Game>(position: &G, verdict: Verdict, table: &Tablebase<G>) -> i64 {
    let verdict_of = |child: &G| table.value(child).map(|value| value.for_mover().verdict());
    children(position).map(|(_, child)| i64::from(verdict_of(&child) == Some(verdict))).sum()
}

/// Keeps the items with the greatest key. Returns whether it dropped any.
fn keep_greatest<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) -> bool {
    let all = items.len();
    let greatest = items.iter().map(&key).max();
    items.retain(|item| Some(key(item)) == greatest);
    items.len() < all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::test_games::nim;
    use crate::search::{Stop, WHOLE_GAME, memo};

    fn moves_and_merit(text: &str) -> (Vec<u64>, Merit) {
        let root = nim(text);
        let best = best(&root, &memo::solve(&root, WHOLE_GAME, &Stop::new()).unwrap()).unwrap();
        let Grounds::Searched { merit, .. } = best.grounds else { panic!("{text} was searched") };
        (best.moves.iter().map(|take| take.count).collect(), merit)
    }

    #[test]
    fn a_win_is_as_quick_and_a_loss_as_slow_as_possible() {
        assert_eq!(moves_and_merit("nim:4"), (vec![4], Merit::Length));
        assert_eq!(moves_and_merit("nim:3-3"), (vec![1, 1], Merit::Length));
        // The textbook's position of 5, in which all moves are equally good.
        assert_eq!(moves_and_merit("java-tech:5"), (vec![1, 2, 3], Merit::Nothing));
    }
}
