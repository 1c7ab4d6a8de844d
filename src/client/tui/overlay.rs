//! The overlays as popups: the help, the rules, the reason of a value, and a question before a command.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::available_commands;
use super::board;
use super::command::KeyCommand;
use super::key_bar;
use super::keys;
use super::learn_panel::explanation;
use super::painter::Painter;
use super::palette;
use super::popup::Popup;
use super::state::{Overlay, State};
use super::view::View;
use crate::client::words::{self, leaving, screen};
use crate::file::Existing;
use crate::game::Side;
use crate::lobby::Phase;

/// Paints the overlay with its keys, or else the key bar of the screen.
pub(super) fn paint(state: &State, view: &View<'_>, painter: &mut Painter<'_>) {
    if let Some(Overlay::Palette(palette)) = &state.overlay {
        palette.paint(state.size, &available_commands::in_palette(state, view), &state.keys, painter);
    }
    if let Some(popup) = popup(state, view) {
        popup.paint(painter);
    }
    key_bar::paint_keys(available_commands::keys(state, view), key_row(state, view), painter);
}

/// The key at this position.
pub(super) fn key_at(state: &State, view: &View<'_>, at: Point) -> Option<KeyCode> {
    key_bar::key_at(available_commands::keys(state, view), key_row(state, view), at)
}

fn key_row(state: &State, view: &View<'_>) -> Rect {
    if let Some(Overlay::Palette(_)) = &state.overlay {
        return palette::key_row(state.size, available_commands::in_palette(state, view).len());
    }
    popup(state, view).map_or_else(|| available_commands::last_rows(state, view)[1], |popup| popup.key_row())
}

fn popup(state: &State, view: &View<'_>) -> Option<Popup> {
    let (title, text) = match state.overlay.as_ref()? {
        Overlay::Help => ("What you can do now", help(state, view)),
        Overlay::Rules => ("The rules, and what was agreed", rules(state, view)),
        Overlay::Reason => {
            let panel = state.learn.as_ref().zip(view.lobby());
            ("Explanation", panel.map_or_else(Vec::new, |(learn, lobby)| explanation(lobby, learn)))
        }
        Overlay::Palette(_) => return None,
        Overlay::Confirm(command) => ("Sure?", question(command, view)),
        Overlay::Overwrite(path) => ("Sure?", vec![Existing::file(path).question()]),
        Overlay::Leaving { .. } => (view.lobby().map_or("", leaving::title), how_to_leave(view)),
    };
    Some(Popup::new(state.size, title, &text, state.scroll))
}

/// Scrolls by this many rows.
pub(super) fn scroll(state: &mut State, view: &View<'_>, down: isize) {
    state.scroll = popup(state, view).map_or(0, |popup| popup.scrolled_by(down));
}

/// The command of the line of the help at this position.
pub(super) fn command_at(state: &State, view: &View<'_>, at: Point) -> Option<KeyCommand> {
    let is_help = matches!(state.overlay, Some(Overlay::Help));
    let line = popup(state, view).filter(|_| is_help)?.line_at(at)?;
    available_commands::in_help(state, view).get(line).cloned()
}

fn help(state: &State, view: &View<'_>) -> Vec<String> {
    let meaning = |command: &KeyCommand| available_commands::meaning(state, view, command);
    let key = |command: &KeyCommand| keys::name(state.keys.of(command), state.appearance);
    let line = |command: KeyCommand| format!("{}\t{}", key(&command), meaning(&command));
    let mut lines: Vec<String> = available_commands::in_help(state, view).into_iter().map(line).collect();
    let in_form = state.form.is_some();
    let types = in_form || state.input.is_some();
    let how: &[&str] = match (view.lobby(), &state.learn) {
        _ if in_form => &[words::form::HOW_TO_FILL_IN, screen::HOW_TO_TYPE],
        _ if types => &[screen::HOW_TO_TYPE],
        (None, _) => state.records.as_ref().map_or(&[screen::HOW_IN_THE_HALL], |records| records.how()),
        (_, Some(_)) => &words::learn::HOW_TO_GO,
        (_, None) if view.is_watching() => &[],
        (Some(lobby), None) if matches!(lobby.phase(), Phase::Over { .. }) => &[],
        (Some(lobby), None) => &[board::how(lobby.board())],
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
    let rules = words::rules_and_name(lobby);
    let mut lines: Vec<String> = rules.iter().map(|line| screen::drawn(line, signs)).collect();
    lines.push(String::new());
    lines.extend(if view.link.is_none() {
        words::agreement::terms_at_home(lobby)
    } else {
        words::agreement::terms(lobby)
    });
    lines
}

/// The question before a command that loses something for good.
fn question(command: &KeyCommand, view: &View<'_>) -> Vec<String> {
    available_commands::question_before(command, view).into_iter().map(str::to_owned).collect()
}

/// The question how to leave, with what happens to a game that is kept.
fn how_to_leave(view: &View<'_>) -> Vec<String> {
    let lost = view.lost.then(|| screen::LOST.to_owned());
    let kept = view.mine().map(|mine| leaving::what_is_kept(mine, view.kept)).unwrap_or_default();
    let given_up = view.lobby().map(|lobby| leaving::giving_up(lobby, view.lost));
    lost.into_iter().chain(kept).chain(given_up).collect()
}
