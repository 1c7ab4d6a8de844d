//! The bounds of a score, the value that a score stands for, and the target of the next null-window search.

use crate::search::{Known, Value, Verdict};

/// The bounds of a score: it is at least `low` and at most `high`.
///
/// A draw scores 0. A win scores 22 minus the number of the winner's stones at the end: 18 for a win with
/// the fourth stone, 1 for a win with the last one. A loss scores the negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreBounds {
    /// The least possible score.
    pub low: i32,
    /// The greatest possible score.
    pub high: i32,
}

impl ScoreBounds {
    /// No bounds.
    pub(super) const ANY: Self = Self { low: -i32::MAX, high: i32::MAX };

    /// The bounds of a score that is known.
    pub const fn exactly(score: i32) -> Self {
        Self { low: score, high: score }
    }

    /// The score, if it is known.
    pub fn score(self) -> Option<i32> {
        (self.low == self.high).then_some(self.low)
    }

    /// The bounds for the other side.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }

    /// The result, if it is known.
    pub fn verdict(self) -> Option<Verdict> {
        match (self.low, self.high) {
            (1.., _) => Some(Verdict::Win),
            (_, ..=-1) => Some(Verdict::Loss),
            (0, 0) => Some(Verdict::Draw),
            _ => None,
        }
    }

    /// The proved value of a position with this number of stones.
    pub fn known(self, stones: u32) -> Option<Known> {
        match self.score() {
            Some(score) => Some(Known::Value(value(score, stones))),
            None => self.verdict().map(Known::Verdict),
        }
    }

    /// The intersection.
    #[must_use]
    pub(super) fn intersection(self, other: Self) -> Self {
        Self { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    /// The bound that decides whether the score is at least `target`, if one does.
    pub(super) fn answer(self, target: i32) -> Option<i32> {
        if self.low >= target { Some(self.low) } else { (self.high < target).then_some(self.high) }
    }

    /// These bounds, narrowed by the result of a null-window search for `target`.
    #[must_use]
    pub(super) fn narrowed(self, answer: i32, target: i32) -> Self {
        if answer >= target {
            Self { low: self.low.max(answer), ..self }
        } else {
            Self { high: self.high.min(answer), ..self }
        }
    }
}

/// One more than the stones of a side. A score is this minus the winner's stones.
const MOST: i32 = 22;

/// The value of a position with this score and number of stones.
pub(super) fn value(score: i32, stones: u32) -> Value {
    let winners = (MOST - score.abs()).unsigned_abs();
    match score {
        1.. => Value::Win((2 * winners.saturating_sub(stones / 2)).saturating_sub(1)),
        0 => Value::Draw,
        _ => Value::Loss(2 * winners.saturating_sub(stones.div_ceil(2))),
    }
}

/// The score of a position with this value and number of stones.
pub(super) fn score(value: Value, stones: u32) -> i32 {
    match value {
        Value::Win(plies) => MOST - (stones / 2 + plies.div_ceil(2)).cast_signed(),
        Value::Draw => 0,
        Value::Loss(plies) => (stones.div_ceil(2) + plies / 2).cast_signed() - MOST,
    }
}

/// The target of the next null-window search: is the score at least this? `widest` are the bounds before
/// the first search, `now` the present ones, which still differ.
///
/// A win within few moves is found or excluded in few nodes, and its search fills the table for the others.
/// So the first targets are at two thirds and at half of the widest bounds. The next one decides who wins,
/// and the last ones go outwards one by one.
pub(super) fn next_target(widest: ScoreBounds, now: ScoreBounds) -> i32 {
    let most = widest.high;
    let [far, half] = [most * 2 / 3, most / 2];
    let below = if now.high > far {
        far
    } else if now.low < -far {
        -far
    } else if now.high > half {
        half
    } else if now.low < -half {
        -half
    } else if now.low < 0 && now.high > 0 {
        0
    } else if now.low >= 0 {
        now.low
    } else {
        now.high - 1
    };
    below.clamp(now.low, now.high - 1) + 1
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
    fn a_score_and_its_value_can_be_converted_into_each_other() {
        for stones in 0..=41_u32 {
            let most = MOST - 1 - (stones / 2).cast_signed();
            for exact in -most..=most {
                assert_eq!(score(value(exact, stones), stones), exact, "{stones} stones");
            }
        }
    }

    #[test]
    fn bounds_say_who_wins_as_soon_as_they_can() {
        let bounds = |low, high| ScoreBounds { low, high };
        assert_eq!(bounds(1, 5).known(10), Some(Known::Verdict(Verdict::Win)));
        assert_eq!(bounds(-9, -1).known(10), Some(Known::Verdict(Verdict::Loss)));
        assert_eq!(bounds(0, 0).known(10), Some(Known::Value(Value::Draw)));
        assert_eq!(bounds(0, 1).known(10), None);
        assert_eq!(bounds(-1, 0).known(10), None);
    }

    #[test]
    fn every_target_narrows_the_bounds_until_the_score_is_known() {
        for most in 0..=20 {
            let widest = ScoreBounds { low: -most, high: most };
            for score in -most..=most {
                let mut now = widest;
                for _ in 0..2 * most {
                    if now.low < now.high {
                        let target = next_target(widest, now);
                        assert!(now.low < target && target <= now.high);
                        // The weakest possible answer.
                        now = now.narrowed(if score >= target { target } else { target - 1 }, target);
                    }
                }
                assert_eq!(now, ScoreBounds::exactly(score));
            }
        }
    }
}
