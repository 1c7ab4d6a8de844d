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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::toy::nim;

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
    fn it_stops_when_told() {
        let stop = Stop::new();
        stop.clone().raise();
        assert_eq!(minimax(&nim("nim:20-20-20"), &stop), None);
    }
}
