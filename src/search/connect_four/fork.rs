//! Whether the side to move wins with its second stone from now.
//!
//! It does if one of its safe moves leaves the other side without a safe move: the move makes two threats at
//! once (a *fork*) or one on top of another, or every column that is left is right below a threat. If no move
//! does, the side wins with its third stone at best.

use super::bounds::ScoreBounds;
use super::node::{SolverNode, win_now};
use crate::game::connect_four::board::{ALL, completing};

/// The bounds of the score of a node with at least two safe moves, `replies`.
#[inline]
pub(super) fn bounds(node: &SolverNode, replies: u64) -> ScoreBounds {
    if may_fork(node, replies) && forks(node, replies) {
        ScoreBounds::exactly(win_now(node.stones + 2))
    } else {
        ScoreBounds { high: win_now(node.stones + 4).max(0), ..node.bounds() }
    }
}

/// Whether a fork is possible as far as one look at all moves together shows: it takes the threats that any of
/// the moves could make for threats that each of them makes.
#[inline]
fn may_fork(node: &SolverNode, replies: u64) -> bool {
    let landings = node.landings();
    let threats = completing(node.mover | replies) & ALL & !node.taken();
    let now = threats & (landings | (replies << 1));
    let unthreatened = landings & !(threats >> 1);
    has_two(now) || now & (threats >> 1) != 0 || !has_two(unthreatened)
}

/// Whether one of the moves is a fork.
fn forks(node: &SolverNode, replies: u64) -> bool {
    let mut cells = replies;
    while cells != 0 {
        let cell = cells & cells.wrapping_neg();
        cells ^= cell;
        let after = node.after(cell);
        if after.safe_moves() == 0 && after.landings() != 0 {
            return true;
        }
    }
    false
}

fn has_two(cells: u64) -> bool {
    cells & cells.wrapping_sub(1) != 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;
    use crate::game::connect_four::ConnectFour;
    use crate::search::test_games;

    /// Whether the side to move can win with its next `stones` stones: plain minimax to that depth.
    fn wins_within(position: &ConnectFour, stones: u32) -> bool {
        let won = |next: &ConnectFour| next.outcome().is_some_and(|outcome| outcome.winner().is_some());
        position.moves().any(|mv| {
            let next = position.play(mv).unwrap();
            won(&next)
                || (stones > 1 && next.outcome().is_none())
                    && next.moves().all(|reply| {
                        let after = next.play(reply).unwrap();
                        after.outcome().is_none() && wins_within(&after, stones - 1)
                    })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(test_games::sample(2_000, 20_000)))]

        #[test]
        fn it_finds_the_wins_with_the_second_stone_and_no_others(position in test_games::connect_four_positions(4..=41)) {
            let Some(node) = SolverNode::new(position.board()) else { return Ok(()) };
            let replies = node.safe_moves();
            if has_two(replies) {
                let wins = bounds(&node, replies).low > 0;
                prop_assert_eq!(wins, wins_within(&position, 2), "{:?}", position);
            }
        }

        #[test]
        fn the_proved_bounds_are_true(position in test_games::connect_four_positions(31..=41)) {
            let Some(node) = SolverNode::new(position.board()) else { return Ok(()) };
            let replies = node.safe_moves();
            if has_two(replies) {
                let (bounds, score) = (bounds(&node, replies), test_games::connect_four_score(&position));
                prop_assert!(bounds.low <= score && score <= bounds.high, "{bounds:?} {score}");
            }
        }
    }
}
