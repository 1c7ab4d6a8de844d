//! How near an end is where only a closed form knows the result. It says what *may* be won soon, and errs on that side
//! only: what it does not see within the plies is not there.
//!
//! The winner has few moves that keep the win, so all of them are tried. The loser may have 10^18, so just one is: the one
//! that leaves the most to be played. Another might hold out longer still, which is why it errs.

use crate::game::any::{Move, Position};
use crate::game::{Game, Outcome};
use crate::search::{Verdict, closed};

/// The winning moves after which a position with a closed form may be won within `plies`, the first of them included.
pub(super) fn soon_won(position: &Position, plies: u32) -> Vec<Move> {
    // One ply more or fewer, and each move takes a heap at most: what cannot be played out is not tried.
    if closed::verdict(position) != Some(Verdict::Win) || shortest(position) > u64::from(plies) {
        return Vec::new();
    }
    let soon = |mv: &Move| position.play(*mv).is_ok_and(|next| soon_lost(&next, plies.saturating_sub(1)));
    winning(position).into_iter().filter(soon).collect()
}

/// Whether whoever is to move may lose within `plies`, by the reply that leaves the most to be played.
fn soon_lost(position: &Position, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome == Outcome::Win(!position.turn());
    }
    let reply = || closed::best(position)?.moves.first().copied();
    plies > 0 && reply().and_then(|mv| position.play(mv).ok()).is_some_and(|next| won(&next, plies - 1))
}

fn won(position: &Position, plies: u32) -> bool {
    match position.outcome() {
        Some(outcome) => outcome == Outcome::Win(position.turn()),
        None => !soon_won(position, plies).is_empty(),
    }
}

/// All moves that keep a win.
fn winning(position: &Position) -> Vec<Move> {
    match position {
        Position::Nim(nim) => closed::winning_takes(nim).map(Move::Nim).collect(),
        _ => closed::best(position).map_or_else(Vec::new, |best| best.moves),
    }
}

/// The fewest plies in which the game can end at all.
fn shortest(position: &Position) -> u64 {
    match position {
        Position::Nim(nim) => {
            let plies = |pile: u64| pile.div_ceil(nim.max().unwrap_or(u64::MAX));
            // Sixteen piles of 10^18 by ones still fit.
            nim.piles().iter().map(|&pile| plies(pile)).sum()
        }
        _ => 0,
    }
}
