//! Who sits in a bot's seat: it takes one of the best moves that `search` finds, by its own luck. It knows no lobby,
//! no clock and no thread: whoever runs it says when to stop.

use crate::game::any;
use crate::search::{self, Stop};

/// A player that never loses from a won position, as far as its search sees.
#[derive(Debug)]
pub struct Bot {
    luck: fastrand::Rng,
}

impl Bot {
    /// A bot whose choice among equally good moves follows from `seed`: the same seed, the same games.
    pub fn new(seed: u64) -> Self {
        Self { luck: fastrand::Rng::with_seed(seed) }
    }

    /// The move that it makes; `None` if the game is over, or if it was stopped before it had found any.
    pub fn choose(&mut self, position: &any::Position, stop: &Stop) -> Option<any::Move> {
        self.luck.choice(search::best(position, stop)?.moves)
    }
}
