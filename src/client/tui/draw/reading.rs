//! A game that was played on the screen: who played, the position behind one of its steps, all of them beside it, and below
//! what that move was worth.

use ratatui::layout::{Position as Point, Rect};

use super::table;
use crate::client::tui::board::{self, Shown};
use crate::client::tui::hall::first;
use crate::client::tui::layout;
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, fitting, width, wrap};
use crate::client::tui::records::{Book, Records};
use crate::client::words::records as words;

/// The columns by which the further lines of a step are moved in.
const MOVED_IN: u16 = 3;

/// The step at a place of the screen: behind how many one is there.
pub(in crate::client::tui) fn row_at(book: &Book, size: Rect, at: Point) -> Option<usize> {
    let list = layout::reading(size).log;
    let row = usize::from(at.y.checked_sub(list.y)?);
    let line = list.contains(at).then(|| shown(book, list).into_iter().nth(row))??;
    Some(line.number)
}

/// A line of the steps.
struct Line {
    /// Behind how many steps one is there.
    number: usize,
    text: String,
    /// How long that took, on its last line.
    time: String,
}

/// All that happened, so that where one is can be seen, to its last line. A step that has no room on one has several.
fn shown(book: &Book, list: Rect) -> Vec<Line> {
    let lines: Vec<Line> =
        (0..=book.scenes().len()).flat_map(|number| step(book, number, list.width)).collect();
    let here = lines.iter().rposition(|line| line.number == book.at()).unwrap_or(0);
    let skipped = first(here, list.height);
    lines.into_iter().skip(skipped).take(list.height.into()).collect()
}

fn step(book: &Book, number: usize, room: u16) -> Vec<Line> {
    let scene = number.checked_sub(1).map(|number| &book.scenes()[number]);
    let (text, time) = scene.map_or_else(
        || (words::START.to_owned(), String::new()),
        |scene| (scene.words.clone(), scene.after.to_string()),
    );
    let parts = wrap(&text, room.saturating_sub(MOVED_IN));
    let behind = parts.len();
    let line = |(at, part): (usize, String)| {
        let text = if at == 0 { part } else { format!("{:1$}{part}", "", usize::from(MOVED_IN)) };
        let fits = at + 1 == behind && width(&text) + 1 + width(&time) <= room;
        Line { number, text, time: if fits { time.clone() } else { String::new() } }
    };
    parts.into_iter().enumerate().map(line).collect()
}

/// Draws a game that is open. Its keys are for others.
pub(super) fn paint(records: &Records, book: &Book, pen: &mut Pen<'_>) {
    let parts = layout::reading(records.size);
    table::paint_rules(&parts, pen);
    let began = book.record().started().to_string();
    pen.inside(parts.title).right(0, &began, Tone::Faint);
    let title = Rect { width: parts.title.width.saturating_sub(width(&began) + 2), ..parts.title };
    pen.inside(title).line(0, &words::title(book.record(), records.look.dot()), Tone::Title);
    let view = book.view();
    if let Some(lobby) = view.lobby() {
        table::paint_players(&view, lobby, &mut pen.inside(parts.players));
        let shown = Shown { last: lobby.past().last().map(|past| past.mv), ..Shown::default() };
        board::plane(lobby.board()).paint(&shown, &mut pen.inside(parts.board));
    }
    paint_steps(book, &mut pen.inside(parts.log));
    paint_words(book, &mut pen.inside(parts.notice.union(parts.why)));
}

/// What there is to say of where one is; how the game ended stands on the last line whatever stands above it.
fn paint_words(book: &Book, pen: &mut Pen<'_>) {
    let area = pen.area();
    let end = book.end();
    let above = area.height.saturating_sub(end.is_some().into());
    let lines = fitting(&book.words(), area.width, above, pen.look);
    for (row, line) in (0..area.height).zip(lines.iter().chain(&end)) {
        pen.line(row, line, Tone::Plain);
    }
}

fn paint_steps(book: &Book, pen: &mut Pen<'_>) {
    for (row, Line { number, text, time }) in (0..).zip(shown(book, pen.area())) {
        let is_move = number.checked_sub(1).is_none_or(|number| book.scenes()[number].played.is_some());
        let tone = match is_move {
            _ if number == book.at() => Tone::Chosen,
            true => Tone::Plain,
            false => Tone::Faint,
        };
        pen.line(row, &text, tone);
        pen.right(row, &time, Tone::Faint);
    }
}
