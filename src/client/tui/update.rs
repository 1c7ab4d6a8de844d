//! Updates the state of the hall and of a lobby for each message, and returns the effects.

mod board;
mod events;
mod hall;
mod input;
mod learn;
mod records;
mod typing;

use ratatui::layout::Rect;

use super::available_commands;
use super::command::KeyCommand;
use super::job::JobResult;
use super::layout;
use super::message::{Effect, Message};
use super::state::{BoardState, Overlay, Purpose, State};
use super::view::View;
use crate::client::learn::search::SearchResult;
use crate::client::session::SendStatus;
use crate::client::words::screen;

/// Takes a message.
pub fn update(state: &mut State, view: &View<'_>, message: Message) -> Vec<Effect> {
    let effects = match message {
        Message::Session(event) => events::take(state, view, event),
        message => on_subject(state, view, |state, view| match message {
            Message::Key(key) => input::press(state, view, key),
            Message::Mouse(mouse) if !layout::is_small(state.size) => input::touch(state, view, mouse),
            message => {
                note(state, view, message);
                Vec::new()
            }
        }),
    };
    if view.lobby().is_some() && state.records.take().is_some() {
        (state.learn, state.input) = (None, None);
    }
    on_subject(state, view, settle);
    effects
}

/// Calls the function with the snapshot of the session, or of the record that the learn panel is about.
fn on_subject<T>(state: &mut State, view: &View<'_>, does: impl FnOnce(&mut State, &View<'_>) -> T) -> T {
    match state.record_in_panel() {
        Some((end, why)) => does(state, &View::of_record(&end, why)),
        None => does(state, view),
    }
}

/// Takes a message that has no effects.
fn note(state: &mut State, view: &View<'_>, message: Message) {
    match message {
        Message::Resize(columns, rows) => {
            state.size = Rect::new(0, 0, columns, rows);
            // What the mouse holds has moved.
            state.board.cancel_drag();
        }
        Message::Tick => state.board.fall = state.board.fall.and_then(|row| row.checked_sub(1)),
        Message::Sent(SendStatus::Leaving) if view.is_watching() => {
            state.notice = Some(screen::LEAVING_NO_SEAT.to_owned());
        }
        Message::Sent(SendStatus::Leaving) => state.notice = Some(screen::LEAVING.to_owned()),
        Message::Sent(SendStatus::Never) => state.notice = Some(screen::NOT_NOW.to_owned()),
        Message::Job(result) => match (result, &mut state.learn) {
            (JobResult::Searched(searched), Some(learn)) => learn.searched = searched,
            (JobResult::Found(SearchResult::Judged(number, found)), Some(learn)) => {
                learn.judge(number, found);
            }
            (JobResult::Found(SearchResult::Moves(node, found)), Some(learn)) => learn.take(node, found),
            (result, _) => records::take(state, result),
        },
        _ => {}
    }
}

/// Drops what the game has made void: a selection that is no legal move, a drag of another turn, a question
/// about a command that is not available any more or loses nothing any more.
fn settle(state: &mut State, view: &View<'_>) {
    match view.lobby() {
        None => {
            (state.board, state.learn) = (BoardState::default(), None);
            // Somebody may have been kicked while they typed.
            state.input.take_if(|input| input.purpose == Purpose::Chat);
        }
        Some(lobby) => {
            state.learn.take_if(|_| !available_commands::may_learn(view));
            if let Some(learn) = &mut state.learn {
                learn.settle(lobby);
            }
            state.board.settle(lobby, view.is_open());
            state.form = None;
        }
    }
    let has_panel = state.learn.is_some();
    state.input.take_if(|input| input.purpose == Purpose::Find && !has_panel && !view.is_open());
    state.overlay.take_if(|overlay| matches!(overlay, Overlay::Reason) && !has_panel);
    let available = available_commands::on_screen(state, view);
    let is_void =
        |command: &KeyCommand| !available.contains(command) || !available_commands::asks_first(command, view);
    state.overlay.take_if(|overlay| match overlay {
        Overlay::Confirm(command) => is_void(command),
        Overlay::Overwrite(_) => state.records.is_none(),
        Overlay::Leaving { quits } => !available_commands::asks_how_to_leave(*quits, view),
        _ => false,
    });
}
