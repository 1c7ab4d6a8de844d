//! A game that was played on the screen: who played, the position behind one of its steps, all of them beside it, and below
//! what that move was worth.

use ratatui::layout::{Position as Point, Rect};

use super::table;
use crate::client::tui::board::{self, Shown};
use crate::client::tui::hall::first;
use crate::client::tui::layout;
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, cut, width, wrap};
use crate::client::tui::records::{Book, Records};
use crate::client::words::records as words;

/// The step at a place of the screen: behind how many one is there.
pub(in crate::client::tui) fn row_at(book: &Book, size: Rect, at: Point) -> Option<usize> {
    let list = layout::reading(size).log;
    let row = usize::from(at.y.checked_sub(list.y)?);
    let number = first(book.at(), list.height) + row;
    (list.contains(at) && number <= book.scenes().len()).then_some(number)
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
    let lines = book.words();
    let mut lines: Vec<String> = lines.iter().flat_map(|line| wrap(line, area.width)).collect();
    let room = usize::from(area.height.saturating_sub(1));
    if let Some(end) = book.end() {
        lines.truncate(room);
        lines.push(end);
    }
    for (row, line) in (0..area.height).zip(&lines) {
        pen.line(row, line, Tone::Plain);
    }
}

/// All that happened, so that where one is can be seen.
fn paint_steps(book: &Book, pen: &mut Pen<'_>) {
    let (area, look) = (pen.area(), pen.look);
    let skipped = first(book.at(), area.height);
    let shown = (skipped..=book.scenes().len()).take(area.height.into());
    for (row, number) in (0..).zip(shown) {
        let scene = number.checked_sub(1).map(|number| &book.scenes()[number]);
        let (text, time) = scene.map_or_else(
            || (words::START.to_owned(), String::new()),
            |scene| (scene.words.clone(), scene.after.to_string()),
        );
        let tone = match scene {
            _ if number == book.at() => Tone::Chosen,
            Some(scene) if scene.played.is_none() => Tone::Faint,
            _ => Tone::Plain,
        };
        let room = area.width.saturating_sub(width(&time) + 1);
        let whole = width(&text) <= room;
        pen.put(area.x, area.y + row, &cut(&text, if whole { room } else { area.width }, look), tone);
        if whole {
            pen.right(row, &time, Tone::Faint);
        }
    }
}
