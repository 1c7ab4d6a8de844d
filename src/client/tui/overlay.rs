//! The overlays as popups: the help, the rules, the reason of a value, a question before a command, and the
//! form of a lobby.

use std::ops::Range;

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::board;
use super::command::{self, Command};
use super::commands;
use super::form::Form;
use super::learn_panel::reason;
use super::painter::{Painter, cut, width, wrap};
use super::popup::{Popup, Width};
use super::state::{Overlay, State};
use super::view::View;
use crate::client::Action;
use crate::client::words::agreement::is_match_over;
use crate::client::words::form::Term;
use crate::client::words::{self, screen};
use crate::game::Side;
use crate::lobby::{Offer, Phase};

/// Paints the overlay with its keys, or else the key bar of the screen.
pub(super) fn paint(state: &State, view: &View<'_>, painter: &mut Painter<'_>) {
    if let Some(popup) = popup(state, view) {
        popup.paint(painter);
    }
    command::paint_keys(commands::keys(state, view), key_row(state, view), painter);
}

/// The key at this position.
pub(super) fn key_at(state: &State, view: &View<'_>, at: Point) -> Option<KeyCode> {
    command::key_at(commands::keys(state, view), key_row(state, view), at)
}

fn key_row(state: &State, view: &View<'_>) -> Rect {
    popup(state, view).map_or_else(|| commands::key_row(state, view), |popup| popup.key_row())
}

fn popup(state: &State, view: &View<'_>) -> Option<Popup> {
    let (title, text) = match (&state.overlay, &state.form) {
        (Some(Overlay::Help), _) => (screen::HELP, help(state, view)),
        (Some(Overlay::Rules), _) => (screen::TERMS, rules(state, view)),
        (Some(Overlay::Reason), _) => {
            let panel = state.learn.as_ref().zip(view.lobby());
            (words::learn::REASON, panel.map_or_else(Vec::new, |(learn, lobby)| reason(lobby, learn)))
        }
        (Some(Overlay::Confirm(command)), _) => (screen::SURE, question(command, state, view)),
        (None, Some(form)) => {
            (if form.quick { words::form::QUICK } else { words::form::NEW }, form_lines(form, state))
        }
        (None, None) => return None,
    };
    let breadth = if matches!(state.overlay, Some(Overlay::Confirm(_))) { Width::Text } else { Width::Full };
    Some(Popup::new(state.size, title, &text, state.scroll, breadth))
}

/// Scrolls by this many rows; in a form the selection moves.
pub(super) fn scroll(state: &mut State, view: &View<'_>, down: isize) {
    match (&state.overlay, &mut state.form) {
        (None, Some(form)) => form.step(down),
        (Some(Overlay::Confirm(_)), _) => {}
        _ => state.scroll = popup(state, view).map_or(0, |popup| popup.scrolled_by(down)),
    }
}

/// A line for each term that has room, and below them what the selected one means or what is wrong with it.
fn form_lines(form: &Form, state: &State) -> Vec<String> {
    let (terms, columns, appearance) =
        (terms_shown(form, state), Popup::room(state.size).0, state.appearance);
    let line = |at: usize| {
        let term = Term::ALL[at];
        let pointer = if term == form.term() { appearance.pointer() } else { " " };
        let more = match at {
            _ if at == terms.start && at > 0 => appearance.up(),
            _ if at + 1 == terms.end && terms.end < Term::ALL.len() => appearance.down(),
            _ => return format!("{pointer} {:<14}{}", term.name(), form.value(term)),
        };
        let value = cut(&form.value(term), columns.saturating_sub(18), appearance);
        let line = format!("{pointer} {:<14}{value}", term.name());
        let gap = columns.saturating_sub(width(&line) + 1);
        format!("{line}{:1$}{more}", "", gap.into())
    };
    let mut lines: Vec<String> = terms.clone().map(line).collect();
    lines.push(String::new());
    lines.push(about_term(form, state));
    lines
}

fn about_term(form: &Form, state: &State) -> String {
    state.notice.clone().unwrap_or_else(|| form.term().meaning().into())
}

/// The terms that have room above the text about the selected one, which is among them.
fn terms_shown(form: &Form, state: &State) -> Range<usize> {
    let (columns, rows) = Popup::room(state.size);
    let words = wrap(&about_term(form, state), columns).len().max(3);
    let most = rows.saturating_sub(words + 1).clamp(1, Term::ALL.len());
    let start = state.scroll.min(form.at).max((form.at + 1).saturating_sub(most)).min(Term::ALL.len() - most);
    start..start + most
}

