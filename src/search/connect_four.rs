//! The Connect Four solver: the exact score of a position and of every move. It knows no clock and no
//! levels.
//!
//! Reading order: `bounds` has the bounds of a score, and the target of the next search. `node` is a
//! position with its threats. `zugzwang` and `fork` prove bounds without a search. `key` is what can still
//! matter of a position, by which `table`, the transposition table, knows it. `null_window` searches whether a score reaches a target. `solver` repeats that until it knows the
//! score. [`book`] is the opening book. `query` searches several positions with one table, `choice` ranks
//! their moves, [`threats`] is a heuristic, and `analysis` chooses moves within a budget of nodes.
//!
//! The framework (bitboards, null windows, ordering moves by threats) is that of Pascal Pons' tutorial
//! "Solving Connect Four".
//!
//! A *node* is one call of the recursive function, as in the tutorial. Positions that are decided before
//! the call are not counted: forced replies are played, and the table and the proofs without a search are
//! asked, before it.
//!
//! # Ideas that paid
//! The mean number of nodes on the file `L2_R2`; each row includes the ideas above it. The published solver
//! needs 43,967.
//!
//! | idea | nodes |
//! |---|---|
//! | detect lost and won positions from their parent | 24,347 |
//! | look up all children in the table before searching one | 21,313 |
//! | play forced replies at once, in the same call | 13,914 |
//! | the second side follows up (see `zugzwang`) | 11,262 |
//! | the first side follows up below a threat in an odd row | 7,817 |
//! | threats add up in the score; targets start far from 0 (see `bounds`) | 5,544 |
//! | of moves with equal threats and distance from the centre, the higher one first | 5,452 |
//! | a table that grows late: 7% more nodes, but `L1_R3` takes two thirds of the time | 5,827 |
//! | wins with the second stone, and their absence (see `fork`); a table that grows a little earlier | 4,309 |
//! | it does not matter who has a stone without open lines (see `key`, also for the next rows) | 3,925 |
//! | nor what is above a cell where the game ends | 3,760 |
//! | nor lines through a side's own threats | 3,478 |
//! | nor which of several columns is used to pass | 3,207 |
//! | a side without an open line does not win | 3,177 |
//!
//! # Ideas that did not pay
//! - The hash move first: 2% more nodes. A fixed order of columns meets more transpositions.
//! - The history heuristic: 18% more nodes as a part of the rank. As a tie-break 6% fewer, but 2% more on
//!   `L1_R2` and 5% more time.
//! - Ranking moves by the threats that they deny to the other side: 30% more nodes on middle, 70% more on
//!   hard positions.
//! - Ten weights for kinds of threats, tuned on 1,240 positions: 1% to 5% fewer nodes, less than sets of
//!   positions differ.
//! - Excluding cells that no stone can reach before the win that is tested: 1% fewer nodes, 10% more
//!   time.
//! - Following up with exact pairs of next cells instead of all together: 1.4% fewer nodes, 5% more time.
//! - Ranking moves by the number of replies that they leave, by open lines of either side, or by the lines
//!   that following up leaves: on `L1_R2` up to 4% fewer nodes, elsewhere as many or more.
//! - Bounds by the forks that the other side could make after any move, all taken together: 1% to 2% fewer
//!   nodes on all files.
//! - Leaving out, in `zugzwang`, the cells above those where the game ends: the same nodes.
//! - Merging mirror images everywhere: 1.6% fewer nodes on `L1_R3`, 4% more time. They are merged only
//!   with few stones, and only where both can arise.
//! - Reading the table early in place of a prefetch (which needs unsafe code): no gain.

mod analysis;
pub mod book;
mod bounds;
mod choice;
mod fork;
mod key;
mod node;
mod null_window;
mod query;
mod solver;
mod table;
pub mod threats;
mod zugzwang;

pub use analysis::Analysis;
pub use book::Book;
pub use bounds::ScoreBounds;
pub use solver::{Limits, Solver, SolverResult, TABLE_BYTES};
