//! Draws the hall and the lobby from their state and the snapshot of the session.

pub(super) mod lobby;

use ratatui::Frame;

use super::appearance::Tone;
use super::hall;
use super::layout;
use super::overlay;
use super::page::paint_small;
use super::painter::{Painter, middle, wrap};
use super::state::{Overlay, Purpose, State};
use super::view::View;
use crate::client::words::{learn as words, screen};
use crate::number::saturating;

/// Draws everything.
pub fn draw(state: &State, view: &View<'_>, frame: &mut Frame<'_>) {
    let area = state.size.intersection(frame.area());
    let mut painter = Painter::new(frame.buffer_mut(), area, state.appearance);
    if layout::is_small(area) {
        let asked = state.overlay.as_ref().is_some_and(Overlay::is_about_quitting);
        let then = match (asked, view.lost) {
            (false, _) => screen::UNSEEN,
            (true, false) => screen::QUIT_UNSEEN,
            (true, true) => screen::QUIT_UNSEEN_WHILE_LOST,
        };
        return paint_small(then, &mut painter);
    }
    if let Some(mine) = view.mine() {
        lobby::paint(state, view, mine, &mut painter);
        let notice = lobby::notice(state, view, mine);
        paint_notice(state, notice, &mut painter.inside(layout::lobby(area).notice));
    } else {
        if view.arriving && view.model.hall().is_empty() {
            paint_arriving(view, &mut painter);
        } else {
            hall::paint(state, view, &mut painter);
        }
        paint_notice(state, None, &mut painter.inside(layout::hall(area).notice));
    }
    overlay::paint(state, view, &mut painter);
}

/// There is nothing to show yet, and perhaps a reason for it.
fn paint_arriving(view: &View<'_>, painter: &mut Painter<'_>) {
    let words = if view.why.is_empty() { screen::ONE_MOMENT } else { &view.why };
    let area = painter.area();
    let lines = wrap(words, area.width.saturating_sub(4));
    let mut inside = painter.inside(middle(area, area.width, saturating(lines.len())));
    for (row, line) in (0..).zip(&lines) {
        inside.centred(row, line, Tone::Faint);
    }
}

/// The notice, the text that is being typed, or else this.
fn paint_notice(state: &State, otherwise: Option<String>, painter: &mut Painter<'_>) {
    match (&state.notice, &state.input) {
        // What is wrong with a text is in its place until the next key.
        (Some(notice), _) => painter.line(0, notice, Tone::Notice),
        (None, None) => painter.line(0, &otherwise.unwrap_or_default(), Tone::Notice),
        (None, Some(input)) => {
            let (question, secret) = match input.purpose {
                Purpose::Chat => (screen::SAY.to_owned(), false),
                Purpose::Filter => (screen::FILTER.to_owned(), false),
                Purpose::Find => (words::FIND.to_owned(), false),
                Purpose::Password { code, .. } => (screen::password_of(code), true),
            };
            input.field.paint_after(&question, secret, painter);
        }
    }
}
