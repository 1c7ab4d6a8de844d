//! One record, gone through step by step: what happened, the lobby after it, the value of each move, and
//! the learn panel at any of its positions. It is not known here how it is shown, and where searches run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Model;
use super::learn::Learn;
use super::learn::search::SearchTarget;
use super::words::records as words;
use crate::game::any::Board;
use crate::lobby::Phase;
use crate::record::{Record, ShownStep};

/// An open record.
#[derive(Debug)]
pub struct RecordReader {
    record: Record,
    steps: Vec<ShownStep>,
    /// The number of steps before the current position.
    at: usize,
    /// The lobby at the current position.
    model: Model,
    /// The lobby at the end.
    end: Arc<Model>,
    /// The values of moves in words, by the numbers of their steps; `None` if the search failed.
    values: BTreeMap<usize, Option<String>>,
    /// The number of positions that the search of the current move has visited.
    searched: u64,
}

impl RecordReader {
    /// A record at its start.
    pub fn new(record: Record) -> Self {
        let [model, end] = [0, usize::MAX].map(|step| Model::of_record(record.lobby(step)));
        let (steps, end) = (record.shown_steps().collect(), Arc::new(end));
        Self { record, steps, at: 0, model, end, values: BTreeMap::new(), searched: 0 }
    }

    /// The record.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// All its steps.
    pub fn steps(&self) -> &[ShownStep] {
        &self.steps
    }

    /// The number of steps before the current position.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The lobby at the current position.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The lobby at the end, and how the game ended in words: what the learn panel is about.
    pub fn end(&self) -> (Arc<Model>, String) {
        (self.end.clone(), words::end(&self.record))
    }

    /// How the game ended in words, once the end is reached.
    pub fn end_reached(&self) -> Option<String> {
        (self.at == self.steps.len()).then(|| words::end(&self.record))
    }

    /// Moves forward by this many steps.
    pub fn step(&mut self, forward: isize) {
        self.go(self.at.saturating_add_signed(forward));
    }

    /// Moves to the position after this many steps, or to the end.
    pub fn go(&mut self, at: usize) {
        let at = at.min(self.steps.len());
        if at != self.at {
            (self.at, self.model) = (at, Model::of_record(self.record.lobby(at)));
            self.searched = 0;
        }
    }

    /// The number of the step before the current position, if it is a move.
    fn last_move(&self) -> Option<usize> {
        self.at.checked_sub(1).filter(|&number| self.steps[number].played.is_some())
    }

    /// What is said about the current position.
    pub fn words(&self) -> Vec<String> {
        match (self.at, self.last_move()) {
            (0, _) => words::beginning(&self.record),
            (_, None) => Vec::new(),
            (_, Some(number)) => match self.values.get(&number) {
                Some(Some(value)) => value.lines().map(str::to_owned).collect(),
                Some(None) => vec![words::NOT_JUDGED.to_owned()],
                None => vec![words::thinking(self.searched)],
            },
        }
    }

    /// The search about the last move, and its board.
    pub fn wanted(&self) -> Option<(SearchTarget, &Board)> {
        let step = self.last_move().filter(|number| !self.values.contains_key(number))?;
        let (board, mv) = self.steps[step].played.as_ref()?;
        Some((SearchTarget::Value { step, mv: *mv }, board))
    }

    /// Takes the value of the move of this step, in words; `None` if the search failed.
    pub fn take(&mut self, step: usize, value: Option<String>) {
        self.values.insert(step, value);
    }

    /// Takes the number of positions that the search of the current move has visited.
    pub fn progress(&mut self, searched: u64) {
        self.searched = searched;
    }

    /// The number of moves before the last one, or before the current position. `None` if the game goes on,
    /// or if these moves were taken back later.
    pub fn ply(&self) -> Option<usize> {
        let (here, end) = (&self.model.lobby()?.lobby, &self.end.lobby()?.lobby);
        let is_over = matches!(end.phase(), Phase::Over { .. });
        let stands = here.base() == end.base() && here.past().eq(end.past().take(here.past().len()));
        let before = here.past().len().checked_sub(self.last_move().map_or(0, |_| 1))?;
        (is_over && stands).then_some(before)
    }

    /// The learn panel at the current position.
    pub fn learn(&self) -> Option<Learn> {
        Some(Learn::after(&self.end.lobby()?.lobby, self.ply()?))
    }
}
