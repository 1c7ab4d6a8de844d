//! One record, gone through step by step: what happened, the lobby after it, the value of each move, and
//! the learn panel at any of its positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::layout::{Position as Point, Rect};

use super::appearance::Tone;
use super::board::{self, Shown};
use super::heading::{paint_goal, paint_players, paint_rules};
use super::layout;
use super::painter::{Painter, first_shown, fitting, width, wrap_indented};
use super::view::View;
use crate::client::Model;
use crate::client::learn::Learn;
use crate::client::learn::search::SearchTarget;
use crate::client::words::records as words;
use crate::game::any::Board;
use crate::lobby::Phase;
use crate::record::{Record, ShownStep};

/// The columns by which the further rows of a step are indented.
const INDENT: u16 = 3;

/// An open record.
#[derive(Debug)]
pub(super) struct RecordReader {
    record: Record,
    steps: Vec<ShownStep>,
    /// The number of steps before the current position.
    at: usize,
    /// The lobby at the current position.
    model: Model,
    /// The lobby at the end.
    end: Arc<Model>,
    /// The values of moves in words, by the numbers of their steps; `None` if the search failed.
    pub(super) values: BTreeMap<usize, Option<String>>,
    /// The number of positions that the search of the current move has visited.
    pub(super) searched: u64,
}

/// A row of the list of steps.
struct StepRow {
    /// The number of steps before the position that it stands for.
    number: usize,
    text: String,
    /// The time of the step, on its last row.
    time: String,
}

impl RecordReader {
    /// A record at its start.
    pub(super) fn new(record: Record) -> Self {
        let [model, end] = [0, usize::MAX].map(|step| Model::of_record(record.lobby(step)));
        let (steps, end) = (record.shown_steps().collect(), Arc::new(end));
        Self { record, steps, at: 0, model, end, values: BTreeMap::new(), searched: 0 }
    }

    /// The lobby at the end, and how the game ended in words: what the learn panel is about.
    pub(super) fn end(&self) -> (Arc<Model>, String) {
        (self.end.clone(), words::end(&self.record))
    }

    /// The record.
    pub(super) fn record(&self) -> &Record {
        &self.record
    }

    /// Moves forward by this many steps.
    pub(super) fn step(&mut self, forward: isize) {
        self.go(self.at.saturating_add_signed(forward));
    }

    /// Moves to the position after this many steps, or to the end.
    pub(super) fn go(&mut self, at: usize) {
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
    fn words(&self) -> Vec<String> {
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
    pub(super) fn wanted(&self) -> Option<(SearchTarget, &Board)> {
        let step = self.last_move().filter(|number| !self.values.contains_key(number))?;
        let (board, mv) = self.steps[step].played.as_ref()?;
        Some((SearchTarget::Value { step, mv: *mv }, board))
    }

    /// The number of moves before the last one, or before the current position. `None` if the game goes on,
    /// or if these moves were taken back later.
    pub(super) fn ply(&self) -> Option<usize> {
        let (here, end) = (&self.model.lobby()?.lobby, &self.end.lobby()?.lobby);
        let is_over = matches!(end.phase(), Phase::Over { .. });
        let stands = here.base() == end.base() && here.past().eq(end.past().take(here.past().len()));
        let before = here.past().len().checked_sub(self.last_move().map_or(0, |_| 1))?;
        (is_over && stands).then_some(before)
    }

    /// The learn panel at the current position.
    pub(super) fn learn(&self) -> Option<Learn> {
        Some(Learn::after(&self.end.lobby()?.lobby, self.ply()?))
    }

    /// All rows of the list of steps; those that are shown begin with the second value.
    fn rows(&self, list: Rect) -> (Vec<StepRow>, usize) {
        let rows: Vec<StepRow> =
            (0..=self.steps.len()).flat_map(|number| self.step_rows(number, list.width)).collect();
        let here = rows.iter().rposition(|row| row.number == self.at).unwrap_or(0);
        (rows, here)
    }

    fn step_rows(&self, number: usize, room: u16) -> Vec<StepRow> {
        let step = number.checked_sub(1).map(|number| &self.steps[number]);
        let (text, time) = step.map_or_else(
            || ("The start".to_owned(), String::new()),
            |step| (step.words.clone(), step.after.to_string()),
        );
        let parts = wrap_indented(&text, room, INDENT);
        let last = parts.len() - 1;
        let row = |(at, text): (usize, String)| {
            let fits = at == last && width(&text) + 1 + width(&time) <= room;
            StepRow { number, text, time: if fits { time.clone() } else { String::new() } }
        };
        parts.into_iter().enumerate().map(row).collect()
    }

    /// The position that the row of the list at this place of the screen stands for.
    pub(super) fn step_at(&self, size: Rect, at: Point) -> Option<usize> {
        let list = layout::record(size).log;
        let (rows, here) = self.rows(list);
        rows.get(layout::line_at(list, here, at)?).map(|row| row.number)
    }

    /// Paints the record without its keys.
    pub(super) fn paint(&self, size: Rect, painter: &mut Painter<'_>) {
        let parts = layout::record(size);
        paint_rules(&parts, painter);
        let began = self.record.started().to_string();
        painter.inside(parts.title).right(0, &began, Tone::Faint);
        let title = Rect { width: parts.title.width.saturating_sub(width(&began) + 2), ..parts.title };
        let dot = painter.appearance.dot();
        painter.inside(title).line(0, &words::title(&self.record, dot), Tone::Title);
        let view = View::of_record(&self.model, String::new());
        if let Some(lobby) = view.lobby() {
            paint_players(&view, lobby, &mut painter.inside(parts.players));
            paint_goal(lobby, &mut painter.inside(parts.goal));
            let shown = Shown { last: lobby.past().last().map(|past| past.mv), ..Shown::default() };
            board::view(lobby.board()).paint(&shown, &mut painter.inside(parts.board));
        }
        self.paint_steps(&mut painter.inside(parts.log));
        self.paint_words(&mut painter.inside(parts.notice.union(parts.why)));
    }

    /// Paints what is said about the position. The last row has the result, once the end is reached.
    fn paint_words(&self, painter: &mut Painter<'_>) {
        let area = painter.area();
        let end = (self.at == self.steps.len()).then(|| words::end(&self.record));
        let above = area.height.saturating_sub(end.is_some().into());
        let mut lines = fitting(&self.words(), area.width, above, painter.appearance);
        lines.extend(end);
        painter.lines(0, &lines, Tone::Plain);
    }

    fn paint_steps(&self, painter: &mut Painter<'_>) {
        let list = painter.area();
        let (rows, here) = self.rows(list);
        let shown = rows.iter().skip(first_shown(here, list.height));
        for (row, StepRow { number, text, time }) in (0..list.height).zip(shown) {
            let is_move = number.checked_sub(1).is_none_or(|number| self.steps[number].played.is_some());
            let tone = match is_move {
                _ if *number == self.at => Tone::Chosen,
                true => Tone::Plain,
                false => Tone::Faint,
            };
            painter.line(row, text, tone);
            painter.right(row, time, Tone::Faint);
        }
    }
}
