//! The answers of a book: the best moves of positions beyond its scores, which take too long to find in play.
//!
//! **The encoding**: a byte, 3 if no answer is missing, and 131 in a draft (less in an earlier book). Then, for
//! each position in the order of their keys, the distance to the key before in groups of 7 bits (the lowest first,
//! the highest bit set in all but the last), a byte with the score plus 22 and in its upper two bits the merit, and
//! a byte with a bit for each best column, in the position that has the smaller key of the two mirror images. The
//! eighth bit of that byte marks a position that a search solves soon enough. Only a draft has such positions, since
//! those that follow from them are still to be answered.

use std::collections::BTreeMap;

use super::positions;
use crate::game::connect_four::board::COLUMNS;
use crate::game::connect_four::{Column, ConnectFour};
use crate::search::connect_four::bounds;
use crate::search::{Best, Grounds, Merit};

/// Why bytes are not a book.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadBook(pub(super) String);

/// The first byte of a finished book. The next number is taken whenever books answer more positions than before: one that
/// was finished until then is a draft to be continued.
const FINISHED: u8 = 3;
/// The first byte of a draft. In one of earlier books other answers count as easy, so these are to be found again.
const DRAFT: u8 = 0x80 | FINISHED;
/// Added to a score in the bytes.
const BIAS: i8 = 22;
/// The bits of a score.
const SCORE: u8 = 0b11_1111;
/// The bit of a position that needs no answer.
const EASY: u8 = 1 << COLUMNS;
/// The bits of the distance in a byte.
const GROUP: u32 = 7;

/// The best moves of a position, and its score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    /// The score of the position, for the side to move.
    score: i8,
    merit: Merit,
    /// A bit for each best column in the image with the smaller key.
    columns: u8,
    /// Whether a search finds the answer soon enough.
    pub(super) easy: bool,
}

/// Answers by the keys of their positions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Answers {
    by_key: BTreeMap<u64, Answer>,
    /// Whether no answer is missing.
    pub(super) finished: bool,
}

impl Answer {
    /// The answer with these best moves, if their score is exact.
    pub(super) fn new(position: &ConnectFour, best: &Best<Column>, easy: bool) -> Option<Self> {
        let Grounds::Searched { value, merit } = best.grounds else { return None };
        let score = i8::try_from(bounds::score(value, position.stones())).ok()?;
        let columns = best.moves.iter().fold(0, |columns, &mv| columns | 1 << in_image(position, mv).0);
        Some(Self { score, merit, columns, easy })
    }

    /// The best moves of the position that it answers, from left to right.
    pub(super) fn best(self, position: &ConnectFour) -> Best<Column> {
        let is_best = |mv: &Column| self.columns & (1 << in_image(position, *mv).0) != 0;
        let value = bounds::value(self.score.into(), position.stones());
        Best {
            moves: Column::all().filter(is_best).collect(),
            grounds: Grounds::Searched { value, merit: self.merit },
        }
    }

    fn bytes(self) -> [u8; 2] {
        let merit = match self.merit {
            Merit::Length => 0,
            Merit::Result => 1,
            Merit::Replies => 2,
            Merit::Nothing => 3,
        };
        let score = (self.score + BIAS).cast_unsigned() | (merit << SCORE.count_ones());
        [score, self.columns | if self.easy { EASY } else { 0 }]
    }

    fn read([score, columns]: [u8; 2]) -> Self {
        let merit = match score >> SCORE.count_ones() {
            0 => Merit::Length,
            1 => Merit::Result,
            2 => Merit::Replies,
            _ => Merit::Nothing,
        };
        let score = (score & SCORE).cast_signed() - BIAS;
        Self { score, merit, columns: columns & !EASY, easy: columns & EASY != 0 }
    }
}

/// A column of a position in its image with the smaller key. The images swap their columns, so this is also the
/// way back.
fn in_image(position: &ConnectFour, column: Column) -> Column {
    let board = position.board();
    if board.key() <= board.mirrored().key() { column } else { Column(COLUMNS - 1 - column.0) }
}

/// The key of a position and its mirror image.
fn key(position: &ConnectFour) -> u64 {
    positions::key(position.board())
}

impl Answers {
    /// The number of positions.
    pub(super) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// The answer for a position.
    pub(super) fn get(&self, position: &ConnectFour) -> Option<Answer> {
        self.by_key.get(&key(position)).copied()
    }

    /// Adds or replaces the answer for a position.
    pub(super) fn insert(&mut self, position: &ConnectFour, answer: Answer) {
        self.by_key.insert(key(position), answer);
    }

    /// Marks the answers as finished, and drops those that a search finds soon enough.
    pub(super) fn finish(&mut self) {
        self.by_key.retain(|_, answer| !answer.easy);
        self.finished = true;
    }

