//! Pong Hau K'i: the board of five points, with two stones a side. The moves are in [`super::sliding`].

use super::Side::{First, Second};
use super::sliding::{Sliding, SlidingGame, SlidingVariant, Stone};

/// The board: two corners at the top (points 0 and 1), the centre (2), two corners at the bottom (3 and 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PongHauKiGame;

/// A position of Pong Hau K'i.
pub type PongHauKi = Sliding<PongHauKiGame>;

/// The only variant of Pong Hau K'i.
pub type PongHauKiVariant = SlidingVariant<PongHauKiGame>;

impl SlidingGame for PongHauKiGame {
    const FORM: &'static [(&'static str, &'static str)] =
        &[("pong-hau-ki", "5 points, slide a stone to the free one, a player who cannot move loses")];

    const RULES: &'static str = "Five points with two stones each, x for the first player and o for the second: a \
         move slides a stone of your own along a line to the free point, and lines join 3 in the centre to all \
         corners, 1 to 4, 2 to 5 and 4 to 5. A player who cannot move loses, and a position that comes up for the third \
         time is a draw.";

    const POINTS: &'static [&'static [&'static str]] =
        &[&["1"], &["2"], &["3", "centre", "center", "c"], &["4"], &["5"]];

    const LINES: &'static [(u8, u8)] = &[(2, 0), (2, 1), (2, 3), (2, 4), (0, 3), (1, 4), (3, 4)];

    const START: &'static [Stone] = &[Some(First), Some(First), None, Some(Second), Some(Second)];

    const DRAWING: &'static str = "\
1 {1}     2 {2}
    3 {3}
4 {4} --- 5 {5}";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Outcome, Rules};

    fn variant() -> PongHauKiVariant {
        PongHauKiVariant::parse("pong-hau-ki", &[]).unwrap().unwrap()
    }

    fn at(text: &str) -> PongHauKi {
        variant().read_position(text).unwrap()
    }

    #[test]
    fn a_side_that_is_shut_in_has_lost() {
        // No line along the top: the stones on 1 and 4 cannot reach 2.
        let shut_in = at("x.oxo first");
        assert_eq!(shut_in.outcome().and_then(Outcome::winner), Some(Second));
        assert_eq!(at("x.oxo second").outcome(), None);
    }
}
