//! Which moves are good: minimax and its relatives, over anything that is a [`Game`]. It knows no clock,
//! no chance and nobody who plays: it is told to [stop](Stop), and answers with *all* the moves that are
//! equally good, so that whoever asked may pick one.
//!
//! Reading order: [`value`] is what a position is worth; [`minimax`] is the plain search that every other one is
//! tested against; [`memo`] is the same with a memory, and [`policy`] chooses by what it found;
//! [`closed`] knows games that need no search; [`deepening`] does what it can with those too large for either.

pub mod best;
pub mod budget;
pub mod closed;
pub mod deepening;
pub mod memo;
pub mod minimax;
pub mod policy;
pub mod stop;
#[cfg(test)]
mod toy;
pub mod value;

pub use best::{Best, Grounds, Merit};
pub use stop::Stop;
pub use value::{Value, Verdict};

use crate::game::{Game, any};
use budget::Budget;

/// What solving a whole game may cost: three piles of 15, some tens of milliseconds, some 5 MB.
///
/// Lengths and replies count only within it. The depth bounds the stack of the recursion, and a win
/// that is more than 500 moves off tells nobody anything.
pub const WHOLE_GAME: Budget = Budget { nodes: 200_000, plies: 500 };

/// What looking ahead in a larger game may cost: as long again as finding out that it is larger.
pub const LOOKAHEAD: Budget = Budget { nodes: 200_000, plies: 100 };

/// The best moves of any game, found in the best way there is for it.
///
/// `None` if the game is over, or if it was stopped before it had anything to say.
pub fn best(position: &any::Position, stop: &Stop) -> Option<Best<any::Move>> {
    match memo::solve(position, WHOLE_GAME, stop) {
        Ok(table) => policy::best(position, &table),
        Err(_) => closed::best(position).or_else(|| deepening::best(position, LOOKAHEAD, stop)),
    }
}

/// Every legal move with the position that it leads to, made one by one.
pub(crate) fn children<G: Game>(position: &G) -> impl Iterator<Item = (G::Move, G)> + '_ {
    // `moves` yields legal moves only, so nothing is left out.
    position.moves().filter_map(|mv| Some((mv, position.play(mv).ok()?)))
}
