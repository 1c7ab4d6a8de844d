//! Games that need no search: who wins, and the winning moves, by a formula. It lists no moves, so a pile of 10^18
//! costs what a pile of ten does; and it knows no lengths.
//!
//! Sources: C. L. Bouton, "Nim, a game with a complete mathematical theory" (1901), for normal and misère play.
//! With a limit k a pile counts as its remainder by k + 1: whatever is taken beyond, the reply completes to k + 1.

use super::{Best, Grounds, Verdict};
use crate::game::any::{Move, Position};
use crate::game::nim::{Ending, Nim, Take};

/// The best moves of a game that has a closed form; `None` for the others, and once the game is over.
// With a single game in the closed set, there are no others.
#[allow(unreachable_patterns)]
pub fn best(position: &Position) -> Option<Best<Move>> {
    match position {
        Position::Nim(nim) => best_takes(nim),
        _ => None,
    }
}

/// The largest winning moves; where every move loses, 1 from the largest pile, to leave the most to be played.
fn best_takes(nim: &Nim) -> Option<Best<Move>> {
    let winning: Vec<Take> = winning_takes(nim).collect();
    let verdict = if winning.is_empty() { Verdict::Loss } else { Verdict::Win };
    let takes = match winning.iter().map(|take| take.count).max() {
        Some(most) => winning.into_iter().filter(|take| take.count == most).collect(),
        None => ones_from_the_largest(nim),
    };
    let moves: Vec<Move> = takes.into_iter().map(Move::Nim).collect();
    (!moves.is_empty()).then_some(Best { moves, grounds: Grounds::Proved(verdict) })
}

fn ones_from_the_largest(nim: &Nim) -> Vec<Take> {
    let largest = nim.piles().iter().copied().max().filter(|&pile| pile > 0);
    (0..)
        .zip(nim.piles())
        .filter(|&(_, &pile)| Some(pile) == largest)
        .map(|(pile, _)| Take { pile, count: 1 })
        .collect()
}

/// The nim-value of a pile: its size, or with a limit k the remainder by k + 1.
pub fn nim_value(nim: &Nim, pile: u64) -> u64 {
    nim.max().map_or(pile, |max| pile % (max + 1))
}

/// Whether the side to move loses against perfect play.
pub fn is_lost(nim: &Nim) -> bool {
    let values = || nim.piles().iter().map(|&pile| nim_value(nim, pile));
    nim_sum(values()) == lost_sum(nim, values())
}

/// Every winning move. There is at most one in each pile, for all its moves lead to different nim-values.
pub fn winning_takes(nim: &Nim) -> impl Iterator<Item = Take> + '_ {
    (0..).zip(nim.piles()).filter_map(move |(pile, &size)| {
        let others = || {
            (0..).zip(nim.piles()).filter(move |&(at, _)| at != pile).map(|(_, &other)| nim_value(nim, other))
        };
        let wanted = nim_sum(others()) ^ lost_sum(nim, others());
        let count = to_leave(nim, size, wanted)?;
        (1..=nim.takeable(usize::from(pile))).contains(&count).then_some(Take { pile, count })
    })
}

/// How many to take from a pile of `size` so that what is left has the nim-value `wanted`, if any number does.
fn to_leave(nim: &Nim, size: u64, wanted: u64) -> Option<u64> {
    let value = nim_value(nim, size);
    match nim.max() {
        None => value.checked_sub(wanted),
        // A remainder can also grow, past 0: from 5 to 2 by taking 3 of them, where the limit is 3.
        Some(max) if wanted <= max => Some((value + (max + 1) - wanted) % (max + 1)),
        Some(_) => None,
    }
}

fn nim_sum(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, |sum, value| sum ^ value)
}

/// The nim-sum of these values that leaves the side to move lost: 0. But 1 in misère play when no value is above 1,
/// for then each move changes one value from 0 to 1 or back, and an odd number of ones ends badly.
fn lost_sum(nim: &Nim, mut values: impl Iterator<Item = u64>) -> u64 {
    u64::from(nim.ending() == Ending::Misere && values.all(|value| value <= 1))
}
