//! The state that every search shares: its parameters, its count of nodes, its heuristic, and an observer.
//! Which moves a search tries is decided elsewhere.

use std::mem;

use super::evaluation::{Even, Heuristic};
use super::limits::{Budget, GaveUp, Meter};
use super::{Evaluation, Stop};
use crate::game::Game;

/// The parameters of a search.
#[derive(Debug, Clone)]
pub struct Params<'a, E, T> {
    /// The limits of nodes and plies. Positions beyond the last ply are estimated.
    pub budget: Budget,
    /// Estimates the positions beyond.
    pub heuristic: E,
    /// Stops the search.
    pub stop: &'a Stop,
    /// Observes what the search does.
    pub observer: T,
}

impl<'a> Params<'a, Even, ()> {
    /// A search without a heuristic and without an observer.
    pub fn plain(budget: Budget, stop: &'a Stop) -> Self {
        Self { budget, heuristic: Even, stop, observer: () }
    }
}

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<W> {
    /// The value of the position for the side to move.
    pub value: W,
    /// Whether it is certain: no estimate has contributed.
    pub exact: bool,
    /// The number of positions entered; those entered twice count twice.
    pub nodes: u64,
}

/// The state of a running search, apart from its choice of moves.
pub(super) struct Run<'a, E, T> {
    heuristic: E,
    meter: Meter<'a>,
    plies: u32,
    observer: T,
    met_horizon: bool,
}

/// Whether an estimate had contributed before a position was entered. To be passed to [`Run::leave`].
#[must_use]
#[derive(Clone, Copy)]
pub(super) struct Before(bool);

impl<'a, E, T> Run<'a, E, T> {
    pub(super) fn new(params: Params<'a, E, T>) -> Self {
        let meter = Meter::new(params.budget, params.stop);
        let Params { heuristic, budget, observer, .. } = params;
        Self { heuristic, meter, plies: budget.plies, observer, met_horizon: false }
    }

    /// The limit of plies.
    pub(super) fn plies(&self) -> u32 {
        self.plies
    }

    /// Enters a position, and counts it. Estimates below it are tracked apart from those before.
    pub(super) fn enter<G: Game, W>(
        &mut self,
        position: &G,
        by: Option<G::Move>,
        window: Option<(W, W)>,
    ) -> Result<Before, GaveUp>
    where
        T: Observer<G, W>,
    {
        self.meter.spend(1)?;
        self.observer.observe(Event::Enter { by, position, window });
        Ok(Before(mem::take(&mut self.met_horizon)))
    }

    /// The value of a position that is not searched: the game is over, or the last ply is reached.
    pub(super) fn bottom<G: Game, W: Evaluation<G>>(&mut self, position: &G, plies: u32) -> Option<W>
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

    pub(super) fn observe<G: Game, W>(&mut self, event: Event<'_, G, W>)
    where
        T: Observer<G, W>,
    {
        self.observer.observe(event);
    }

    /// Leaves a position with this value. Returns whether an estimate has contributed to it.
    pub(super) fn leave<G: Game, W>(&mut self, position: &G, value: W, before: Before) -> bool
    where
        T: Observer<G, W>,
    {
        let estimated = self.met_horizon;
        self.observer.observe(Event::Leave { position, value, estimated });
        self.met_horizon |= before.0;
        estimated
    }

    /// Notes that a value from a table is an estimate.
    pub(super) fn recall_estimate(&mut self) {
        self.met_horizon = true;
    }

    /// Whether an estimate has contributed since this was last called, or since the start.
    pub(super) fn take_met_horizon(&mut self) -> bool {
        mem::take(&mut self.met_horizon)
    }

    pub(super) fn nodes(&self) -> u64 {
        self.meter.spent()
    }

    pub(super) fn answer<W>(&self, value: W) -> Answer<W> {
        Answer { value, exact: !self.met_horizon, nodes: self.nodes() }
    }
}

/// A step of a search.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a, G: Game, W> {
    /// It enters a position. Every position entered is left again.
    Enter {
        /// The move that leads there; `None` at the root.
        by: Option<G::Move>,
        /// The position.
        position: &'a G,
        /// Alpha and beta: what the side to move is sure of elsewhere, and the most that the other side
        /// allows.
        window: Option<(W, W)>,
    },
    /// The position is in the table, and its entry is enough.
    Known,
    /// It has found a better move for the side to move.
    Better {
        /// The move.
        mv: G::Move,
        /// Its value for that side.
        value: W,
    },
    /// It skips the other moves of this position: the other side will not allow the position.
    Cut {
        /// The number of moves skipped.
        left: u64,
    },
    /// It leaves a position.
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
    /// Is called for every step, in order.
    fn observe(&mut self, event: Event<'_, G, W>);
}

/// No observer.
impl<G: Game, W> Observer<G, W> for () {
    fn observe(&mut self, _: Event<'_, G, W>) {}
}

impl<G: Game, W, T: Observer<G, W>> Observer<G, W> for &mut T {
    fn observe(&mut self, event: Event<'_, G, W>) {
        (**self).observe(event);
    }
}
