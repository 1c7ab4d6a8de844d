//! A worksheet: positions of a game to solve, and a page of answers. As text, and as HTML to print.

use std::fmt::Write;

use fastrand::Rng;

use super::branches::{Branch, Branches, MAX_LISTED, branches};
use super::label::Named;
use super::picture::{self, Purpose, picture};
use super::words::{escaped, participle};
use super::{Stop, StudyError};
use crate::game::Game;
use crate::game::any::{Board, Position, Variant};
use crate::search::{Known, Verdict};

/// The number of positions on a worksheet: they fill a page.
const PROBLEMS: usize = 8;
/// The number of random games that are tried for them.
const TRIES: usize = 200;
/// The limit of moves of a random game; some games have no end.
const MAX_PLIES: usize = 60;
/// Positions of Connect Four with fewer stones take too long to solve.
const LEAST_STONES: u32 = 16;

const STYLE: &str = include_str!("worksheet/style.css");
/// How much larger than in a tree a board is drawn, so that it can be written on.
const SCALE: i64 = 2;

const TASK: &str = "In each position, find all moves that keep the best result for the side to move.";

/// What the colours of stones mean on paper.
const COLOURS: &str = " On this page x is blue and o is orange.";

/// A worksheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worksheet {
    variant: Variant,
    seed: u64,
    problems: Vec<Problem>,
}

/// A position to solve.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Problem {
    board: Board,
    /// `won`, `drawn` or `lost` for the side to move.
    result: &'static str,
    /// All moves that keep it.
    moves: Vec<String>,
    /// Why the first best one does.
    reason: String,
}

impl Worksheet {
    /// A worksheet with positions from random games. The same seed gives the same positions.
    ///
    /// Refused if the game is too large, or if it has no position with a good and a bad move.
    pub fn new(variant: &Variant, seed: u64, stop: &Stop) -> Result<Self, StudyError> {
        if variant.start().position().move_count() > MAX_LISTED {
            return Err(StudyError(format!("{variant} is too large for a worksheet: try a smaller game")));
        }
        let mut rng = Rng::with_seed(seed);
        let mut problems: Vec<Problem> = Vec::new();
        for _ in 0..TRIES {
            let board = random_board(variant, &mut rng);
            // A mirrored position is the same problem.
            let key = |board: &Board| board.position().canonical();
            let is_new = problems.iter().all(|other| key(&other.board) != key(&board));
            if is_new && problems.len() < PROBLEMS {
                problems.extend(problem(board, stop));
            }
        }
        match problems.is_empty() {
            _ if stop.is_raised() => Err(StudyError::stopped()),
            true => Err(StudyError(format!("{variant} has no position with a good and a bad move"))),
            false => Ok(Self { variant: variant.clone(), seed, problems }),
        }
    }

    fn title(&self) -> String {
        format!("{}, seed {}", self.variant, self.seed)
    }

    /// The worksheet as text: the positions, then the answers.
    pub fn text(&self) -> String {
        let mut text = format!("Worksheet: {}\n{}\n{TASK}\n", self.title(), self.variant.rules());
        for (number, problem) in (1..).zip(&self.problems) {
            // Writing to a string does not fail.
            let _ = write!(text, "\n{number}. {}\n", problem.task());
            for line in problem.board.draw().lines() {
                let _ = writeln!(text, "{}", format!("   {line}").trim_end());
            }
        }
        let _ = writeln!(text, "\nAnswers: {}", self.title());
        for (number, problem) in (1..).zip(&self.problems) {
            let _ = writeln!(text, "{number}. {}", problem.answer());
        }
        text
    }

