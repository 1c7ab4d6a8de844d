//! The hall on the screen: the lobbies, and what is to be known of the one that is chosen.

use crate::client::tui::bar;
use crate::client::tui::board;
use crate::client::tui::hall::{first, place, rows};
use crate::client::tui::layout;
use crate::client::tui::look::Tone;
use crate::client::tui::pen::{Pen, width};
use crate::client::tui::state::State;
use crate::client::tui::view::View;
use crate::client::words::{self, screen};
use crate::game::any::Board;
use crate::wire::{Listing, LobbyState};
use ratatui::layout::Rect;

/// The columns in front of the line of a lobby.
const POINTER: u16 = 2;

/// Draws the hall.
pub(super) fn paint(state: &State, view: &View<'_>, pen: &mut Pen<'_>) {
    let parts = layout::hall(state.size);
    let rows = rows(state, view);
    let all = view.model.hall().len();
    let mut title = pen.inside(parts.title);
    title.line(0, &screen::hall(rows.len(), all, &state.hall.filter), Tone::Title);
    let who = [Some(view.model.name().to_string()), view.link.map(screen::link)];
    let who: Vec<String> = who.into_iter().flatten().collect();
    title.right(0, &who.join(&format!(" {} ", title.look.dot())), Tone::Faint);
    for y in parts.rules.iter().flatten() {
        pen.inside(Rect { x: 0, y: *y, width: state.size.width, height: 1 }).rule(0);
    }
    paint_list(state, &rows, &mut pen.inside(parts.list));
    let mut detail = pen.inside(parts.detail);
    if view.lost {
        // That is the first thing to be known, and the list is what it was.
        detail.texts(&[view.why.as_str(), screen::LOST_IN_HALL], Tone::Notice);
    } else if let Some(listing) = rows.get(place(state, &rows)) {
        let sign = |board: &Board, side| board::sign(board, side, state.look);
        // All that is to be known of a lobby, also what had no room on its line.
        let line = words::listing(listing);
        let whole = width(&line) + POINTER <= parts.list.width;
        let company = if whole { String::new() } else { format!("{}. ", words::in_seats(listing)) };
        detail.texts(&[company + &screen::detail(listing, sign)], Tone::Plain);
    }
    super::paint_typing(state, None, &mut pen.inside(parts.notice));
    if state.over.is_none() {
        bar::paint(state, view, &mut pen.inside(parts.keys));
    }
}

fn paint_list(state: &State, rows: &[&Listing], pen: &mut Pen<'_>) {
    if rows.is_empty() {
        return pen.line(1, words::NO_LOBBIES, Tone::Faint);
    }
    let (here, height) = (place(state, rows), pen.area().height);
    let skipped = first(here, height);
    for (row, (at, listing)) in (0..height).zip(rows.iter().enumerate().skip(skipped)) {
        let pointer = if at == here { pen.look.pointer() } else { " " };
        let tone = match listing.state {
            _ if at == here => Tone::Notice,
            LobbyState::Open => Tone::Plain,
            _ => Tone::Faint,
        };
        pen.line(row, &format!("{pointer} {}", words::listing(listing)), tone);
    }
}
