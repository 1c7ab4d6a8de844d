//! What a position is worth to the side that is to move, when both sides play perfectly. It does not know how
//! that is found out.

use std::cmp::Ordering;
use std::ops::Not;

use crate::game::{Outcome, Side};

/// How a game comes out for one side; a greater verdict is better for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It loses.
    Loss,
    /// Neither side wins.
    Draw,
    /// It wins.
    Win,
}

impl Not for Verdict {
    type Output = Self;

    /// The same for the other side.
    fn not(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// How a game comes out for the side to move, and how soon: in plies, single moves of either side.
///
/// A greater value is better: quick wins over slow ones, those over draws, those over slow losses, those over
/// quick ones. A draw has no length: nobody is in a hurry to reach it or to put it off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins after this many plies at the latest.
    Win(u32),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses, and can put it off for this many plies.
    Loss(u32),
}

impl Value {
    /// The value of a finished game for `side`.
    pub fn of(outcome: Outcome, side: Side) -> Self {
        match outcome.winner() {
            None => Self::Draw,
            Some(winner) if winner == side => Self::Win(0),
            Some(_) => Self::Loss(0),
        }
    }

    /// What a move to a position of this value is worth to the side that makes the move.
    #[must_use]
    pub fn for_mover(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// How the game comes out, without the length.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Win(_) => Verdict::Win,
            Self::Draw => Verdict::Draw,
            Self::Loss(_) => Verdict::Loss,
        }
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Win(mine), Self::Win(theirs)) => theirs.cmp(mine),
            (Self::Loss(mine), Self::Loss(theirs)) => mine.cmp(theirs),
            _ => self.verdict().cmp(&other.verdict()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_wins_are_best_and_quick_losses_worst() {
        let ladder =
            [Value::Win(1), Value::Win(3), Value::Draw, Value::Loss(4), Value::Loss(2), Value::Loss(0)];
        assert!(ladder.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn what_is_good_for_one_side_is_bad_for_the_other_one_ply_earlier() {
        assert_eq!(Value::Loss(0).for_mover(), Value::Win(1));
        assert_eq!(Value::Win(3).for_mover(), Value::Loss(4));
        assert_eq!(Value::Draw.for_mover(), Value::Draw);
    }

    #[test]
    fn a_finished_game_is_worth_what_it_came_out_as() {
        let won = Outcome::Win(Side::First);
        assert_eq!(Value::of(won, Side::First), Value::Win(0));
        assert_eq!(Value::of(won, Side::Second), Value::Loss(0));
        assert_eq!(Value::of(Outcome::Draw, Side::Second), Value::Draw);
    }
}
