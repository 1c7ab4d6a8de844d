//! The moves of one position, with their values and the reasons in words.

use super::{connect_four, nim, reason, theory};
use crate::game::Game;
use crate::game::any::{Board, Move, Position, Variant};
use crate::search::{self, Best, Budget, Known, Solution, Stop, Value, Verdict, WHOLE_GAME};

/// The budget for solving while a person waits and can stop it: a few seconds and a few hundred megabytes.
/// In Connect Four it is half a minute, which is enough for any position. The limit of plies bounds the
/// depth of the recursion.
pub const SOLVE_BUDGET: Budget = Budget { nodes: 10_000_000, plies: 500 };
/// The budget for showing all moves or positions of a game. Connect Four needs the larger one; other games
/// are small or have a closed form.
pub(super) fn listing_budget(position: &Position) -> Budget {
    match position {
        Position::ConnectFour(_) => SOLVE_BUDGET,
        _ => WHOLE_GAME,
    }
}

/// What is known of a position and its moves.
pub(super) struct Explainer<'a> {
    board: &'a Board,
    position: Position,
    solution: Solution,
    best: Best<Move>,
}

impl<'a> Explainer<'a> {
    /// `None` if the game is over, or if the search was stopped before it found a move.
    pub(super) fn on(board: &'a Board, budget: Budget, stop: &Stop) -> Option<Self> {
        let position = board.position();
        let solution = Solution::of(&position, budget, stop);
        let best = solution.best_or_estimate(&position, search::LOOKAHEAD, stop)?;
        Some(Self { board, position, solution, best })
    }

    pub(super) fn best(&self) -> &Best<Move> {
        &self.best
    }

    /// The board after a legal move.
    fn after(&self, mv: Move) -> Option<Board> {
        self.board.play(mv).ok()
    }

    /// The proved value of a move for the side that makes it.
    pub(super) fn known(&self, mv: Move) -> Option<Known> {
        Some(self.solution.known(&self.after(mv)?.position())?.for_mover())
    }

    /// The same where the value of the move is not said beside it.
    pub(super) fn reason_with_value(&self, mv: Move) -> String {
        let reason = self.reason(mv);
        let Some(known) = self.known(mv).filter(|known| known.verdict() != Verdict::Loss) else {
            return reason;
        };
        match (&self.position, known) {
            _ if reason == reason::FOUND => format!("{}, {reason}", reason::value(known)),
            (Position::ConnectFour(_), Known::Value(Value::Win(plies @ 2..))) => {
                format!("{reason}; you win in {plies} moves")
            }
            _ => reason,
        }
    }

    /// Why a move is good or bad, as a clause after the move and its value.
    pub(super) fn reason(&self, mv: Move) -> String {
        if self.known(mv).map(Known::verdict) == Some(Verdict::Loss) {
            return self.reason_for_loss(mv);
        }
        self.theory(mv).unwrap_or_else(|| self.reason_by_value(mv))
    }

    /// The reason for a move that does not lose, by the theory of the game.
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

    /// The reason by the value of the move alone.
    fn reason_by_value(&self, mv: Move) -> String {
        if self.best.moves.contains(&mv) {
            return reason::of(&self.position, &self.best);
        }
        match self.known(mv) {
            Some(known) => reason::lesser(known).into(),
            None => "its value is not known: the game is too large to search to its end".into(),
        }
    }

    /// The refutation of a losing move, and if all moves lose, the merit of this one.
    fn reason_for_loss(&self, mv: Move) -> String {
        let refutation = self.refute(mv);
        if !self.best.moves.contains(&mv) {
            return refutation;
        }
        match self.position.move_count() {
            1 => format!("{refutation}; it is the only legal move"),
            _ => format!("{refutation}; {}", reason::of(&self.position, &self.best)),
        }
    }

    /// Why a losing move loses, by the theory of the game or by the best reply.
    fn refute(&self, mv: Move) -> String {
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

/// The refutation of a losing move by the theory of the game. `reply` is the best reply, if there is one.
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
