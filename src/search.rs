//! Which moves are good: minimax and its relatives, over anything that is a [`Game`](crate::game::Game).
//!
//! A search knows no clock and no randomness. It can be told to [stop](Stop), and it answers with *all*
//! equally good moves, so that its caller can choose one.
//!
//! From plain minimax to the solver, in reading order:
//!
//! 1. [`value`]: what is known of a position (who wins, and how soon) and of its moves.
//! 2. [`evaluation`]: the types that a search computes with. They range from "who wins" to the plain numbers
//!    of a textbook's tree. A heuristic estimates positions in which the game goes on.
//! 3. [`limits`]: the budget of a search, and the flag that stops it. [`run`]: what every search carries
//!    with it, and how to watch it.
//! 4. [`minimax`]: plays out every line to its end. It is short and slow, and every other search is tested
//!    against it.
//! 5. [`graph`]: the tree that minimax walks through, node by node, and the same with equal positions merged.
//!    [`count`]: how large both are, without building them.
//! 6. [`alpha_beta`]: leaves out what cannot matter. [`ordering`] lets it leave out more.
//! 7. [`transposition`]: a table of fixed size, in which alpha-beta keeps what it has found out.
//! 8. [`deepening`]: looks one ply ahead, then two, and so on, in games that no search can finish.
//! 9. [`memo`]: solves a game that ends. [`retrograde`]: solves a game that need not end. Both fill a
//!    [`tablebase`], which ranks moves of equal value.
//! 10. [`closed`]: games that need no search. [`connect_four`]: a solver for one game.
//! 11. [`solution`]: picks the best of all these for a game.

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
