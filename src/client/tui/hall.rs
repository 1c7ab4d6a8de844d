//! The list of lobbies as it is shown: which of them, in which order, and on which lines. The cursor stays on its lobby
//! whatever comes and goes.

use ratatui::layout::{Position as Point, Rect};

use super::state::State;
use super::view::View;
use crate::client::words;
use crate::lobby::Code;
use crate::wire::{Listing, LobbyState};

/// The lobbies that are shown, the first one on top.
pub(super) fn rows<'a>(state: &State, view: &View<'a>) -> Vec<&'a Listing> {
    let filter = state.hall.filter.to_lowercase();
    let passes = |listing: &&Listing| words::listing(listing).to_lowercase().contains(&filter);
    words::sorted(view.model.hall()).into_iter().filter(passes).collect()
}

/// The place of the cursor among these; the first where its lobby is gone.
pub(super) fn place(state: &State, rows: &[&Listing]) -> usize {
    rows.iter().position(|listing| Some(listing.code) == state.hall.at).unwrap_or(0)
}

/// The lobby on which the cursor is.
pub(super) fn here<'a>(state: &State, view: &View<'a>) -> Option<&'a Listing> {
    let rows = rows(state, view);
    rows.get(place(state, &rows)).copied()
}

/// Whether both seats of a lobby are taken, so that whoever goes there watches.
pub(super) fn is_to_watch(listing: &Listing) -> bool {
    listing.state != LobbyState::Open && listing.watched
}

/// The first row that is shown on so many lines, so that the cursor is among them.
pub(super) fn first(place: usize, lines: u16) -> usize {
    (place + 1).saturating_sub(lines.into())
}

/// The lobby of this many rows down from the cursor, or up.
pub(super) fn moved(state: &State, view: &View<'_>, down: isize) -> Option<Code> {
    let rows = rows(state, view);
    let last = rows.len().checked_sub(1)?;
    let place = place(state, &rows).saturating_add_signed(down).min(last);
    rows.get(place).map(|listing| listing.code)
}

/// The lobby at a place of the screen, on a list drawn into this part.
pub(super) fn at(state: &State, view: &View<'_>, area: Rect, at: Point) -> Option<Code> {
    let rows = rows(state, view);
    let first = first(place(state, &rows), area.height);
    let row = usize::from(at.y.checked_sub(area.y)?);
    rows.get(first + row).filter(|_| area.contains(at)).map(|listing| listing.code)
}
