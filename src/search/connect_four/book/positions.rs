//! The positions of a book, by the number of stones. Mirror images count once.

use crate::game::connect_four::board::Bitboard;

/// The number of stones of the positions whose scores are in a book.
pub const STONES: u32 = 8;

/// The key of a board and its mirror image: the smaller of the keys of both.
pub(super) fn key(board: Bitboard) -> u64 {
    board.key().min(board.mirrored().key())
}

/// The unfinished positions with 0 stones, with 1, and so on: one of each pair of mirror images, in the order
/// of their keys.
pub(super) fn by_stones() -> impl Iterator<Item = Vec<Bitboard>> {
    std::iter::successors(Some(vec![Bitboard::default()]), |boards| Some(with_one_more_stone(boards)))
}

/// The positions of a book.
pub(super) fn book_positions() -> Vec<Bitboard> {
    by_stones().nth(STONES as usize).unwrap_or_default()
}

fn with_one_more_stone(boards: &[Bitboard]) -> Vec<Bitboard> {
    let unfinished = |board: &Bitboard| board.children().filter(|next| !next.last_mover_has_four());
    let mut next: Vec<(u64, Bitboard)> =
        boards.iter().flat_map(unfinished).map(|board| (key(board), board)).collect();
    next.sort_unstable_by_key(|&(key, _)| key);
    next.dedup_by_key(|&mut (key, _)| key);
    next.into_iter().map(|(_, board)| board).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::test_games::sample;

    #[test]
    fn the_number_of_positions_is_right() {
        // Counted by an independent program in another language.
        let counts = [1, 4, 25, 121, 568, 2_144, 8_231, 27_109, 91_295];
        let counted = by_stones().map(|boards| boards.len()).take(sample(7, 9));
        assert!(counted.zip(counts).all(|(counted, count)| counted == count));
    }
}
