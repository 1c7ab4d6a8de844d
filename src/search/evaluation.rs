//! Opinions on positions in which the game goes on, for a search that can look no further. No search knows what they
//! are founded on, and none of them is certain.

use super::Worth;
use super::worth::Points;
use crate::game::Game;
use crate::game::abstract_tree::AbstractTree;

/// What a position is thought to be worth to the side that is to move. It is asked only while the game goes on.
pub trait Evaluation<G: Game, W: Worth<G>> {
    /// The estimate. The same position always gets the same one.
    fn estimate(&self, position: &G) -> W;
}

impl<G: Game, W: Worth<G>, E: Evaluation<G, W>> Evaluation<G, W> for &E {
    fn estimate(&self, position: &G) -> W {
        (**self).estimate(position)
    }
}

/// No opinion: every position is even.
#[derive(Debug, Clone, Copy, Default)]
pub struct Even;

impl<G: Game, W: Worth<G>> Evaluation<G, W> for Even {
    fn estimate(&self, _: &G) -> W {
        W::EVEN
    }
}

/// The numbers that are written at the inner nodes of an abstract tree; a node without one is even.
#[derive(Debug, Clone, Copy, Default)]
pub struct Written;

impl Evaluation<AbstractTree, Points> for Written {
    fn estimate(&self, position: &AbstractTree) -> Points {
        Points::of(position.number().unwrap_or(0), position.turn())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::abstract_tree::Branch;

    #[test]
    fn a_written_estimate_is_meant_for_the_first_side() {
        let root: AbstractTree = "A = 5\n B = 7\n  C = 1\n".parse().unwrap();
        assert_eq!(Written.estimate(&root), Points(5));
        assert_eq!(Written.estimate(&root.play(Branch(0)).unwrap()), Points(-7));
    }
}
