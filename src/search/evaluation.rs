//! The types that a search computes with: who wins, who wins how soon, an estimate, or a plain number. They
//! say how the end of a game is valued, and how a value is passed up a move; and heuristics estimate
//! positions in between.

use std::fmt::Debug;

use super::{Value, Verdict};
use crate::game::abstract_tree::AbstractTree;
use crate::game::{Game, Outcome, Side};

/// The value of a position for the side to move there. Greater is better.
pub trait Evaluation<G: Game>: Copy + Ord + Debug {
    /// Neither side is better off. Unknown positions count as this.
    const EVEN: Self;
    /// The least value.
    const LEAST: Self;
    /// The greatest value.
    const GREATEST: Self;

    /// The value of a finished game; `None` while it goes on.
    fn at_end(position: &G) -> Option<Self>;

    /// The value of a move to a position of this value, for the side that makes the move. It reverses the
    /// order: better for one side is worse for the other. (In negamax search this is the negation.)
    #[must_use]
    fn for_mover(self) -> Self;

    /// A bound passed down one move: the most that the position after the move may be worth, so that the
    /// move is worth at least this.
    ///
    /// `value.for_mover() >= bound` if and only if `value <= bound.for_replier()`. Different bounds have
    /// different results, so an open window stays open all the way down.
    #[must_use]
    fn for_replier(self) -> Self;
}

/// Who wins, and nothing else.
impl<G: Game> Evaluation<G> for Verdict {
    const EVEN: Self = Self::Draw;
    const LEAST: Self = Self::Loss;
    const GREATEST: Self = Self::Win;

    fn at_end(position: &G) -> Option<Self> {
        Some(Value::of(position.outcome()?, position.turn()).verdict())
    }

    fn for_mover(self) -> Self {
        !self
    }

    fn for_replier(self) -> Self {
        !self
    }
}

/// A win or a loss with its length, or an estimate, which is better than any loss and worse than any win.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Score(i32);

impl Score {
    /// The score of a game that is won at this position. A win in p plies scores p less, a loss the
    /// negative.
    const CERTAIN: i32 = 1 << 30;
    /// The greatest estimate. A win in 2^29 plies would be mistaken for one.
    pub const MAX_ESTIMATE: i32 = 1 << 29;

    /// An estimate of how much better off the side to move is, at most [`Score::MAX_ESTIMATE`] and at least
    /// its negative.
    pub fn estimate(points: i32) -> Self {
        Self(points.clamp(-Self::MAX_ESTIMATE, Self::MAX_ESTIMATE))
    }

    /// The win or loss; `None` for an estimate, and for a draw, which scores 0.
    pub fn decided(self) -> Option<Value> {
        let plies = self.0.abs().abs_diff(Self::CERTAIN);
        match self.0 {
            points if points > Self::MAX_ESTIMATE => Some(Value::Win(plies)),
            points if points < -Self::MAX_ESTIMATE => Some(Value::Loss(plies)),
            _ => None,
        }
    }

    /// The value that it stands for; an estimate stands for a draw.
    pub fn value(self) -> Value {
        self.decided().unwrap_or(Value::Draw)
    }

    /// One point towards 0 for a decided score: a ply more makes a win worse and a loss better.
    fn longer_by_a_ply(self) -> i32 {
        if self.decided().is_some() { self.0.signum() } else { 0 }
    }

    /// The next lower score.
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

impl<G: Game> Evaluation<G> for Score {
    const EVEN: Self = Self(0);
    const LEAST: Self = Self(-Self::CERTAIN);
    const GREATEST: Self = Self(Self::CERTAIN);

    fn at_end(position: &G) -> Option<Self> {
        Some(Self::of(position.outcome()?, position.turn()))
    }

    fn for_mover(self) -> Self {
        Self(self.longer_by_a_ply() - self.0)
    }

    fn for_replier(self) -> Self {
        Self(-self.longer_by_a_ply() - self.0)
    }
}

/// A number of an abstract tree, in which nobody wins or loses: one side wants it large, the other small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(pub i64);

impl Points {
    /// A number for the first side, as its value for the side to move.
    pub fn of(number: i64, turn: Side) -> Self {
        Self(match turn {
            Side::First => number,
            Side::Second => -number,
        })
    }
}

impl Evaluation<AbstractTree> for Points {
    const EVEN: Self = Self(0);
    const LEAST: Self = Self(-i64::MAX);
    const GREATEST: Self = Self(i64::MAX);

    fn at_end(position: &AbstractTree) -> Option<Self> {
        position.outcome()?;
        position.number().map(|number| Self::of(number, position.turn()))
    }

    fn for_mover(self) -> Self {
        Self(-self.0)
    }

    fn for_replier(self) -> Self {
        Self(-self.0)
    }
}

/// Estimates positions in which the game goes on, for a search that looks no further.
pub trait Heuristic<G: Game, W: Evaluation<G>> {
    /// The estimate for the side to move: the same for the same position.
    fn estimate(&self, position: &G) -> W;
}

impl<G: Game, W: Evaluation<G>, E: Heuristic<G, W>> Heuristic<G, W> for &E {
    fn estimate(&self, position: &G) -> W {
        (**self).estimate(position)
    }
}

/// Every position is even.
#[derive(Debug, Clone, Copy, Default)]
pub struct Even;

impl<G: Game, W: Evaluation<G>> Heuristic<G, W> for Even {
    fn estimate(&self, _: &G) -> W {
        W::EVEN
    }
}

/// The numbers at the inner nodes of an abstract tree; a node without one is even.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written;

impl Heuristic<AbstractTree, Points> for Written {
    fn estimate(&self, position: &AbstractTree) -> Points {
        Points::of(position.number().unwrap_or(0), position.turn())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::abstract_tree::Branch;
    use crate::search::test_games::Pendulum;

    /// Checks the laws of the traits for every pair of these values.
    fn keeps_the_laws<G: Game, W: Evaluation<G>>(values: &[W]) {
        for &value in values {
            for &bound in values {
                assert_eq!(value < bound, value.for_replier() > bound.for_replier(), "{value:?} {bound:?}");
                assert!(value > bound || value.for_mover() >= bound.for_mover(), "{value:?} {bound:?}");
                let passes = value.for_mover() >= bound;
                assert_eq!(passes, value <= bound.for_replier(), "{value:?} {bound:?}");
            }
        }
    }

    #[test]
    fn for_mover_reverses_the_order_and_for_replier_is_its_inverse() {
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
            score = Evaluation::<Pendulum>::for_mover(score);
            value = value.for_mover();
        }
        assert_eq!(Score::of(Outcome::Draw, Side::First).decided(), None);
    }

    #[test]
    fn an_estimate_is_never_a_win() {
        assert_eq!(Score::estimate(i32::MAX).decided(), None);
        assert_eq!(Score::estimate(i32::MIN).decided(), None);
        assert!(Score(Score::CERTAIN - 500) > Score::estimate(i32::MAX));
    }

    #[test]
    fn a_written_estimate_is_meant_for_the_first_side() {
        let root: AbstractTree = "A = 5\n B = 7\n  C = 1\n".parse().unwrap();
        assert_eq!(Written.estimate(&root), Points(5));
        assert_eq!(Written.estimate(&root.play(Branch(0)).unwrap()), Points(-7));
    }
}
