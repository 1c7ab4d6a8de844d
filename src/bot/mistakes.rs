//! The mistakes that a level may make in one position, by the exact values of all moves. Whether it makes
//! one is decided at random elsewhere.

use super::strength::{Blunder, Strength};
use crate::game::Game;
use crate::game::any::{Move, Position};
use crate::search::{Best, Known, Solution, Verdict};

/// The most moves that are rated: more than any position has that a search solves. In larger ones, which
/// only Nim has, the mistakes are among the first moves.
const MAX_RATED: usize = 1_000;

/// The mistakes possible in a position.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Mistakes {
    /// Moves with a worse result, of the size that the level allows.
    pub(super) blunders: Vec<Move>,
    /// Moves with the best result that a perfect player would not make.
    pub(super) inaccuracies: Vec<Move>,
}

/// The mistakes of a player of this strength: none if nothing is certain, or if a win is within the
/// look-ahead; and none that loses within it.
pub(super) fn mistakes(
    position: &Position,
    solution: &Solution,
    best: &Best<Move>,
    strength: Strength,
) -> Mistakes {
    let is_near = |known: Known| known.plies().is_some_and(|plies| plies <= strength.look_ahead);
    let is_near_win =
        best.grounds.known().is_some_and(|known| known.verdict() == Verdict::Win && is_near(known));
    let Some(result) = best.grounds.verdict().filter(|_| !is_near_win) else { return Mistakes::default() };
    let known = |mv| Some((mv, solution.known(&position.play(mv).ok()?)?.for_mover()));
    let worse = position.moves().take(MAX_RATED).filter(|mv| !best.moves.contains(mv)).filter_map(known);
    let kept = worse.filter(|&(_, known)| known.verdict() != Verdict::Loss || !is_near(known));
    let (mut blunders, inaccuracies): (Vec<_>, Vec<_>) =
        kept.partition(|(_, known)| known.verdict() < result);
    if strength.size == Blunder::Least {
        let least = blunders.iter().map(|(_, known)| known.rank()).max();
        blunders.retain(|(_, known)| Some(known.rank()) == least);
    }
    let moves = |rated: Vec<(Move, Known)>| rated.into_iter().map(|(mv, _)| mv).collect();
    Mistakes { blunders: moves(blunders), inaccuracies: moves(inaccuracies) }
}
