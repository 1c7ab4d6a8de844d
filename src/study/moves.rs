//! A line for every legal move: what it is worth, and why. If there are too many moves, adjacent ones with
//! the same result share a line.

use std::fmt::Write;

use super::lesson::{Lesson, patience};
use super::words::{verdict, worth};
use super::{Refusal, Stop, nim};
use crate::game::Game;
use crate::game::any::{Board, Move, Position};
use crate::game::nim::Take;
use crate::search::Verdict;

/// Up to this number, each move has a line of its own.
const MAX_LISTED: u64 = 40;

/// All moves of a position: each as it is typed, its exact value for the side that makes it, and the reason.
///
/// Refused if the game is over.
pub fn moves(board: &Board, stop: &Stop) -> Result<String, Refusal> {
    let position = board.position();
    let lesson = Lesson::on(board, patience(&position), stop).ok_or_else(|| Refusal::over(board))?;
    let mut text = String::new();
    match &position {
        Position::Nim(nim) if nim.move_count() > MAX_LISTED => {
            let best: Vec<Take> = lesson.best().moves.iter().filter_map(|&mv| take(mv)).collect();
            for run in nim::runs(nim).into_iter().flat_map(|run| run.parted(&best)) {
                line(&mut text, &run_text(board, &run), verdict(run.verdict), &run_reason(&lesson, &run));
            }
        }
        _ => {
            for mv in position.moves() {
                line(&mut text, &board.write_move(mv), &worth(lesson.known(mv)), &lesson.words(mv));
            }
        }
    }
    Ok(text)
}

fn line(text: &mut String, moves: &str, worth: &str, reason: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{moves}: {worth}; {reason}");
}

/// `take 3 to 99 from b`.
fn run_text(board: &Board, run: &nim::Run) -> String {
    let first = board.write_move(Move::Nim(run.first));
    if run.first == run.last {
        return first;
    }
    let (from, to) = (run.first.count.to_string(), run.last.count.to_string());
    first.replacen(&from, &format!("{from} to {to}"), 1)
}

fn take(mv: Move) -> Option<Take> {
    match mv {
        Move::Nim(take) => Some(take),
        _ => None,
    }
}

fn run_reason(lesson: &Lesson, run: &nim::Run) -> String {
    match (run.verdict, run.first == run.last) {
        (Verdict::Loss, false) => "the other side has an answer to each of them".into(),
        _ => lesson.words(Move::Nim(run.first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::any::Variant;

    fn listed(variant: &str, position: &str) -> Vec<String> {
        let board = variant.parse::<Variant>().unwrap().read_position(position).unwrap();
        moves(&board, &Stop::new()).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_move_has_its_value_its_distance_and_a_reason() {
        assert_eq!(
            listed("java-tech:4", "4"),
            [
                "take 1: loss in 3 plies; it leaves 3: the other side takes 2 and leaves 1, which you have to take",
                "take 2: loss in 3 plies; it leaves 2: the other side takes 1 and leaves 1, which you have to take",
                "take 3: win in 2 plies; it leaves 1, which the other side has to take",
            ]
        );
        assert_eq!(
            listed("java-tech:7", "7")[0],
            "take 1: loss in 5 plies; it leaves 6: the other side takes 1 and leaves 5, one more than a multiple of 4"
        );
        assert_eq!(listed("one-two-ten", "9"), ["add 1: win in 1 ply; it reaches 10, which wins"]);
    }

    #[test]
    fn losing_moves_are_listed_with_the_reply() {
        let said = listed("nim:3-4-5:misere", "1-1-2");
        assert_eq!(
            said,
            [
                "take 1 from a: loss in 3 plies; it leaves 0-1-2: the other side takes 2 from c and leaves 1, which \
                 you have to take",
                "take 1 from b: loss in 3 plies; it leaves 1-0-2: the other side takes 2 from c and leaves 1, which \
                 you have to take",
                "take 1 from c: win in 4 plies; it leaves 3 piles of 1: an odd number, so the other side has to take \
                 the last one",
                "take 2 from c: loss in 3 plies; it leaves 1-1-0: the other side takes 1 from a and leaves 1, which \
                 you have to take",
            ]
        );
    }

    #[test]
    fn too_many_moves_share_lines_without_distances() {
        const HUGE: &str = "1000000000000000000";
        assert_eq!(
            listed(&format!("nim:7-{HUGE}"), &format!("7-{HUGE}")),
            [
                "take 1 to 7 from a: loss; the other side has an answer to each of them",
                "take 1 to 999999999999999992 from b: loss; the other side has an answer to each of them",
                "take 999999999999999993 from b: win; it leaves two equal piles, so every reply can be copied",
                "take 999999999999999994 to 1000000000000000000 from b: loss; the other side has an answer to each \
                 of them",
            ]
        );
        let single = listed("nim:100", "100");
        assert_eq!(single.last().unwrap(), "take 100: win; it takes the last object, which wins");
        assert_eq!(single.len(), 2);
    }

    #[test]
    fn a_pile_that_is_too_large_to_search_has_exact_values_without_a_distance() {
        let said = listed("java-tech:1000000000000000000", "1000000000000000000");
        assert_eq!(said.len(), 3);
        assert!(said[0].starts_with(
            "take 1: loss; it leaves 999999999999999999: the other side takes 2 and leaves 999999999999999997, one"
        ));
        assert!(said[2].starts_with("take 3: win; it leaves 999999999999999997: one more"));
    }

    #[test]
    fn a_finished_game_has_no_moves() {
        let board = "java-tech".parse::<Variant>().unwrap().read_position("0").unwrap();
        assert!(moves(&board, &Stop::new()).is_err());
    }
}