    /// Encodes the answers.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![if self.finished { FINISHED } else { DRAFT }];
        let mut last = 0;
        for (&key, answer) in &self.by_key {
            write_number(key - last, &mut bytes);
            bytes.extend(answer.bytes());
            last = key;
        }
        bytes
    }

    /// Decodes answers; no bytes are a draft without any.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, BadBook> {
        let bad = || BadBook("the opening book's answers are damaged".into());
        let Some((&kind, mut rest)) = bytes.split_first() else { return Ok(Self::default()) };
        let mut answers = Self { finished: kind == FINISHED, ..Self::default() };
        let mut key = 0_u64;
        while !rest.is_empty() {
            key = read_number(&mut rest).and_then(|distance| key.checked_add(distance)).ok_or_else(bad)?;
            let (answer, after) = rest.split_first_chunk().ok_or_else(bad)?;
            answers.by_key.insert(key, Answer::read(*answer));
            rest = after;
        }
        let is_known = kind <= FINISHED || kind == DRAFT;
        if !is_known || answers.by_key.values().any(|answer| answer.columns == 0) {
            return Err(bad());
        }
        if kind < FINISHED {
            answers.by_key.retain(|_, answer| !answer.easy);
        }
        Ok(answers)
    }
}

fn write_number(mut number: u64, bytes: &mut Vec<u8>) {
    loop {
        let group = (number & ((1 << GROUP) - 1)) as u8;
        number >>= GROUP;
        bytes.push(group | if number == 0 { 0 } else { 1 << GROUP });
        if number == 0 {
            return;
        }
    }
}

/// Reads a number from the front of the bytes; `None` if it does not end, or is too large.
fn read_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0_u64;
    for shift in (0..u64::BITS).step_by(GROUP as usize) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & ((1 << GROUP) - 1)) << shift;
        if byte >> GROUP == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;
    use crate::search::Value;
    use crate::search::test_games::{connect_four, connect_four_positions};

    fn best(columns: &[u8], value: Value) -> Best<Column> {
        let moves = columns.iter().map(|&column| Column(column)).collect();
        Best { moves, grounds: Grounds::Searched { value, merit: Merit::Replies } }
    }

    #[test]
    fn an_answer_holds_for_both_mirror_images() {
        let position = connect_four("112");
        let mut answers = Answers::default();
        answers.insert(&position, Answer::new(&position, &best(&[0, 4], Value::Draw), false).unwrap());
        let found = |position: &ConnectFour| answers.get(position).map(|answer| answer.best(position));
        assert_eq!(found(&position), Some(best(&[0, 4], Value::Draw)));
        assert_eq!(found(&position.mirrored()), Some(best(&[2, 6], Value::Draw)));
        assert_eq!(found(&connect_four("113")), None);
    }

    #[test]
    fn a_finished_book_drops_what_a_search_finds_soon_enough() {
        let mut answers = Answers::default();
        for (text, easy) in [("1", true), ("2", false)] {
            let position = connect_four(text);
            answers.insert(&position, Answer::new(&position, &best(&[3], Value::Draw), easy).unwrap());
        }
        answers.finish();
        assert!(answers.finished && answers.len() == 1 && answers.get(&connect_four("2")).is_some());
    }

    #[test]
    fn a_book_that_was_finished_when_fewer_positions_were_answered_is_continued() {
        let mut answers = Answers::default();
        answers.insert(
            &connect_four("1"),
            Answer::new(&connect_four("1"), &best(&[3], Value::Draw), false).unwrap(),
        );
        answers.finish();
        let mut bytes = answers.bytes();
        assert_eq!(Answers::read(&bytes), Ok(answers.clone()));
        bytes[0] = FINISHED - 1;
        assert_eq!(Answers::read(&bytes), Ok(Answers { finished: false, ..answers }));
    }

    #[test]
    fn what_was_easy_in_a_draft_of_an_earlier_book_is_found_again() {
        let mut answers = Answers::default();
        for (columns, easy) in [("1", true), ("2", false)] {
            let position = connect_four(columns);
            answers.insert(&position, Answer::new(&position, &best(&[3], Value::Draw), easy).unwrap());
        }
        let mut bytes = answers.bytes();
        bytes[0] = FINISHED - 1;
        let read = Answers::read(&bytes).unwrap();
        assert!(read.len() == 1 && read.get(&connect_four("2")).is_some());
    }

    #[test]
    fn bytes_that_are_no_answers_are_refused() {
        for bytes in
            [&[FINISHED + 1][..], &[0, 1], &[0, 1, 1], &[0, 1, 1, 0], &[0, 0x80], &[0, 255, 255, 255, 255]]
        {
            assert!(Answers::read(bytes).is_err(), "{bytes:?}");
        }
        assert_eq!(Answers::read(&[]), Ok(Answers::default()));
    }

    proptest! {
        #[test]
        fn answers_round_trip(
            positions in prop::collection::vec(connect_four_positions(0..=20), 0..50), easy: bool, finished: bool,
        ) {
            let mut answers = Answers { finished, ..Answers::default() };
            for (count, position) in (1..).zip(&positions) {
                let all: Vec<u8> = position.moves().map(|mv| mv.0).collect();
                if let Some((_, some)) = all.split_first() && !some.is_empty() {
                    let value = if count % 2 == 0 { Value::Draw } else { Value::Win(2 * (count % 5) + 1) };
                    answers.insert(position, Answer::new(position, &best(some, value), easy).unwrap());
                }
            }
            prop_assert_eq!(Answers::read(&answers.bytes()), Ok(answers));
        }
    }
}
