//! The first positions of the game, each once. It knows no scores.

use super::STONES;
use crate::game::connect_four::board::Board;

/// A number that no other board has but its mirror image: the smaller of the keys of both.
pub(super) fn key(board: Board) -> u64 {
    board.key().min(board.mirrored().key())
}

/// The positions that are not over, with 0 stones, with 1, and so on up to [`STONES`]: of mirror images one, in the
/// order of their keys.
pub(super) fn by_stones() -> Vec<Vec<Board>> {
    let first = vec![Board::default()];
    std::iter::successors(Some(first), |boards| Some(one_stone_more(boards)))
        .take(STONES as usize + 1)
        .collect()
}

/// The positions with [`STONES`] stones, of which a book is made.
pub(super) fn of_the_book() -> Vec<Board> {
    by_stones().pop().unwrap_or_default()
}

fn one_stone_more(boards: &[Board]) -> Vec<Board> {
    let going_on = |board: &Board| board.children().filter(|next| !next.last_mover_has_four());
    let mut next: Vec<(u64, Board)> =
        boards.iter().flat_map(going_on).map(|board| (key(board), board)).collect();
    next.sort_unstable_by_key(|&(key, _)| key);
    next.dedup_by_key(|&mut (key, _)| key);
    next.into_iter().map(|(_, board)| board).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_are_known() {
        // Counted by a program of its own as well, in another language.
        let counts: Vec<usize> = by_stones().iter().map(Vec::len).collect();
        assert_eq!(counts, [1, 4, 25, 121, 568, 2_144, 8_231, 27_109, 91_295]);
    }
}