    /// The worksheet as an HTML page that prints the answers on a page of their own.
    pub fn html(&self) -> String {
        let (title, rules) = (escaped(&self.title()), escaped(&self.variant.rules()));
        let has_stones = !matches!(self.variant, Variant::Nim(_) | Variant::EvenOrOdd(_));
        let colours = if has_stones { COLOURS } else { "" };
        let (mut problems, mut answers) = (String::new(), String::new());
        for problem in &self.problems {
            let _ = writeln!(
                problems,
                "<li><p>{}</p>\n{}</li>",
                escaped(&problem.task()),
                picture(&problem.board, Purpose::Worksheet).on_page(SCALE, &problem.board.write_position())
            );
            let _ = writeln!(answers, "<li>{}</li>", escaped(&problem.answer()));
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Worksheet: {title}</title>\n\
             <style>\n{STYLE}{}</style>\n</head>\n<body>\n<h1>Worksheet: {title}</h1>\n<p>{rules}{colours}</p>\n<p>{TASK}</p>\n\
             <ol class=\"problems\">\n{problems}</ol>\n<h1 class=\"answers\">Answers: {title}</h1>\n<ol>\n{answers}</ol>\n\
             </body>\n</html>\n",
            picture::STYLE
        )
    }
}

impl Problem {
    fn task(&self) -> String {
        format!("{} to move: ____________", self.board.variant().side(self.board.turn()))
    }

    /// `won with take 3: it leaves 17: …`
    fn answer(&self) -> String {
        format!("{} with {}: {}", self.result, self.moves.join(", "), self.reason)
    }
}

/// The board after some moves of a random game.
fn random_board(variant: &Variant, rng: &mut Rng) -> Board {
    let mut game = vec![variant.start()];
    while let Some(board) = game.last()
        && game.len() <= MAX_PLIES
        && let Some(mv) = rng.choice(board.position().moves().collect::<Vec<_>>())
        && let Ok(next) = board.play(mv)
    {
        game.push(next);
    }
    // The game has at least its first board.
    game.swap_remove(rng.usize(..game.len()))
}

/// The problem of a position; `None` if all of its moves have the same result, or if it is not known.
fn problem(board: Board, stop: &Stop) -> Option<Problem> {
    if matches!(board.position(), Position::ConnectFour(position) if position.stones() < LEAST_STONES) {
        return None;
    }
    let Branches { all, .. } = branches(&board, stop)?;
    let verdicts: Vec<Verdict> =
        all.iter().map(|branch| branch.known.map(Known::verdict)).collect::<Option<_>>()?;
    let most = verdicts.iter().copied().max()?;
    let kept: Vec<&Branch> = all
        .iter()
        .zip(&verdicts)
        .filter(|(_, verdict)| **verdict == most)
        .map(|(branch, _)| branch)
        .collect();
    let reason = kept.iter().find(|branch| branch.best).or(kept.first())?.reason.clone();
    (kept.len() < all.len()).then(|| Problem {
        result: participle(most),
        moves: kept.iter().map(|branch| branch.name.clone()).collect(),
        reason,
        board,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::review;

    fn worksheet(variant: &str, seed: u64) -> Worksheet {
        Worksheet::new(&variant.parse().unwrap(), seed, &Stop::new()).unwrap()
    }

    #[test]
    fn the_moves_of_an_answer_keep_the_result_and_all_others_lose_it() {
        for variant in
            ["java-tech", "nim:3-4-5:misere", "tic-tac-toe", "even-or-odd", "pong-hau-ki", "mu-torere"]
        {
            for Problem { board, moves, .. } in worksheet(variant, 1).problems {
                for mv in board.position().moves() {
                    let review = review(&board, mv, &Stop::new()).unwrap();
                    let [before, after] = [review.before, review.after].map(|known| known.unwrap().verdict());
                    let is_answer = moves.contains(&board.write_move(mv));
                    assert_eq!(is_answer, before == after, "{variant} {}", board.write_position());
                }
            }
        }
    }

    #[test]
    fn a_seed_gives_the_same_worksheet_and_another_one_a_different_one() {
        let same = worksheet("tic-tac-toe", 3);
        assert_eq!((same.problems.len(), &same), (PROBLEMS, &worksheet("tic-tac-toe", 3)));
        assert_ne!(same.problems, worksheet("tic-tac-toe", 4).problems);
    }
}
