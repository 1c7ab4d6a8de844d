//! The value of a position with perfect play, and its best moves. The searches that find them are in other
//! files.

use std::cmp::Ordering;
use std::ops::Not;

use crate::game::{Outcome, Side};

/// The result of a game for one side, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The side loses.
    Loss,
    /// Neither side wins.
    Draw,
    /// The side wins.
    Win,
}

impl Not for Verdict {
    type Output = Self;

    /// The result for the other side.
    fn not(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// The result of a game for the side to move, and its length in plies (single moves of either side).
///
/// Greater is better: a quick win, a slow win, a draw, a slow loss, a quick loss. A draw has no length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Value {
    /// The side to move wins within this many plies.
    Win(u32),
    /// Neither side can force a win.
    Draw,
    /// The side to move loses, but not before this many plies.
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

    /// Converts the value of a position into the value of the move that leads there, for the side that
    /// makes it.
    #[must_use]
    pub fn for_mover(self) -> Self {
        match self {
            Self::Win(plies) => Self::Loss(plies + 1),
            Self::Draw => Self::Draw,
            Self::Loss(plies) => Self::Win(plies + 1),
        }
    }

    /// The result without the length.
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

/// The proved value of a position for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// The result and the length.
    Value(Value),
    /// The result alone.
    Verdict(Verdict),
}

impl Known {
    /// The result.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Value(value) => value.verdict(),
            Self::Verdict(verdict) => verdict,
        }
    }

    /// The plies to the end; `None` for a draw or an unknown length.
    pub fn plies(self) -> Option<u32> {
        match self {
            Self::Value(Value::Win(plies) | Value::Loss(plies)) => Some(plies),
            _ => None,
        }
    }

    /// A sort key: the result first, then quick wins and slow losses. An unknown length is less than every
    /// known one.
    pub fn rank(self) -> (Verdict, Option<Value>) {
        match self {
            Self::Value(value) => (value.verdict(), Some(value)),
            Self::Verdict(verdict) => (verdict, None),
        }
    }

    /// Whether a side wins in an unknown number of plies.
    pub fn is_open_ended(self) -> bool {
        self.plies().is_none() && self.verdict() != Verdict::Draw
    }

    /// Converts the proved value of a position into that of the move that leads there.
    #[must_use]
    pub fn for_mover(self) -> Self {
        match self {
            Self::Value(value) => Self::Value(value.for_mover()),
            Self::Verdict(verdict) => Self::Verdict(!verdict),
        }
    }
}

/// The best moves of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Best<M> {
    /// All equally good moves, in the order of [`crate::game::Game::moves`]; at least one.
    pub moves: Vec<M>,
    /// What is known of them, and how.
    pub grounds: Grounds,
}

impl<M> Best<M> {
    /// Converts each move with `f`.
    pub fn map<N>(self, f: impl FnMut(M) -> N) -> Best<N> {
        Best { moves: self.moves.into_iter().map(f).collect(), grounds: self.grounds }
    }
}

/// What is known of the best moves, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    /// The search reached the end of the game in every line that matters.
    Searched {
        /// The value of the position for the side to move.
        value: Value,
        /// What distinguishes these moves from the others.
        merit: Merit,
    },
    /// A closed form or a search proves the result, but not the length.
    Proved(Verdict),
    /// The search found nothing better before it reached its horizon.
    Estimated,
}

impl Grounds {
    /// The proved value for the side to move.
    pub fn known(self) -> Option<Known> {
        match self {
            Self::Searched { value, .. } => Some(Known::Value(value)),
            Self::Proved(verdict) => Some(Known::Verdict(verdict)),
            Self::Estimated => None,
        }
    }

    /// The proved result for the side to move.
    pub fn verdict(self) -> Option<Verdict> {
        self.known().map(Known::verdict)
    }
}

/// What distinguishes the best moves from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Merit {
    /// They win soonest, or lose latest.
    Length,
    /// They draw, and all other moves lose.
    Result,
    /// Other moves have the same value, but leave the opponent more replies that win, or fewer that lose.
    Replies,
    /// Every legal move is equally good.
    Nothing,
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
    fn a_move_to_a_lost_position_wins_one_ply_later() {
        assert_eq!(Value::Loss(0).for_mover(), Value::Win(1));
        assert_eq!(Value::Win(3).for_mover(), Value::Loss(4));
        assert_eq!(Value::Draw.for_mover(), Value::Draw);
    }

    #[test]
    fn the_value_of_a_finished_game_is_its_outcome() {
        let won = Outcome::Win(Side::First);
        assert_eq!(Value::of(won, Side::First), Value::Win(0));
        assert_eq!(Value::of(won, Side::Second), Value::Loss(0));
        assert_eq!(Value::of(Outcome::Draw, Side::Second), Value::Draw);
    }

    #[test]
    fn what_is_known_of_a_position_gives_the_value_of_a_move_to_it() {
        let lost = Known::Value(Value::Loss(4));
        assert_eq!(lost.for_mover(), Known::Value(Value::Win(5)));
        assert_eq!((lost.plies(), lost.for_mover().plies()), (Some(4), Some(5)));
        assert_eq!(Known::Verdict(Verdict::Win).for_mover(), Known::Verdict(Verdict::Loss));
        assert_eq!((Known::Verdict(Verdict::Win).plies(), Known::Value(Value::Draw).plies()), (None, None));
    }
}
