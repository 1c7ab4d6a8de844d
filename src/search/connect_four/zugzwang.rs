//! Bounds that follow-up play proves without a search.
//!
//! To *follow up* is to answer every stone with one on top of it. A side that can do so gets the upper cell
//! of each pair of cells in a column, and the other side the lower one, so the board shows who can still
//! make a four. The number of cells in a column is even, so the second side can follow up from the start
//! and gets the even rows ("claimeven" in Victor Allis, *A Knowledge-Based Approach of Connect-Four*,
//! 1988). The first side can follow up if it has a threat in an odd row that costs the second side its last
//! follow-up (the "odd threat").
//!
//! In a column with an odd number of free cells, the next cell cannot be answered in the same column. Two
//! such columns make a pair: when one side takes the next cell of one, the other takes that of the other,
//! and both are even then. So the bound credits the other side with all of these next cells, which is more
//! than it can get. It credits the side that follows up with none.

use super::key::above;
use super::node::SolverNode;
use crate::game::connect_four::board::{ALL, EVEN_ROWS, ODD_ROWS, column_of, has_four};

/// An upper bound of the mover's score below `target`, if following up proves one.
#[inline]
pub(super) fn refute(node: &SolverNode, target: i32) -> Option<i32> {
    if node.first_to_move() { second_follows(node, target) } else { first_follows(node, target) }
}

/// The first side is to move, the second follows up.
#[inline]
fn second_follows(node: &SolverNode, target: i32) -> Option<i32> {
    let empty = ALL & !node.taken();
    let landings = node.landings();
    let threats = node.other_threats & EVEN_ROWS & !landings;
    let unreachable = above(threats);
    let win = match threats {
        0 => i32::from(target <= 0 && has_four(node.other | (empty & EVEN_ROWS & !landings))),
        _ => score_of(threats),
    };
    let reachable = node.mover | (empty & ODD_ROWS & !unreachable) | (landings & EVEN_ROWS);
    (-win < target && !has_four(reachable)).then_some(-win)
}

/// The second side is to move. The first has a threat in an odd row of some column: there it gets the odd
/// rows up to the threat, and in all other columns the even rows.
#[inline]
fn first_follows(node: &SolverNode, target: i32) -> Option<i32> {
    let mut odd_threats = node.other_threats & ODD_ROWS & !node.landings();
    while odd_threats != 0 {
        let threat = odd_threats & odd_threats.wrapping_neg();
        let its_column = column_of(threat);
        odd_threats &= !its_column;
        if let Some(bound) = first_threatens(node, threat, its_column, target) {
            return Some(bound);
        }
    }
    None
}

/// The bound by `threat`, the lowest one in an odd row of `its_column`.
fn first_threatens(node: &SolverNode, threat: u64, its_column: u64, target: i32) -> Option<i32> {
    let empty = ALL & !node.taken();
    let landings = node.landings();
    let elsewhere = node.other_threats & EVEN_ROWS & !landings & !its_column;
    let win = score_of(threat | elsewhere);
    let below = its_column & (threat - 1);
    let reachable = node.mover
        | (landings & (EVEN_ROWS | its_column))
        | (empty & ODD_ROWS & !its_column & !above(elsewhere))
        | (empty & EVEN_ROWS & below);
    (-win < target && !has_four(reachable)).then_some(-win)
}

/// The score of the side that follows up and has these threats, in any columns.
///
/// Neither side plays right below a threat until no other cell is left. Then the column of a threat has 8 −
/// row empty cells, and one stone below the threat and one on it end the game. The score is half of the
/// number of empty cells, rounded down. That is the number of even rows from the threats upwards.
fn score_of(threats: u64) -> i32 {
    ((threats | above(threats)) & EVEN_ROWS).count_ones().cast_signed()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::connect_four::board::BOTTOM;
    use crate::search::test_games;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(test_games::sample(2_000, 20_000)))]

        #[test]
        fn the_proved_bounds_are_true(position in test_games::connect_four_positions(31..=41)) {
            let Some(node) = SolverNode::new(position.board()) else { return Ok(()) };
            if node.safe_moves() == 0 {
                return Ok(());
            }
            let score = test_games::connect_four_score(&position);
            for bound in (-21..=21).filter_map(|target| refute(&node, target)) {
                prop_assert!(score <= bound, "{score} is claimed to be at most {bound}");
            }
        }
    }

    #[test]
    fn the_score_of_threats_is_half_of_the_cells_left_empty() {
        for (row, score) in (1..=6).zip([3, 3, 2, 2, 1, 1]) {
            let threat = BOTTOM << (row - 1);
            let one = column_of(1) & threat;
            assert_eq!(score_of(one), score, "row {row}");
            assert_eq!((8 - row) / 2, score, "row {row}");
            assert_eq!(score_of(threat), 7 * score, "row {row}");
        }
    }
}
