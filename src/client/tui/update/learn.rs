//! What keys and the mouse do in the learn panel.

use crossterm::event::{KeyCode, MouseButton, MouseEventKind};
use ratatui::layout::Position as Point;

use super::board::make;
use crate::client::tui::command::Command;
use crate::client::tui::commands;
use crate::client::tui::learn::Learn;
use crate::client::tui::learn_panel::row_at;
use crate::client::tui::message::Effect;
use crate::client::tui::state::{Input, Purpose, State};
use crate::client::tui::view::View;
use crate::client::words::screen;

/// The lines of a page.
const PAGE: isize = 8;

/// The lines of a turn of the wheel.
const WHEEL: isize = 3;

/// Opens the panel.
pub(super) fn open(state: &mut State, view: &View<'_>) {
    state.board.cancel_drag();
    state.learn = view.lobby().map(|lobby| Box::new(Learn::new(lobby)));
}

/// Takes a key that is no command.
pub(super) fn press(state: &mut State, key: KeyCode) {
    let Some(learn) = &mut state.learn else { return };
    match key {
        KeyCode::Up => learn.step(-1),
        KeyCode::Down => learn.step(1),
        KeyCode::PageUp => learn.step(-PAGE),
        KeyCode::PageDown => learn.step(PAGE),
        KeyCode::Home => learn.go(0),
        KeyCode::End => learn.end(),
        KeyCode::Left => learn.close(),
        KeyCode::Right => learn.open(),
        KeyCode::Char(digit @ '0'..='9') => {
            state.input = Some(Input::new(Purpose::Find, &digit.to_string()));
        }
        KeyCode::Char(_) => state.notice = Some(screen::NO_SUCH_KEY.to_owned()),
        _ => {}
    }
}

/// Runs a command of the panel.
pub(super) fn run(state: &mut State, view: &View<'_>, command: Command) {
    let Some(learn) = &mut state.learn else { return };
    match (command, view.lobby()) {
        (Command::Unfold, _) => learn.toggle(),
        (Command::Deepen, _) => learn.deepen(),
        (Command::Earlier, Some(lobby)) => learn.travel(lobby, false),
        (Command::Later, Some(lobby)) => learn.travel(lobby, true),
        // The first time only a running search is stopped.
        _ if learn.stop() => {}
        _ => state.learn = None,
    }
}

/// Takes a mouse event. A click selects a line; on the selected line it makes its move, or opens or closes
/// it if it is not a next move. A click on the sign opens and closes.
pub(super) fn touch(state: &mut State, view: &View<'_>, kind: MouseEventKind, at: Point) -> Vec<Effect> {
    let (size, meant) = (state.size, commands::meant(state, view));
    let Some(learn) = &mut state.learn else { return Vec::new() };
    match kind {
        MouseEventKind::ScrollUp => learn.step(-WHEEL),
        MouseEventKind::ScrollDown => learn.step(WHEEL),
        MouseEventKind::Down(MouseButton::Left) => {
            if let Some((node, on_sign)) = row_at(learn, size, at) {
                let here = learn.here().node == node;
                learn.go(node);
                if here && !on_sign && meant.is_some() {
                    return make(state, view, meant);
                }
                if here || on_sign {
                    learn.toggle();
                }
            }
        }
        _ => {}
    }
    Vec::new()
}
