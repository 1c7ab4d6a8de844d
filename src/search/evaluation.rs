//! The value types of a search: a result, a score with a length, or a plain number. Each defines the value
//! of a finished game, and how values and bounds pass between a position and its parent. A heuristic
//! estimates positions at the horizon.

use std::fmt::Debug;

use super::{Value, Verdict};
use crate::game::abstract_tree::AbstractTree;
use crate::game::{Game, Outcome, Side};

/// The value of a position for the side to move there. Greater is better.
pub trait Evaluation<G: Game>: Copy + Ord + Debug {
    /// The value of an even position, and of an unknown one.
    const EVEN: Self;
    /// The least value.
    const LEAST: Self;
    /// The greatest value.
    const GREATEST: Self;

    /// The value of a finished game; `None` while it goes on.
    fn at_end(position: &G) -> Option<Self>;

    /// Converts the value of a position into the value of the move that leads there. It reverses the order,
    /// because what is better for one side is worse for the other. It is the negation of negamax search.
    #[must_use]
    fn for_mover(self) -> Self;

    /// Converts a lower bound of a move into an upper bound of the position after it: the inverse of
    /// `for_mover`.
    ///
    /// `value.for_mover() >= bound` if and only if `value <= bound.for_replier()`. Different bounds have
    /// different results, so a window never closes on the way down.
    #[must_use]
    fn for_replier(self) -> Self;
}

/// The result without its length.
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
    /// The score of a win in 0 plies. A win in p plies scores p less, and a loss scores the negative.
    const CERTAIN: i32 = 1 << 30;
    /// The greatest estimate. It equals a win in 2^29 plies, which no search reaches.
    pub const MAX_ESTIMATE: i32 = 1 << 29;

    /// An estimate, positive if the side to move is better off. Its absolute value is clamped to
    /// [`Score::MAX_ESTIMATE`].
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

    /// The value; an estimate counts as a draw.
    pub fn value(self) -> Value {
        self.decided().unwrap_or(Value::Draw)
    }

    /// The points that one more ply costs: 1 for a win, -1 for a loss, 0 for an estimate.
    fn cost_of_a_ply(self) -> i32 {
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
        Self(self.cost_of_a_ply() - self.0)
    }

    fn for_replier(self) -> Self {
        Self(-self.cost_of_a_ply() - self.0)
    }
}

/// The value of a node of an abstract tree for the side to move. The first side maximizes the numbers of
/// the tree, and the second minimizes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(pub i64);

impl Points {
    /// Converts a number of the tree into the value for the side to move.
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

/// A heuristic evaluation of positions at the horizon of a search.
pub trait Heuristic<G: Game, W: Evaluation<G>> {
    /// The estimate for the side to move. It depends on the position alone.
    fn estimate(&self, position: &G) -> W;
}

impl<G: Game, W: Evaluation<G>, E: Heuristic<G, W>> Heuristic<G, W> for &E {
    fn estimate(&self, position: &G) -> W {
        (**self).estimate(position)
    }
}

/// The heuristic for which every position is even.
#[derive(Debug, Clone, Copy, Default)]
pub struct Even;

impl<G: Game, W: Evaluation<G>> Heuristic<G, W> for Even {
    fn estimate(&self, _: &G) -> W {
        W::EVEN
    }
}

/// The heuristic that takes the numbers at the inner nodes of an abstract tree; a node without one is even.
#[derive(Debug, Clone, Copy, Default)]
pub struct NodeNumbers;

impl Heuristic<AbstractTree, Points> for NodeNumbers {
    fn estimate(&self, position: &AbstractTree) -> Points {
        Points::of(position.number().unwrap_or(0), position.turn())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::abstract_tree::ChildIndex;
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
    fn a_number_of_a_tree_is_for_the_first_side() {
        let root: AbstractTree = "A = 5\n B = 7\n  C = 1\n".parse().unwrap();
        assert_eq!(NodeNumbers.estimate(&root), Points(5));
        assert_eq!(NodeNumbers.estimate(&root.play(ChildIndex(0)).unwrap()), Points(-7));
    }
}
