//! Keys and the mouse in the hall: they select, join, watch and open lobbies.

use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::layout::Position as Point;

use crate::client::Action;
use crate::client::tui::hall;
use crate::client::tui::message::Effect;
use crate::client::tui::page::rows_of_wheel;
use crate::client::tui::state::{Input, Purpose, State};
use crate::client::tui::view::View;
use crate::client::words::screen::{self, Entry};
use crate::lobby::Code;
use crate::wire::{HallRefusal, Listing, LobbyState, Refusal, Secret};

/// Moves the selection down by this many lobbies.
pub(super) fn step(state: &mut State, view: &View<'_>, down: isize) {
    state.hall.at = hall::below(state, view, down);
}

/// Takes a mouse event in the hall or in its form.
pub(super) fn touch(state: &mut State, view: &View<'_>, kind: MouseEventKind, at: Point) -> Vec<Effect> {
    let is_click = kind == MouseEventKind::Down(MouseButton::Left);
    let rows = rows_of_wheel(kind).unwrap_or(0);
    match &mut state.form {
        Some(form) if is_click => form.click(state.size, at),
        Some(form) => form.step(rows),
        None if is_click => return click(state, view, at),
        None => step(state, view, rows),
    }
    Vec::new()
}

/// A click selects a lobby and says what a second one does. As the list may have changed at this moment, a
/// first click does no more, even on the selected lobby.
fn click(state: &mut State, view: &View<'_>, at: Point) -> Vec<Effect> {
    let Some(code) = hall::at(state, view, at) else { return Vec::new() };
    let is_second = state.hall.at.replace(code) == Some(code);
    // While the connection is lost, the list can only be read.
    if view.question.is_none() {
        return Vec::new();
    }
    match hall::selected(state, view).and_then(|listing| hall::entry(listing, view)) {
        Some(_) if is_second => return go(state, view, false),
        entry => state.notice = entry.map(|entry| screen::once_more(entry).to_owned()),
    }
    Vec::new()
}

/// Watches in the selected lobby if that was asked for; else returns to one's own seat there, joins, or
/// watches where both seats are taken.
pub(super) fn go(state: &State, view: &View<'_>, watch: bool) -> Vec<Effect> {
    let Some(listing) = hall::selected(state, view) else { return Vec::new() };
    match hall::own_seat(listing, view) {
        Some(seat) if !watch => vec![Effect::Act(Action::Return(seat.clone()))],
        _ => vec![enter(listing.code, watch || hall::entry(listing, view) == Some(Entry::Watch), None)],
    }
}

fn enter(code: Code, watch: bool, password: Option<Secret>) -> Effect {
    Effect::Act(if watch { Action::Watch(code, password) } else { Action::Join(code, password) })
}

/// Joins the lobby with the typed code, or returns to one's own seat there; a text that is no code can be
/// corrected.
pub(super) fn join_by_code(state: &mut State, view: &View<'_>, typed: &str) -> Vec<Effect> {
    if typed.trim().is_empty() {
        return Vec::new();
    }
    let code = match typed.parse::<Code>() {
        Ok(code) => code,
        Err(bad) => {
            let meant = hall::nearest(view, typed).map(screen::did_you_mean);
            state.notice = Some(meant.unwrap_or_else(|| screen::no_code(&bad)));
            state.input = Some(Input::new(Purpose::Code, typed));
            return Vec::new();
        }
    };
    let own = view.own_seats.iter().find(|seat| seat.code == code);
    vec![own.map_or_else(|| enter(code, false, None), |seat| Effect::Act(Action::Return(seat.clone())))]
}

/// What is said of a refused request, with the lobby that was perhaps meant.
pub(super) fn refused(view: &View<'_>, wish: &Action, refusal: &Refusal) -> String {
    let meant = match (wish, refusal) {
        (Action::Join(code, _), Refusal::Hall(HallRefusal::NoSuchLobby)) => {
            hall::nearest(view, &code.to_string())
        }
        _ => None,
    };
    meant.map_or_else(|| format!("No: {refusal}."), screen::did_you_mean)
}

/// Sends the form, or says what is wrong with it.
pub(super) fn submit(state: &mut State, view: &View<'_>) -> Vec<Effect> {
    let Some(form) = &mut state.form else { return Vec::new() };
    let waits = |listing: &&Listing| {
        listing.state == LobbyState::Open && !listing.locked && hall::own_seat(listing, view).is_none()
    };
    let waiting = view.model.hall().iter().find(waits).map(|listing| listing.code);
    match form.action(waiting) {
        Ok(action) => {
            state.form = None;
            return vec![Effect::Act(action)];
        }
        Err(fault) => state.notice = Some(fault),
    }
    Vec::new()
}

/// The password to ask for after this refusal of a request, if that is what is missing.
pub(super) fn asks_password(wish: &Action, refusal: &Refusal) -> Option<Purpose> {
    let (code, watch) = match wish {
        Action::Join(code, _) => (*code, false),
        Action::Watch(code, _) => (*code, true),
        _ => return None,
    };
    (*refusal == Refusal::Hall(HallRefusal::WrongPassword)).then_some(Purpose::Password { code, watch })
}

/// Tries a typed password; an empty one gives up.
pub(super) fn unlock(state: &mut State, view: &View<'_>, purpose: Purpose, typed: &str) -> Vec<Effect> {
    let Purpose::Password { code, watch } = purpose else { return Vec::new() };
    if typed.is_empty() {
        return if view.arriving { vec![Effect::End] } else { Vec::new() };
    }
    let Some(password) = Secret::of(typed) else {
        state.notice = Some(screen::password_too_long());
        state.input = Some(Input::new(purpose, ""));
        return Vec::new();
    };
    vec![enter(code, watch, Some(password))]
}
