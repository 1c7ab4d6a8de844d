//! The first screen of the tutorial: a small game, in which the other side makes the best moves.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::exercise::Exercise;
use super::page::{Page, enter};
use crate::client::tui::appearance::Appearance;
use crate::client::tui::key_bar::KeyHint;
use crate::client::tui::painter::Painter;
use crate::client::tutorial::{game, moves};
use crate::client::words::tutorial as words;
use crate::game::any::{Board, Move};
use crate::study::{Stop, Verdict, hint};

/// The game, and what was said about it.
#[derive(Debug, Clone)]
pub(super) struct GamePage {
    exercise: Exercise,
    said: Vec<String>,
    /// The game before the pupil's last move.
    before: Option<Box<Self>>,
}

impl GamePage {
    /// The game at its start.
    pub(super) fn new() -> Self {
        let exercise = Exercise::new(game());
        let said = vec![words::your_turn(&exercise.board)];
        Self { exercise, said, before: None }
    }

    fn is_over(&self) -> bool {
        self.exercise.board.finish().is_some()
    }

    /// Makes a move of the pupil, and the best one of the other side.
    fn make(&mut self, mv: Move) {
        let Some(mine) = self.exercise.after(mv) else { return };
        let reply = hint(&mine.board, &Stop::new()).and_then(|hint| Some((hint.mv, mine.after(hint.mv)?)));
        let told = reply.as_ref().map(|(reply, _)| (&mine.board, *reply));
        let mut said = vec![words::moved(&self.exercise.board, mv, told)];
        let exercise = reply.map_or(mine.clone(), |(_, after)| after);
        if let Some(finish) = exercise.board.finish() {
            said.push(words::ended(finish.outcome).to_owned());
        } else {
            said.extend(gave_away(&self.exercise.board, mv));
            said.push(words::your_turn(&exercise.board));
        }
        let before = self.clone();
        *self = Self { exercise, said, before: Some(Box::new(before)) };
    }
}

impl Page for GamePage {
    fn lesson(&self) -> String {
        words::first_lesson(&game())
    }

    fn paint(&self, painter: &mut Painter<'_>) {
        self.exercise.paint(!self.is_over(), painter);
    }

    fn said(&self) -> Vec<String> {
        self.said.clone()
    }

    fn keys(&self, appearance: Appearance) -> Vec<KeyHint> {
        let mv = (!self.is_over()).then(|| enter(appearance, &self.exercise.chosen_text()));
        let key = |letter: char, label: &str| KeyHint::new(KeyCode::Char(letter), &letter.to_string(), label);
        let moved = self
            .before
            .as_ref()
            .map(|_| [key('u', "take back"), KeyHint { stays: false, ..key('r', "again") }]);
        mv.into_iter().chain(moved.into_iter().flatten()).collect()
    }

    fn press(&mut self, key: KeyCode) {
        match (key, self.exercise.chosen) {
            (KeyCode::Enter, Some(mv)) => self.make(mv),
            (KeyCode::Char('u'), _) => {
                if let Some(before) = self.before.take() {
                    *self = *before;
                }
            }
            (KeyCode::Char('r'), _) => *self = Self::new(),
            (key, _) => self.exercise.select(key),
        }
    }

    fn click(&mut self, area: Rect, at: Point) {
        match self.exercise.clicked(area, at) {
            Some(mv) if self.exercise.chosen == Some(mv) => self.make(mv),
            clicked => self.exercise.chosen = clicked.or(self.exercise.chosen),
        }
    }
}

/// Why a move loses with which the pupil could have won.
fn gave_away(board: &Board, mv: Move) -> Option<String> {
    let found = moves(board)?;
    let could_win = found.known.is_some_and(|known| known.verdict() == Verdict::Win);
    let made = found.all.iter().find(|branch| branch.mv == mv)?;
    let loses = made.known.is_some_and(|known| known.verdict() == Verdict::Loss);
    (could_win && loses).then(|| words::gave_away(made))
}
