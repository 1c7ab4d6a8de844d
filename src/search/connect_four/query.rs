//! Questions about several positions of one search. What is found about one helps with the others.

use std::collections::HashMap;

use super::book::Book;
use super::bounds::Bounds;
use super::node::Node;
use super::solver::{Immediate, Search};
use crate::game::children;
use crate::game::connect_four::{Column, ConnectFour};

/// A search, with the bounds found so far.
pub(super) struct Query<'a> {
    pub(super) search: Search<'a>,
    pub(super) found: &'a mut HashMap<ConnectFour, Bounds>,
}

impl<'a> Query<'a> {
    /// The score of a position, within the limits.
    pub(super) fn score(&mut self, position: &ConnectFour) -> Bounds {
        self.look_into(position, Search::narrow)
    }

    /// Whether the score of a position is at least `target`; `None` if a limit is reached first.
    pub(super) fn ask(&mut self, position: &ConnectFour, target: i32) -> Option<bool> {
        let bounds = self.look_into(position, |search, root, known| match known.answer(target) {
            Some(_) => known,
            None => search.question(root, target).map_or(known, |answer| known.narrowed(answer, target)),
        });
        bounds.answer(target).map(|answer| answer >= target)
    }

    /// The bounds of a position without a search.
    pub(super) fn bounds(&self, position: &ConnectFour) -> Bounds {
        let by_heart = Book::ours().bounds(position.board());
        let found = self.found.get(position).copied().unwrap_or(Bounds::ANY);
        Immediate::of(position.board()).bounds().both(by_heart).both(found)
    }

    /// Searches for a move with a score of `least`, which is known to exist, so that the table holds it when
    /// the moves are rated. Returns whether it was found; at once if no search is needed.
    pub(super) fn show(&mut self, position: &ConnectFour, least: i32) -> bool {
        match Immediate::of(position.board()) {
            Immediate::Open(root) if least > root.bounds().low => {
                self.search.question(&root, least).is_some()
            }
            _ => true,
        }
    }

    /// Every move of a position with this score, and the bounds of its own score for the side that makes it.
    pub(super) fn rated(&self, position: &ConnectFour, score: Bounds) -> Vec<(Column, Bounds)> {
        let most = Bounds { high: score.high, ..Bounds::ANY };
        children(position).map(|(column, child)| (column, self.bounds(&child).negated().both(most))).collect()
    }

    /// Runs `search` with the known bounds of a position, and keeps the bounds that it finds.
    fn look_into(
        &mut self,
        position: &ConnectFour,
        search: impl FnOnce(&mut Search<'a>, &Node, Bounds) -> Bounds,
    ) -> Bounds {
        let known = self.bounds(position);
        let Immediate::Open(root) = Immediate::of(position.board()) else { return known };
        let bounds = search(&mut self.search, &root, known);
        self.found.insert(*position, bounds);
        bounds
    }
}
