//! A worksheet: positions of a game to solve, and a page of answers. As text, and as HTML to print.

use std::fmt::Write;

use fastrand::Rng;

use super::branches::{Branch, Branches, MAX_LISTED, branches};
use super::label::Named;
use super::picture::{self, Purpose, picture};
use super::words::{bare, escaped, verdict};
use super::{Stop, StudyError};
use crate::game::any::{Board, Position, Variant};
use crate::game::{Game, Outcome};
use crate::search::{Known, Verdict};

/// The number of positions on a worksheet: they fill a page.
const PROBLEMS: usize = 8;
/// The number of random games that are tried for them.
const TRIES: usize = 500;
/// The limit of moves of a random game; some games have no end.
const MAX_PLIES: usize = 60;
/// Positions of Connect Four with fewer stones take too long to solve.
const LEAST_STONES: u32 = 16;

const STYLE: &str = include_str!("worksheet/style.css");
/// How much larger than in a tree a board is drawn, so that it can be written on.
const SCALE: i64 = 2;

const TASK: &str = "In each position, find all best moves: those that win, or else those that draw.";

/// A position with at most this many right moves is worth a search by hand.
const FEW: usize = 2;

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
    /// What the right moves do: `win` or `draw`.
    keeps: &'static str,
    /// All moves that keep it, those with the same reason together; the quickest first.
    answers: Vec<Answer>,
}

/// Moves that are right for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Answer {
    moves: Vec<String>,
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
        let mut candidates = Candidates::default();
        for _ in 0..TRIES {
            let board = random_board(variant, &mut rng);
            if candidates.hard.len() < PROBLEMS && candidates.is_new(&board) {
                candidates.add(board, stop);
            }
        }
        let problems = candidates.best(stop);
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
            let _ = writeln!(text, "{number}. {}", problem.answer().join("\n   "));
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
            let _ = writeln!(
                answers,
                "<li>{}</li>",
                escaped(&problem.answer().join("\n")).replace('\n', "<br>\n")
            );
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

    /// `take 3 wins: it leaves 17: …`, a line for each reason.
    fn answer(&self) -> Vec<String> {
        let line = |Answer { moves, reason }: &Answer| {
            let one = if moves.len() == 1 { "s" } else { "" };
            format!("{} {}{one}: {reason}", moves.join(", "), self.keeps)
        };
        self.answers.iter().map(line).collect()
    }
}

/// Positions for a worksheet, by how much there is to find in them.
#[derive(Debug, Default)]
struct Candidates {
    /// Few moves are right, and none of them wins at once.
    hard: Vec<Problem>,
    /// No move wins at once, but more are right.
    wide: Vec<Problem>,
    /// A move wins at once; not solved yet, since they are seldom needed.
    easy: Vec<Board>,
}

impl Candidates {
    /// Whether this position is not among them. A mirrored position is the same.
    fn is_new(&self, board: &Board) -> bool {
        let key = |board: &Board| board.position().canonical();
        let solved = self.hard.iter().chain(&self.wide).map(|problem| &problem.board);
        solved.chain(&self.easy).all(|other| key(other) != key(board))
    }

    fn add(&mut self, board: Board, stop: &Stop) {
        if wins_at_once(&board.position()) {
            self.easy.push(board);
        } else if let Some(problem) = problem(board, stop) {
            let count: usize = problem.answers.iter().map(|answer| answer.moves.len()).sum();
            let kind = if count <= FEW { &mut self.hard } else { &mut self.wide };
            kind.push(problem);
        }
    }

    /// The best of them, as many as fit on a page.
    fn best(self, stop: &Stop) -> Vec<Problem> {
        let easy = self.easy.into_iter().filter_map(|board| problem(board, stop));
        self.hard.into_iter().chain(self.wide).chain(easy).take(PROBLEMS).collect()
    }
}

/// Whether the side to move has a move that ends the game and wins it.
fn wins_at_once(position: &Position) -> bool {
    let mut after = position.moves().filter_map(|mv| position.play(mv).ok());
    after.any(|after| after.outcome() == Some(Outcome::Win(position.turn())))
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
    (kept.len() < all.len()).then(|| Problem { keeps: verdict(most), answers: answers(&kept), board })
}

/// These moves by their reasons, a reason with a best move first.
fn answers(kept: &[&Branch]) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    let (best, others): (Vec<&Branch>, Vec<&Branch>) = kept.iter().partition(|branch| branch.best);
    for Branch { name, reason, .. } in best.into_iter().chain(others) {
        match answers.iter_mut().find(|answer| answer.reason == *reason) {
            Some(answer) => answer.moves.push(bare(name).to_owned()),
            None => answers.push(Answer { moves: vec![bare(name).to_owned()], reason: reason.clone() }),
        }
    }
    answers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::branches::moves;
    use crate::study::review;

    fn worksheet(variant: &str, seed: u64) -> Worksheet {
        Worksheet::new(&variant.parse().unwrap(), seed, &Stop::new()).unwrap()
    }

    #[test]
    fn the_moves_of_an_answer_keep_the_result_and_all_others_lose_it() {
        for variant in
            ["java-tech", "nim:3-4-5:misere", "tic-tac-toe", "even-or-odd", "pong-hau-ki", "mu-torere"]
        {
            for Problem { board, answers, .. } in worksheet(variant, 1).problems {
                let moves: Vec<String> = answers.into_iter().flat_map(|answer| answer.moves).collect();
                for mv in board.position().moves() {
                    let review = review(&board, mv, &Stop::new()).unwrap();
                    let [before, after] = [review.before, review.after].map(|known| known.unwrap().verdict());
                    let is_answer = moves.iter().any(|name| name == bare(&board.write_move(mv)));
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

    #[test]
    fn every_move_of_an_answer_has_the_reason_that_the_list_of_moves_gives() {
        for variant in ["tic-tac-toe", "nim:3-4-5", "one-two-ten", "even-or-odd", "pong-hau-ki", "mu-torere"]
        {
            for seed in 1..=5 {
                for Problem { board, answers, .. } in worksheet(variant, seed).problems {
                    let listed = moves(&board, &Stop::new()).unwrap();
                    for Answer { moves, reason } in answers {
                        for name in moves {
                            let line =
                                listed.lines().find(|line| bare(line).starts_with(&format!("{name}: ")));
                            let given = line.is_some_and(|line| line.ends_with(&format!("; {reason}")));
                            assert!(given, "{name}: {reason}\n{listed}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn no_move_wins_at_once_where_enough_other_positions_exist() {
        for variant in ["tic-tac-toe", "nim:3-4-5:misere", "mu-torere"] {
            for Problem { board, answers, .. } in worksheet(variant, 2).problems {
                let count: usize = answers.iter().map(|answer| answer.moves.len()).sum();
                assert!(!wins_at_once(&board.position()), "{variant} {}", board.write_position());
                assert!(count <= FEW, "{variant} {}", board.write_position());
            }
        }
    }
}
