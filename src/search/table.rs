//! What solving a game leaves behind: the value of every position. It does not know how the values were found.

use rustc_hash::FxHashMap;

use super::Value;
use crate::game::Game;

/// The value of every position that can be reached from the one that was solved, itself included: kept for one of those
/// that are [twins](Game::twin).
#[derive(Debug)]
pub struct Table<G>(pub(super) FxHashMap<G, Value>);

impl<G: Game> Table<G> {
    /// The value of `position`, or `None` if no play leads there.
    pub fn value(&self, position: &G) -> Option<Value> {
        self.0.get(&position.twin()).copied()
    }
}
