//! Questions about several positions, of which each may help with the others. It does not know what they are for.

use std::collections::HashMap;

use super::book::Book;
use super::{Bounds, Node, Rated, Search, Sight};
use crate::game::connect_four::ConnectFour;
use crate::search::children;

/// A search with what is known so far.
pub(super) struct Inquiry<'a> {
    pub(super) search: Search<'a>,
    pub(super) found: &'a mut HashMap<ConnectFour, Bounds>,
}

impl<'a> Inquiry<'a> {
    /// What is known of a position without a search.
    fn known(&self, position: &ConnectFour, sight: &Sight) -> Bounds {
        let by_heart = Book::ours().bounds(position.board());
        let found = self.found.get(position).copied().unwrap_or(Bounds::ANY);
        sight.bounds().both(by_heart).both(found)
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

    /// What is known of a position without a search.
    pub(super) fn bounds(&self, position: &ConnectFour) -> Bounds {
        self.known(position, &Sight::of(position))
    }

    /// Finds a move of a position with a score of `least`, which is known to be right, so that whoever rates the moves
    /// then meets it in the table. Whether that is done: at once, where the position itself shows it.
    pub(super) fn show(&mut self, position: &ConnectFour, least: i32) -> bool {
        match Sight::of(position) {
            Sight::Open(root) if least > root.bounds().low => self.search.question(&root, least).is_some(),
            _ => true,
        }
    }

    /// Every move of a position with this score, and what is known of it.
    pub(super) fn rated(&self, position: &ConnectFour, score: Bounds) -> Vec<Rated> {
        let most = Bounds { high: score.high, ..Bounds::ANY };
        let known = |child: &ConnectFour| self.known(child, &Sight::of(child)).negated().both(most);
        children(position).map(|(column, child)| Rated { column, score: known(&child) }).collect()
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
