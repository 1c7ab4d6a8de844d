//! Which moves are good: minimax and its relatives, over anything that is a [`Game`]. It knows no clock,
//! no chance and nobody who plays: it is told to [stop](Stop), and answers with *all* the moves that are
//! equally good, so that whoever asked may pick one.
//!
//! Reading order: [`value`] is what a position is worth; [`minimax`] is the plain search that every other one is
//! tested against; [`memo`] is the same with a memory, and [`policy`] chooses by the [`table`] that it made;
//! [`retrograde`] solves games that never need to end; [`closed`] knows games that need no search; [`deepening`] does
//! what it can with those too large for all of these.

pub mod best;
pub mod budget;
pub mod closed;
pub mod deepening;
pub mod memo;
pub mod minimax;
pub mod policy;
pub mod retrograde;
pub mod stop;
pub mod table;
#[cfg(test)]
mod toy;
pub mod value;

pub use best::{Best, Grounds, Merit};
pub use stop::Stop;
pub use table::Table;
pub use value::{Value, Verdict};

use crate::game::{Game, any};
use budget::Budget;

/// What solving a whole game may cost: as much as three piles of 15, some 20 milliseconds.
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
    let solve = if position.repeats() { retrograde::solve } else { memo::solve };
    match solve(position, WHOLE_GAME, stop) {
        Ok(table) => policy::best(position, &table),
        Err(_) => closed::best(position).or_else(|| deepening::best(position, LOOKAHEAD, stop)),
    }
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
