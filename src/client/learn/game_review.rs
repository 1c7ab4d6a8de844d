//! The review of a finished game: what every move of it was worth, as far as it is judged. The values are
//! searched elsewhere, one move at a time.

use crate::client::words::learn::TurningPoint;
use crate::game::any::{Board, Move};
use crate::game::{BySide, Outcome, Side};
use crate::lobby::{Cause, Hand, Lobby, Phase};
use crate::study::{MoveReview, Verdict};

/// The most moves that are judged; later ones are not.
const MOST: usize = 1_000;

/// A move of the game.
#[derive(Debug, Clone)]
struct Judged {
    before: Board,
    mv: Move,
    hand: Hand,
    /// It was searched.
    searched: bool,
    /// Its value, if that was found.
    found: Option<MoveReview>,
}

/// The review.
#[derive(Debug, Clone)]
pub struct GameReview {
    moves: Vec<Judged>,
    /// The side that resigned after these moves.
    resigned: Option<Side>,
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
                hand: past.hand,
                searched: false,
                found: None,
            });
        }
        let resigned = resigned(lobby).filter(|_| moves.len() == lobby.past().len());
        Self { moves, resigned }
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

    /// The moves that gave a result away, and a resignation in a position that was not lost.
    pub fn turning_points(&self) -> Vec<TurningPoint> {
        let moves = self.moves.iter().enumerate().filter(|(_, judged)| judged.kept() == Some(false));
        let moves = moves.map(|(number, Judged { before, hand, .. })| TurningPoint {
            number,
            side: before.turn(),
            hand: Some(*hand),
        });
        moves.chain(self.resignation()).collect()
    }

    /// The resignation, if it gave a result away.
    fn resignation(&self) -> Option<TurningPoint> {
        let (side, last) = self.resigned.zip(self.moves.last())?;
        let after = last.found.as_ref()?.after?.verdict();
        let is_lost = if last.before.turn() == side { after == Verdict::Loss } else { after == Verdict::Win };
        (!is_lost).then_some(TurningPoint { number: self.moves.len(), side, hand: None })
    }

    /// The moves of each player that kept the result, and all of their moves with known values. Those of a
    /// stand-in are nobody's.
    pub fn kept(&self) -> BySide<(usize, usize)> {
        BySide::from_fn(|side| {
            let is_own = |judged: &&Judged| judged.hand == Hand::Own && judged.before.turn() == side;
            let of_side = self.moves.iter().filter(is_own);
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

/// The side that resigned.
fn resigned(lobby: &Lobby) -> Option<Side> {
    match lobby.phase() {
        Phase::Over { result, .. } if result.cause == Cause::Resigned => match result.outcome {
            Outcome::Win(side) => Some(!side),
            Outcome::Draw => None,
        },
        _ => None,
    }
}
