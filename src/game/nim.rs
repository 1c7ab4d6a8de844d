//! The Nim family: one or several piles, an optional limit on what a move takes, normal or misère ending.
//! The closed form of lost positions is in `search::closed`.

mod position;
mod rules;
mod variant;

pub use position::{Ending, MAX_PILE, MAX_PILES, Nim, Take};
pub use variant::NimVariant;
