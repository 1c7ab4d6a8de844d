//! Which moves to prefer once the game is solved: the order that the players of this house expect of a
//! perfect opponent. It does not know how the values were found.
//!
//! A won position: the quickest win. A drawn one: where the opponent has the most replies that lose. A lost
//! one: where the game lasts longest; among those, where the opponent has the fewest replies that win, and so is
//! least likely to find one by luck.

use super::memo::Table;
use super::{Best, Grounds, Merit, Verdict, children};
use crate::game::Game;

/// The best moves by a table that holds every position reachable from `position`; `None` if the game is over.
pub fn best<G: Game>(position: &G, table: &Table<G>) -> Option<Best<G::Move>> {
    let mut candidates: Vec<_> = children(position)
        .filter_map(|(mv, child)| Some((table.value(&child)?.for_mover(), mv, child)))
        .collect();
    let &(value, ..) = candidates.iter().max_by_key(|(value, ..)| *value)?;
    let by_value = keep_greatest(&mut candidates, |(value, ..)| *value);
    let by_replies = keep_greatest(&mut candidates, |(_, _, child)| hope(value.verdict(), child, table));
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

/// How likely the opponent is to go wrong after a move that is worth `verdict`: greater is likelier.
fn hope<G: Game>(verdict: Verdict, child: &G, table: &Table<G>) -> i64 {
    match verdict {
        Verdict::Win => 0,
        Verdict::Draw => replies(child, Verdict::Loss, table),
        Verdict::Loss => -replies(child, Verdict::Win, table),
    }
}

/// How many replies come out as `verdict` for the side that makes them.
fn replies<G: Game>(position: &G, verdict: Verdict, table: &Table<G>) -> i64 {
    let worth = |child: &G| table.value(child).map(|value| value.for_mover().verdict());
    // There are fewer of them than a solved table has room for.
    children(position).map(|(_, child)| i64::from(worth(&child) == Some(verdict))).sum()
}

/// Keeps the items with the greatest key, and says whether that dropped any.
fn keep_greatest<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) -> bool {
    let all = items.len();
    let greatest = items.iter().map(&key).max();
    items.retain(|item| Some(key(item)) == greatest);
    items.len() < all
}
