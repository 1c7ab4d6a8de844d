//! The opening book: the exact scores of all positions with few stones, which are those that take the solver longest.
//! It does not search: [`draft`] is a book in the making, [`openings`] are the positions that it is made of.
//!
//! **The bytes** are a line that names the format and the number of stones, `nim connect-four book 8`, and then a byte
//! for each position with so many stones that is not over, of which mirror images count once: its score plus 22, or 0
//! where it is not yet known. The positions come in the order of their [keys](openings::key), so that none needs to be
//! written down. The scores of positions with fewer stones follow from these, and for those with one stone more they
//! are a bound.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

pub use self::draft::Draft;
use self::openings::key;
use super::Bounds;
use super::node::win_now;
use crate::game::connect_four::ConnectFour;
use crate::game::connect_four::board::Board;

mod draft;
mod openings;

/// How many stones the positions have that a book is made of.
pub const STONES: u32 = 8;

/// The book of this program, made by `nim-client study book`.
const BYTES: &[u8] = include_bytes!("book/scores");

/// The first line of a book.
const HEAD: &[u8] = b"nim connect-four book 8\n";

/// The exact scores of the positions with at most [`STONES`] stones.
#[derive(Debug)]
pub struct Book {
    /// By the [key](openings::key) of a position and its mirror image; none of a game that is over.
    scores: FxHashMap<u64, i8>,
}

/// Why bytes are not a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadBook {
    /// Something else, or another version.
    #[error("this is not an opening book of this version")]
    Format,
    /// Cut off, or with something behind it.
    #[error("an opening book has {expected} scores, and this one has {found}")]
    Length {
        /// As many as there are positions.
        expected: usize,
        /// As many as there are bytes.
        found: usize,
    },
    /// A number that is no score.
    #[error("the opening book's byte {0} is no score")]
    Score(u8),
    /// Not all positions have been solved.
    #[error("the opening book is not finished: {0} scores are still unknown")]
    Unfinished(usize),
}

impl Book {
    /// The book of this program; it is read when it is first asked for, which takes some hundredths of a second.
    pub fn ours() -> &'static Self {
        static OURS: LazyLock<Book> = LazyLock::new(|| {
            #[expect(
                clippy::expect_used,
                reason = "cannot fail: the bytes are a part of this program, and tested"
            )]
            Book::read(BYTES).expect("the program's own book is whole")
        });
        &OURS
    }

    /// The book that was written down as these bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, BadBook> {
        let mut by_stones = openings::by_stones();
        let draft = Draft::of(by_stones.pop().unwrap_or_default(), bytes)?;
        match draft.unsolved().len() {
            0 => {}
            unknown => return Err(BadBook::Unfinished(unknown)),
        }
        let mut scores: FxHashMap<u64, i8> =
            draft.known().map(|(board, score)| (key(board), score)).collect();
        for board in by_stones.into_iter().rev().flatten() {
            scores.insert(key(board), best_of_next(board, &scores));
        }
        Ok(Self { scores })
    }

    /// The score of a position for the side to move, if it has at most [`STONES`] stones and is not over.
    pub fn score(&self, position: &ConnectFour) -> Option<i32> {
        self.look_up(position.board())
    }

    /// What the book says of a position: its score, with one stone too many only what the positions before it tell,
    /// and with more nothing.
    pub(super) fn bounds(&self, board: Board) -> Bounds {
        match board.stones() {
            stones if stones <= STONES => self.look_up(board).map_or(Bounds::ANY, Bounds::exactly),
            // Whoever made the last move had a score that no move betters.
            stones if stones == STONES + 1 => {
                let before = board.parents().filter_map(|parent| self.look_up(parent));
                before.fold(Bounds::ANY, |known, score| Bounds { low: known.low.max(-score), ..known })
            }
            _ => Bounds::ANY,
        }
    }

    fn look_up(&self, board: Board) -> Option<i32> {
        self.scores.get(&key(board)).map(|&score| score.into())
    }
}

/// The score of a position by those with one stone more.
fn best_of_next(board: Board, scores: &FxHashMap<u64, i8>) -> i8 {
    let after = |next: Board| match scores.get(&key(next)) {
        Some(score) => -score,
        // Only games that are over are in no book, and with few stones that is because the last one made four.
        None => i8::try_from(win_now(board.stones().cast_signed())).unwrap_or(i8::MAX),
    };
    board.children().map(after).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Limits, Solver, oracle};
    use super::*;
    use crate::game::connect_four::ConnectFourVariant;
    use crate::game::{Game, Rules};
    use crate::search::Stop;

    fn position(text: &str) -> ConnectFour {
        ConnectFourVariant.read_position(text).unwrap()
    }

    fn solved(position: &ConnectFour) -> Option<i32> {
        let limits = Limits { stop: &Stop::new(), nodes: u64::MAX, threads: 1 };
        Solver::new(1 << 24).solve(position, &limits).score.score()
    }

    #[test]
    fn the_first_moves_have_the_scores_that_are_known() {
        let scores = (1..=7).map(|column| -Book::ours().score(&position(&column.to_string())).unwrap());
        assert_eq!(scores.collect::<Vec<_>>(), [-2, -1, 0, 1, 0, -1, -2]);
        assert_eq!(Book::ours().score(&ConnectFour::default()), Some(1));
    }

    #[test]
    fn the_published_scores_are_in_it() {
        let mut seen = 0;
        for text in [
            include_str!("../../../tests/data/connect4/L1_R3.txt"),
            include_str!("../../../tests/data/connect4/L1_R1.txt"),
            include_str!("../../../tests/data/connect4/L1_R2.txt"),
        ] {
            for line in text.lines() {
                let (columns, score) = line.split_once(' ').unwrap();
                let (position, score) = (position(columns), score.parse().unwrap());
                let bounds = Book::ours().bounds(position.board());
                assert!(bounds.low <= score && score <= bounds.high, "{line}");
                seen += usize::from(Book::ours().score(&position) == Some(score));
            }
        }
        assert!(seen >= 9, "{seen}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        #[test]
        fn what_it_says_is_what_the_solver_finds(position in oracle::positions(STONES..=STONES + 1)) {
            let score = solved(&position).unwrap();
            let bounds = Book::ours().bounds(position.board());
            prop_assert!(bounds.low <= score && score <= bounds.high, "{bounds:?} {score}");
            if position.stones() <= STONES && position.outcome().is_none() {
                prop_assert_eq!(bounds, Bounds::exactly(score));
            }
        }
    }
}
