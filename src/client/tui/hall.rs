//! The list of lobbies: which are shown, in which order, and which is selected. The selection stays on its
//! lobby while others come and go.

use ratatui::layout::Position as Point;
use strsim::osa_distance;

use super::appearance::Tone;
use super::board;
use super::layout;
use super::painter::{Painter, width};
use super::state::State;
use super::view::View;
use crate::client::SavedSeat;
use crate::client::words::screen::Entry;
use crate::client::words::{self, screen};
use crate::game::any::Board;
use crate::lobby::Code;
use crate::wire::{Listing, LobbyState};

/// The most letters by which a typed code differs from the code that was perhaps meant.
const MOST_SLIPS: usize = 3;

/// The columns before the line of a lobby.
const POINTER: u16 = 2;

/// The lobbies that are shown, the first one on top.
fn rows<'a>(state: &State, view: &View<'a>) -> Vec<&'a Listing> {
    let filter = state.hall.filter.to_lowercase();
    let passes = |listing: &&Listing| words::listing(listing).to_lowercase().contains(&filter);
    words::sorted(view.model.hall()).into_iter().filter(passes).collect()
}

/// The index of the selected lobby; 0 if it is gone.
fn place(state: &State, rows: &[&Listing]) -> usize {
    rows.iter().position(|listing| Some(listing.code) == state.hall.at).unwrap_or(0)
}

/// The selected lobby.
pub(super) fn selected<'a>(state: &State, view: &View<'a>) -> Option<&'a Listing> {
    let rows = rows(state, view);
    rows.get(place(state, &rows)).copied()
}

/// The person's own saved seat in a lobby.
pub(super) fn own_seat<'a>(listing: &Listing, view: &View<'a>) -> Option<&'a SavedSeat> {
    view.own_seats.iter().find(|seat| seat.code == listing.code)
}

/// What Enter or a second click does in a lobby; `None` if it does nothing.
pub(super) fn entry(listing: &Listing, view: &View<'_>) -> Option<Entry> {
    match listing.state {
        _ if own_seat(listing, view).is_some() => Some(Entry::Return),
        LobbyState::Open => Some(Entry::Join),
        _ => listing.watched.then_some(Entry::Watch),
    }
}

/// The listed lobby whose code is almost this text.
pub(super) fn nearest(view: &View<'_>, typed: &str) -> Option<Code> {
    let typed = typed.trim().to_lowercase().replace(' ', "-");
    let codes = view.model.hall().iter().map(|listing| listing.code);
    let near = codes.map(|code| (osa_distance(&typed, &code.to_string()), code));
    near.filter(|(distance, _)| *distance <= MOST_SLIPS).min().map(|(_, code)| code)
}

/// The lobby this many rows below the selected one.
pub(super) fn below(state: &State, view: &View<'_>, down: isize) -> Option<Code> {
    let rows = rows(state, view);
    let last = rows.len().checked_sub(1)?;
    let place = place(state, &rows).saturating_add_signed(down).min(last);
    rows.get(place).map(|listing| listing.code)
}

/// The lobby at this position.
pub(super) fn at(state: &State, view: &View<'_>, at: Point) -> Option<Code> {
    let rows = rows(state, view);
    let line = layout::line_at(layout::hall(state.size).list, place(state, &rows), at)?;
    rows.get(line).map(|listing| listing.code)
}

/// Paints the list, its title, and the details of the selected lobby.
pub(super) fn paint(state: &State, view: &View<'_>, painter: &mut Painter<'_>) {
    let parts = layout::hall(state.size);
    if view.arriving && view.model.hall().is_empty() {
        // There is nothing to show yet, and perhaps a reason for it.
        let words = if view.why.is_empty() { screen::ONE_MOMENT } else { &view.why };
        return painter.inside(parts.list).texts(&[words], Tone::Faint);
    }
    let rows = rows(state, view);
    let mut title = painter.inside(parts.title);
    title.line(0, &screen::hall(rows.len(), view.model.hall().len(), &state.hall.filter), Tone::Title);
    let who = [Some(view.model.name().to_string()), view.link.map(screen::link)];
    let who: Vec<String> = who.into_iter().flatten().collect();
    title.right(0, &who.join(&format!(" {} ", title.appearance.dot())), Tone::Faint);
    parts.rules.iter().flatten().for_each(|y| painter.rule(*y));
    let mut list = painter.inside(parts.list);
    if rows.is_empty() {
        let none = if view.model.hall().is_empty() { words::NO_LOBBIES } else { words::NO_MATCH };
        list.line(1, none, Tone::Faint);
    }
    let tone = |listing: &Listing| if listing.state == LobbyState::Open { Tone::Plain } else { Tone::Faint };
    let lines = rows.iter().map(|listing| (words::listing(listing), tone(listing)));
    list.list(lines, place(state, &rows));
    let mut detail = painter.inside(parts.detail);
    if view.lost {
        return detail.texts(&[view.why.as_str(), screen::LOST_IN_HALL], Tone::Notice);
    }
    if let Some(listing) = rows.get(place(state, &rows)) {
        let sign = |board: &Board, side| board::sign(board, side, state.appearance);
        // Who plays there is repeated if the line had no room for it.
        let is_whole = width(&words::listing(listing)) + POINTER <= parts.list.width;
        let players = if is_whole { String::new() } else { format!("{}. ", words::in_seats(listing)) };
        let is_own = own_seat(listing, view).is_some();
        detail.texts(&[players + &screen::detail(listing, is_own, sign)], Tone::Plain);
    }
}
