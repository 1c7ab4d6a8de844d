//! What a search computes with: who wins, who wins how soon, an estimate, or a plain number. It does not know how
//! the worth of a position is found, only how that of an end is read off and passed up.

use std::fmt::Debug;

use super::{Value, Verdict};
use crate::game::abstract_tree::AbstractTree;
use crate::game::{Game, Outcome, Side};

/// What a position is worth to the side that is to move there; a greater worth is better for it.
pub trait Worth<G: Game>: Copy + Ord + Debug {
    /// Neither side is better off. It is what a position counts as of which nothing is known.
    const EVEN: Self;

    /// What a position in which the game is over is worth; `None` while it goes on.
    fn at_end(position: &G) -> Option<Self>;

    /// What a move to a position of this worth is worth to the side that makes the move.
    ///
    /// It turns the order round, for what is greater for one side is less for the other.
    #[must_use]
    fn for_mover(self) -> Self;
}

/// A worth with bounds, by which a search can leave out what cannot matter.
pub trait Bounded<G: Game>: Worth<G> {
    /// Nothing is worth less.
    const LEAST: Self;
    /// Nothing is worth more.
    const GREATEST: Self;

    /// A bound as it is passed down one move: what the position after the move may be worth at most, for the move to be
    /// worth at least this.
    ///
    /// `worth.for_mover() >= bound` exactly if `worth <= bound.for_replier()`; and of two bounds that differ the results
    /// differ too, so that an open window stays open all the way down.
    #[must_use]
    fn for_replier(self) -> Self;
}

/// Who wins, and nothing else.
impl<G: Game> Worth<G> for Verdict {
    const EVEN: Self = Self::Draw;

    fn at_end(position: &G) -> Option<Self> {
        Some(Value::of(position.outcome()?, position.turn()).verdict())
    }

    fn for_mover(self) -> Self {
        !self
    }
}

impl<G: Game> Bounded<G> for Verdict {
    const LEAST: Self = Self::Loss;
    const GREATEST: Self = Self::Win;

    fn for_replier(self) -> Self {
        !self
    }
}

/// Who wins, and how soon. It has no bounds: nothing could stand for "a ply sooner than at once". A [`Score`] says as
/// much and has.
impl<G: Game> Worth<G> for Value {
    const EVEN: Self = Self::Draw;

    fn at_end(position: &G) -> Option<Self> {
        Some(Self::of(position.outcome()?, position.turn()))
    }

    fn for_mover(self) -> Self {
        self.for_mover()
    }
}

/// A win or a loss that was seen, with its length, or else an estimate: better than any loss, worse than any win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

impl Score {
    /// What a win at this very position scores; a win in p plies scores p less, and a loss in p plies the negative.
    const CERTAIN: i32 = 1 << 30;
    /// The greatest estimate. A game of 2^29 plies would be mistaken for one.
    pub const MAX_ESTIMATE: i32 = 1 << 29;

    /// How much better off the side to move is thought to be, from [`Score::MAX_ESTIMATE`] down to its negative.
    pub fn estimate(points: i32) -> Self {
        Self(points.clamp(-Self::MAX_ESTIMATE, Self::MAX_ESTIMATE))
    }

    /// The win or loss that was seen; `None` for an estimate, and for a draw, which scores 0 as they do.
    pub fn decided(self) -> Option<Value> {
        let plies = self.0.abs().abs_diff(Self::CERTAIN);
        match self.0 {
            points if points > Self::MAX_ESTIMATE => Some(Value::Win(plies)),
            points if points < -Self::MAX_ESTIMATE => Some(Value::Loss(plies)),
            _ => None,
        }
    }

    /// What a move to a position of this score is worth to the side that makes the move.
    #[must_use]
    pub fn for_mover(self) -> Self {
        Self(self.longer_by_a_ply() - self.0)
    }

    /// The same for a bound, on the way down.
    pub(super) fn for_replier(self) -> Self {
        Self(-self.longer_by_a_ply() - self.0)
    }

    /// One point toward even for what is decided: a ply more makes a win less good, and a loss less bad.
    fn longer_by_a_ply(self) -> i32 {
        if self.decided().is_some() { self.0.signum() } else { 0 }
    }

