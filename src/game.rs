//! The rules of the games, and nothing else: no sockets, clocks, files or randomness, and no opinion on
//! which move is good.
//!
//! Reading order: [`Game`] is what a search needs; [`Rules`] adds what people need (names, words, notation);
//! [`any`] is the only list of games. Each game has a file, and two of them share [`sliding`].
//! [`abstract_tree`] is a game tree without rules, for lessons and tests.

pub mod abstract_tree;
pub mod any;
pub mod connect_four;
pub mod even_or_odd;
pub mod move_number;
pub mod mu_torere;
pub mod names;
pub mod nim;
pub mod notation;
pub mod pong_hau_ki;
mod rules;
mod side;
pub mod sliding;
pub mod tic_tac_toe;

pub use rules::{Game, Illegal, MAX_MOVES, MOVE_LIMIT, Rules, Why, children, for_each_reachable};
pub use side::{BySide, Outcome, Side};
