//! Questions about several positions of one search. What is found about one helps with the others.

use std::collections::HashMap;

use super::book::Book;
use super::bounds::Bounds;
use super::node::Node;
use super::solver::{Immediate, Rated, Search};
use crate::game::children;
use crate::game::connect_four::ConnectFour;

/// A search, with the bounds found so far.
pub(super) struct Query<'a> {
    pub(super) search: Search<'a>,
    pub(super) found: &'a mut HashMap<ConnectFour, Bounds>,
}

impl<'a> Query<'a> {
    /// The bounds of a position without a search.
    fn known(&self, position: &ConnectFour, immediate: &Immediate) -> Bounds {
        let by_heart = Book::ours().bounds(position.board());
        let found = self.found.get(position).copied().unwrap_or(Bounds::ANY);
        immediate.bounds().both(by_heart).both(found)
    }

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
        self.known(position, &Immediate::of(position.board()))
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

    /// Every move of a position with this score, and its bounds.
    pub(super) fn rated(&self, position: &ConnectFour, score: Bounds) -> Vec<Rated> {
        let most = Bounds { high: score.high, ..Bounds::ANY };
        let known =
            |child: &ConnectFour| self.known(child, &Immediate::of(child.board())).negated().both(most);
        children(position).map(|(column, child)| Rated { column, score: known(&child) }).collect()
    }

    /// Runs `search` with the known bounds of a position, and keeps the bounds that it finds.
    fn look_into(
        &mut self,
        position: &ConnectFour,
        search: impl FnOnce(&mut Search<'a>, &Node, Bounds) -> Bounds,
    ) -> Bounds {
        let immediate = Immediate::of(position.board());
        let known = self.known(position, &immediate);
        let Immediate::Open(root) = immediate else { return known };
        let bounds = search(&mut self.search, &root, known);
        self.found.insert(*position, bounds);
        bounds
    }
}
