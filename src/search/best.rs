//! What a search answers: the moves that are equally good, and what is known of them. Which one of them is
//! played, and how the reason reads in words, is not known here.

use super::{Value, Verdict};

/// The best moves of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Best<M> {
    /// All moves that are equally good, in the order of [`crate::game::Game::moves`]; at least one.
    pub moves: Vec<M>,
    /// How they were found to be the best.
    pub grounds: Grounds,
}

/// What is known of the best moves, and how it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grounds {
    /// Everything that matters was searched to the end of the game.
    Searched {
        /// What the position is worth to the side that is to move.
        value: Value,
        /// What sets these moves apart from the others.
        merit: Merit,
    },
    /// It is proved, by a closed form or a search, but the length of the game is not known.
    Proved(Verdict),
    /// The game goes on beyond what was searched: nothing better was found, no more.
    Estimated,
}

impl Grounds {
    /// How the position comes out for the side to move, where that is known.
    pub fn verdict(self) -> Option<Verdict> {
        match self {
            Self::Searched { value, .. } => Some(value.verdict()),
            Self::Proved(verdict) => Some(verdict),
            Self::Estimated => None,
        }
    }
}

/// What sets the best moves apart from all the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Merit {
    /// No other move wins as soon, or loses as late.
    Length,
    /// They draw, and all the others lose.
    Result,
    /// Others come out the same, but leave the opponent more replies that win, or fewer that lose.
    Replies,
    /// There are no others: every legal move is as good.
    Nothing,
}
