//! The key of a position in the table: the part of it that can still matter. Positions with equal keys have
//! the same score, so they share an entry. It also shows which side can still make four.
//!
//! Four things do not matter, for either side to move:
//!
//! - *Cells that no stone reaches*: those above a cell where either side would make four, and those above two
//!   threats of one side on top of each other. The game ends below them.
//! - *Lines that are lost*: a side cannot complete a line that has a stone of the other side or a cell that
//!   no stone reaches. A line through one of its own threats is not needed, since a stone there wins anyway.
//!   So only the stones in its other lines of stones and free cells matter, and the threats.
//! - *Who has a stone* that is in no such line.
//! - *Columns without a threat and without a cell of such a line*: a stone there only passes the turn. How many
//!   free cells they have together matters, but not which.

use super::bounds::ScoreBounds;
use super::node::SolverNode;
use crate::game::connect_four::board::{ALL, BOTTOM, ROWS, fours, mirror};

/// The cells above the columns, which are always free.
const TOP: u64 = BOTTOM << ROWS;

/// What can still matter of a position, for the side to move and the other side.
///
/// In each column, the first bit that is set for both sides marks the lowest free cell. The bits below it are
/// the stones that matter, those above it the threats. The mark is above a column whose free cells only pass
/// the turn. So no two positions share a key that differ in what matters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Key {
    /// Below 2^49.
    pub(super) mover: u64,
    /// Below 2^49.
    pub(super) other: u64,
    /// The number of free cells that only pass the turn: at most 42.
    pub(super) passes: u64,
}

/// The key of a position, and who can still make four.
#[derive(Debug, Clone, Copy)]
pub(super) struct Prospects {
    pub(super) key: Key,
    pub(super) mover_can_win: bool,
    pub(super) other_can_win: bool,
}

impl Prospects {
    /// The prospects of a node in which no side threatens the lowest free cell of a column.
    #[inline]
    pub(super) fn of(node: &SolverNode) -> Self {
        let empty = ALL & !node.taken();
        let reached = empty & !above(ends(node));
        let (mover_threats, other_threats) = (node.mover_threats & reached, node.other_threats & reached);
        let mover_lines = fours(node.mover | (reached & !mover_threats));
        let other_lines = fours(node.other | (reached & !other_threats));
        let wanted = reached & (mover_lines | other_lines | mover_threats | other_threats);
        let wanted_columns = columns_of(wanted);
        let marks = (node.taken() | (ALL & !wanted_columns)) + BOTTOM;
        let key = Key {
            mover: (node.mover & mover_lines) | mover_threats | marks,
            other: (node.other & other_lines) | other_threats | marks,
            passes: u64::from((empty & !wanted_columns).count_ones()),
        };
        let can_win = |lines: u64, threats: u64| lines | threats != 0;
        Self {
            key,
            mover_can_win: can_win(mover_lines, mover_threats),
            other_can_win: can_win(other_lines, other_threats),
        }
    }

    /// The bounds of the score: a side that cannot make four does not win.
    pub(super) fn bounds(&self) -> ScoreBounds {
        ScoreBounds {
            low: if self.other_can_win { ScoreBounds::ANY.low } else { 0 },
            high: if self.mover_can_win { ScoreBounds::ANY.high } else { 0 },
        }
    }
}

impl Key {
    /// The smaller of the keys of a position with this key and of its mirror image.
    pub(super) fn of_either_image(self) -> Self {
        self.min(Self { mover: mirror(self.mover), other: mirror(self.other), ..self })
    }
}

/// The cells where the game ends at the latest, with a stone of either side.
#[inline]
fn ends(node: &SolverNode) -> u64 {
    let (mover, other) = (node.mover_threats, node.other_threats);
    (mover & other) | (mover & (mover << 1)) | (other & (other << 1))
}

/// The cells above any of these in the same column.
#[inline]
pub(super) fn above(cells: u64) -> u64 {
    let one = (cells << 1) & ALL;
    let two = one | ((one << 1) & ALL);
    let four = two | ((two << 2) & ALL & !(BOTTOM * 0b11));
    four | ((four << 4) & ALL & !(BOTTOM * 0b1111))
}

/// All cells of the columns that contain any of these.
#[inline]
fn columns_of(cells: u64) -> u64 {
    // Adding all cells of a column carries into the bit above it unless the column has none of `cells`.
    let tops = (cells + ALL) & TOP;
    tops - (tops >> ROWS)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;
    use crate::game::connect_four::ConnectFour;
    use crate::game::connect_four::board::{Bitboard, column};
    use crate::search::test_games;

    /// The prospects of a position that a search could look up.
    fn prospects(board: Bitboard) -> Option<Prospects> {
        let node = SolverNode::new(board)?;
        let replies = node.safe_moves();
        (replies & replies.wrapping_sub(1) != 0).then(|| Prospects::of(&node))
    }

    /// Plain minimax, which notes the score of every position on its way by its key.
    fn score_and_note(position: &ConnectFour, noted: &mut HashMap<Key, i32>) -> Result<i32, TestCaseError> {
        if position.outcome().is_some() {
            return Ok(test_games::connect_four_score(position));
        }
        let mut best = i32::MIN;
        for mv in position.moves() {
            best = best.max(-score_and_note(&position.play(mv).unwrap(), noted)?);
        }
        if let Some(Prospects { key, mover_can_win, other_can_win }) = prospects(position.board()) {
            let first = *noted.entry(key.of_either_image()).or_insert(best);
            prop_assert_eq!(first, best, "{:?} has the key of another position", position);
            prop_assert!((mover_can_win || best <= 0) && (other_can_win || best >= 0), "{:?}", position);
        }
        Ok(best)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(test_games::sample(60, 2_000)))]

        #[test]
        fn positions_with_equal_keys_have_equal_scores(
            positions in prop::collection::vec(test_games::connect_four_positions(31..=36), 8),
        ) {
            let mut noted = HashMap::new();
            for position in positions {
                score_and_note(&position, &mut noted)?;
            }
        }

        #[test]
        fn mirror_images_share_a_key(position in test_games::connect_four_positions(0..=40)) {
            let key = |board| prospects(board).map(|prospects| prospects.key.of_either_image());
            prop_assert_eq!(key(position.board()), key(position.board().mirrored()));
        }
    }

    #[test]
    fn while_every_line_is_open_no_two_positions_share_a_key() {
        let mut keys = HashMap::new();
        let mut boards = vec![Bitboard::default()];
        for _ in 0..4 {
            boards = boards.iter().flat_map(|board| board.children()).collect();
            for board in &boards {
                let Some(prospects) = prospects(*board) else { continue };
                assert_eq!(*keys.entry(prospects.key).or_insert(*board), *board);
            }
        }
        assert!(keys.len() > 500, "{}", keys.len());
    }

    #[test]
    fn the_columns_of_cells_are_whole() {
        assert_eq!(columns_of(0), 0);
        assert_eq!(columns_of(ALL), ALL);
        assert_eq!(columns_of(1 | (column(6) & !(column(6) >> 1))), column(0) | column(6));
    }
}
