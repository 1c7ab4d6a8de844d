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
            for run in nim::runs(nim, &best) {
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
