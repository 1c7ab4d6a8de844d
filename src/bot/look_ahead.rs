//! Whether the end is near in positions of which only a closed form knows the result. It finds every win
//! within the given plies, but may take a later win for an early one.
//!
//! All moves of the winner that keep the win are tried. All replies of the loser are tried if they are few;
//! of many only the one that leaves the most to play. Another might hold out longer, which is the source of
//! the error.

use crate::game::any::{Move, Position};
use crate::game::{Game, Outcome};
use crate::search::{Verdict, closed};

/// Up to this number, all replies are tried.
const MOST_REPLIES: u64 = 16;

/// The winning moves after which a position with a closed form may be won within `plies`, counting the move
/// itself.
pub(super) fn soon_won(position: &Position, plies: u32) -> Vec<Move> {
    let too_long = shortest(position) > u64::from(plies);
    if too_long || position.outcome().is_some() || closed::verdict(position) != Some(Verdict::Win) {
        return Vec::new();
    }
    let soon = |mv: &Move| position.play(*mv).is_ok_and(|next| soon_lost(&next, plies - 1));
    winning(position).into_iter().filter(soon).collect()
}

/// Whether the side to move may lose within `plies`, whatever it plays.
fn soon_lost(position: &Position, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome == Outcome::Win(!position.turn());
    }
    let is_won = |mv: &Move| position.play(*mv).is_ok_and(|next| is_soon_won(&next, plies - 1));
    plies > 0 && replies(position).iter().all(is_won)
}

/// Whether the side to move has won, or may win within `plies`.
pub(super) fn is_soon_won(position: &Position, plies: u32) -> bool {
    match position.outcome() {
        Some(outcome) => outcome == Outcome::Win(position.turn()),
        None => !soon_won(position, plies).is_empty(),
    }
}

/// The replies to try.
fn replies(position: &Position) -> Vec<Move> {
    if position.move_count() <= MOST_REPLIES {
        return position.moves().collect();
    }
    closed::best(position).map_or_else(Vec::new, |best| best.moves.into_iter().take(1).collect())
}

/// All moves that keep a win.
fn winning(position: &Position) -> Vec<Move> {
    match position {
        Position::Nim(nim) => closed::winning_takes(nim).map(Move::Nim).collect(),
        _ => closed::best(position).map_or_else(Vec::new, |best| best.moves),
    }
}

/// The fewest plies in which an unfinished game can end; at least 1.
fn shortest(position: &Position) -> u64 {
    match position {
        Position::Nim(nim) => {
            let plies = |pile: u64| pile.div_ceil(nim.max().unwrap_or(u64::MAX));
            // The sum for sixteen piles of 10^18 fits.
            nim.piles().iter().map(|&pile| plies(pile)).sum()
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::for_each_reachable;
    use crate::search::test_games::start;
    use crate::search::{Known, Solution, Stop, Value, WHOLE_GAME};

    #[test]
    fn with_few_replies_it_finds_exactly_the_wins_of_a_search() {
        for text in ["nim:3-4-5", "nim:3-4-5:misere", "nim:5-6:max=3:misere", "take:14:4", "even-or-odd:13"] {
            let root = start(text);
            let solution = Solution::of(&root, WHOLE_GAME, &Stop::new());
            assert!(for_each_reachable(&root, 100_000, |position| {
                let Some(Known::Value(value)) = solution.known(position) else {
                    panic!("{text} was searched")
                };
                for sight in 1..=6 {
                    let seen = matches!(value, Value::Win(plies @ 1..) if plies <= sight);
                    assert_eq!(!soon_won(position, sight).is_empty(), seen, "{position:?} in {sight}");
                }
            }));
        }
    }

    #[test]
    fn the_end_of_huge_piles_is_seen_only_if_it_is_near() {
        const HUGE: &str = "1000000000000000000";
        for (text, plies) in [
            (format!("nim:{HUGE}"), Some(1)),
            (format!("nim:{HUGE}:misere"), Some(2)),
            (format!("nim:1-{HUGE}"), Some(3)),
            (format!("nim:2-{HUGE}"), Some(5)),
            (format!("nim:9-{HUGE}"), None),
            (format!("nim:{}", [HUGE; 15].join("-")), None),
            (format!("take:{HUGE}:3:misere"), None),
            ("take:1000000000:999999998".into(), Some(3)),
        ] {
            let seen = (1..=8).find(|&sight| !soon_won(&start(&text), sight).is_empty());
            assert_eq!(seen, plies, "{text}");
        }
    }
}
