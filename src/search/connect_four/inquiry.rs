//! Questions about several positions, of which each may help with the others. It does not know what they are for.

use std::collections::HashMap;

use super::{Bounds, Node, Rated, Search, Sight};
use crate::game::connect_four::ConnectFour;
use crate::search::children;

/// A search with what is known so far.
pub(super) struct Inquiry<'a> {
    pub(super) search: Search<'a>,
    pub(super) found: &'a mut HashMap<ConnectFour, Bounds>,
}

impl<'a> Inquiry<'a> {
    /// What is known of a position without a search: whoever knows scores by heart adds them here.
    fn known(&self, position: &ConnectFour, sight: &Sight) -> Bounds {
        self.found.get(position).map_or(sight.bounds(), |found| found.both(sight.bounds()))
    }

    /// The score of a position, as far as the limits allow.
    pub(super) fn score(&mut self, position: &ConnectFour) -> Bounds {
        self.look_into(position, Search::narrow)
    }

    /// What there is to say to whether the score of a position is at least `target`.
    pub(super) fn ask(&mut self, position: &ConnectFour, target: i32) -> Option<bool> {
        let bounds = self.look_into(position, |search, root, known| match known.answer(target) {
            Some(_) => known,
            None => search.question(root, target).map_or(known, |answer| known.narrowed(answer, target)),
        });
        bounds.answer(target).map(|answer| answer >= target)
    }

    /// Every move of a position with this score, and whether it is as good as the least that the score can be.
    pub(super) fn rate(&mut self, position: &ConnectFour, score: Bounds) -> Vec<Rated> {
        let most = Bounds { low: i32::MIN, high: score.high };
        let mut rated = Vec::new();
        for (column, child) in children(position) {
            self.ask(&child, 1 - score.low);
            let known = self.known(&child, &Sight::of(&child));
            rated.push(Rated { column, score: known.negated().both(most) });
        }
        rated
    }

    /// Lets `search` go on from what is known of a position, and keeps what it finds.
    fn look_into(
        &mut self,
        position: &ConnectFour,
        search: impl FnOnce(&mut Search<'a>, &Node, Bounds) -> Bounds,
    ) -> Bounds {
        let sight = Sight::of(position);
        let known = self.known(position, &sight);
        let Sight::Open(root) = sight else { return known };
        let bounds = search(&mut self.search, &root, known);
        self.found.insert(*position, bounds);
        bounds
    }
}
