//! One position with everything that is known of its moves: what each is worth, and why, in words.

use super::{connect_four, nim, reason, theory};
use crate::game::Game;
use crate::game::any::{Board, Move, Position, Variant};
use crate::search::{self, Best, Budget, Known, Solution, Stop, Verdict, WHOLE_GAME};

/// The budget for solving while a person waits and can stop it: a few seconds and a few hundred megabytes.
/// In Connect Four it is half a minute, which is enough for any position. The depth bounds the stack of the
/// recursion.
pub const PATIENT: Budget = Budget { nodes: 10_000_000, plies: 500 };
/// The budget for showing all moves or positions of a game. The solver of Connect Four needs the time; other
/// games are small or have a closed form.
pub(super) fn patience(position: &Position) -> Budget {
    match position {
        Position::ConnectFour(_) => PATIENT,
        _ => WHOLE_GAME,
    }
}

/// What is known of a position and its moves.
pub(super) struct Lesson<'a> {
    board: &'a Board,
    position: Position,
    solution: Solution,
    best: Best<Move>,
}

impl<'a> Lesson<'a> {
    /// `None` if the game is over, or if it was stopped before any move was found.
    pub(super) fn on(board: &'a Board, budget: Budget, stop: &Stop) -> Option<Self> {
        let position = board.position();
        let solution = Solution::of(&position, budget, stop);
        let best = solution.best_or_guess(&position, search::LOOKAHEAD, stop)?;
        Some(Self { board, position, solution, best })
    }

    pub(super) fn best(&self) -> &Best<Move> {
        &self.best
    }

    /// The board after a legal move.
    fn after(&self, mv: Move) -> Option<Board> {
        self.board.play(mv).ok()
    }

    /// The value of a move for the side that makes it, if it is certain.
    pub(super) fn known(&self, mv: Move) -> Option<Known> {
        Some(self.solution.known(&self.after(mv)?.position())?.for_mover())
    }

    /// Why a move is good or bad, as a part of a sentence after it.
    pub(super) fn words(&self, mv: Move) -> String {
        if self.known(mv).map(Known::verdict) == Some(Verdict::Loss) {
            return self.losing(mv);
        }
        self.theory(mv).unwrap_or_else(|| self.plainly(mv))
    }

    /// The reason by the theory of the game for a move that does not lose.
    fn theory(&self, mv: Move) -> Option<String> {
        match (self.board.variant(), &self.position, mv) {
            (Variant::Nim(variant), Position::Nim(before), Move::Nim(take)) => {
                nim::reason(&variant, before, take)
            }
            (_, Position::EvenOrOdd(before), Move::EvenOrOdd(tokens)) => theory::even_or_odd(before, tokens),
            (_, Position::TicTacToe(before), Move::TicTacToe(square)) => {
                theory::tic_tac_toe(*before, square, self.known(mv))
            }
            (_, Position::ConnectFour(before), Move::ConnectFour(column)) => {
                connect_four::reason(before, column, self.known(mv))
            }
            (_, Position::PongHauKi(before), Move::PongHauKi(slide)) => {
                theory::sliding(before, slide, |slide| self.known(Move::PongHauKi(slide)))
            }
            (_, Position::MuTorere(before), Move::MuTorere(slide)) => {
                theory::sliding(before, slide, |slide| self.known(Move::MuTorere(slide)))
            }
            _ => None,
        }
    }

    /// The reason by the value alone.
    fn plainly(&self, mv: Move) -> String {
        if self.best.moves.contains(&mv) {
            return reason::of(&self.position, &self.best);
        }
        match self.known(mv) {
            Some(known) => reason::lesser(known),
            None => "where it leads is not known: the game is too large to search to its end".into(),
        }
    }

    /// The answer to a losing move; and if all moves lose, the merit of this one.
    fn losing(&self, mv: Move) -> String {
        let answer = self.answer(mv);
        if !self.best.moves.contains(&mv) {
            return answer;
        }
        match self.position.move_count() {
            1 => format!("{answer}; it is the only move there is"),
            _ => format!("{answer}; {}", reason::of(&self.position, &self.best)),
        }
    }

    fn answer(&self, mv: Move) -> String {
        let reply = self.after(mv).and_then(|after| {
            let reply = *self.solution.best(&after.position())?.moves.first()?;
            Some((after, reply))
        });
        let theory = refutation(self.board, mv, reply.as_ref().map(|&(_, reply)| reply));
        theory.unwrap_or_else(|| match reply {
            Some((after, reply)) => {
                let plies = self.known(mv).and_then(Known::plies);
                reason::answered(&after.write_move(reply), plies.map(|plies| plies.saturating_sub(1)))
            }
            None => "it ends the game, and loses".into(),
        })
    }
}

/// The reason by the theory of the game against a losing move, with the reply of the other side, if there is
/// one.
fn refutation(board: &Board, mv: Move, reply: Option<Move>) -> Option<String> {
    match (board.variant(), board.position(), mv, reply) {
        (Variant::Nim(variant), Position::Nim(before), Move::Nim(take), Some(Move::Nim(reply))) => {
            nim::refutation(&variant, &before, take, reply)
        }
        (_, Position::ConnectFour(before), Move::ConnectFour(column), Some(Move::ConnectFour(reply))) => {
            connect_four::refutation(&before, column, reply)
        }
        (_, Position::Nim(_), _, None) => Some("it takes the last object, which loses".into()),
        _ => None,
    }
}
