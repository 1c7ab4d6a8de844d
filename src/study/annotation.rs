//! A move that somebody made, in the words in which all moves are listed: what it was worth and why, and the same of one that
//! would have been better.

use super::Stop;
use super::lesson::Lesson;
use super::moves::worth;
use super::review::better;
use super::solve::patience;
use crate::game::any::{Board, Move};

/// The line of [`moves`](super::moves::moves) for this move, and below it that of a better one, if there was one.
///
/// `None` if the move could not be made there, or if it was stopped.
pub fn annotation(board: &Board, mv: Move, stop: &Stop) -> Option<String> {
    let lesson = Lesson::on(board, patience(&board.position()), stop)?;
    let best = *lesson.best().moves.first()?;
    board.play(mv).ok()?;
    let told = |mv: Move| format!("{}; {}", worth(lesson.known(mv)), lesson.words(mv));
    let made = format!("{}: {}", board.write_move(mv), told(mv));
    let words = match (lesson.known(best), lesson.known(mv)) {
        (Some(before), Some(after)) if better(before, after) => {
            format!("{made}\n{} was better: {}", board.write_move(best), told(best))
        }
        _ => made,
    };
    // What was stopped in the middle may be told wrong.
    (!stop.is_raised()).then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;
    use crate::game::any::Variant;
    use crate::study::moves::moves;

    fn board(variant: &str, position: &str) -> Board {
        variant.parse::<Variant>().unwrap().read_position(position).unwrap()
    }

    fn said(variant: &str, position: &str, mv: &str) -> Vec<String> {
        let board = board(variant, position);
        let mv = board.read_move(mv).unwrap();
        annotation(&board, mv, &Stop::new()).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_move_is_told_as_in_the_list_of_all_moves() {
        for (variant, position) in [
            ("java-tech:9", "9"),
            ("nim:1-2-3:misere", "1-2-3"),
            ("tic-tac-toe", "x../.../..."),
            ("connect-four", "4444"),
        ] {
            let board = board(variant, position);
            let list = moves(&board, &Stop::new()).unwrap();
            let told = |mv| annotation(&board, mv, &Stop::new()).unwrap().lines().next().unwrap().to_owned();
            let lines: Vec<String> = board.position().moves().map(told).collect();
            assert_eq!(lines, list.lines().collect::<Vec<_>>(), "{variant}");
        }
    }

    #[test]
    fn a_better_move_is_told_with_its_own_reason() {
        assert_eq!(
            said("java-tech", "7", "1"),
            [
                "take 1: loss in 5 plies; it leaves 6: the other side takes 1 and leaves 5, one more than a multiple of 4",
                "take 2 was better: win in 4 plies; it leaves 5: one more than a multiple of 4, so every reply can be \
                 answered",
            ]
        );
        assert_eq!(said("java-tech", "7", "2").len(), 1);
        assert_eq!(said("java-tech", "9", "3").len(), 1, "nothing helps");
        // One that only loses sooner is worse too.
        assert!(
            said("nim:1-2-3", "1-2-3", "3 c")[1].starts_with("take 1 from a was better: loss in 6 plies; ")
        );
    }

    #[test]
    fn a_move_that_cannot_be_made_and_one_that_was_stopped_have_none() {
        let three = board("java-tech", "9").read_move("3").unwrap();
        assert_eq!(annotation(&board("java-tech", "1"), three, &Stop::new()), None);
        let stop = Stop::new();
        stop.raise();
        assert_eq!(annotation(&board("java-tech", "9"), three, &stop), None);
    }
}
