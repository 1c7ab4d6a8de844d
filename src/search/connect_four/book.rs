//! The opening book: the exact scores of all positions with few stones, which take the solver longest, and the
//! best moves of later positions that a perfect bot can meet and that take it too long. [`Draft`] is an
//! unfinished book.
//!
//! **The format** is a line with the name of the format and the number of stones, `nim connect-four book 8`,
//! and then one byte for each unfinished position with that number of stones: its score plus 22, or 0 if it
//! is not known yet. Mirror images count once. Positions are in the order of their keys (the smaller key of
//! the two images), so they need not be stored. The scores of positions with fewer stones follow from these;
//! positions with one stone more get a bound. The answers for later positions follow; see `answers`.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;

use self::answers::Answers;
pub use self::answers::BadBook;
pub use self::draft::{Draft, EASY_NODES};
pub use self::positions::STONES;
use self::positions::{by_stones, key};
pub use self::walk::BookLayer;
use super::bounds::ScoreBounds;
use super::node::win_now;
use crate::game::connect_four::board::Bitboard;
use crate::game::connect_four::{Column, ConnectFour};
use crate::search::Best;

mod answers;
mod draft;
mod positions;
mod walk;

/// The built-in book, made by `nim-client study book`.
const BYTES: &[u8] = include_bytes!("book/scores");

/// The exact scores of the positions with at most [`STONES`] stones, and the best moves of some others.
#[derive(Debug)]
pub struct Book {
    /// By the common key of a position and its mirror image. Finished games are left out.
    scores: FxHashMap<u64, i8>,
    answers: Answers,
}

impl Book {
    /// The built-in book. It is decoded on first use, which takes about a tenth of a second.
    pub fn built_in() -> &'static Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Book>> = LazyLock::new(|| {
            #[expect(
                clippy::expect_used,
                reason = "cannot fail: the bytes are a part of this program, and tested"
            )]
            Arc::new(Book::read(BYTES).expect("the program's own book is whole"))
        });
        &BUILT_IN
    }

    /// Decodes a finished book.
    fn read(bytes: &[u8]) -> Result<Self, BadBook> {
        let mut by_stones: Vec<Vec<Bitboard>> = by_stones().take(STONES as usize + 1).collect();
        let draft = Draft::of(by_stones.pop().unwrap_or_default(), bytes)?;
        let scores = Self::with_scores(&draft, by_stones);
        Ok(Self { answers: draft.into_answers(), ..scores })
    }

    /// The scores of a draft, without its answers.
    pub fn of_scores(draft: &Draft) -> Self {
        Self::with_scores(draft, by_stones().take(STONES as usize).collect())
    }

    /// The scores of a draft, and of the positions with fewer stones, in the order of these.
    fn with_scores(draft: &Draft, fewer: Vec<Vec<Bitboard>>) -> Self {
        let mut scores: FxHashMap<u64, i8> =
            draft.known().map(|(board, score)| (key(board), score)).collect();
        for board in fewer.into_iter().rev().flatten() {
            scores.insert(key(board), best_of_next(board, &scores));
        }
        Self { scores, answers: Answers::default() }
    }

    /// The best moves of a position, if they are in the book. Their scores are not used in searches of other
    /// positions, so that these take as many nodes as when the book was made.
    pub(super) fn answer(&self, position: &ConnectFour) -> Option<Best<Column>> {
        Some(self.answers.get(position)?.best(position))
    }

    /// The number of positions whose best moves are in the book.
    pub fn answers(&self) -> usize {
        self.answers.len()
    }

    /// The score of a position for the side to move, if it has at most [`STONES`] stones and is not over.
    pub fn score(&self, position: &ConnectFour) -> Option<i32> {
        self.look_up(position.board())
    }

    /// The bounds of a position by the book: its score, or a lower bound if it has one stone too many, or
    /// no bounds.
    pub(super) fn bounds(&self, board: Bitboard) -> ScoreBounds {
        if let Some(score) = self.look_up(board) {
            return ScoreBounds::exactly(score);
        }
        if board.stones() != STONES + 1 {
            return ScoreBounds::ANY;
        }
        // The score of a parent is at least the negative of the score of each child.
        let before = board.parents().filter_map(|parent| self.look_up(parent));
        before.fold(ScoreBounds::ANY, |known, score| ScoreBounds { low: known.low.max(-score), ..known })
    }

    fn look_up(&self, board: Bitboard) -> Option<i32> {
        self.scores.get(&key(board)).map(|&score| score.into())
    }
}

