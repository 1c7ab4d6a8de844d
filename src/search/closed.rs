//! Closed forms: the result and the winning moves by a formula, without a search. A pile of 10^18 costs as
//! little as a pile of ten. They give no lengths. This file has Nim, and [`even_or_odd`] has Even or Odd.
//!
//! Sources: C. L. Bouton, "Nim, a game with a complete mathematical theory" (1901), for normal and misère
//! play. If a move takes at most k objects, a pile counts as its remainder modulo k + 1, because a reply
//! can complete every larger move to k + 1.

pub mod even_or_odd;

use super::{Best, Grounds, Verdict};
use crate::game::any::{Move, Position};
use crate::game::nim::{Ending, Nim, Take};

/// The best moves of a game with a closed form; `None` for other games and for finished ones.
pub fn best(position: &Position) -> Option<Best<Move>> {
    match position {
        Position::Nim(nim) => best_takes(nim),
        Position::EvenOrOdd(position) => Some(even_or_odd::best(position)?.map(Move::EvenOrOdd)),
        _ => None,
    }
}

/// The result for the side to move, if the game has a closed form.
pub fn verdict(position: &Position) -> Option<Verdict> {
    match position {
        Position::Nim(nim) if is_lost(nim) => Some(Verdict::Loss),
        Position::Nim(_) => Some(Verdict::Win),
        Position::EvenOrOdd(position) => Some(even_or_odd::verdict(position)),
        _ => None,
    }
}

/// The largest winning moves. If every move loses, those that take 1 from a largest pile, which leave the
/// most to play.
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

/// The nim-value of a pile: its size, or its remainder modulo k + 1 if a move takes at most k.
pub fn nim_value(nim: &Nim, pile: u64) -> u64 {
    nim.max().map_or(pile, |max| pile % (max + 1))
}

/// Whether the side to move loses against perfect play.
pub fn is_lost(nim: &Nim) -> bool {
    let values = || nim.piles().iter().map(|&pile| nim_value(nim, pile));
    nim_sum(values()) == lost_sum(nim, values())
}

/// Every winning move. There is at most one in each pile, since its moves lead to different nim-values.
pub fn winning_takes(nim: &Nim) -> impl Iterator<Item = Take> + '_ {
    (0..).zip(nim.piles()).filter_map(move |(pile, &size)| {
        let others = || (0..).zip(nim.piles()).filter(move |&(at, _)| at != pile);
        let values = || others().map(|(_, &other)| nim_value(nim, other));
        let count = to_leave(nim, size, nim_sum(values()) ^ lost_sum(nim, values()))?;
        (1..=nim.takeable(usize::from(pile))).contains(&count).then_some(Take { pile, count })
    })
}

/// The number of objects to take from a pile of `size` to leave the nim-value `wanted`, if there is one.
fn to_leave(nim: &Nim, size: u64, wanted: u64) -> Option<u64> {
    let value = nim_value(nim, size);
    match nim.max() {
        None => value.checked_sub(wanted),
        // A remainder can also grow, past 0: with limit 3, taking 3 from 5 changes it from 1 to 2.
        Some(max) if wanted <= max => Some((value + (max + 1) - wanted) % (max + 1)),
        Some(_) => None,
    }
}

fn nim_sum(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, |sum, value| sum ^ value)
}

