//! The life of a node: it follows who is living and who owns what, takes over the slots that it is given, and gives
//! slots to others.

mod error;
mod following;
mod giving;
mod lobbies;
mod others;
mod state;
mod taking;
#[cfg(test)]
mod tests;

pub use error::KeepError;
pub use lobbies::Lobbies;
pub use others::Others;
pub use state::{Keeper, Leaving};
