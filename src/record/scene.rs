//! A record as one looks at it: step by step, with the board at each.

use super::replay::Replay;
use super::{Deed, Record, Span, phrase};
use crate::game::any::{Board, Move};

/// One step of a record, and what was on the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    /// What happened, as the record tells it: `3. First: take 2`.
    pub words: String,
    /// How long after the turn had begun.
    pub after: Span,
    /// How many moves stand after it.
    pub moves: usize,
    /// The move, if it was one, with the board on which it was made.
    pub played: Option<(Board, Move)>,
    /// The board after it, if it has changed.
    pub board: Option<Board>,
}

impl Record {
    /// The steps, one by one.
    pub fn scenes(&self) -> impl Iterator<Item = Scene> {
        let mut replay = Replay::of(&self.head);
        self.steps.iter().map_while(move |step| {
            let words = phrase::write(&step.deed, &replay);
            let before = replay.board().clone();
            replay.apply(step).ok()?;
            let changed = matches!(step.deed, Deed::Moved { .. } | Deed::TakenBack(_));
            let played = match step.deed {
                Deed::Moved { mv, .. } => Some((before, mv)),
                _ => None,
            };
            let board = changed.then(|| replay.board().clone());
            Some(Scene { words, after: step.after, moves: replay.moves(), played, board })
        })
    }
}
