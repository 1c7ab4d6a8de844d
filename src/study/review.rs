//! What a move was worth that somebody made: the position before it and behind it, and what would have been better.

use super::Stop;
use super::lesson::Lesson;
use super::moves::count;
use crate::game::any::{Board, Move};
use crate::search::{Known, Verdict, WHOLE_GAME};

/// What a move was worth, for whoever made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// What was certain before it; `None` if nothing could be found out.
    pub before: Option<Known>,
    /// What was certain behind it.
    pub after: Option<Known>,
    /// The same as a part of a sentence that follows the move: `turned a win in 5 plies into a loss in 8 plies; take 2 …`.
    pub words: String,
}

/// What this move was worth on this board; `None` if it could not be made there, or if it was stopped.
pub fn review(board: &Board, mv: Move, stop: &Stop) -> Option<Review> {
    let lesson = Lesson::on(board, WHOLE_GAME, stop)?;
    let best = *lesson.best().moves.first()?;
    board.play(mv).ok()?;
    let (before, after) = (lesson.known(best), lesson.known(mv));
    Some(Review { before, after, words: cost(before, after, &board.write_move(best)) })
}

/// What a move was worth that led from what was certain to this, where `best` would have kept it.
pub(super) fn cost(before: Option<Known>, after: Option<Known>, best: &str) -> String {
    match (before, after) {
        (Some(before), Some(after)) => compared(before, after, better(before, after).then_some(best)),
        _ => "cannot be judged: the game is too large to search to its end".into(),
    }
}

/// Whether the first is more than the second.
pub(super) fn better(best: Known, made: Known) -> bool {
    match (best, made) {
        (Known::Value(best), Known::Value(made)) => best > made,
        _ => best.verdict() > made.verdict(),
    }
}

fn compared(before: Known, after: Known, better: Option<&str>) -> String {
    match better {
        Some(better) if before.verdict() == after.verdict() => {
            let change = if before.verdict() == Verdict::Win { "put off" } else { "hastened" };
            format!("{change} the end: {} became {}; {better} was better", named(before), named(after))
        }
        Some(better) => format!("turned {} into {}; {better} was better", named(before), named(after)),
        None if before.verdict() == Verdict::Loss => {
            format!("could not help it: {} before, and nothing was better", named(before))
        }
        None => format!("kept {}", named(before)),
    }
}

fn named(known: Known) -> String {
    let length = known.plies().map_or_else(String::new, |plies| format!(" in {}", count(plies)));
    match known.verdict() {
        Verdict::Win => format!("a win{length}"),
        Verdict::Draw => "a draw".into(),
        Verdict::Loss => format!("a loss{length}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    fn said(variant: &str, position: &str, mv: &str) -> String {
        let board = variant.parse::<Variant>().unwrap().read_position(position).unwrap();
        let mv = board.read_move(mv).unwrap();
        review(&board, mv, &Stop::new()).unwrap().words
    }

    #[test]
    fn a_move_is_measured_by_the_best_one() {
        for (variant, position, mv, words) in [
            ("java-tech", "7", "2", "kept a win in 4 plies"),
            ("java-tech", "7", "1", "turned a win in 4 plies into a loss in 5 plies; take 2 was better"),
            (
                "nim:1-2-3",
                "1-2-3",
                "3 c",
                "hastened the end: a loss in 6 plies became a loss in 4 plies; take 1 from a was better",
            ),
            (
                "nim:1-2-3",
                "1-2-3",
                "1 a",
                "could not help it: a loss in 6 plies before, and nothing was better",
            ),
            ("tic-tac-toe", ".../.../...", "5", "kept a draw"),
        ] {
            assert_eq!(said(variant, position, mv), words, "{variant} {position} {mv}");
        }
    }

    #[test]
    fn where_only_a_rule_is_known_no_length_is_told() {
        let pile = "nim:1000000000000000000-5-1000000000000000000";
        let words = said(pile, "1000000000000000000-5-1000000000000000000", "take 5 from b");
        assert_eq!(words, "kept a win");
    }

    #[test]
    fn a_move_that_cannot_be_made_has_no_review() {
        let board = "java-tech".parse::<Variant>().unwrap().read_position("1").unwrap();
        let mv = "java-tech".parse::<Variant>().unwrap().start().read_move("3").unwrap();
        assert_eq!(review(&board, mv, &Stop::new()), None);
    }
}
