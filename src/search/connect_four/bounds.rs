//! What is known of a score, and what a score says of the end of the game. It knows no search.

use crate::search::{Known, Value, Verdict};

/// What is known of a score: it is at least `low` and at most `high`.
///
/// 0 is a draw. A side that can win has 22 minus the number of its own stones on the board when it makes its
/// four: 18 for a win with its fourth stone, 1 for one with its last. The other side has minus that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The score is not less.
    pub low: i32,
    /// The score is not more.
    pub high: i32,
}

impl Bounds {
    /// Nothing is known.
    pub(super) const ANY: Self = Self { low: -i32::MAX, high: i32::MAX };

    /// The bounds of a score that is known.
    pub const fn exactly(score: i32) -> Self {
        Self { low: score, high: score }
    }

    /// The score, if it is known.
    pub fn score(self) -> Option<i32> {
        (self.low == self.high).then_some(self.low)
    }

    /// The same, seen from the other side.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }

    /// Who wins, if that is known.
    pub fn verdict(self) -> Option<Verdict> {
        match (self.low, self.high) {
            (1.., _) => Some(Verdict::Win),
            (_, ..=-1) => Some(Verdict::Loss),
            (0, 0) => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// What is certain of a position with so many stones, if anything is.
    pub fn known(self, stones: u32) -> Option<Known> {
        match self.score() {
            Some(score) => Some(Known::Value(value(score, stones))),
            None => self.verdict().map(Known::Verdict),
        }
    }

    /// What both say together.
    #[must_use]
    pub(super) fn both(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The bound that says whether the score is at least `target`, if one does.
    pub(super) fn answer(self, target: i32) -> Option<i32> {
        if self.low >= target { Some(self.low) } else { (self.high < target).then_some(self.high) }
    }

    /// These bounds after an answer to whether the score is at least `target`.
    #[must_use]
    pub(super) fn narrowed(self, answer: i32, target: i32) -> Self {
        if answer >= target {
            Self { low: self.low.max(answer), ..self }
        } else {
            Self { high: self.high.min(answer), ..self }
        }
    }
}

/// One more than the stones that a side has: from this down a score counts the winner's stones.
const MOST: i32 = 22;

/// What a score says of a position with so many stones: the winner still has to drop so many of its own.
pub(super) fn value(score: i32, stones: u32) -> Value {
    let winners = (MOST - score.abs()).unsigned_abs();
    match score {
        1.. => Value::Win((2 * winners.saturating_sub(stones / 2)).saturating_sub(1)),
        0 => Value::Draw,
        _ => Value::Loss(2 * winners.saturating_sub(stones.div_ceil(2))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_says_how_many_moves_are_left() {
        // The first side wins the empty board with its 21st stone, which is the 41st of all.
        assert_eq!(value(1, 0), Value::Win(41));
        // Six stones, and the fourth of the first side ends the game.
        assert_eq!(value(18, 6), Value::Win(1));
        assert_eq!(value(-18, 5), Value::Loss(2));
        assert_eq!(value(-18, 7), Value::Loss(0));
        assert_eq!(value(0, 42), Value::Draw);
    }

    #[test]
    fn bounds_say_who_wins_as_soon_as_they_can() {
        let bounds = |low, high| Bounds { low, high };
        assert_eq!(bounds(1, 5).known(10), Some(Known::Verdict(Verdict::Win)));
        assert_eq!(bounds(-9, -1).known(10), Some(Known::Verdict(Verdict::Loss)));
        assert_eq!(bounds(0, 0).known(10), Some(Known::Value(Value::Draw)));
        assert_eq!(bounds(0, 1).known(10), None);
        assert_eq!(bounds(-1, 0).known(10), None);
    }
}