/// Keeps the terms of a form where they are while the selected one is shown.
pub(super) fn settle(state: &mut State) {
    if let (None, Some(form)) = (&state.overlay, &state.form) {
        state.scroll = terms_shown(form, state).start;
    }
}

/// The index of the term of the form at this position.
pub(super) fn term_at(state: &State, view: &View<'_>, at: Point) -> Option<usize> {
    let form = state.form.as_ref().filter(|_| state.overlay.is_none())?;
    let line = popup(state, view)?.line_at(at)?;
    let shown = terms_shown(form, state);
    Some(shown.start + line).filter(|at| shown.contains(at))
}

/// Whether an overlay or a form is open.
pub(super) fn is_open(state: &State) -> bool {
    state.overlay.is_some() || state.form.is_some()
}

/// Whether the overlay covers this position.
pub(super) fn contains(state: &State, view: &View<'_>, at: Point) -> bool {
    popup(state, view).is_some_and(|popup| popup.contains(at))
}

/// The command of the line of the help at this position.
pub(super) fn command_at(state: &State, view: &View<'_>, at: Point) -> Option<Command> {
    let is_help = matches!(state.overlay, Some(Overlay::Help));
    let line = popup(state, view).filter(|_| is_help)?.line_at(at)?;
    commands::in_help(state, view).get(line).cloned()
}

fn help(state: &State, view: &View<'_>) -> Vec<String> {
    let meaning = |command: &Command| match command {
        Command::Act(Action::Quit) if state.is_from_home => screen::TO_FIRST_SCREEN,
        Command::Act(Action::Rematch) if view.lobby().is_some_and(is_match_over) => screen::TO_NEW_MATCH,
        command => command.meaning(),
    };
    let line = |command: Command| format!("{}\t{}", command.key_name(state.appearance), meaning(&command));
    let mut lines: Vec<String> = commands::in_help(state, view).into_iter().map(line).collect();
    let in_form = state.form.is_some();
    let types = in_form || state.input.is_some();
    let how: &[&str] = match (view.lobby(), &state.learn) {
        _ if in_form => &[words::form::HOW_TO_FILL_IN, screen::HOW_TO_TYPE],
        _ if types => &[screen::HOW_TO_TYPE],
        (None, _) => &[screen::HOW_IN_THE_HALL],
        (_, Some(_)) => &words::learn::HOW_TO_GO,
        (_, None) if view.is_watching() => &[],
        (Some(lobby), None) if matches!(lobby.phase(), Phase::Over { .. }) => &[],
        (Some(lobby), None) => &[board::view(lobby.board()).how()],
    };
    let scrolls = view.lobby().is_some() && state.learn.is_none() && !types;
    let more = ["", screen::HOW_TO_CLICK].into_iter().chain(how.iter().copied());
    lines.extend(more.chain(scrolls.then_some(screen::HOW_TO_SCROLL)).map(str::to_owned));
    lines
}

/// The rules, with the stones as they are drawn here, and the agreed conditions.
fn rules(state: &State, view: &View<'_>) -> Vec<String> {
    let Some(lobby) = view.lobby() else { return Vec::new() };
    let signs = Side::BOTH.map(|side| board::sign(lobby.board(), side, state.appearance));
    let mut lines: Vec<String> = words::rules(lobby).iter().map(|line| screen::drawn(line, signs)).collect();
    lines.push(String::new());
    lines.extend(words::agreement::terms(lobby));
    lines
}

/// The question before a command that loses something for good.
fn question(command: &Command, state: &State, view: &View<'_>) -> Vec<String> {
    let words: &[&str] = match command {
        Command::Act(Action::Resign) => &["Give this game up?"],
        Command::Act(Action::Claim) => &["Take this game? It ends by that at once."],
        Command::Act(Action::Offer(Offer::Draw)) => &["Is this game a draw? It ends by that at once."],
        Command::Act(Action::Quit) if view.lost => &[
            "The connection is lost.",
            "Ctrl-C once more goes now and keeps the seat.",
            "Yes leaves once it is back: the game is lost by it.",
        ],
        Command::Act(Action::Leave) => &["Go back to the hall? The game is lost by it."],
        Command::Act(Action::Quit) if state.is_from_home => {
            &["Leave, and go back to the first screen? The game is lost by it."]
        }
        _ => &["Leave, and end the program? The game is lost by it."],
    };
    words.iter().map(|&line| line.to_owned()).collect()
}
