//! Scores of positions, for comparison with other programs. Every search starts with empty tables, so its
//! nodes do not depend on earlier ones.
//!
//! A score is `win:N` or `loss:N` for the side to move, where N is the number of plies to the end with
//! perfect play; `draw`; or `win` or `loss` if a closed form gives the result but not the length. NODES
//! counts the positions that the search enters and the moves there.
//!
//! Connect Four has its usual score (see [`crate::search::connect_four::ScoreBounds`]), and a node there is a
//! call of the recursive search function. Scores from the opening book take no nodes.

use super::explainer::SOLVE_BUDGET;
use super::{Stop, StudyError, words};
use crate::game::any::{Board, Position, Variant};
use crate::game::connect_four::ConnectFour;
use crate::search::connect_four::{Book, Limits, Solver, TABLE_BYTES};
use crate::search::{Known, Solution};

/// Scores positions of one variant, one by one.
#[derive(Debug)]
pub struct Scorer {
    variant: Variant,
    /// Its memory is reused for the next position, its contents are not.
    solver: Solver,
    book: Option<&'static Book>,
}

impl Scorer {
    /// A scorer for the positions of `variant`.
    pub fn new(variant: Variant) -> Self {
        Self { variant, solver: Solver::new(TABLE_BYTES), book: None }
    }

    /// Adds the opening book. Refused if there is none for this variant.
    pub fn with_book(self) -> Result<Self, StudyError> {
        match self.variant.start().position() {
            Position::ConnectFour(_) => Ok(Self { book: Some(Book::built_in()), ..self }),
            _ => Err(StudyError(format!("{}: only connect-four has an opening book", self.variant))),
        }
    }

    /// `POSITION SCORE NODES` for a position as it is typed, or what is wrong with it.
    pub fn line(&mut self, text: &str) -> Result<String, StudyError> {
        let board = self.variant.read_position(text).map_err(|bad| StudyError(bad.to_string()))?;
        let (score, nodes) = match board.position() {
            Position::ConnectFour(position) => self.connect_four(&position),
            _ => score(&board)?,
        };
        Ok(format!("{} {score} {nodes}", text.trim()))
    }

    /// The score and the nodes of the search.
    fn connect_four(&mut self, position: &ConnectFour) -> (String, u64) {
        let limits = Limits { stop: &Stop::new(), nodes: u64::MAX };
        let answer = match self.book {
            Some(book) => self.solver.solve_with_book(book, position, &limits),
            None => self.solver.solve(position, &limits),
        };
        // Without a limit the search ends when both bounds are the score.
        (answer.score.low.to_string(), answer.nodes)
    }
}

/// The score and the nodes of the search, for games other than Connect Four.
fn score(board: &Board) -> Result<(String, u64), StudyError> {
    let (position, stop) = (board.position(), Stop::new());
    let solution = Solution::of(&position, SOLVE_BUDGET, &stop);
    match solution.known(&position) {
        Some(known) => Ok((word(known), stop.nodes())),
        None => Err(StudyError(format!(
            "{}: the game is too large to search to its end: give a later position",
            board.write_position()
        ))),
    }
}

fn word(known: Known) -> String {
    let verdict = words::verdict(known.verdict());
    known.plies().map_or_else(|| verdict.into(), |plies| format!("{verdict}:{plies}"))
}
