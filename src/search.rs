//! Which moves are good: minimax and its relatives, over anything that is a [`Game`]. It knows no clock,
//! no chance and nobody who plays: it is told to [stop](Stop), and answers with *all* the moves that are
//! equally good, so that whoever asked may pick one.
//!
//! What is searched is a [`Game`]; what a search computes with is a [`Worth`]. The way from plain minimax to the solver,
//! in reading order:
//!
//! 1. [`value`] is what a position is worth: who wins, and how soon. [`worth`] is what all kinds of worth share:
//!    wins, estimates, the plain numbers of a textbook's tree, and bounds on them. Every search is given a [`budget`]
//!    and a [`stop`] flag.
//! 2. [`minimax`] plays out every line to its end. It is short and slow, and every other search is tested against it.
//!    [`walk`] is what it and its successors carry along, [`evaluation`] what they think of what they cannot
//!    reach, [`watch`] how one looks on.
//! 3. [`tree`] is what minimax walks through, node by node; [`graph`] is the same with equal positions as one; [`count`]
//!    says how large they are without building them.
//! 4. [`alpha_beta`] leaves out what cannot matter. [`ordering`] lets it leave out more.
//! 5. [`transposition`] is a memory of fixed size, and [`remembering`] is alpha-beta with it.
//! 6. [`deepening`] looks one ply ahead, then two, and so on: for games that no search can finish.
//! 7. [`memo`] solves a game whole, and [`policy`] chooses among moves of the same value by
//!    the [`table`] that it made.
//! 8. [`retrograde`] solves games that never need to end, and [`closed`] knows games that need no search.
//! 9. [`connect_four`] is a solver for one game, with all that is known of it.
//! 10. [`solution`] picks the best of all these for a game, and [`best`](fn@best) the moves.

pub mod alpha_beta;
pub mod best;
pub mod budget;
pub mod closed;
pub mod connect_four;
pub mod count;
pub mod deepening;
pub mod evaluation;
pub mod graph;
pub mod memo;
pub mod minimax;
pub mod ordering;
pub mod policy;
pub mod remembering;
pub mod retrograde;
pub mod solution;
pub mod stop;
pub mod table;
#[cfg(test)]
mod toy;
pub mod transposition;
pub mod tree;
pub mod value;
pub mod walk;
pub mod watch;
pub mod worth;

pub use best::{Best, Grounds, Merit};
pub use solution::{Known, Solution};
pub use stop::Stop;
pub use table::Table;
pub use value::{Value, Verdict};
pub use worth::{Bounded, Points, Score, Worth};

use crate::game::{Game, any};
use budget::Budget;

/// What solving a whole game may cost: as much as three piles of 15, some 20 milliseconds; in Connect Four, which is
/// too large for it and has a solver of its own, about half a second.
///
/// Lengths and replies count only within it. The depth bounds the stack of the recursion, and a win that is
/// hundreds of moves off tells nobody anything.
pub const WHOLE_GAME: Budget = Budget { nodes: 200_000, plies: 500 };

/// What looking ahead in a larger game may cost: about as much again as finding out that it is larger.
pub const LOOKAHEAD: Budget = Budget { nodes: 200_000, plies: 100 };

/// The best moves of any game, found in the best way there is for it.
///
/// `None` if the game is over, or if it was stopped before it had anything to say.
pub fn best(position: &any::Position, stop: &Stop) -> Option<Best<any::Move>> {
    Solution::of(position, WHOLE_GAME, stop).best_or_guess(position, LOOKAHEAD, stop)
}

/// Every legal move with the position that it leads to, made one by one.
pub(crate) fn children<G: Game>(position: &G) -> impl Iterator<Item = (G::Move, G)> + '_ {
    // `moves` yields legal moves only, so nothing is left out.
    position.moves().filter_map(|mv| Some((mv, position.play(mv).ok()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(text: &str) -> any::Position {
        text.parse::<any::Variant>().unwrap().start().position()
    }

    fn grounds(text: &str) -> Grounds {
        best(&start(text), &Stop::new()).unwrap().grounds
    }

    #[test]
    fn a_small_game_is_searched_to_its_end() {
        assert_eq!(grounds("java-tech"), Grounds::Searched { value: Value::Loss(11), merit: Merit::Nothing });
        assert!(matches!(grounds("nim:15-15-15"), Grounds::Searched { .. }));
    }

    #[test]
    fn a_large_game_is_answered_by_its_closed_form() {
        assert_eq!(grounds("take:1000000000000000000:3:misere"), Grounds::Proved(Verdict::Win));
        assert_eq!(grounds("nim:20-20"), Grounds::Searched { value: Value::Loss(40), merit: Merit::Length });
        assert_eq!(grounds("nim:2000-2000"), Grounds::Proved(Verdict::Loss));
    }

    #[test]
    fn a_closed_form_answers_even_when_it_is_told_to_stop() {
        let stop = Stop::new();
        stop.raise();
        let found = best(&start("java-tech"), &stop).unwrap();
        assert_eq!(found.grounds, Grounds::Proved(Verdict::Loss));
    }

    #[test]
    fn an_endless_game_is_solved_backwards() {
        for text in ["pong-hau-ki", "mu-torere"] {
            let Grounds::Searched { value, .. } = grounds(text) else { panic!("{text} was not solved") };
            assert_eq!(value, Value::Draw, "{text}");
        }
    }

    #[test]
    fn a_finished_game_has_no_best_move() {
        let over = start("nim:1");
        let mv = over.moves().next().unwrap();
        assert_eq!(best(&over.play(mv).unwrap(), &Stop::new()), None);
    }
}
