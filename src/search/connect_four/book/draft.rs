//! An unfinished opening book: the positions, their known scores, and the encoding.

use crate::game::connect_four::board::Bitboard;

/// The number of stones of the positions in a book.
pub const STONES: u32 = 8;

/// The first line of a book.
pub(super) const HEAD: &[u8] = b"nim connect-four book 8\n";

/// Added to a score in the bytes.
const BIAS: i8 = 22;
/// The byte of a score that is not known yet.
const UNKNOWN: u8 = 0;
/// The byte of the greatest score.
const GREATEST: u8 = 43;

/// Why bytes are not a book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadBook(String);

/// A book of which some scores may be unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    boards: Vec<Bitboard>,
    /// Encoded, in the order of the boards.
    scores: Vec<u8>,
}

impl Default for Draft {
    /// A draft without scores.
    fn default() -> Self {
        let boards = book_positions();
        let scores = vec![UNKNOWN; boards.len()];
        Self { boards, scores }
    }
}

impl Draft {
    /// Decodes a draft.
    pub fn read(bytes: &[u8]) -> Result<Self, BadBook> {
        Self::of(book_positions(), bytes)
    }

    /// Decodes a draft with these positions.
    pub(super) fn of(boards: Vec<Bitboard>, bytes: &[u8]) -> Result<Self, BadBook> {
        let other = || BadBook("this is not an opening book of this version".into());
        let (found, expected) = (bytes.strip_prefix(HEAD).ok_or_else(other)?, boards.len());
        if found.len() != expected {
            let found = found.len();
            return Err(BadBook(format!("an opening book has {expected} scores, and this one has {found}")));
        }
        match found.iter().find(|&&byte| byte > GREATEST) {
            Some(byte) => Err(BadBook(format!("the opening book's byte {byte} is not a score"))),
            None => Ok(Self { boards, scores: found.to_vec() }),
        }
    }

    /// Encodes the draft in the format of [the book](super).
    pub fn bytes(&self) -> Vec<u8> {
        [HEAD, &self.scores[..]].concat()
    }

    /// The number of positions.
    #[allow(clippy::len_without_is_empty, reason = "no draft is without positions")]
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// The positions that are still to be solved, with their indices.
    pub fn unsolved(&self) -> Vec<(usize, Bitboard)> {
        let both = self.boards.iter().zip(&self.scores).enumerate();
        both.filter(|(_, (_, score))| **score == UNKNOWN).map(|(at, (&board, _))| (at, board)).collect()
    }

    /// Sets the score of the position at an index. Impossible scores are ignored.
    pub fn set_score(&mut self, at: usize, score: i32) {
        let byte = u8::try_from(score.saturating_add(BIAS.into())).unwrap_or(UNKNOWN);
        if let Some(noted) = self.scores.get_mut(at)
            && (1..=GREATEST).contains(&byte)
        {
            *noted = byte;
        }
    }

    /// The positions with known scores.
    pub(super) fn known(&self) -> impl Iterator<Item = (Bitboard, i8)> {
        let known = self.boards.iter().zip(&self.scores).filter(|&(_, &byte)| byte != UNKNOWN);
        known.map(|(&board, &byte)| (board, byte.cast_signed() - BIAS))
    }
}

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
fn book_positions() -> Vec<Bitboard> {
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

    /// The positions with 4 stones, in place of those with [`STONES`].
    fn boards() -> Vec<Bitboard> {
        by_stones().nth(4).unwrap()
    }

    fn blank() -> Draft {
        Draft::of(boards(), &[HEAD, &[0; 568]].concat()).unwrap()
    }

    #[test]
    fn a_draft_round_trips() {
        let mut draft = blank();
        let unsolved = draft.unsolved();
        assert_eq!(unsolved.len(), draft.len());
        for &(at, _) in unsolved.iter().step_by(2) {
            draft.set_score(at, i32::try_from(at % 43).unwrap() - 21);
        }
        assert_eq!(Draft::of(boards(), &draft.bytes()), Ok(draft.clone()));
        let left: Vec<_> = unsolved.into_iter().skip(1).step_by(2).collect();
        assert_eq!(draft.unsolved(), left);
    }

    #[test]
    fn impossible_scores_are_ignored() {
        let mut draft = blank();
        for (at, score) in [(0, 22), (0, i32::MIN), (usize::MAX, 1)] {
            draft.set_score(at, score);
        }
        assert_eq!(draft, blank());
    }

    #[test]
    fn bytes_that_are_not_a_book_are_refused() {
        let error = |bytes: &[u8]| Draft::of(boards(), bytes).unwrap_err().to_string();
        let mut bytes = blank().bytes();
        let format = "this is not an opening book of this version";
        assert_eq!([error(b""), error(&bytes[1..])], [format; 2]);
        let length = "an opening book has 568 scores, and this one has 567";
        assert_eq!(error(&bytes[..bytes.len() - 1]), length);
        bytes[100] = 44;
        assert_eq!(error(&bytes), "the opening book's byte 44 is not a score");
    }

    #[test]
    fn the_number_of_positions_is_right() {
        // Counted by an independent program in another language.
        let counts = [1, 4, 25, 121, 568, 2_144, 8_231, 27_109, 91_295];
        let counted = by_stones().map(|boards| boards.len()).take(sample(7, 9));
        assert!(counted.zip(counts).all(|(counted, count)| counted == count));
    }
}
