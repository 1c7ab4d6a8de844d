//! Game-tree search: minimax and its relatives, for every [`Game`](crate::game::Game).
//!
//! A search uses no clock and no randomness. A [`Stop`] flag stops it. It returns *all* equally good moves,
//! and its caller chooses one.
//!
//! From plain minimax to the solver, in reading order:
//!
//! 1. [`value`]: the value of a position (who wins, and how soon), and its best moves.
//! 2. [`evaluation`]: the value types of the searches, from "who wins" to the plain numbers of a textbook's
//!    tree, and heuristics.
//! 3. [`limits`]: the budget of a search, and the flag that stops it. [`run`]: the state that all searches
//!    share, and observers.
//! 4. [`minimax`]: searches every line to its end. It is short and slow, and the test oracle of all other
//!    searches.
//! 5. [`graph`]: the game tree, node by node, and the game graph, in which equal positions are merged.
//!    [`count`]: the size of the tree, without building it.
//! 6. [`alpha_beta`]: prunes moves that cannot change the result. [`ordering`]: good moves first, so that
//!    it prunes more.
//! 7. [`transposition`]: a table of fixed size, in which alpha-beta stores its results.
//! 8. [`deepening`]: iterative deepening, for games that are too large to solve.
//! 9. [`memo`]: solves games that end. [`retrograde`]: solves games with cycles. Both fill a [`tablebase`],
//!    which ranks moves of equal value.
//! 10. [`closed`]: closed forms, which need no search. [`connect_four`]: a solver for one game.
//! 11. [`solution`]: the best of these methods for each game.

#[cfg(test)]
mod agreement;
pub mod alpha_beta;
pub mod closed;
pub mod connect_four;
pub mod count;
pub mod deepening;
pub mod evaluation;
pub mod graph;
pub mod limits;
pub mod memo;
pub mod minimax;
pub mod ordering;
pub mod retrograde;
pub mod run;
pub mod solution;
pub mod tablebase;
#[cfg(test)]
pub(crate) mod test_games;
pub mod transposition;
pub mod value;

pub use evaluation::{Evaluation, Heuristic, Points, Score};
pub use limits::{Budget, GaveUp, LOOKAHEAD, Stop, WHOLE_GAME};
pub use solution::{Solution, best};
pub use tablebase::Tablebase;
pub use value::{Best, Grounds, Known, Merit, Value, Verdict};

pub(crate) use crate::game::children;
