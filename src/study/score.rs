//! The score of one position after another, for programs that compare: every position is searched from a cold start, so
//! that none is the quicker for those before it. Where the lines come from and go to is not known here.
//!
//! A score is `win:N` or `loss:N` for the side that is to move, N being the plies until the game ends with perfect
//! play, `draw`, or `win` or `loss` where a closed form knows the result but not how soon. NODES counts each position
//! that is looked into, and each move that is made there.
//!
//! Connect Four has the usual score of its own (see [`crate::search::connect_four::Bounds`]), and there a node is a call
//! of the recursive search function. With the opening book, what it knows by heart takes no node.

use super::solve::PATIENT;
use super::{Refusal, Stop};
use crate::game::any::{Board, Position, Variant};
use crate::game::connect_four::ConnectFour;
use crate::search::connect_four::{Book, Limits, Solver, TABLE_BYTES};
use crate::search::{Known, Solution, Value, Verdict};

/// Scores the positions of one variant, one after the other.
#[derive(Debug)]
pub struct Scorer {
    variant: Variant,
    /// It keeps its memory for the next position, but nothing that is in it.
    solver: Solver,
    book: Option<&'static Book>,
}

impl Scorer {
    /// A scorer for the positions of `variant`.
    pub fn new(variant: Variant) -> Self {
        Self { variant, solver: Solver::new(TABLE_BYTES), book: None }
    }

    /// The same with the opening book, or that there is none for this variant.
    pub fn with_book(self) -> Result<Self, Refusal> {
        match self.variant.start().position() {
            Position::ConnectFour(_) => Ok(Self { book: Some(Book::ours()), ..self }),
            _ => Err(Refusal(format!("{}: only connect-four has an opening book", self.variant))),
        }
    }

    /// `POSITION SCORE NODES` for a position as it is typed, or what is wrong with it.
    pub fn line(&mut self, text: &str) -> Result<String, Refusal> {
        let board = self.variant.read_position(text).map_err(|bad| Refusal(bad.to_string()))?;
        let Scored { score, nodes } = match board.position() {
            Position::ConnectFour(position) => self.connect_four(&position),
            _ => score(&board)?,
        };
        Ok(format!("{} {score} {nodes}", text.trim()))
    }

    fn connect_four(&mut self, position: &ConnectFour) -> Scored {
        let limits = Limits { stop: &Stop::new(), nodes: u64::MAX, threads: 1 };
        let answer = match self.book {
            Some(book) => self.solver.solve_by(book, position, &limits),
            None => self.solver.solve(position, &limits),
        };
        // Without a limit it ends when both bounds are the score.
        Scored { score: answer.score.low.to_string(), nodes: answer.nodes }
    }
}

/// What a search came to, and what it took.
struct Scored {
    score: String,
    nodes: u64,
}

/// The score of a position of a game that has none of its own.
fn score(board: &Board) -> Result<Scored, Refusal> {
    let (position, stop) = (board.position(), Stop::new());
    let solution = Solution::of(&position, PATIENT, &stop);
    match solution.known(&position) {
        Some(known) => Ok(Scored { score: word(known), nodes: stop.nodes() }),
        None => Err(Refusal(format!(
            "{}: this game is too large to be searched to its end: give a later position",
            board.write_position()
        ))),
    }
}

fn word(known: Known) -> String {
    match known {
        Known::Value(Value::Win(plies)) => format!("win:{plies}"),
        Known::Value(Value::Loss(plies)) => format!("loss:{plies}"),
        Known::Verdict(Verdict::Win) => "win".into(),
        Known::Verdict(Verdict::Loss) => "loss".into(),
        Known::Value(Value::Draw) | Known::Verdict(Verdict::Draw) => "draw".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(variant: &str, position: &str) -> Result<String, String> {
        Scorer::new(variant.parse().unwrap()).line(position).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn a_line_is_the_position_its_score_and_the_nodes() {
        // 1 is entered and its move made, then 0.
        assert_eq!(scored("java-tech", "1 first").unwrap(), "1 first loss:1 3");
        assert_eq!(
            scored("one-two-ten", " 0 ").unwrap().split(' ').take(2).collect::<Vec<_>>(),
            ["0", "win:7"]
        );
        assert_eq!(scored("java-tech", "0").unwrap().split(' ').nth(1), Some("win:0"));
    }

    #[test]
    fn the_same_position_always_takes_the_same_nodes() {
        let first = scored("nim:3-4-5", "3-4-5");
        assert!(scored("nim:3-4-5", "1-1-1").is_ok());
        assert_eq!(scored("nim:3-4-5", "3-4-5"), first);
    }

    #[test]
    fn a_closed_form_takes_no_nodes_of_its_own_and_claims_no_distance() {
        let score = scored("java-tech:1000000000000000000", "999999999999999997").unwrap();
        assert!(score.starts_with("999999999999999997 loss "), "{score}");
    }

    #[test]
    fn connect_four_has_the_usual_score_and_each_position_is_searched_from_a_cold_start() {
        let mut scorer = Scorer::new("connect-four".parse().unwrap());
        let mut line = |text: &str| scorer.line(text).map_err(|refusal| refusal.to_string());
        assert_eq!(line("121212").unwrap(), "121212 18 0");
        assert_eq!(line("1212121").unwrap(), "1212121 -18 0");
        let hard = line("2531276566711153").unwrap();
        assert!(line("3567126656771135").is_ok());
        assert_eq!(line("2531276566711153").unwrap(), hard);
        assert!(line("444444444").unwrap_err().contains("column 4 is full"));
    }

    #[test]
    fn what_is_no_position_is_told_what_would_be_right() {
        assert!(scored("java-tech", "22").unwrap_err().contains("each number is from 0 to its start"));
        assert!(scored("java-tech", "").unwrap_err().contains("write a position as in"));
    }
}
