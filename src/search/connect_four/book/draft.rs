//! An unfinished opening book: the positions, their known scores, the answers so far, and the encoding.

use super::answers::{Answer, Answers, BadBook};
use super::positions::book_positions;
use super::walk::{self, BookLayer};
use crate::game::connect_four::board::Bitboard;
use crate::game::connect_four::{Column, ConnectFour};
use crate::search::Best;

/// The first line of a book.
pub(super) const HEAD: &[u8] = b"nim connect-four book 8\n";

/// A position that a search answers within this number of nodes needs no answer in a book, if its mirror image
/// takes no more either: 20 to 36 milliseconds.
pub const EASY_NODES: u64 = 50_000;

/// Added to a score in the bytes.
const BIAS: i8 = 22;
/// The byte of a score that is not known yet.
const UNKNOWN: u8 = 0;
/// The byte of the greatest score.
const GREATEST: u8 = 43;

/// A book of which some scores may be unknown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    boards: Vec<Bitboard>,
    /// Encoded, in the order of the boards.
    scores: Vec<u8>,
    answers: Answers,
}

impl Default for Draft {
    /// A draft without scores.
    fn default() -> Self {
        let boards = book_positions();
        let scores = vec![UNKNOWN; boards.len()];
        Self { boards, scores, answers: Answers::default() }
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
        let Some((scores, answers)) = found.split_at_checked(expected) else {
            let found = found.len();
            return Err(BadBook(format!("an opening book has {expected} scores, and this one has {found}")));
        };
        match scores.iter().find(|&&byte| byte > GREATEST) {
            Some(byte) => Err(BadBook(format!("the opening book's byte {byte} is not a score"))),
            None => Ok(Self { boards, scores: scores.to_vec(), answers: Answers::read(answers)? }),
        }
    }

    /// Encodes the draft in the format of [the book](super).
    pub fn bytes(&self) -> Vec<u8> {
        [HEAD, &self.scores[..], &self.answers.bytes()].concat()
    }

    /// The number of positions whose scores are in a book.
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

    /// The next positions to be answered, once all scores are known; `None` if the book is finished.
    pub fn next_layer(&self) -> Option<BookLayer> {
        if self.answers.finished { None } else { walk::next_layer(&self.answers) }
    }

    /// Sets the answer for a position that a search took this number of nodes for, the position or its mirror image,
    /// whichever took more. Returns whether it was set:
    /// not if its score is not exact.
    pub fn set_answer(&mut self, position: &ConnectFour, best: &Best<Column>, nodes: u64) -> bool {
        let answer = Answer::new(position, best, nodes <= EASY_NODES);
        answer.inspect(|&answer| self.answers.insert(position, answer)).is_some()
    }

    /// Finishes a book that has all scores and answers: drops the answers that are easy to find.
    pub fn finish(&mut self) {
        self.answers.finish();
    }

    /// The number of answers.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    pub(super) fn into_answers(self) -> Answers {
        self.answers
    }

    /// The positions with known scores.
    pub(super) fn known(&self) -> impl Iterator<Item = (Bitboard, i8)> {
        let known = self.boards.iter().zip(&self.scores).filter(|&(_, &byte)| byte != UNKNOWN);
        known.map(|(&board, &byte)| (board, byte.cast_signed() - BIAS))
    }
}

#[cfg(test)]
mod tests {
    use super::super::positions::by_stones;
    use super::*;

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
        assert_eq!(error(&bytes[..HEAD.len() + 567]), length);
        bytes[100] = 44;
        assert_eq!(error(&bytes), "the opening book's byte 44 is not a score");
    }
}
