//! What the keys and the mouse do in the hall: a lobby is chosen, joined, watched or opened, and a password is said.

use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::layout::Position as Point;

use crate::client::Action;
use crate::client::tui::board::Way;
use crate::client::tui::deed::Deed;
use crate::client::tui::message::Command;
use crate::client::tui::state::{Input, Over, Purpose, State};
use crate::client::tui::view::View;
use crate::client::tui::{hall, layout};
use crate::client::words::{Chosen, screen};
use crate::wire::{HallRefusal, Refusal, Secret};

/// An arrow key: the cursor goes to another lobby.
pub(super) fn step(state: &mut State, view: &View<'_>, way: Way) -> Vec<Command> {
    let down = match way {
        Way::Up => -1,
        Way::Down => 1,
        Way::Left | Way::Right => 0,
    };
    state.hall.at = hall::moved(state, view, down);
    Vec::new()
}

/// The mouse: a click chooses a lobby and says what one more does, which is to join it. The list may have changed under the
/// hand, so that the first one does no more, also where the cursor was already.
pub(super) fn touch(state: &mut State, view: &View<'_>, kind: MouseEventKind, at: Point) -> Vec<Command> {
    match kind {
        MouseEventKind::ScrollUp => step(state, view, Way::Up),
        MouseEventKind::ScrollDown => step(state, view, Way::Down),
        MouseEventKind::Down(MouseButton::Left) => {
            let Some(code) = hall::at(state, view, layout::hall(state.size).list, at) else {
                return Vec::new();
            };
            let once_more = state.hall.at.replace(code) == Some(code);
            // Without a server one can look at the list, and at no more.
            if view.question.is_none() {
                return Vec::new();
            }
            match hall::here(state, view).and_then(screen::once_more) {
                Some(_) if once_more => go(state, view, Deed::Join, None),
                what => {
                    state.notice = what.map(str::to_owned);
                    Vec::new()
                }
            }
        }
        _ => Vec::new(),
    }
}

/// Goes to the chosen lobby, or opens one on the terms of the form.
pub(super) fn go(state: &mut State, view: &View<'_>, deed: Deed, over: Option<Over>) -> Vec<Command> {
    if let Some(Over::Form(mut form)) = over {
        return match form.wish() {
            Ok(wish) => {
                state.chosen = Chosen::InForm;
                vec![Command::Go(wish)]
            }
            Err(complaint) => {
                (state.notice, state.over) = (Some(complaint), Some(Over::Form(form)));
                Vec::new()
            }
        };
    }
    let Some(listing) = hall::here(state, view) else { return Vec::new() };
    // Where both seats are taken there is nothing else that could be meant.
    let watches = deed == Deed::Watch || hall::is_to_watch(listing);
    vec![Command::Go(if watches {
        Action::Watch(listing.code, None)
    } else {
        Action::Join(listing.code, None)
    })]
}

/// The door at which this refusal leaves whoever had this wish, if it does.
pub(super) fn locked(wish: &Action, refusal: &Refusal) -> Option<Purpose> {
    let (code, watch) = match wish {
        Action::Join(code, _) => (*code, false),
        Action::Watch(code, _) => (*code, true),
        _ => return None,
    };
    (*refusal == Refusal::Hall(HallRefusal::WrongPassword)).then_some(Purpose::Password { code, watch })
}

/// A password was typed at this door; nothing means that somebody goes away.
pub(super) fn unlock(state: &mut State, view: &View<'_>, door: Purpose, typed: &str) -> Vec<Command> {
    let Purpose::Password { code, watch } = door else { return Vec::new() };
    if typed.is_empty() {
        return if view.arriving { vec![Command::End] } else { Vec::new() };
    }
    let Some(password) = Secret::of(typed) else {
        state.notice = Some(screen::password_too_long());
        state.input = Some(Input::new(door));
        return Vec::new();
    };
    let password = Some(password);
    vec![Command::Go(if watch { Action::Watch(code, password) } else { Action::Join(code, password) })]
}
