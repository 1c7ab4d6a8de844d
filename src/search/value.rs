//! What is known of a position: its value when both sides play perfectly, and its best moves. How that is
//! found is not known here.

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

/// How a game comes out for the side to move, and how soon, in plies (single moves of either side).
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

    /// The value of a move to a position of this value, for the side that makes the move.
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

/// What is certain of one position, for the side that is to move there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Known {
    /// How it comes out, and how soon.
    Value(Value),
    /// How it comes out.
    Verdict(Verdict),
}

impl Known {
    /// How it comes out.
    pub fn verdict(self) -> Verdict {
        match self {
            Self::Value(value) => value.verdict(),
            Self::Verdict(verdict) => verdict,
        }
    }

    /// The plies to the end, if they are known and a side wins.
    pub fn plies(self) -> Option<u32> {
        match self {
            Self::Value(Value::Win(plies) | Value::Loss(plies)) => Some(plies),
            _ => None,
        }
    }

    /// A key by which values are compared: the result first, then quick wins and slow losses. An unknown
    /// length comes before all others.
    pub fn rank(self) -> (Verdict, Option<Value>) {
        match self {
            Self::Value(value) => (value.verdict(), Some(value)),
            Self::Verdict(verdict) => (verdict, None),
        }
    }

    /// Whether a side wins, but the length is not known.
    pub fn is_open_ended(self) -> bool {
        self.plies().is_none() && self.verdict() != Verdict::Draw
    }

    /// The same for a move to such a position, for the side that makes the move.
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
    /// Why they are the best.
    pub grounds: Grounds,
}

impl<M> Best<M> {
    /// The same moves as moves of another type.
    pub fn map<N>(self, f: impl FnMut(M) -> N) -> Best<N> {
        Best { moves: self.moves.into_iter().map(f).collect(), grounds: self.grounds }
    }
}

/// What is known of the best moves, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    /// Everything that matters was searched to the end of the game.
    Searched {
        /// The value of the position for the side to move.
        value: Value,
        /// What distinguishes these moves from the others.
        merit: Merit,
    },
    /// The result is proved, by a closed form or a search, but not the length of the game.
    Proved(Verdict),
    /// Nothing better was found, but the game goes on beyond what was searched.
    Estimated,
}

impl Grounds {
    /// What is certain for the side to move.
    pub fn known(self) -> Option<Known> {
        match self {
            Self::Searched { value, .. } => Some(Known::Value(value)),
            Self::Proved(verdict) => Some(Known::Verdict(verdict)),
            Self::Estimated => None,
        }
    }

    /// The result for the side to move, if it is known.
    pub fn verdict(self) -> Option<Verdict> {
        self.known().map(Known::verdict)
    }
}

/// What distinguishes the best moves from all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Merit {
    /// No other move wins as soon, or holds out as long.
    Length,
    /// They draw, and all others lose.
    Result,
    /// Others have the same value, but leave the opponent more replies that win, or fewer that lose.
    Replies,
    /// Nothing: every legal move is as good.
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