    /// The greatest score that is less.
    #[must_use]
    pub(super) fn just_below(self) -> Self {
        Self(self.0 - 1)
    }

    fn of(outcome: Outcome, side: Side) -> Self {
        Self(match Value::of(outcome, side).verdict() {
            Verdict::Win => Self::CERTAIN,
            Verdict::Draw => 0,
            Verdict::Loss => -Self::CERTAIN,
        })
    }
}

impl<G: Game> Worth<G> for Score {
    const EVEN: Self = Self(0);

    fn at_end(position: &G) -> Option<Self> {
        Some(Self::of(position.outcome()?, position.turn()))
    }

    fn for_mover(self) -> Self {
        self.for_mover()
    }
}

impl<G: Game> Bounded<G> for Score {
    const LEAST: Self = Self(-Self::CERTAIN);
    const GREATEST: Self = Self(Self::CERTAIN);

    fn for_replier(self) -> Self {
        self.for_replier()
    }
}

/// The number at the end of an abstract tree, in which nobody wins or loses: one side wants it large, one small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(pub i64);

impl Points {
    /// A number that is written down for the first side, as it is worth to the side that is to move.
    pub fn of(number: i64, turn: Side) -> Self {
        Self(match turn {
            Side::First => number,
            Side::Second => -number,
        })
    }
}

impl Worth<AbstractTree> for Points {
    const EVEN: Self = Self(0);

    fn at_end(position: &AbstractTree) -> Option<Self> {
        position.outcome()?;
        position.number().map(|number| Self::of(number, position.turn()))
    }

    fn for_mover(self) -> Self {
        Self(-self.0)
    }
}

impl Bounded<AbstractTree> for Points {
    const LEAST: Self = Self(-i64::MAX);
    const GREATEST: Self = Self(i64::MAX);

    fn for_replier(self) -> Self {
        Self(-self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::toy::Pendulum;

    /// Holds the laws of the traits to every pair of these worths.
    fn keeps_the_laws<G: Game, W: Bounded<G>>(worths: &[W]) {
        for &worth in worths {
            for &bound in worths {
                assert_eq!(worth < bound, worth.for_replier() > bound.for_replier(), "{worth:?} {bound:?}");
                assert!(worth > bound || worth.for_mover() >= bound.for_mover(), "{worth:?} {bound:?}");
                let passes = worth.for_mover() >= bound;
                assert_eq!(passes, worth <= bound.for_replier(), "{worth:?} {bound:?}");
            }
        }
    }

    #[test]
    fn passing_up_a_worth_turns_the_order_round_and_bounds_pass_down_by_its_inverse() {
        keeps_the_laws::<Pendulum, _>(&[Verdict::Loss, Verdict::Draw, Verdict::Win]);
        keeps_the_laws::<AbstractTree, _>(&[-i64::MAX, -20, -1, 0, 1, 7, i64::MAX].map(Points));
        let decided = [0, 1, 2, 500].map(|plies| Score::CERTAIN - plies);
        let estimates = [0, 1, 100, Score::MAX_ESTIMATE];
        let scores = decided.into_iter().chain(estimates).flat_map(|points| [Score(points), Score(-points)]);
        keeps_the_laws::<Pendulum, _>(&scores.collect::<Vec<_>>());
    }

    #[test]
    fn a_score_counts_plies_as_a_value_does() {
        let mut score = Score::of(Outcome::Win(Side::First), Side::Second);
        let mut value = Value::Loss(0);
        for _ in 0..10 {
            assert_eq!(score.decided(), Some(value));
            score = score.for_mover();
            value = value.for_mover();
        }
        assert_eq!(Score::of(Outcome::Draw, Side::First).decided(), None);
    }

    #[test]
    fn an_estimate_is_never_taken_for_a_win() {
        assert_eq!(Score::estimate(i32::MAX).decided(), None);
        assert_eq!(Score::estimate(i32::MIN).decided(), None);
        assert!(Score(Score::CERTAIN - 500) > Score::estimate(i32::MAX));
    }
}
