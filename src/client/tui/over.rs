//! What lies over the screen: the help, the rules and the terms, and questions before something that cannot be undone.

use ratatui::layout::{Position as Point, Rect};

use super::bar;
use super::card::{Breadth, Card};
use super::deed;
use super::form::Form;
use super::pen::Pen;
use super::state::{Over, State};
use super::view::View;
use crate::client::words::form::Term;
use crate::client::words::{self, screen};

/// Draws it, and the keys in it.
pub(super) fn paint(state: &State, view: &View<'_>, pen: &mut Pen<'_>) {
    let Some(card) = card(state, view) else { return };
    card.paint(pen);
    bar::paint(state, view, pen);
}

/// What lies over the screen, where it lies.
fn card(state: &State, view: &View<'_>) -> Option<Card> {
    let over = state.over.as_ref()?;
    // What can be long has the same width whatever stands in it; a question is as wide as it has to be.
    let breadth = if matches!(over, Over::Sure(_)) { Breadth::Text } else { Breadth::Full };
    Some(Card::new(state.size, title(over), &text(over, state, view), state.down, breadth))
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
    card(state, view).map_or_else(Rect::default, |card| card.keys())
}

/// Goes on by so many lines in a text that has no room, or back.
pub(super) fn scroll(state: &mut State, view: &View<'_>, down: isize) {
    if !matches!(state.over, Some(Over::Help | Over::Terms)) {
        return;
    }
    let furthest = card(state, view).map_or(0, |card| card.furthest());
    state.down = state.down.saturating_add_signed(down).min(furthest);
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
    let is_form = matches!(state.over, Some(Over::Form(_)));
    let line = card(state, view).filter(|_| is_form)?.line_at(at)?;
    (line < Term::ALL.len()).then_some(line)
}

fn help(state: &State, view: &View<'_>) -> Vec<String> {
    let deeds = deed::beneath(state, view).into_iter();
    let line = |deed| format!("{}\t{}", bar::key(deed, state.look), screen::meaning(deed));
    let mut lines: Vec<String> = deeds.map(line).collect();
    let more: &[&str] = match (view.lobby(), &state.learn) {
        (None, _) => &[],
        (_, Some(_)) => &words::learn::HOW_TO_GO,
        (_, None) if view.is_watching() => &screen::HOW_TO_CHOOSE[2..],
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
