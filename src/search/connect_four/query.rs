//! Searches of several related positions, which share one table and one limit of nodes.

use std::collections::HashMap;

use super::book::Book;
use super::bounds::ScoreBounds;
use super::node::SolverNode;
use super::solver::{Immediate, ScoreSearch};
use crate::game::children;
use crate::game::connect_four::{Column, ConnectFour};

/// A search, with the bounds found so far.
pub(super) struct Query<'a> {
    pub(super) search: ScoreSearch<'a>,
    pub(super) found: &'a mut HashMap<ConnectFour, ScoreBounds>,
    pub(super) book: &'a Book,
}

impl<'a> Query<'a> {
    /// The score of a position, within the limits.
    pub(super) fn score(&mut self, position: &ConnectFour) -> ScoreBounds {
        self.search_with(position, ScoreSearch::narrow)
    }

    /// Whether the score of a position is at least `target`; `None` if a limit is reached first.
    pub(super) fn ask(&mut self, position: &ConnectFour, target: i32) -> Option<bool> {
        let bounds = self.search_with(position, |search, root, known| match known.answer(target) {
            Some(_) => known,
            None => search.ask(root, target).map_or(known, |answer| known.narrowed(answer, target)),
        });
        bounds.answer(target).map(|answer| answer >= target)
    }

    /// The bounds of a position without a search.
    pub(super) fn bounds(&self, position: &ConnectFour) -> ScoreBounds {
        let in_book = self.book.bounds(position.board());
        let found = self.found.get(position).copied().unwrap_or(ScoreBounds::ANY);
        Immediate::of(position.board()).bounds().intersection(in_book).intersection(found)
    }

    /// Searches for a move with a score of at least `least`, which must exist, so that the table has it
    /// when the moves are rated. Returns whether it was found; `true` at once if no search is needed.
    pub(super) fn find_move(&mut self, position: &ConnectFour, least: i32) -> bool {
        match Immediate::of(position.board()) {
            Immediate::Open(root) if least > root.bounds().low => self.search.ask(&root, least).is_some(),
            _ => true,
        }
    }

    /// Every move of a position with this score, with the bounds of its own score for the side that makes
    /// it.
    pub(super) fn rated(&self, position: &ConnectFour, score: ScoreBounds) -> Vec<(Column, ScoreBounds)> {
        let most = ScoreBounds { high: score.high, ..ScoreBounds::ANY };
        children(position)
            .map(|(column, child)| (column, self.bounds(&child).negated().intersection(most)))
            .collect()
    }

    /// Runs `search` with the known bounds of a position, and keeps the bounds that it finds.
    fn search_with(
        &mut self,
        position: &ConnectFour,
        search: impl FnOnce(&mut ScoreSearch<'a>, &SolverNode, ScoreBounds) -> ScoreBounds,
    ) -> ScoreBounds {
        let known = self.bounds(position);
        let Immediate::Open(root) = Immediate::of(position.board()) else { return known };
        let bounds = search(&mut self.search, &root, known);
        self.found.insert(*position, bounds);
        bounds
    }
}
