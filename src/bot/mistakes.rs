//! The mistakes that a level may make in one position, by the exact values of all moves. Whether it makes
//! one is decided at random elsewhere.

use super::strength::{Blunder, Strength};
use crate::game::Game;
use crate::game::any::{Move, Position};
use crate::search::{Best, Grounds, Known, Solution, Value, Verdict};

/// The most moves that are rated: more than any position has that a search solves. In larger ones, which
/// only Nim has, the mistakes are among the first moves.
const MAX_RATED: usize = 1_000;

/// The mistakes possible in a position.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistakes {
    /// Moves with a worse result, of the size that the level allows.
    pub(super) blunders: Vec<Move>,
    /// Moves with the best result that a perfect player would not make.
    pub(super) inaccuracies: Vec<Move>,
}

/// A move and its value for the side that makes it.
struct Rated {
    mv: Move,
    known: Known,
}

/// A position, what is known of it, and the strength of the player.
pub(super) struct Situation<'a> {
    pub(super) position: &'a Position,
    pub(super) solution: &'a Solution,
    pub(super) best: &'a Best<Move>,
    pub(super) strength: Strength,
}

impl Situation<'_> {
    /// Whether the best moves win within the look-ahead.
    pub(super) fn is_near_win(&self) -> bool {
        let near = 0..=self.strength.look_ahead;
        matches!(self.best.grounds, Grounds::Searched { value: Value::Win(plies), .. } if near.contains(&plies))
    }

    /// The mistakes possible here; none if nothing is certain.
    pub(super) fn mistakes(&self) -> Mistakes {
        let mut mistakes = Mistakes { blunders: Vec::new(), inaccuracies: Vec::new() };
        let Some(result) = self.best.grounds.verdict() else { return mistakes };
        let worse = |rated: &Rated| !self.best.moves.contains(&rated.mv) && !self.loses_soon(rated);
        let worse = self.position.moves().take(MAX_RATED).filter_map(|mv| self.rate(mv)).filter(worse);
        let (blunders, inaccuracies): (Vec<Rated>, Vec<Rated>) =
            worse.partition(|rated| rated.known.verdict() < result);
        mistakes.blunders = self.allowed(blunders);
        mistakes.inaccuracies = inaccuracies.into_iter().map(|rated| rated.mv).collect();
        mistakes
    }

    fn rate(&self, mv: Move) -> Option<Rated> {
        let next = self.position.play(mv).ok()?;
        Some(Rated { mv, known: self.solution.known(&next)?.for_mover() })
    }

    /// Whether a move loses within the look-ahead.
    fn loses_soon(&self, rated: &Rated) -> bool {
        matches!(rated.known, Known::Value(Value::Loss(plies)) if plies <= self.strength.look_ahead)
    }

    /// The blunders of the size that the level allows.
    fn allowed(&self, blunders: Vec<Rated>) -> Vec<Move> {
        let least = blunders.iter().map(|rated| rank(rated.known)).max();
        let allowed = |rated: &Rated| match self.strength.size {
            Blunder::Least => Some(rank(rated.known)) == least,
            Blunder::Any => true,
        };
        blunders.into_iter().filter(allowed).map(|rated| rated.mv).collect()
    }
}

/// The rank of a value: the result first, then quick wins and slow losses.
fn rank(known: Known) -> (Verdict, i64) {
    let plies = known.plies().map_or(0, i64::from);
    let verdict = known.verdict();
    (verdict, if verdict == Verdict::Win { -plies } else { plies })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quick_wins_rank_before_slow_ones_and_slow_losses_before_quick_ones() {
        let values = [Value::Win(1), Value::Win(5), Value::Draw, Value::Loss(6), Value::Loss(2)];
        let ranks = values.map(|value| rank(Known::Value(value)));
        assert!(ranks.is_sorted_by(|one, next| one > next));
    }
}
