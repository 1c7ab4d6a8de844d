//! The review of a finished game: what every move of it was worth, as far as it is judged. The values are
//! searched elsewhere, one move at a time.

use crate::client::words::learn::TurningPoint;
use crate::game::any::{Board, Move};
use crate::game::{BySide, Game, Outcome, Side};
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
    /// Any move of the first position, if a player resigned there: its value before that move is judged.
    unmade: Option<Judged>,
}

impl GameReview {
    /// The review of the game of this lobby; nothing is judged yet.
    pub fn new(lobby: &Lobby) -> Self {
        let mut board = lobby.base().clone();
        let mut moves = Vec::new();
        for past in lobby.past().take(MOST) {
            // Moves that were made are legal.
            let Ok(after) = board.play(past.mv) else { break };
            moves.push(Judged::new(std::mem::replace(&mut board, after), past.mv, past.hand));
        }
        let resigned = resigned(lobby).filter(|_| moves.len() == lobby.past().len());
        let any_move = board.position().moves().next().filter(|_| resigned.is_some() && moves.is_empty());
        let unmade = any_move.map(|mv| Judged::new(board, mv, Hand::Own));
        Self { moves, resigned, unmade }
    }

    /// All that is judged, in order.
    fn judged(&self) -> impl Iterator<Item = &Judged> {
        self.moves.iter().chain(&self.unmade)
    }

    /// The first move that is not searched yet: its number, the move and the board before it.
    pub fn wanted(&self) -> Option<(usize, Move, &Board)> {
        let (next, Judged { before, mv, .. }) =
            self.judged().enumerate().find(|(_, judged)| !judged.searched)?;
        Some((next, *mv, before))
    }

    /// Takes what was found of a move.
    pub fn take(&mut self, number: usize, found: Option<MoveReview>) {
        if let Some(judged) = self.moves.iter_mut().chain(&mut self.unmade).nth(number) {
            (judged.searched, judged.found) = (true, found);
        }
    }

    /// The number of moves that are not searched yet.
    pub fn left(&self) -> usize {
        self.judged().filter(|judged| !judged.searched).count()
    }

    /// The moves that gave a result away, and a resignation in a position that was not lost.
    pub fn turning_points(&self) -> Vec<TurningPoint> {
        let moves = self.moves.iter().enumerate().filter(|(_, judged)| judged.kept() == Some(false));
        let moves = moves.map(|(number, Judged { before, hand, .. })| TurningPoint {
            number,
            side: before.turn(),
            hand: Some(*hand),
        });
        let number = self.moves.len();
        let resignation = self.resignation().map(|(side, _)| TurningPoint { number, side, hand: None });
        moves.chain(resignation).collect()
    }

    /// The side whose resignation gave a result away, and the result.
    pub(super) fn resignation(&self) -> Option<(Side, Verdict)> {
        let side = self.resigned?;
        let last = self.moves.last().or(self.unmade.as_ref())?;
        let found = last.found.as_ref()?;
        // For the side that made the last move, or is to make the first one.
        let value = if self.moves.is_empty() { found.before } else { found.after }?.verdict();
        let verdict = if last.before.turn() == side { value } else { !value };
        (verdict != Verdict::Loss).then_some((side, verdict))
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
    fn new(before: Board, mv: Move, hand: Hand) -> Self {
        Self { before, mv, hand, searched: false, found: None }
    }

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
