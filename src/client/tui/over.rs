//! What lies over the screen: the help, the rules and the terms, and questions before something that cannot be undone.

use ratatui::layout::{Position as Point, Rect};

use super::bar;
use super::deed;
use super::form::Form;
use super::look::Tone;
use super::pen::{Pen, middle, width, wrap};
use super::state::{Over, State};
use super::view::View;
use crate::client::words::form::Term;
use crate::client::words::{self, screen};

/// The widest that such a thing is.
const WIDEST: u16 = 72;

/// The columns from the frame to the text, on both sides.
const MARGIN: u16 = 2;

/// Draws it, and the keys in it.
pub(super) fn paint(state: &State, view: &View<'_>, pen: &mut Pen<'_>) {
    let Some(over) = &state.over else { return };
    let (area, lines) = laid_out(over, state, view);
    let mut pen = pen.inside(area);
    pen.clear();
    let inner = pen.frame(title(over));
    let (shown, all) = (lines.len(), lines_of(over, state, view).len());
    if state.down > 0 {
        pen.put(inner.right().saturating_sub(2), inner.y, pen.look.under(), Tone::Notice);
    }
    if state.down + shown < all {
        pen.put(
            inner.right().saturating_sub(2),
            inner.bottom().saturating_sub(2),
            pen.look.over(),
            Tone::Notice,
        );
    }
    let mut inside =
        pen.inside(Rect { x: inner.x + MARGIN - 1, width: inner.width.saturating_sub(2), ..inner });
    for (row, line) in (1..).zip(&lines) {
        inside.line(row, line, Tone::Plain);
    }
    bar::paint(state, view, &mut pen);
}

fn title(over: &Over) -> &'static str {
    match over {
        Over::Help => screen::HELP,
        Over::Terms => screen::TERMS,
        Over::Sure(_) => screen::SURE,
        Over::Form(form) if form.quick => words::form::QUICK,
        Over::Form(_) => words::form::NEW,
    }
}

/// The line of its keys.
pub(super) fn keys(state: &State, view: &View<'_>) -> Rect {
    let Some(over) = &state.over else { return Rect::default() };
    let (area, _) = laid_out(over, state, view);
    Rect {
        x: area.x + 1 + MARGIN,
        y: area.bottom().saturating_sub(2),
        width: area.width.saturating_sub(2 + 2 * MARGIN),
        height: 1,
    }
}

/// Goes on by so many lines in a text that has no room, or back.
pub(super) fn scroll(state: &mut State, view: &View<'_>, down: isize) {
    let Some(over @ (Over::Help | Over::Terms)) = &state.over else { return };
    let furthest = lines_of(over, state, view).len().saturating_sub(most(state));
    state.down = state.down.saturating_add_signed(down).min(furthest);
}

/// How many lines of a text have room.
fn most(state: &State) -> usize {
    state.size.height.saturating_sub(5).into()
}

/// The columns of the widest thing that has room.
fn widest(state: &State) -> u16 {
    WIDEST.min(state.size.width.saturating_sub(4))
}

/// All lines of its text.
fn lines_of(over: &Over, state: &State, view: &View<'_>) -> Vec<String> {
    let room = widest(state).saturating_sub(2 + 2 * MARGIN);
    text(over, state, view).iter().flat_map(|line| wrap_in(line, room)).collect()
}

/// Its place, and the lines of its text that are shown there.
fn laid_out(over: &Over, state: &State, view: &View<'_>) -> (Rect, Vec<String>) {
    let widest = widest(state);
    let mut lines = lines_of(over, state, view);
    // What can be long has the same width whatever stands in it; a question is as wide as it has to be.
    let longest = lines.iter().map(|line| width(line)).max().unwrap_or_default();
    let widest = match over {
        Over::Sure(_) => widest.min(longest + 4 + 2 * MARGIN),
        _ => widest,
    };
    // A window that has become larger shows more than it was scrolled to.
    lines.drain(..state.down.min(lines.len().saturating_sub(most(state))));
    lines.truncate(most(state));
    let high = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(5);
    (middle(state.size, widest, high), lines)
}

/// The lines of a text, those behind the first moved in as far as its second column.
fn wrap_in(line: &str, room: u16) -> Vec<String> {
    let Some((key, meaning)) = line.split_once('\t') else { return wrap(line, room) };
    let parts = wrap(meaning, room.saturating_sub(8));
    let moved = |(at, part): (usize, String)| {
        let key = if at == 0 { key } else { "" };
        format!("{key:<8}{part}")
    };
    parts.into_iter().enumerate().map(moved).collect()
}

fn text(over: &Over, state: &State, view: &View<'_>) -> Vec<String> {
    match over {
        Over::Sure(deed) => vec![screen::sure(*deed).into()],
        Over::Help => help(state, view),
        Over::Terms => terms(view),
        Over::Form(form) => fields(form, state),
    }
}

/// A line for each term, and what the chosen one means.
fn fields(form: &Form, state: &State) -> Vec<String> {
    let line = |term: Term| {
        let pointer = if term == form.term() { state.look.pointer() } else { " " };
        format!("{pointer} {:<14}{}", term.name(), form.value(term))
    };
    let mut lines: Vec<String> = Term::ALL.into_iter().map(line).collect();
    lines.push(String::new());
    let meaning = state.notice.clone().unwrap_or_else(|| form.term().meaning().into());
    lines.push(meaning);
    lines
}

/// The term of the form at this place.
pub(super) fn term_at(state: &State, view: &View<'_>, at: Point) -> Option<usize> {
    let over = state.over.as_ref().filter(|over| matches!(over, Over::Form(_)))?;
    let (area, _) = laid_out(over, state, view);
    let row = usize::from(at.y.checked_sub(area.y + 2)?);
    (area.contains(at) && row < Term::ALL.len()).then_some(row)
}

fn help(state: &State, view: &View<'_>) -> Vec<String> {
    let deeds = deed::beneath(state, view).into_iter();
    let line = |deed| format!("{}\t{}", bar::key(deed, state.look), screen::meaning(deed));
    let mut lines: Vec<String> = deeds.map(line).collect();
    let more: &[&str] = match (view.lobby(), &state.learn) {
        (None, _) => &[],
        (_, Some(_)) => &words::learn::HOW_TO_GO,
        (_, None) => &screen::HOW_TO_CHOOSE,
    };
    if !more.is_empty() {
        lines.push(String::new());
        lines.extend(more.iter().map(|&line| line.to_owned()));
    }
    lines
}

fn terms(view: &View<'_>) -> Vec<String> {
    let Some(lobby) = view.lobby() else { return Vec::new() };
    let mut lines = words::rules(lobby);
    lines.push(String::new());
    lines.extend(words::agreement::terms(lobby));
    lines
}
