//! What a teacher says and shows: a good move with its reason in words, all moves, the tree, the search step
//! by step. It finds no moves itself: the values come from `search`, and text goes out.
//!
//! Reasons that fit every game are in `reason`. A game's own theory is in `nim`, `connect_four` and
//! `theory`. `lesson` puts them together.

pub mod branches;
mod connect_four;
pub mod count;
pub mod figure;
pub mod label;
mod lesson;
pub mod levels;
pub mod moves;
mod nim;
mod reason;
mod review;
pub mod score;
pub mod solve;
mod theory;
pub mod trace;
pub mod tree;
pub mod words;

pub use crate::search::{Known, Stop, Verdict};
pub use review::{Review, annotation, review};
pub use words::Refusal;

use crate::game::any::{Board, Move};
use crate::search::WHOLE_GAME;
use lesson::Lesson;
pub use lesson::PATIENT;

/// A move to make, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// One of the best moves.
    pub mv: Move,
    /// The reason, as a part of a sentence after the move: `it leaves 5: one more than …`.
    pub words: String,
}

/// A best move with its reason: the same whenever it is asked for.
///
/// `None` if the game is over, or if it was stopped before it had found a move.
pub fn hint(board: &Board, stop: &Stop) -> Option<Hint> {
    let lesson = Lesson::on(board, WHOLE_GAME, stop)?;
    let &mv = lesson.best().moves.first()?;
    Some(Hint { mv, words: lesson.words(mv) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;
    use crate::search;

    fn board(variant: &str, position: &str) -> Board {
        variant.parse::<Variant>().unwrap().read_position(position).unwrap()
    }

    /// The move as it is typed, and its reason.
    fn said(variant: &str, position: &str) -> String {
        let board = board(variant, position);
        let hint = hint(&board, &Stop::new()).unwrap();
        format!("{}: {}", board.write_move(hint.mv), hint.words)
    }

    #[test]
    fn a_single_pile_is_explained_by_its_remainder() {
        for (variant, position, words) in [
            (
                "java-tech",
                "20",
                "take 3: it leaves 17: one more than a multiple of 4, so every reply can be answered",
            ),
            ("java-tech", "3", "take 2: it leaves 1, which the other side has to take"),
            ("take:30:3", "30", "take 2: it leaves 28: a multiple of 4, so every reply can be answered"),
            ("take:30:3", "2", "take 2: it takes the last object, which wins"),
            (
                "take:1000000000000000000:3:misere",
                "1000000000000000000",
                "take 3: it leaves 999999999999999997: one more than a multiple of 4, so every reply can be answered",
            ),
        ] {
            assert_eq!(said(variant, position), words);
        }
    }

    #[test]
    fn a_count_is_explained_by_what_is_short_of_its_goal() {
        for (position, words) in [
            (
                "0",
                "add 1: it makes the count 1: 9 short of 10, a multiple of 3, so every reply can be answered",
            ),
            (
                "5",
                "add 2: it makes the count 7: 3 short of 10, a multiple of 3, so every reply can be answered",
            ),
            ("9", "add 1: it reaches 10, which wins"),
        ] {
            assert_eq!(said("one-two-ten", position), words);
        }
    }

    #[test]
    fn several_piles_are_explained_by_their_nim_sum() {
        for (variant, position, words) in [
            ("nim:3-4-5", "3-4-5", "take 2 from a: it makes the nim-sum 0, so every reply can be answered"),
            ("nim:3-4-5", "0-4-5", "take 1 from c: it leaves two equal piles, so every reply can be copied"),
            (
                "nim:3-4-5:misere",
                "0-4-5",
                "take 1 from c: it makes the nim-sum 0, so every reply can be answered",
            ),
            (
                "nim:3-4-5:misere",
                "1-1-2",
                "take 1 from c: it leaves 3 piles of 1: an odd number, so the other side has to take the last one",
            ),
            ("nim:3-4-5:misere", "1-0-2", "take 2 from c: it leaves 1, which the other side has to take"),
        ] {
            assert_eq!(said(variant, position), words);
        }
    }

    #[test]
    fn several_piles_with_a_limit_are_explained_by_their_remainders() {
        for (variant, position, words) in [
            (
                "nim:9-9-9:max=3",
                "6-5-2",
                "take 3 from a: it makes the nim-sum 0, counting the remainders by 4, so every reply can be answered",
            ),
            (
                "nim:9-9-9:max=3",
                "3-2-0",
                "take 1 from a: it leaves two equal piles, so every reply can be copied",
            ),
            (
                "nim:9-9-9:max=3:misere",
                "6-5-1",
                "take 1 from a: it leaves an odd number of piles that are one more than a multiple of 4, and else \
                 multiples of 4, so every reply can be answered",
            ),
        ] {
            assert_eq!(said(variant, position), words);
        }
    }

    #[test]
    fn even_or_odd_is_explained_by_remainder_and_parity() {
        for (position, words) in [
            (
                "15 0-0",
                "take 3: it leaves 12, 4 more than a multiple of 8, to a side with an even heap, so every reply can \
                 be answered",
            ),
            ("6 4-5", "take 1: it leaves 5 to a side with an odd heap, so every reply can be answered"),
            ("3 6-6", "take 2: it leaves 1, which makes the other side's heap odd"),
            ("3 5-7", "take 3: it takes the rest and makes your heap even"),
        ] {
            assert_eq!(said("even-or-odd", position), words);
        }
        assert_eq!(
            said("even-or-odd:16", "16 0-0"),
            "take 1: it draws, as every move does: an even number of tokens leaves both heaps even or both odd"
        );
        assert_eq!(
            said("even-or-odd:999999999999999999", "999999999999999999 0-0"),
            "take 3: it leaves 999999999999999996, 4 more than a multiple of 8, to a side with an even heap, so every \
             reply can be answered"
        );
    }

    #[test]
    fn tic_tac_toe_is_explained_by_threes_threats_and_forks() {
        for (position, words) in [
            ("xx./oo./...", "3: it makes three in a row"),
            ("xx./.o./...", "3: it is the only square that blocks"),
            (".../..o/xox", "1: it makes two threats at once (a fork)"),
            ("..x/..o/xox", "5: it blocks, and makes two threats at once (a fork)"),
            ("x../.../...", "5: it draws; the others lose"),
            ("oxo/.xo/xox", "4: it is the only move there is, and it draws"),
            (
                "xx./o../...",
                "3: the other side answers 5 and wins in 2 moves; every move loses against perfect play; this one holds \
                 out longest",
            ),
        ] {
            assert_eq!(said("tic-tac-toe", position), words, "{position}");
        }
    }

    #[test]
    fn connect_four_is_explained_by_fours_and_threats() {
        for (position, words) in [
            ("112233", "4: it makes four in a row"),
            ("17273", "4: it is the only column that stops four in a row"),
            ("4455", "3: it makes two threats at once (a fork); you win in 2 moves"),
            ("22334", "1: it stops one four in a row, but the other side makes another in 5"),
        ] {
            assert!(
                said("connect-four", position).starts_with(words),
                "{position}: {}",
                said("connect-four", position)
            );
        }
    }

    #[test]
    fn sliding_stones_are_explained_by_who_is_shut_in() {
        for (variant, position, words) in [
            ("pong-hau-ki", "xoox. second", "from 2 to 5: it leaves no move: the other side is shut in"),
            ("pong-hau-ki", "xoo.x", "from 1 to 4: it draws; the other move loses to the very next move"),
            ("pong-hau-ki", "xx.oo", "from 1 to 3: it draws, and so does every other move"),
            ("mu-torere", "oxxoxo.ox second", "from 8 to 7: it draws; the other move loses within 2 moves"),
            ("mu-torere", "oxxxooo.x second", "from 7 to 8: it wins in 3 moves against any defence"),
        ] {
            assert_eq!(said(variant, position), words, "{position}");
        }
    }

    #[test]
    fn where_every_move_loses_it_says_why_and_what_this_one_is_good_for() {
        const LOST: &str = "every move loses against perfect play; ";
        for (variant, position, why, good_for) in [
            (
                "java-tech",
                "21",
                "take 1: it leaves 20: the other side takes 3 and leaves 17, one more than a multiple of 4",
                "none is better than another",
            ),
            (
                "one-two-ten",
                "7",
                "add 1: it makes the count 8: the other side adds 2 and reaches 10",
                "none is better than another",
            ),
            (
                "nim:1-3-5-7",
                "1-3-5-7",
                "take 1 from a: it leaves 0-3-5-7: the other side takes 1 from b and makes the nim-sum 0",
                "this one holds out longest",
            ),
            (
                "nim:3000-3000",
                "3000-3000",
                "take 1 from a: it leaves 2999-3000: the other side takes 1 from b and leaves two equal piles",
                "this one leaves the most to be played",
            ),
        ] {
            assert_eq!(said(variant, position), format!("{why}; {LOST}{good_for}"));
        }
        assert_eq!(
            said("java-tech", "1"),
            "take 1: it takes the last object, which loses; it is the only move there is"
        );
    }

    #[test]
    fn a_hint_is_one_of_the_best_moves_and_always_the_same() {
        let board = board("nim:3-4-5:misere", "3-4-5");
        let best = search::best(&board.position(), &Stop::new()).unwrap();
        let given = hint(&board, &Stop::new()).unwrap();
        assert!(best.moves.contains(&given.mv));
        assert_eq!(hint(&board, &Stop::new()), Some(given));
    }

    #[test]
    fn a_finished_game_has_no_hint() {
        assert_eq!(hint(&board("nim:3-4-5", "0-0-0"), &Stop::new()), None);
    }
}
