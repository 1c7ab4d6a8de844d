//! An open record on the screen: the steps beside the board, and below it what is said of the last move.

use ratatui::layout::{Position as Point, Rect};

use super::appearance::Tone;
use super::board::{self, Shown};
use super::heading::{paint_goal, paint_players, paint_rules};
use super::layout;
use super::painter::{Painter, first_shown, fitting, width, wrap_indented};
use super::view::View;
use crate::client::record_reader::RecordReader;
use crate::client::words::records as words;

/// The columns by which the further rows of a step are indented.
const INDENT: u16 = 3;

/// A row of the list of steps.
struct StepRow {
    /// The number of steps before the position that it stands for.
    number: usize,
    text: String,
    /// The time of the step, on its last row.
    time: String,
}

/// All rows of the list of steps; those that are shown begin with the second value.
fn rows(reader: &RecordReader, list: Rect) -> (Vec<StepRow>, usize) {
    let numbers = 0..=reader.steps().len();
    let rows: Vec<StepRow> = numbers.flat_map(|number| step_rows(reader, number, list.width)).collect();
    let here = rows.iter().rposition(|row| row.number == reader.at()).unwrap_or(0);
    (rows, here)
}

fn step_rows(reader: &RecordReader, number: usize, room: u16) -> Vec<StepRow> {
    let step = number.checked_sub(1).map(|number| &reader.steps()[number]);
    let (text, time) = step.map_or_else(
        || (words::START.to_owned(), String::new()),
        |step| (words::step(reader.record(), &step.words), step.after.to_string()),
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
pub(super) fn step_at(reader: &RecordReader, size: Rect, at: Point) -> Option<usize> {
    let list = layout::record(size).log;
    let (rows, here) = rows(reader, list);
    rows.get(layout::line_at(list, here, at)?).map(|row| row.number)
}

/// Paints the record without its keys.
pub(super) fn paint(reader: &RecordReader, size: Rect, painter: &mut Painter<'_>) {
    let parts = layout::record(size);
    paint_rules(&parts, painter);
    let began = reader.record().started().to_string();
    painter.inside(parts.title).right(0, &began, Tone::Faint);
    let title = Rect { width: parts.title.width.saturating_sub(width(&began) + 2), ..parts.title };
    let dot = painter.appearance.dot();
    painter.inside(title).line(0, &words::title(reader.record(), dot), Tone::Title);
    let view = View::of_record(reader.model(), String::new());
    if let Some(lobby) = view.lobby() {
        paint_players(&view, lobby, &mut painter.inside(parts.players));
        paint_goal(lobby, &mut painter.inside(parts.goal));
        let shown = Shown { last: lobby.past().last().map(|past| past.mv), ..Shown::default() };
        board::view(lobby.board()).paint(&shown, &mut painter.inside(parts.board));
    }
    paint_steps(reader, &mut painter.inside(parts.log));
    paint_words(reader, &mut painter.inside(parts.notice.union(parts.why)));
}

/// Paints what is said about the position. The last row has the result, once the end is reached.
fn paint_words(reader: &RecordReader, painter: &mut Painter<'_>) {
    let area = painter.area();
    let end = reader.end_reached();
    let above = area.height.saturating_sub(end.is_some().into());
    let mut lines = fitting(&reader.words(), area.width, above, painter.appearance);
    lines.extend(end);
    painter.lines(0, &lines, Tone::Plain);
}

fn paint_steps(reader: &RecordReader, painter: &mut Painter<'_>) {
    let list = painter.area();
    let (rows, here) = rows(reader, list);
    let shown = rows.iter().skip(first_shown(here, list.height));
    for (row, StepRow { number, text, time }) in (0..list.height).zip(shown) {
        let is_move = number.checked_sub(1).is_none_or(|number| reader.steps()[number].played.is_some());
        let tone = match is_move {
            _ if *number == reader.at() => Tone::Chosen,
            true => Tone::Plain,
            false => Tone::Faint,
        };
        painter.line(row, text, tone);
        painter.right(row, time, Tone::Faint);
    }
}