/// The nim-sum of a lost position: 0. In misère play with no value above 1 it is 1, because the side that
/// faces an odd number of ones takes the last object.
fn lost_sum(nim: &Nim, mut values: impl Iterator<Item = u64>) -> u64 {
    u64::from(nim.ending() == Ending::Misere && values.all(|value| value <= 1))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::{Game, for_each_reachable};
    use crate::search::Budget;
    use crate::search::test_games::nim;
    use crate::search::{Stop, children, memo};

    /// Enough for every game that is solved here.
    const AMPLE: Budget = Budget { nodes: 10_000_000, plies: 1_000 };

    /// Every limit from none to `most`, with both endings, as the end of a variant's text.
    fn rules(most: u64) -> Vec<String> {
        let limits = (0..=most).map(|max| if max == 0 { String::new() } else { format!(":max={max}") });
        limits.flat_map(|limit| [format!("{limit}:normal"), format!("{limit}:misere")]).collect()
    }

    /// Compares the closed form with `is_lost_by_search` in every reachable position.
    fn agrees(start: &Nim, is_lost_by_search: impl Fn(&Nim) -> bool) {
        assert!(for_each_reachable(start, 100_000, |position| {
            assert_eq!(is_lost(position), is_lost_by_search(position), "{position:?}");
            let searched: HashSet<Take> = children(position)
                .filter_map(|(mv, child)| is_lost_by_search(&child).then_some(mv))
                .collect();
            assert_eq!(winning_takes(position).collect::<HashSet<_>>(), searched, "{position:?}");
        }));
    }

    #[test]
    fn it_agrees_with_a_search_with_memoization() {
        for piles in ["30", "12-12", "7-7-7", "4-4-4-4"] {
            for rules in rules(5) {
                let start = nim(&format!("nim:{piles}{rules}"));
                let table = memo::solve(&start, AMPLE, &Stop::new()).unwrap();
                agrees(&start, |position| table.value(position).unwrap().verdict() == Verdict::Loss);
            }
        }
    }

    #[test]
    fn the_best_takes_are_found_without_listing_any() {
        use Verdict::{Loss, Win};
        const MOST: u64 = 1_000_000_000_000_000_000;
        let ones = |piles: std::ops::Range<u8>| piles.map(|pile| (pile, 1)).collect::<Vec<_>>();
        let (sixteen, fifteen) = ([MOST; 16].map(|pile| pile.to_string()).join("-"), [MOST; 15]);
        let fifteen = fifteen.map(|pile| pile.to_string()).join("-");
        for (text, verdict, takes) in [
            // 10^18 is 0 modulo 4 and modulo 5, and 1 modulo 7.
            (format!("take:{MOST}:3:misere"), Win, vec![(0, 3)]),
            (format!("take:{MOST}:4"), Loss, vec![(0, 1)]),
            (format!("take:{MOST}:6"), Win, vec![(0, 1)]),
            (format!("nim:{MOST}"), Win, vec![(0, MOST)]),
            (format!("nim:{MOST}:misere"), Win, vec![(0, MOST - 1)]),
            (format!("nim:7-{MOST}"), Win, vec![(1, MOST - 7)]),
            (format!("take:{MOST}:{MOST}:misere"), Win, vec![(0, MOST - 1)]),
            // An even number of ones is won in misère play.
            (format!("nim:{sixteen}"), Loss, ones(0..16)),
            (format!("nim:{sixteen}:misere"), Loss, ones(0..16)),
            (format!("nim:{sixteen}:max=3"), Loss, ones(0..16)),
            (format!("nim:{sixteen}:max=6:misere"), Win, ones(0..16)),
            // Each of the fifteen large piles can be reduced to the small one.
            (format!("nim:5-{fifteen}:misere"), Win, (1..16).map(|pile| (pile, MOST - 5)).collect()),
            // If every move loses, the best ones take 1 from a largest pile.
            ("nim:1-2-3".into(), Loss, vec![(2, 1)]),
            ("nim:6-4-2:misere".into(), Loss, vec![(0, 1)]),
            ("nim:3-3-5-5".into(), Loss, vec![(2, 1), (3, 1)]),
            // With a limit of 3 both piles leave a remainder of 1.
            ("nim:1-5:max=3".into(), Loss, vec![(1, 1)]),
            // Of several winning moves the largest is best.
            ("nim:3-4-5".into(), Win, vec![(0, 2)]),
            ("nim:1-1-1".into(), Win, ones(0..3)),
            // Taking 1 from the 6 wins too: remainders of 1 and 1. Taking 3 from the 5 makes them 2 and 2.
            ("nim:5-6:max=3".into(), Win, vec![(0, 3)]),
        ] {
            let takes = takes.into_iter().map(|(pile, count)| Move::Nim(Take { pile, count }));
            let best = Best { moves: takes.collect(), grounds: Grounds::Proved(verdict) };
            assert_eq!(best_takes(&nim(&text)), Some(best), "{text}");
        }
    }

    #[test]
    fn a_finished_game_has_no_best_move() {
        let over = nim("nim:1").play(Take { pile: 0, count: 1 }).unwrap();
        assert_eq!(best_takes(&over), None);
    }
}
