//! Finds an order in which the stones of a position can have been dropped; it knows no notation.
//!
//! A board does not know how it came about, but its text is a game that leads to it. Going forward from the
//! empty board, how many stones are in each column says everything about the way so far. So a search
//! that never enters the same such state twice visits at most 7^7 of them, and in practice some hundred.

use std::collections::HashSet;

use super::board::Board;
use super::{Column, ConnectFour};
use crate::game::{Game, Side};

/// The columns of a game that leads to `position` from the empty board.
///
/// Every position that was made by playing has such a game, so it is always found.
pub(super) fn of(position: &ConnectFour) -> Vec<Column> {
    let mut way = Way::to(position);
    way.walk(ConnectFour::default());
    way.columns
}

struct Way {
    goal: Board,
    first: u64,
    columns: Vec<Column>,
    /// The states that were entered, each known by its landing cells.
    entered: HashSet<u64>,
}

impl Way {
    fn to(position: &ConnectFour) -> Self {
        let goal = position.board();
        let first = if position.turn() == Side::First { goal.mover() } else { goal.other() };
        Self { goal, first, columns: Vec::new(), entered: HashSet::new() }
    }

    /// Whether the goal can be reached from here; then `columns` holds the way.
    fn walk(&mut self, from: ConnectFour) -> bool {
        if from.board() == self.goal {
            return true;
        }
        if !self.entered.insert(from.board().landings()) {
            return false;
        }
        from.moves().any(|mv| self.step(&from, mv))
    }

    fn step(&mut self, from: &ConnectFour, mv: Column) -> bool {
        let cell = from.board().landing(mv.0);
        let mine = if from.turn() == Side::First { self.first } else { self.goal.taken() & !self.first };
        let Some(next) = (cell & mine != 0).then(|| from.play(mv).ok()).flatten() else {
            return false;
        };
        self.columns.push(mv);
        let arrived = self.walk(next);
        if !arrived {
            self.columns.pop();
        }
        arrived
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn every_position_that_was_played_has_an_order_that_leads_to_it() {
        let mut chance = Rng::with_seed(4);
        for _ in 0..200 {
            let (mut position, stones) = (ConnectFour::default(), chance.u32(..30));
            for _ in 0..stones {
                let moves: Vec<Column> = position.moves().collect();
                let Some(mv) = chance.choice(moves) else { break };
                position = position.play(mv).unwrap();
            }
            let again =
                of(&position).into_iter().try_fold(ConnectFour::default(), |board, mv| board.play(mv));
            assert_eq!(again.unwrap().board(), position.board());
        }
    }
}
