//! The line of keys: what can be done now, each deed with its key, to be pressed or clicked.

use crossterm::event::KeyCode;
use ratatui::layout::{Position as Point, Rect};

use super::deed::{self, Deed};
use super::layout;
use super::look::{Look, Tone};
use super::over;
use super::pen::{Pen, width};
use super::state::{Over, State};
use super::view::View;
use crate::client::words::screen;

/// The columns between two deeds.
const BETWEEN: u16 = 3;

/// One deed on the line.
#[derive(Debug)]
struct Button {
    deed: Deed,
    area: Rect,
    key: String,
    words: String,
}

/// The deed that is shown at this place.
pub(super) fn at(state: &State, view: &View<'_>, at: Point) -> Option<Deed> {
    buttons(state, view).into_iter().find(|button| button.area.contains(at)).map(|button| button.deed)
}

/// Draws the line.
pub(super) fn paint(state: &State, view: &View<'_>, pen: &mut Pen<'_>) {
    for Button { area, key, words, .. } in buttons(state, view) {
        pen.put(area.x, area.y, &key, Tone::Key);
        pen.put(area.x + width(&key) + 1, area.y, &words, Tone::Plain);
    }
}

/// What stands where. Where there is not room for all, the ways out and the help stay.
fn buttons(state: &State, view: &View<'_>) -> Vec<Button> {
    let area = match state.over {
        Some(_) => over::keys(state, view),
        None if view.mine().is_some() => layout::table(state.size).keys,
        None => layout::hall(state.size).keys,
    };
    let deeds = deed::open(state, view);
    let words: Vec<(Deed, String, String)> =
        deeds.into_iter().map(|deed| (deed, key(deed, state.look), label(deed, state, view))).collect();
    let wide = |(_, key, words): &(Deed, String, String)| width(key) + 1 + width(words) + BETWEEN;
    let is_kept = |deed: Deed| matches!(deed, Deed::Help | Deed::Close | Deed::Quit);
    let mut room = area.width + BETWEEN;
    let kept: u16 = words.iter().filter(|(deed, ..)| is_kept(*deed)).map(wide).sum();
    room = room.saturating_sub(kept);
    let mut x = area.x;
    let mut buttons = Vec::new();
    for part in words {
        let wide = wide(&part);
        let (deed, key, words) = part;
        if !is_kept(deed) {
            if wide > room {
                continue;
            }
            room -= wide;
        }
        let place = Rect { x, y: area.y, width: wide - BETWEEN, height: 1 };
        buttons.push(Button { deed, area: place, key, words });
        x += wide;
    }
    buttons
}

/// What a deed is called here: the chosen move by its own name.
fn label(deed: Deed, state: &State, view: &View<'_>) -> String {
    match (deed, view.lobby(), deed::meant(state, view)) {
        (Deed::Make, Some(lobby), Some(mv)) => lobby.board().write_move(mv),
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
        KeyCode::Char(letter) => letter.to_string(),
        _ => "Esc".into(),
    }
}
