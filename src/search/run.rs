//! The state that all searches share: parameters, node count, heuristic and observer. It chooses no moves.

use std::mem;

use super::evaluation::{Even, Heuristic};
use super::limits::{Budget, GaveUp, NodeCounter};
use super::{Evaluation, Stop};
use crate::game::Game;

/// The parameters of a search.
#[derive(Debug, Clone)]
pub struct Params<'a, E, T> {
    /// The limits of nodes and plies. Positions at the limit of plies are estimated.
    pub budget: Budget,
    /// Estimates the positions at the limit of plies.
    pub heuristic: E,
    /// Stops the search.
    pub stop: &'a Stop,
    /// Observes each step of the search.
    pub observer: T,
}

impl<'a> Params<'a, Even, ()> {
    /// Parameters without a heuristic and without an observer.
    pub fn plain(budget: Budget, stop: &'a Stop) -> Self {
        Self { budget, heuristic: Even, stop, observer: () }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchResult<W> {
    /// The value of the position for the side to move.
    pub value: W,
    /// Whether the value is exact: no estimate has contributed to it.
    pub exact: bool,
    /// The number of nodes: a position that is entered twice counts twice.
    pub nodes: u64,
}

/// The state of a running search.
pub(super) struct SearchRun<'a, E, T> {
    heuristic: E,
    meter: NodeCounter<'a>,
    plies: u32,
    observer: T,
    met_horizon: bool,
}

/// The value of `met_horizon` before a position was entered, for [`SearchRun::leave`].
#[must_use]
#[derive(Clone, Copy)]
pub(super) struct OuterHorizon(bool);

impl<'a, E, T> SearchRun<'a, E, T> {
    pub(super) fn new(params: Params<'a, E, T>) -> Self {
        let meter = NodeCounter::new(params.budget, params.stop);
        let Params { heuristic, budget, observer, .. } = params;
        Self { heuristic, meter, plies: budget.plies, observer, met_horizon: false }
    }

    /// The limit of plies.
    pub(super) fn plies(&self) -> u32 {
        self.plies
    }

    /// Enters a position and counts it. Clears `met_horizon`, so that it stands for this position alone.
    pub(super) fn enter<G: Game, W>(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        window: Option<(W, W)>,
    ) -> Result<OuterHorizon, GaveUp>
    where
        T: Observer<G, W>,
    {
        self.meter.spend(1)?;
        self.observer.observe(SearchStep::Enter { by, position, window });
        Ok(OuterHorizon(mem::take(&mut self.met_horizon)))
    }

    /// The value of a leaf, where the game is over or the limit of plies is reached; `None` for other
    /// nodes.
    pub(super) fn leaf_value<G: Game, W: Evaluation<G>>(&mut self, position: &G, plies: u32) -> Option<W>
    where
        E: Heuristic<G, W>,
    {
        W::at_end(position).or_else(|| {
            (plies == 0).then(|| {
                self.met_horizon = true;
                self.heuristic.estimate(position)
            })
        })
    }

    pub(super) fn observe<G: Game, W>(&mut self, event: SearchStep<'_, G, W>)
    where
        T: Observer<G, W>,
    {
        self.observer.observe(event);
    }

    /// Leaves a position with this value. Returns whether an estimate has contributed to it.
    pub(super) fn leave<G: Game, W>(&mut self, position: &G, value: W, before: OuterHorizon) -> bool
    where
        T: Observer<G, W>,
    {
        let estimated = self.met_horizon;
        self.observer.observe(SearchStep::Leave { position, value, estimated });
        self.met_horizon |= before.0;
        estimated
    }

    /// Records that a value from the table is an estimate.
    pub(super) fn note_estimate(&mut self) {
        self.met_horizon = true;
    }

    /// Whether an estimate has contributed since the last call. Clears the flag.
    pub(super) fn take_met_horizon(&mut self) -> bool {
        mem::take(&mut self.met_horizon)
    }

    pub(super) fn nodes(&self) -> u64 {
        self.meter.spent()
    }

    pub(super) fn answer<W>(&self, value: W) -> SearchResult<W> {
        SearchResult { value, exact: !self.met_horizon, nodes: self.nodes() }
    }
}

/// A step of a search.
#[derive(Debug, Clone, Copy)]
pub enum SearchStep<'a, G: Game, W> {
    /// The search enters a position. It leaves it again, unless it is stopped.
    Enter {
        /// The move that leads there; `None` at the root.
        by: Option<G::Move>,
        /// The position.
        position: &'a G,
        /// Alpha and beta: the value that the side to move has elsewhere, and the most that the other side
        /// allows. `None` in plain minimax.
        window: Option<(W, W)>,
    },
    /// The transposition table decides the position.
    TableHit,
    /// A move is better than all moves before it, and in alpha-beta raises alpha.
    NewBest {
        /// The move.
        mv: G::Move,
        /// Its value for the side to move.
        value: W,
    },
    /// A cutoff: the other moves of the position are skipped, because the other side will not allow it.
    Cutoff {
        /// The number of moves skipped.
        skipped: u64,
    },
    /// The search leaves a position.
    Leave {
        /// The position.
        position: &'a G,
        /// Its value for the side to move there, as exact as the window requires.
        value: W,
        /// Whether an estimate has contributed.
        estimated: bool,
    },
}

/// Observes a search, without changing it.
pub trait Observer<G: Game, W> {
    /// Called for each step, in order.
    fn observe(&mut self, event: SearchStep<'_, G, W>);
}

/// No observer.
impl<G: Game, W> Observer<G, W> for () {
    fn observe(&mut self, _: SearchStep<'_, G, W>) {}
}

impl<G: Game, W, T: Observer<G, W>> Observer<G, W> for &mut T {
    fn observe(&mut self, event: SearchStep<'_, G, W>) {
        (**self).observe(event);
    }
}
