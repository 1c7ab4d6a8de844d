//! Keys and the mouse in the learn panel.

use crossterm::event::{KeyCode, MouseButton, MouseEventKind};
use ratatui::layout::Position as Point;

use crate::client::learn::Learn;
use crate::client::tui::command::KeyCommand;
use crate::client::tui::keys::no_such_key;
use crate::client::tui::learn_panel::row_at;
use crate::client::tui::page::{lower, rows_of, rows_of_wheel};
use crate::client::tui::state::{Input, Purpose, State};
use crate::client::tui::view::View;

/// The lines of a turn of the wheel.
const WHEEL: isize = 3;

/// Opens the panel.
pub(super) fn open(state: &mut State, view: &View<'_>) {
    state.board.cancel_drag();
    state.learn = view.lobby().map(|lobby| Box::new(Learn::new(lobby)));
}

/// Takes a key that is no command.
pub(super) fn press(state: &mut State, view: &View<'_>, key: KeyCode) {
    let opens = is_opener(state, key);
    let Some(learn) = &mut state.learn else { return };
    match key {
        KeyCode::Char(_) if opens => run(state, view, KeyCommand::Close),
        KeyCode::Left => learn.close(),
        KeyCode::Right => learn.open(),
        KeyCode::Char(digit @ '0'..='9') => {
            state.input = Some(Input::new(Purpose::Find, &digit.to_string()));
        }
        KeyCode::Char(_) if lower(key) == state.keys.of(&KeyCommand::TurningPoint) => {
            let why = learn.no_turning_point().map(str::to_owned);
            state.notice = Some(why.unwrap_or_else(|| no_such_key(&state.keys, state.appearance)));
        }
        KeyCode::Char(_) => state.notice = Some(no_such_key(&state.keys, state.appearance)),
        key => learn.step(rows_of(key).unwrap_or(0)),
    }
}

/// Whether this is the key that has opened the panel.
fn is_opener(state: &State, key: KeyCode) -> bool {
    [KeyCommand::Learn, KeyCommand::Review].iter().any(|command| lower(key) == state.keys.of(command))
}

/// Runs a command of the panel.
pub(super) fn run(state: &mut State, view: &View<'_>, command: KeyCommand) {
    let Some(learn) = &mut state.learn else { return };
    match (command, view.lobby()) {
        (KeyCommand::Unfold, _) => learn.toggle(),
        (KeyCommand::Deepen, _) => learn.deepen(),
        (KeyCommand::Earlier, Some(lobby)) => learn.travel(lobby, false),
        (KeyCommand::Later, Some(lobby)) => learn.travel(lobby, true),
        (KeyCommand::TurningPoint, Some(lobby)) => learn.jump(lobby),
        // The first time only a running search is stopped.
        _ if learn.stop() => {}
        _ => state.learn = None,
    }
}

/// Takes a mouse event. A click selects a line; a second one, or a click on the sign, opens or closes it.
pub(super) fn touch(state: &mut State, kind: MouseEventKind, at: Point) {
    let size = state.size;
    let Some(learn) = &mut state.learn else { return };
    if kind != MouseEventKind::Down(MouseButton::Left) {
        return learn.step(rows_of_wheel(kind).unwrap_or(0) * WHEEL);
    }
    let Some((node, on_sign)) = row_at(learn, size, at) else { return };
    let is_here = learn.at == node;
    learn.at = node;
    if is_here || on_sign {
        learn.toggle();
    }
}
