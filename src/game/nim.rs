//! The Nim family: one or several piles, an optional limit on what a move takes, normal or misère ending.
//! Which positions are lost is not known here: see `search::closed`.

mod position;
mod rules;
mod variant;

pub use position::{Ending, MAX_PILE, MAX_PILES, Nim, Take};
pub use variant::NimVariant;
