//! What every search carries on its way down and up: what it may spend, its opinion on what lies beyond, and whoever
//! looks on. It does not choose the way.

use std::mem;

use super::budget::{Budget, GaveUp, Purse};
use super::evaluation::{Evaluation, Even};
use super::watch::{Event, Watch};
use super::{Stop, Worth};
use crate::game::Game;

/// The terms of a search.
#[derive(Debug, Clone)]
pub struct Terms<'a, E, T> {
    /// How many positions it may enter, and how many plies it may look ahead: what lies beyond is estimated.
    pub budget: Budget,
    /// Its opinion on what lies beyond.
    pub evaluation: E,
    /// When it is to stop.
    pub stop: &'a Stop,
    /// Who looks on.
    pub watch: T,
}

impl<'a> Terms<'a, Even, ()> {
    /// A search without an opinion that nobody looks at.
    pub fn plain(budget: Budget, stop: &'a Stop) -> Self {
        Self { budget, evaluation: Even, stop, watch: () }
    }
}

/// What a search to its end came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<W> {
    /// What the position is worth to the side that is to move.
    pub worth: W,
    /// Whether that is certain: no estimate has gone into it.
    pub exact: bool,
    /// How many positions were entered, each one as often as it was.
    pub nodes: u64,
}

/// The state of a search that the choice of moves does not touch.
pub(super) struct Walk<'a, E, T> {
    evaluation: E,
    purse: Purse<'a>,
    watch: T,
    met_horizon: bool,
}

/// Whether an estimate had been met before a position was entered. To be given back when it is left.
#[must_use]
#[derive(Clone, Copy)]
pub(super) struct Before(bool);

impl<'a, E, T> Walk<'a, E, T> {
    pub(super) fn new(terms: Terms<'a, E, T>) -> Self {
        let purse = Purse::new(terms.budget, terms.stop);
        Self { evaluation: terms.evaluation, purse, watch: terms.watch, met_horizon: false }
    }

    /// Pays for a position. What is estimated below it is noted apart from what was before.
    pub(super) fn enter<G: Game, W>(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        window: Option<(W, W)>,
    ) -> Result<Before, GaveUp>
    where
        T: Watch<G, W>,
    {
        self.purse.spend(1)?;
        self.watch.see(Event::Enter { by, position, window });
        Ok(Before(mem::take(&mut self.met_horizon)))
    }

    /// The worth of a position that is not looked into: the game is over, or the horizon is reached.
    pub(super) fn bottom<G: Game, W: Worth<G>>(&mut self, position: &G, plies: u32) -> Option<W>
    where
        E: Evaluation<G, W>,
    {
        W::at_end(position).or_else(|| {
            (plies == 0).then(|| {
                self.met_horizon = true;
                self.evaluation.estimate(position)
            })
        })
    }

    pub(super) fn see<G: Game, W>(&mut self, event: Event<'_, G, W>)
    where
        T: Watch<G, W>,
    {
        self.watch.see(event);
    }

    /// Goes back up with `worth`, and says whether an estimate has gone into it.
    pub(super) fn leave<G: Game, W>(&mut self, position: &G, worth: W, before: Before) -> bool
    where
        T: Watch<G, W>,
    {
        let estimated = self.met_horizon;
        self.watch.see(Event::Leave { position, worth, estimated });
        self.met_horizon |= before.0;
        estimated
    }

    /// Notes that a worth from the memory is an estimate.
    pub(super) fn recall_estimate(&mut self) {
        self.met_horizon = true;
    }

    /// Whether an estimate has been met since the search began, or since it was last asked.
    pub(super) fn take_met_horizon(&mut self) -> bool {
        mem::take(&mut self.met_horizon)
    }

    pub(super) fn nodes(&self) -> u64 {
        self.purse.spent()
    }

    pub(super) fn answer<W>(&self, worth: W) -> Answer<W> {
        Answer { worth, exact: !self.met_horizon, nodes: self.nodes() }
    }
}
