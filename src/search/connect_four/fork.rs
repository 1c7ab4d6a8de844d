//! Whether the side to move wins with its second stone from now.
//!
//! It does if one of its safe moves leaves the other side without a safe move: the move makes two threats at
//! once (a *fork*) or one on top of another, or every column that is left is right below a threat. If no move
//! does, the side wins with its third stone at best.

use super::bounds::ScoreBounds;
use super::node::{SolverNode, win_now};
use crate::game::connect_four::board::{ALL, BOTTOM, COLUMN_BITS, ROWS, completing};

/// All cells that have another one on top.
const NOT_TOP_ROW: u64 = ALL & !(BOTTOM << (ROWS - 1));

/// The shifts to the next column: down, level and up.
const SIDEWAYS: [u32; 3] = [COLUMN_BITS - 1, COLUMN_BITS, COLUMN_BITS + 1];

/// The bounds of the score of a node with at least two safe moves, `replies`.
#[inline]
pub(super) fn bounds(node: &SolverNode, replies: u64) -> ScoreBounds {
    if forks(node, replies) {
        ScoreBounds::exactly(win_now(node.stones + 2))
    } else {
        ScoreBounds { high: win_now(node.stones + 4).max(0), ..node.bounds() }
    }
}

/// Whether one of the moves leaves the other side without a safe move.
#[inline]
fn forks(node: &SolverNode, replies: u64) -> bool {
    let landings = node.landings();
    // As far as shows if the threats that any of the moves could make are taken for threats of each of them.
    let threats = completing(node.mover | replies) & ALL & !node.taken();
    let now = threats & (landings | (replies << 1));
    if !has_two(landings & !(threats >> 1)) {
        return ends_choice(node, replies);
    }
    if !has_two(now) && now & (threats >> 1) == 0 {
        return false;
    }
    let (mut once, mut twice) = threat_makers(node.mover, replies, landings);
    // The cell on top of a move is a further one that can be reached then.
    let on_top = (node.mover_threats >> 1) | ((node.mover << 1) & (node.mover << 2));
    let on_top = on_top & replies & NOT_TOP_ROW;
    twice |= once & on_top;
    once |= on_top;
    // One threat on top of another.
    twice != 0 || (now & (threats >> 1) != 0 && ends_choice(node, once))
}

/// The moves that make at least one threat in `landings`, and those that make two, apart from threats on top of
/// the move. A line with two stones makes a threat of one of its other cells by a stone in the other one.
#[inline]
fn threat_makers(stones: u64, moves: u64, landings: u64) -> (u64, u64) {
    let (mut once, mut twice) = (0, 0);
    for step in SIDEWAYS {
        let left = [stones << step, stones << (2 * step), stones << (3 * step)];
        let right = [stones >> step, stones >> (2 * step), stones >> (3 * step)];
        let by_distance = [
            (landings >> step) & ((right[1] & right[2]) | (left[0] & (right[1] | left[1]))),
            (landings << step) & ((left[1] & left[2]) | (right[0] & (left[1] | right[1]))),
            (landings >> (2 * step)) & right[0] & (right[2] | left[0]),
            (landings << (2 * step)) & left[0] & (left[2] | right[0]),
            (landings >> (3 * step)) & right[0] & right[1],
            (landings << (3 * step)) & left[0] & left[1],
        ];
        for makers in by_distance {
            twice |= once & makers;
            once |= makers;
        }
    }
    (once & moves, twice & moves)
}

/// Whether one of the moves leaves the other side without a safe move.
#[inline]
fn ends_choice(node: &SolverNode, mut moves: u64) -> bool {
    while moves != 0 {
        let cell = moves & moves.wrapping_neg();
        moves ^= cell;
        let after = node.after(cell);
        if after.safe_moves() == 0 && after.landings() != 0 {
            return true;
        }
    }
    false
}

#[inline]
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