/// The score of a position by the scores of its children.
fn best_of_next(board: Bitboard, scores: &FxHashMap<u64, i8>) -> i8 {
    let after = |next: Bitboard| match scores.get(&key(next)) {
        Some(score) => -score,
        // Only finished games are not in the book, and with few stones they are won.
        None => i8::try_from(win_now(board.stones().cast_signed())).unwrap_or(i8::MAX),
    };
    board.children().map(after).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Analysis, Limits, Solver, bounds};
    use super::*;
    use crate::game::{Game, children};
    use crate::search::test_games::{self, connect_four};
    use crate::search::{Grounds, Stop};

    fn solved(position: &ConnectFour) -> Option<i32> {
        let limits = Limits { stop: &Stop::new(), nodes: u64::MAX };
        Solver::new(1 << 24).solve(position, &limits).score.score()
    }

    #[test]
    fn the_built_in_book_is_finished() {
        let draft = Draft::read(BYTES).unwrap();
        assert!(draft.unsolved().is_empty() && draft.next_layer().is_none());
    }

    #[test]
    fn the_first_moves_have_the_scores_that_are_known() {
        let scores =
            (1..=7).map(|column| -Book::built_in().score(&connect_four(&column.to_string())).unwrap());
        assert_eq!(scores.collect::<Vec<_>>(), [-2, -1, 0, 1, 0, -1, -2]);
        assert_eq!(Book::built_in().score(&ConnectFour::default()), Some(1));
    }

    #[test]
    fn the_published_scores_are_within_its_bounds() {
        let mut seen = 0;
        for text in [
            include_str!("../../../tests/data/connect4/L1_R3.txt"),
            include_str!("../../../tests/data/connect4/L1_R1.txt"),
            include_str!("../../../tests/data/connect4/L1_R2.txt"),
        ] {
            for line in text.lines() {
                let (columns, score) = line.split_once(' ').unwrap();
                let (position, score) = (connect_four(columns), score.parse().unwrap());
                let bounds = Book::built_in().bounds(position.board());
                assert!(bounds.low <= score && score <= bounds.high, "{line}");
                seen += usize::from(Book::built_in().score(&position) == Some(score));
            }
        }
        assert!(seen >= 9, "{seen}");
    }

    /// The positions with 7 and 8 stones whose best moves are in the book.
    fn answered() -> Vec<ConnectFour> {
        let mut positions = vec![ConnectFour::default()];
        let mut found: Vec<ConnectFour> = Vec::new();
        for _ in 0..STONES {
            let next = positions.iter().flat_map(|position| children(position).map(|(_, next)| next));
            let by_key: FxHashMap<u64, ConnectFour> =
                next.filter(|next| next.outcome().is_none()).map(|next| (key(next.board()), next)).collect();
            positions = by_key.into_values().collect();
            let in_book = |position: &&ConnectFour| Book::built_in().answer(position).is_some();
            found.extend(positions.iter().filter(in_book));
        }
        found.sort_by_key(|position| key(position.board()));
        found
    }

    #[test]
    fn the_answers_with_few_stones_agree_with_the_scores() {
        let answered = answered();
        assert!(answered.len() > 100, "{}", answered.len());
        let scores = Book::of_scores(&Draft::read(BYTES).unwrap());
        for position in answered {
            let best = Book::built_in().answer(&position).unwrap();
            let score = scores.score(&position).unwrap();
            let Grounds::Searched { value, .. } = best.grounds else { panic!("{best:?}") };
            assert_eq!(value, bounds::value(score, position.stones()));
            for mv in best.moves {
                let low = scores.bounds(position.play(mv).unwrap().board()).low;
                assert!(low <= -score && (position.stones() == STONES || low == -score), "{position:?}");
            }
        }
    }

    #[test]
    #[ignore = "minutes without optimisation: .ci/campaign tests"]
    fn its_answers_are_those_of_a_search() {
        let scores = Arc::new(Book::of_scores(&Draft::read(BYTES).unwrap()));
        let answered = answered();
        for position in answered.iter().step_by(answered.len() / 6) {
            let nodes = [*position, position.mirrored()].map(|image| {
                let analysis = Analysis::with_book(Arc::clone(&scores), u64::MAX, &Stop::new());
                assert_eq!(Book::built_in().answer(&image), analysis.best(&image), "{image:?}");
                analysis.spent()
            });
            assert!(nodes.iter().any(|&nodes| nodes > EASY_NODES), "{nodes:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(6))]

        #[test]
        #[ignore = "minutes without optimisation: .ci/campaign tests"]
        fn its_scores_are_those_of_the_solver(position in test_games::connect_four_positions(STONES..=STONES + 1)) {
            let score = solved(&position).unwrap();
            let bounds = Book::built_in().bounds(position.board());
            prop_assert!(bounds.low <= score && score <= bounds.high, "{bounds:?} {score}");
            if position.stones() <= STONES && position.outcome().is_none() {
                prop_assert_eq!(bounds, ScoreBounds::exactly(score));
            }
        }
    }
}
