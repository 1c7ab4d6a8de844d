//! Minimax with a memory: each distinct position is searched once. It solves a game whole or says that it is too
//! large, and has no opinion on which of several good moves is nicer.

use std::collections::HashMap;

use super::budget::{Budget, GaveUp, Purse};
use super::{Stop, Value, children};
use crate::game::Game;

/// The value of every position that can be reached from the one that was solved, itself included.
#[derive(Debug)]
pub struct Table<G>(HashMap<G, Value>);

impl<G: Game> Table<G> {
    /// The value of `position`, or `None` if no play leads there.
    pub fn value(&self, position: &G) -> Option<Value> {
        self.0.get(position).copied()
    }
}

/// Solves the game from `root` on.
///
/// An endless game, where a move can lead back to an earlier position, is too large for any budget.
pub fn solve<G: Game>(root: &G, budget: Budget, stop: &Stop) -> Result<Table<G>, GaveUp> {
    let mut search = Search { values: HashMap::new(), purse: Purse::new(budget, stop) };
    search.value(root, budget.plies)?;
    Ok(Table(search.values))
}

struct Search<'a, G> {
    values: HashMap<G, Value>,
    purse: Purse<'a>,
}

impl<G: Game> Search<'_, G> {
    fn value(&mut self, position: &G, plies_left: u32) -> Result<Value, GaveUp> {
        if let Some(&known) = self.values.get(position) {
            return Ok(known);
        }
        // All moves are paid for before the first is made, so that a vast choice costs nothing.
        self.purse.spend(position.move_count().saturating_add(1))?;
        let value = match position.outcome() {
            Some(outcome) => Value::of(outcome, position.turn()),
            None => self.best_child(position, plies_left)?,
        };
        self.values.insert(position.clone(), value);
        Ok(value)
    }

    fn best_child(&mut self, position: &G, plies_left: u32) -> Result<Value, GaveUp> {
        let plies_left = plies_left.checked_sub(1).ok_or(GaveUp::TooLarge)?;
        let mut best = None;
        for (_, child) in children(position) {
            best = best.max(Some(self.value(&child, plies_left)?.for_mover()));
        }
        // A game that goes on has a move; one that had none would be nobody's win.
        Ok(best.unwrap_or(Value::Draw))
    }
}
