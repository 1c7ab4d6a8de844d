//! The review of a finished game: what every move of it was worth, as far as it is judged. The values are
//! searched elsewhere, one move at a time.

use crate::game::any::{Board, Move};
use crate::game::{BySide, Side};
use crate::lobby::Lobby;
use crate::study::MoveReview;

/// The most moves that are judged; later ones are not.
const MOST: usize = 1_000;

/// A move of the game.
#[derive(Debug, Clone)]
struct Judged {
    before: Board,
    mv: Move,
    /// It was searched.
    searched: bool,
    /// Its value, if that was found.
    found: Option<MoveReview>,
}

/// The review.
#[derive(Debug, Clone)]
pub struct GameReview {
    moves: Vec<Judged>,
}

impl GameReview {
    /// The review of the game of this lobby; nothing is judged yet.
    pub fn new(lobby: &Lobby) -> Self {
        let mut board = lobby.base().clone();
        let mut moves = Vec::new();
        for past in lobby.past().take(MOST) {
            // Moves that were made are legal.
            let Ok(after) = board.play(past.mv) else { break };
            moves.push(Judged {
                before: std::mem::replace(&mut board, after),
                mv: past.mv,
                searched: false,
                found: None,
            });
        }
        Self { moves }
    }

    /// The first move that is not searched yet: its number, the move and the board before it.
    pub fn wanted(&self) -> Option<(usize, Move, &Board)> {
        let next = self.moves.iter().position(|judged| !judged.searched)?;
        let Judged { before, mv, .. } = &self.moves[next];
        Some((next, *mv, before))
    }

    /// Takes what was found of a move.
    pub fn take(&mut self, number: usize, found: Option<MoveReview>) {
        if let Some(judged) = self.moves.get_mut(number) {
            (judged.searched, judged.found) = (true, found);
        }
    }

    /// The number of moves that are not searched yet.
    pub fn left(&self) -> usize {
        self.moves.iter().filter(|judged| !judged.searched).count()
    }

    /// The moves that gave a result away, with the side of each.
    pub fn turning_points(&self) -> Vec<(usize, Side)> {
        let moves = self.moves.iter().enumerate();
        moves
            .filter(|(_, judged)| judged.kept() == Some(false))
            .map(|(number, judged)| (number, judged.before.turn()))
            .collect()
    }

    /// The moves of each side that kept the result, and all of its moves with known values.
    pub fn kept(&self) -> BySide<(usize, usize)> {
        BySide::from_fn(|side| {
            let of_side = self.moves.iter().filter(|judged| judged.before.turn() == side);
            let known: Vec<bool> = of_side.filter_map(Judged::kept).collect();
            (known.iter().filter(|kept| **kept).count(), known.len())
        })
    }
}

impl Judged {
    /// Whether the move kept the result; `None` if that is not known.
    fn kept(&self) -> Option<bool> {
        let review = self.found.as_ref()?;
        Some(review.before?.verdict() == review.after?.verdict())
    }
}
