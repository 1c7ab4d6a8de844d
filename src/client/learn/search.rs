//! What the learn panel and the reader of records search, and the results. Where and when the search runs is for the
//! face to decide.

use crate::game::any::{Board, Move};
use crate::study::branches::{Branches, branches, branches_within};
use crate::study::{Budget, MoveReview, Stop, annotation, annotation_within, review};

/// The search of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchTarget {
    /// The moves of a position of the learn panel.
    Moves {
        /// Its number in the tree.
        node: usize,
    },
    /// What a move of a finished game was worth.
    Judge {
        /// Its number in the game.
        number: usize,
        /// The move.
        mv: Move,
    },
    /// The value of the move of a record.
    Value {
        /// The number of its step.
        step: usize,
        /// The move.
        mv: Move,
    },
}

impl SearchTarget {
    /// Searches on this board, until it is stopped.
    pub fn search(self, board: &Board, stop: &Stop) -> SearchResult {
        match self {
            Self::Moves { node } => SearchResult::Moves(node, branches(board, stop)),
            Self::Judge { number, mv } => SearchResult::Judged(number, review(board, mv, stop)),
            Self::Value { step, mv } => SearchResult::Value(step, annotation(board, mv, stop)),
        }
    }

    /// The same within this budget, where others wait for the same threads.
    pub fn search_within(self, board: &Board, budget: Budget, stop: &Stop) -> SearchResult {
        match self {
            Self::Moves { node } => SearchResult::Moves(node, branches_within(board, budget, stop)),
            Self::Value { step, mv } => SearchResult::Value(step, annotation_within(board, mv, budget, stop)),
            Self::Judge { .. } => self.search(board, stop),
        }
    }

    /// The result of a search that has found nothing.
    pub fn failure(self) -> SearchResult {
        match self {
            Self::Moves { node } => SearchResult::Moves(node, None),
            Self::Judge { number, .. } => SearchResult::Judged(number, None),
            Self::Value { step, .. } => SearchResult::Value(step, None),
        }
    }
}

/// The result of a search.
#[derive(Debug)]
pub enum SearchResult {
    /// The moves at this number of the tree of the learn panel, if they were found.
    Moves(usize, Option<Branches>),
    /// What the move of this number of a finished game was worth, if it was found.
    Judged(usize, Option<MoveReview>),
    /// The value of the move of this step of a record, in lines of words, if it was found.
    Value(usize, Option<String>),
}
