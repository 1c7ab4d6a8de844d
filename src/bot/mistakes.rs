//! The mistakes that a level may make in one position, by the exact values of all moves. Whether it makes
//! one is decided at random elsewhere.

use super::look_ahead;
use super::strength::{Blunder, Strength};
use crate::game::Game;
use crate::game::any::{Move, Position};
use crate::game::nim::{Nim, Take};
use crate::search::{Best, Known, Solution, Value, Verdict};

/// Up to this number, all moves of a position are rated: more than any position that a search solves. Of
/// more moves a random sample is rated.
const MOST_LISTED: u64 = 1_000;
/// The size of the sample.
const SAMPLE: usize = 32;

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
    /// The moves that win within the look-ahead.
    pub(super) fn near_wins(&self) -> Vec<Move> {
        let worth = self.best.moves.first().and_then(|&mv| self.rate(mv)).map(|rated| rated.known);
        match worth {
            Some(Known::Value(Value::Win(plies))) if plies <= self.strength.look_ahead => {
                self.best.moves.clone()
            }
            Some(Known::Verdict(Verdict::Win)) => {
                look_ahead::soon_won(self.position, self.strength.look_ahead)
            }
            _ => Vec::new(),
        }
    }

    /// The mistakes possible here; none if nothing is certain.
    pub(super) fn mistakes(&self, random: &mut fastrand::Rng) -> Mistakes {
        let mut mistakes = Mistakes { blunders: Vec::new(), inaccuracies: Vec::new() };
        let Some(result) = self.best.grounds.verdict() else { return mistakes };
        let worse = |rated: &Rated| !self.best.moves.contains(&rated.mv) && !self.loses_soon(rated);
        let worse = self.moves(random).into_iter().filter_map(|mv| self.rate(mv)).filter(worse);
        let (blunders, inaccuracies): (Vec<Rated>, Vec<Rated>) =
            worse.partition(|rated| rated.known.verdict() < result);
        mistakes.blunders = self.allowed(blunders);
        mistakes.inaccuracies = inaccuracies.into_iter().map(|rated| rated.mv).collect();
        mistakes
    }

    /// The moves to rate: all of them, or a random sample.
    fn moves(&self, random: &mut fastrand::Rng) -> Vec<Move> {
        match self.position {
            Position::Nim(nim) if nim.move_count() > MOST_LISTED => {
                let mut draw = || nth_take(nim, random.u64(0..nim.move_count()));
                (0..SAMPLE).filter_map(|_| draw()).map(Move::Nim).collect()
            }
            // No other game has as many.
            position => position.moves().collect(),
        }
    }

    fn rate(&self, mv: Move) -> Option<Rated> {
        let next = self.position.play(mv).ok()?;
        Some(Rated { mv, known: self.solution.known(&next)?.for_mover() })
    }

    /// Whether a move loses within the look-ahead.
    fn loses_soon(&self, rated: &Rated) -> bool {
        match rated.known {
            Known::Value(Value::Loss(plies)) => plies <= self.strength.look_ahead,
            Known::Verdict(Verdict::Loss) => {
                let sight = self.strength.look_ahead - 1;
                self.position.play(rated.mv).is_ok_and(|next| look_ahead::is_soon_won(&next, sight))
            }
            _ => false,
        }
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

/// The legal take with this index, without listing all.
fn nth_take(nim: &Nim, mut number: u64) -> Option<Take> {
    for (pile, _) in (0u8..).zip(nim.piles()) {
        let takeable = nim.takeable(usize::from(pile));
        if number < takeable {
            return Some(Take { pile, count: number + 1 });
        }
        number -= takeable;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::test_games::nim;

    #[test]
    fn takes_are_numbered_in_the_order_in_which_they_are_listed() {
        for text in ["nim:3-4-5", "nim:7-1-9:max=3", "java-tech:2"] {
            let nim = nim(text);
            let numbered: Vec<Take> = (0..).map_while(|number| nth_take(&nim, number)).collect();
            assert_eq!(numbered, nim.moves().collect::<Vec<_>>());
        }
    }

    #[test]
    fn quick_wins_rank_before_slow_ones_and_slow_losses_before_quick_ones() {
        let values = [Value::Win(1), Value::Win(5), Value::Draw, Value::Loss(6), Value::Loss(2)];
        let ranks = values.map(|value| rank(Known::Value(value)));
        assert!(ranks.is_sorted_by(|one, next| one > next));
    }
}
