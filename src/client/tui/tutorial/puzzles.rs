//! The second screen of the tutorial: positions in which the pupil finds the move that wins.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::exercise::Exercise;
use super::page::{Page, enter};
use crate::client::tui::appearance::Appearance;
use crate::client::tui::key_bar::KeyHint;
use crate::client::tui::painter::Painter;
use crate::client::tutorial::{PUZZLES, moves, puzzle};
use crate::client::words::tutorial as words;
use crate::game::any::{Board, Move};
use crate::study::branches::Branch;
use crate::study::nim_pattern::Pattern;

/// A puzzle, and the pupil's answer.
#[derive(Debug)]
pub(super) struct PuzzlePage {
    number: usize,
    exercise: Exercise,
    answer: Option<Branch>,
}

impl PuzzlePage {
    /// The first puzzle.
    pub(super) fn new() -> Self {
        Self::of(0)
    }

    /// The puzzle with this number, from 0.
    fn of(number: usize) -> Self {
        Self { number, exercise: Exercise::new(puzzle(number)), answer: None }
    }

    fn is_last(&self) -> bool {
        self.number + 1 == PUZZLES.len()
    }

    fn make(&mut self, mv: Move) {
        let found = moves(&self.exercise.board);
        let answer = found.and_then(|found| found.all.into_iter().find(|branch| branch.mv == mv));
        if let Some(after) = self.exercise.after(mv) {
            (self.exercise, self.answer) = (after, answer);
        }
    }

    /// The next puzzle after the right move, or the same one after a wrong move.
    fn go_on(&mut self, best: bool) {
        let next = if self.is_last() { 0 } else { self.number + 1 };
        *self = Self::of(if best { next } else { self.number });
    }
}

impl Page for PuzzlePage {
    fn lesson(&self) -> String {
        words::LESSON.to_owned()
    }

    fn paint(&self, painter: &mut Painter<'_>) {
        self.exercise.paint(self.answer.is_none(), painter);
    }

    fn said(&self) -> Vec<String> {
        match &self.answer {
            None => vec![words::puzzle(self.number, PUZZLES.len(), &self.exercise.board)],
            Some(branch) if branch.best && self.is_last() => rule(&puzzle(self.number)),
            Some(branch) if branch.best => vec![words::right(branch)],
            Some(branch) => vec![words::wrong(branch)],
        }
    }

    fn keys(&self, appearance: Appearance) -> Vec<KeyHint> {
        vec![match &self.answer {
            None => enter(appearance, &self.exercise.chosen_text()),
            Some(branch) if !branch.best => KeyHint::new(KeyCode::Char('u'), "u", "take back"),
            Some(_) if self.is_last() => enter(appearance, "again"),
            Some(_) => enter(appearance, "next puzzle"),
        }]
    }

    fn press(&mut self, key: KeyCode) {
        match (key, &self.answer, self.exercise.chosen) {
            (KeyCode::Enter | KeyCode::Char('u'), Some(branch), _) => {
                let best = branch.best && key == KeyCode::Enter;
                self.go_on(best);
            }
            (KeyCode::Enter, None, Some(mv)) => self.make(mv),
            (key, None, _) => self.exercise.select(key),
            _ => {}
        }
    }

    fn click(&mut self, area: Rect, at: Point) {
        if self.answer.is_some() {
            return;
        }
        match self.exercise.clicked(area, at) {
            Some(mv) if self.exercise.chosen == Some(mv) => self.make(mv),
            clicked => self.exercise.chosen = clicked.or(self.exercise.chosen),
        }
    }
}

/// The piles that lose, and what they have in common.
fn rule(board: &Board) -> Vec<String> {
    let Some(Pattern { drawing, words }) = Pattern::of(board) else { return Vec::new() };
    let rule = words.into_iter().next().unwrap_or_default();
    [words::all_right(&rule)].into_iter().chain(drawing).collect()
}
