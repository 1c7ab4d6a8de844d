//! A search as it happens, for whoever wants to look on. A watcher changes nothing in what the search does.

use crate::game::Game;

/// Something that a search has just done.
#[derive(Debug, Clone, Copy)]
pub enum Event<'a, G: Game, W> {
    /// It has come to a position. Every position that it enters it leaves again.
    Enter {
        /// The move that leads there; `None` at the root.
        by: Option<G::Move>,
        /// Where it is now.
        position: &'a G,
        /// What the side to move is sure of elsewhere, and what the other side will not let it exceed.
        window: Option<(W, W)>,
    },
    /// It has met this position before, and its memory is enough.
    Known,
    /// It has found a better move for the side that is to move here.
    Better {
        /// The move.
        mv: G::Move,
        /// What it is worth to that side.
        worth: W,
    },
    /// It need not look at the moves that are left here: the other side will not let it come to this position.
    Cut {
        /// How many moves are left.
        left: u64,
    },
    /// It goes back to where it came from.
    Leave {
        /// The position that it leaves.
        position: &'a G,
        /// What the position is worth to the side that is to move there, as far as the search had to know.
        worth: W,
        /// Whether that is an estimate, since the search would look no deeper.
        estimated: bool,
    },
}

/// Looks on while a search goes its way.
pub trait Watch<G: Game, W> {
    /// Is told of everything in the order in which it happens.
    fn see(&mut self, event: Event<'_, G, W>);
}

/// Nobody looks on.
impl<G: Game, W> Watch<G, W> for () {
    fn see(&mut self, _: Event<'_, G, W>) {}
}

impl<G: Game, W, T: Watch<G, W>> Watch<G, W> for &mut T {
    fn see(&mut self, event: Event<'_, G, W>) {
        (**self).see(event);
    }
}
