//! One position with all that is known of its moves: what each is worth, and why, in words. It does not find that out
//! itself, and does not know to whom it is told.

use super::{connect_four, even_or_odd, nim, reason, sliding, tic_tac_toe};
use crate::game::Game;
use crate::game::any::{Board, Move, Position, Variant};
use crate::search::Budget;
use crate::search::{self, Best, Grounds, Known, Merit, Solution, Stop, Verdict};

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

    /// What a move is worth to the side that makes it, if that is certain.
    pub(super) fn known(&self, mv: Move) -> Option<Known> {
        Some(self.solution.known(&self.after(mv)?.position())?.for_mover())
    }

    /// Why a move is good or bad, as a part of a sentence that follows it.
    pub(super) fn words(&self, mv: Move) -> String {
        if self.known(mv).map(Known::verdict) == Some(Verdict::Loss) {
            return self.losing(mv);
        }
        theory(self.board, mv, self.grounds(mv)).unwrap_or_else(|| self.plainly(mv))
    }

    /// The reason that the value alone gives.
    fn plainly(&self, mv: Move) -> String {
        if self.best.moves.contains(&mv) {
            return reason::of(&self.position, &self.best);
        }
        match self.known(mv) {
            Some(known) => reason::lesser(known),
            None => "where it leads is not known: the game is too large to search to its end".into(),
        }
    }

    /// What the other side answers to a losing move; and if all moves lose, what this one is still good for.
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

    /// How it is known what a move is worth.
    fn grounds(&self, mv: Move) -> Grounds {
        match self.known(mv) {
            Some(Known::Value(value)) => Grounds::Searched { value, merit: Merit::Nothing },
            Some(Known::Verdict(verdict)) => Grounds::Proved(verdict),
            None => Grounds::Estimated,
        }
    }
}

/// What a game's own theory says for a move that does not lose, `grounds` being those of its own worth.
fn theory(board: &Board, mv: Move, grounds: Grounds) -> Option<String> {
    match (board.variant(), board.position(), mv) {
        (Variant::Nim(variant), Position::Nim(before), Move::Nim(take)) => {
            nim::reason(&variant, &before, take)
        }
        (_, Position::EvenOrOdd(before), Move::EvenOrOdd(tokens)) => even_or_odd::reason(&before, tokens),
        (_, Position::TicTacToe(before), Move::TicTacToe(square)) => {
            tic_tac_toe::reason(before, square, grounds)
        }
        (_, Position::ConnectFour(before), Move::ConnectFour(column)) => {
            connect_four::reason(&before, column, grounds)
        }
        (_, Position::PongHauKi(before), Move::PongHauKi(slide)) => sliding::reason(&before, slide),
        (_, Position::MuTorere(before), Move::MuTorere(slide)) => sliding::reason(&before, slide),
        _ => None,
    }
}

/// What a game's own theory says against a move that loses, if the other side makes this reply, or the game is over.
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
