//! The picture of a state: it is made anew each time, from nothing but what is given, and changes nothing.

pub(super) mod games;
mod hall;
pub(super) mod learn;
pub(super) mod reading;
mod table;

use ratatui::Frame;

use super::bar;
use super::deed::Deed;
use super::layout::{self, LEAST};
use super::look::Tone;
use super::over;
use super::pen::{Pen, middle, width};
use super::state::{Over, Purpose, State};
use super::view::View;
use crate::client::words::{learn as words, screen};

/// Draws everything.
pub fn draw(state: &State, view: &View<'_>, frame: &mut Frame<'_>) {
    let area = state.size.intersection(frame.area());
    let mut pen = Pen::new(frame.buffer_mut(), area, state.look);
    if layout::is_small(area) {
        let asked = state.over == Some(Over::Sure(Deed::Quit));
        let then = match (asked, view.lost) {
            (false, _) => screen::UNSEEN,
            (true, false) => screen::QUIT_UNSEEN,
            (true, true) => screen::QUIT_UNSEEN_WHILE_LOST,
        };
        return small(then, &mut pen);
    }
    if let Some(records) = &state.records {
        return records.draw(frame);
    }
    match view.mine() {
        Some(mine) => table::paint(state, view, mine, &mut pen),
        None if view.arriving && view.model.hall().is_empty() => wait(state, view, &mut pen),
        None => hall::paint(state, view, &mut pen),
    }
    over::paint(state, view, &mut pen);
}

/// There is nothing to be seen yet, and perhaps a reason for it.
fn wait(state: &State, view: &View<'_>, pen: &mut Pen<'_>) {
    let words = if view.why.is_empty() { screen::ONE_MOMENT } else { &view.why };
    let area = pen.area();
    let lines = super::pen::wrap(words, area.width.saturating_sub(4));
    let high = u16::try_from(lines.len()).unwrap_or(area.height);
    let mut middle = pen.inside(middle(area, area.width, high));
    for (row, line) in (0..).zip(&lines) {
        middle.centred(row, line, Tone::Faint);
    }
    let parts = layout::hall(state.size);
    paint_typing(state, None, &mut pen.inside(parts.notice));
    if state.over.is_none() {
        bar::paint(state, view, &mut pen.inside(parts.keys));
    }
}

/// There is no room for anything but to say so, and what can be done about it.
pub(super) fn small(then: &str, pen: &mut Pen<'_>) {
    let area = pen.area();
    let words = format!("{} {then}", screen::too_small((area.width, area.height), LEAST));
    for (row, line) in (0..).zip(super::pen::wrap(&words, area.width)) {
        pen.line(row, &line, Tone::Plain);
    }
}

/// What is being typed, or what was told last and is worth looking at, or else this.
fn paint_typing(state: &State, otherwise: Option<&str>, pen: &mut Pen<'_>) {
    let input = match (&state.notice, &state.input) {
        // What is wrong with a line stands in its place until the next key.
        (Some(notice), _) => return pen.line(0, notice, Tone::Notice),
        (None, None) => return pen.line(0, otherwise.unwrap_or_default(), Tone::Notice),
        (None, Some(input)) => input,
    };
    let (question, text) = match input.purpose {
        Purpose::Say => (screen::SAY.to_owned(), input.text.as_str()),
        Purpose::Filter => (screen::FILTER.to_owned(), input.text.as_str()),
        Purpose::Find => (words::FIND.to_owned(), input.text.as_str()),
        Purpose::Password { code, .. } => {
            let stars = "*".repeat(input.text.chars().count());
            return paint_input(&screen::password_of(code), &stars, pen);
        }
    };
    paint_input(&question, text, pen);
}

/// A question and what is typed behind it.
fn paint_input(question: &str, text: &str, pen: &mut Pen<'_>) {
    let area = pen.area();
    let room = area.width.saturating_sub(width(question) + 3);
    // The end of a long line is what is being typed.
    let mut end = text;
    while width(end) > room {
        end = end.char_indices().nth(1).map_or("", |(at, _)| &end[at..]);
    }
    let x = area.x + width(question) + 1;
    pen.put(area.x, area.y, question, Tone::Key);
    pen.put(x, area.y, end, Tone::Plain);
    pen.put(x + width(end), area.y, " ", Tone::Chosen);
}
