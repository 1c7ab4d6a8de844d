//! The line of keys: what can be done now, each deed with its key, to be pressed or clicked.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::deed::{self, Deed};
use super::hall;
use super::keys::{self, Key};
use super::layout;
use super::look::Look;
use super::over;
use super::pen::Pen;
use super::state::{Over, State};
use super::view::View;
use crate::client::words::agreement::is_match_over;
use crate::client::words::screen;

/// The deed that is shown at this place.
pub(super) fn at(state: &State, view: &View<'_>, at: Point) -> Option<Deed> {
    keys::at(shown(state, view), line(state, view), at)
}

/// Draws the line.
pub(super) fn paint(state: &State, view: &View<'_>, pen: &mut Pen<'_>) {
    keys::paint(shown(state, view), line(state, view), pen);
}

/// Where the line is.
fn line(state: &State, view: &View<'_>) -> Rect {
    match state.over {
        Some(_) => over::keys(state, view),
        None if view.mine().is_some() => layout::table(state.size).keys,
        None => layout::hall(state.size).keys,
    }
}

/// What stands on it. Where there is not room for all, the ways out and the help stay.
fn shown(state: &State, view: &View<'_>) -> Vec<Key<Deed>> {
    let button = |deed: Deed| Key {
        does: deed,
        name: key(deed, state.look),
        words: label(deed, state, view),
        stays: matches!(deed, Deed::Help | Deed::HelpInText | Deed::Close | Deed::Quit | Deed::Drop),
    };
    // Where Enter watches too, one key for it is enough.
    let is_twice = |deed: Deed| deed == Deed::Watch && is_to_watch(state, view);
    deed::open(state, view).into_iter().filter(|&deed| !is_twice(deed)).map(button).collect()
}

/// Whether whoever goes to the chosen lobby watches there.
fn is_to_watch(state: &State, view: &View<'_>) -> bool {
    view.mine().is_none() && hall::here(state, view).is_some_and(hall::is_to_watch)
}

/// What a deed is called here: the chosen move by its own name.
fn label(deed: Deed, state: &State, view: &View<'_>) -> String {
    match (deed, view.lobby(), deed::meant(state, view)) {
        (Deed::Make, Some(lobby), Some(mv)) if view.held == Some(mv) => {
            screen::waits(&lobby.board().write_move(mv))
        }
        (Deed::Make, Some(lobby), Some(mv)) => lobby.board().write_move(mv),
        (Deed::Again, Some(lobby), _) if is_match_over(lobby) => screen::NEW_MATCH.to_owned(),
        // Enter does there what is left to be done.
        (Deed::Join, ..) if is_to_watch(state, view) => screen::label(Deed::Watch).to_owned(),
        (Deed::Close, ..) if state.over.is_none() => screen::BACK.to_owned(),
        (Deed::Close, ..) if matches!(state.over, Some(Over::Sure(_))) => screen::NO.to_owned(),
        _ => screen::label(deed).to_owned(),
    }
}

/// A key as it is called.
pub(super) fn key(deed: Deed, look: Look) -> String {
    match deed.key() {
        KeyCode::Enter if look.ascii => "Enter".into(),
        KeyCode::Enter => "⏎".into(),
        KeyCode::Right if look.ascii => "Right".into(),
        KeyCode::Right => "→".into(),
        KeyCode::Char(letter) => letter.to_string(),
        KeyCode::F(number) => format!("F{number}"),
        _ => "Esc".into(),
    }
}
