//! Minimax as it stands in the textbook: every line of play to its end. It forgets what it has seen, prunes nothing,
//! and is kept as the oracle that every faster search is tested against.

use super::{Stop, Value, children};
use crate::game::Game;

/// The value of a position, by playing out every game that can follow it; `None` if it was stopped.
///
/// The time is that of the whole tree, and the recursion is as deep as the longest game: for small
/// positions of games that end. Anything else belongs to [`super::memo`], which has a budget.
///
/// Source: the minimax rule of von Neumann (1928), with lengths so that it prefers quick wins and slow losses.
pub fn minimax<G: Game>(position: &G, stop: &Stop) -> Option<Value> {
    if stop.is_raised() {
        return None;
    }
    if let Some(outcome) = position.outcome() {
        return Some(Value::of(outcome, position.turn()));
    }
    let mut best = None;
    for (_, child) in children(position) {
        best = best.max(Some(minimax(&child, stop)?.for_mover()));
    }
    // A game that goes on has a move; one that had none would be nobody's win.
    Some(best.unwrap_or(Value::Draw))
}
