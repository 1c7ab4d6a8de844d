//! A book in the making: which scores are known, and which positions are still to be solved. Who solves them is not
//! known here, nor where the bytes are kept.

use super::{BadBook, HEAD, openings};
use crate::game::connect_four::ConnectFour;
use crate::game::connect_four::board::Board;

/// What is added to a score in the bytes, so that 0 is none.
const BIAS: i8 = 22;

/// A book of which not all scores need to be known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    boards: Vec<Board>,
    /// Beside the boards.
    scores: Vec<Option<i8>>,
}

impl Default for Draft {
    /// A draft in which nothing is known.
    fn default() -> Self {
        let boards = openings::of_the_book();
        let scores = vec![None; boards.len()];
        Self { boards, scores }
    }
}

impl Draft {
    /// The draft that was written down as these bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, BadBook> {
        Self::of(openings::of_the_book(), bytes)
    }

    /// The same where the positions are at hand.
    pub(super) fn of(boards: Vec<Board>, bytes: &[u8]) -> Result<Self, BadBook> {
        let found = bytes.strip_prefix(HEAD).ok_or(BadBook::Format)?;
        if found.len() != boards.len() {
            return Err(BadBook::Length { expected: boards.len(), found: found.len() });
        }
        let scores = found.iter().map(|&byte| score_of(byte)).collect::<Result<_, _>>()?;
        Ok(Self { boards, scores })
    }

    /// The draft as bytes, in the format that [the book](super) describes.
    pub fn bytes(&self) -> Vec<u8> {
        let scores = self.scores.iter().map(|&score| byte_of(score));
        HEAD.iter().copied().chain(scores).collect()
    }

    /// How many positions there are.
    #[allow(clippy::len_without_is_empty, reason = "no draft is without positions")]
    pub fn len(&self) -> usize {
        self.boards.len()
    }

    /// The places of the positions that are still to be solved, and these.
    pub fn unsolved(&self) -> Vec<(usize, ConnectFour)> {
        let both = self.boards.iter().zip(&self.scores).enumerate();
        both.filter(|(_, (_, score))| score.is_none()).map(|(at, (&board, _))| (at, board.into())).collect()
    }

    /// Notes the score of the position at a place; one that is none is not noted.
    pub fn note(&mut self, at: usize, score: i32) {
        let score = i8::try_from(score).ok().filter(|score| score.unsigned_abs() < BIAS.unsigned_abs());
        if let Some(noted) = self.scores.get_mut(at) {
            *noted = score.or(*noted);
        }
    }

    /// The positions whose scores are known, with these.
    pub(super) fn known(&self) -> impl Iterator<Item = (Board, i8)> {
        self.boards.iter().zip(&self.scores).filter_map(|(&board, &score)| Some((board, score?)))
    }
}

fn score_of(byte: u8) -> Result<Option<i8>, BadBook> {
    match byte {
        0 => Ok(None),
        1..=43 => Ok(Some(byte.cast_signed() - BIAS)),
        _ => Err(BadBook::Score(byte)),
    }
}

fn byte_of(score: Option<i8>) -> u8 {
    score.map_or(0, |score| (score + BIAS).cast_unsigned())
}

#[cfg(test)]
mod tests {
    use super::super::{BYTES, Book};
    use super::*;

    #[test]
    fn it_reads_back_as_it_was_written() {
        let mut draft = Draft::default();
        let unsolved = draft.unsolved();
        assert_eq!(unsolved.len(), draft.len());
        for &(at, _) in unsolved.iter().step_by(2) {
            draft.note(at, i32::try_from(at % 43).unwrap() - 21);
        }
        assert_eq!(Draft::read(&draft.bytes()), Ok(draft.clone()));
        let left: Vec<_> = unsolved.into_iter().skip(1).step_by(2).collect();
        assert_eq!(draft.unsolved(), left);
    }

    #[test]
    fn what_is_no_score_is_not_noted() {
        let mut draft = Draft::default();
        for (at, score) in [(0, 22), (0, i32::MIN), (usize::MAX, 1)] {
            draft.note(at, score);
        }
        assert_eq!(draft, Draft::default());
    }

    #[test]
    fn other_bytes_are_told_what_is_wrong() {
        let error = |bytes: &[u8]| Book::read(bytes).unwrap_err();
        let mut bytes = BYTES.to_vec();
        assert_eq!(error(b""), BadBook::Format);
        assert_eq!(error(&bytes[1..]), BadBook::Format);
        assert_eq!(error(&bytes[..bytes.len() - 1]), BadBook::Length { expected: 91_295, found: 91_294 });
        bytes[100] = 44;
        assert_eq!(error(&bytes), BadBook::Score(44));
        bytes[100] = 0;
        assert_eq!(error(&bytes), BadBook::Unfinished(1));
    }
}
