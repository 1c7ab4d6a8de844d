//! Mū Tōrere: the board of eight points in a ring and one in the centre, with four stones for each side, and
//! the condition on moves to the centre. The moves are in [`super::sliding`].

use super::Side::{First, Second};
use super::sliding::{Slide, Sliding, SlidingGame, SlidingVariant, Stone};

/// The board: the ring (kewai, points 0 to 7) and the centre (pūtahi, point 8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct MuTorereGame;

/// A position of Mū Tōrere.
pub type MuTorere = Sliding<MuTorereGame>;

/// The only variant of Mū Tōrere.
pub type MuTorereVariant = SlidingVariant<MuTorereGame>;

/// The number of points in the ring.
const RING: u8 = 8;

/// The point in the middle, which is joined to all others.
const CENTRE: u8 = 8;

impl SlidingGame for MuTorereGame {
    const FORM: &'static [(&'static str, &'static str)] =
        &[("mu-torere", "a ring of 8 points and a centre, a player who cannot move loses")];

    const RULES: &'static str = "A ring of points 1 to 8 with four stones each, x for the first player and o for the \
         second, around a free centre: a move slides a stone of your own to the free point, along the ring or from \
         the centre, or to the centre if a stone of the other side is beside it on the ring. A player who cannot \
         move loses, and a position that comes up for the third time is a draw.";

    const POINTS: &'static [&'static [&'static str]] = &[
        &["1"],
        &["2"],
        &["3"],
        &["4"],
        &["5"],
        &["6"],
        &["7"],
        &["8"],
        &["centre", "center", "c", "putahi", "pūtahi"],
    ];

    const LINES: &'static [(u8, u8)] = &[
        (0, 1),
        (1, 2),
        (2, 3),
        (3, 4),
        (4, 5),
        (5, 6),
        (6, 7),
        (7, 0),
        (CENTRE, 0),
        (CENTRE, 1),
        (CENTRE, 2),
        (CENTRE, 3),
        (CENTRE, 4),
        (CENTRE, 5),
        (CENTRE, 6),
        (CENTRE, 7),
    ];

    const START: &'static [Stone] = &[
        Some(First),
        Some(First),
        Some(First),
        Some(First),
        Some(Second),
        Some(Second),
        Some(Second),
        Some(Second),
        None,
    ];

    const DRAWING: &'static str = concat!(
        "      8 {8}   1 {1}\n",
        "   7 {7}         2 {2}\n",
        "       centre {centre}\n",
        "   6 {6}         3 {3}\n",
        "      5 {5}   4 {4}",
    );

    /// Without this condition the first side could block the other side with its first move.
    fn forbids(position: &Sliding<Self>, slide: Slide) -> Option<&'static str> {
        let beside = [(slide.from + 1) % RING, (slide.from + RING - 1) % RING];
        let meets = beside
            .into_iter()
            .any(|point| position.stone(point).is_some_and(|side| Some(side) != position.stone(slide.from)));
        (slide.to == CENTRE && !meets)
            .then_some("a stone goes to the centre only from beside a stone of the other side")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Outcome, Rules};

    fn variant() -> MuTorereVariant {
        MuTorereVariant::parse("mu-torere", &[]).unwrap().unwrap()
    }

    fn at(text: &str) -> MuTorere {
        variant().read_position(text).unwrap()
    }

    #[test]
    fn only_a_stone_beside_the_other_side_goes_to_the_centre() {
        let start = variant().start();
        assert_eq!(start.moves().map(|slide| slide.from).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(
            start.play(Slide { from: 1, to: CENTRE }).unwrap_err().to_string(),
            "a stone goes to the centre only from beside a stone of the other side"
        );
    }

    #[test]
    fn a_stone_leaves_the_centre_without_condition() {
        let from_the_centre = Slide { from: CENTRE, to: 0 };
        assert!(at(".xxxoooox first").play(from_the_centre).is_ok());
        assert!(at("xxx.oooox first").play(Slide { from: CENTRE, to: 3 }).is_ok());
    }

    #[test]
    fn a_side_that_is_shut_in_has_lost() {
        // The stones on 5 to 8 are nowhere beside the free point 2, and the centre is not theirs.
        assert_eq!(at("x.xxoooox second").outcome(), Some(Outcome::Win(First)));
    }
}
