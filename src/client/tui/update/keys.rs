//! The keyboard: keys that do something, keys that choose, and a line that is typed.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{act, close, deed_of, hall, learn, refuse, scroll, unknown};
use crate::client::Action;
use crate::client::tui::board::{self, Pointed, Way};
use crate::client::tui::deed::{self, Deed};
use crate::client::tui::layout;
use crate::client::tui::message::Command;
use crate::client::tui::over;
use crate::client::tui::state::{Input, Over, Purpose, State};
use crate::client::tui::view::View;
use crate::client::words::{chat, screen};
use crate::lobby::{Name, Text};
use crate::wire::limits::MAX_CHAT;

/// How many lines a page of what was told has.
const PAGE: i16 = 8;

/// A key is pressed.
pub(super) fn press(state: &mut State, view: &View<'_>, key: KeyEvent) -> Vec<Command> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        return match key.code {
            KeyCode::Char('c') => interrupt(state, view),
            KeyCode::Char('u') if !layout::is_small(state.size) => empty(state),
            _ => Vec::new(),
        };
    }
    if layout::is_small(state.size) {
        return press_unseen(state, view, key.code);
    }
    state.notice = None;
    let is_help = key.code == KeyCode::F(1);
    if is_help && matches!(state.over, None | Some(Over::Form(_))) {
        return act(state, view, Deed::HelpInText);
    }
    if state.input.is_some() && state.over.is_none() {
        return write(state, view, key.code);
    }
    // In a form letters are typed, and only the keys without a letter do something, and what stands in no text.
    if let Some(Over::Form(form)) = &mut state.over
        && !matches!(key.code, KeyCode::Enter | KeyCode::Esc)
        && (key.code != Deed::Help.key() || form.holds_any_sign())
    {
        form.press(key.code);
        return Vec::new();
    }
    if let Some(deed) = deed_of(state, view, lower(key.code)) {
        return act(state, view, deed);
    }
    match state.over {
        // Whoever is not sure is not; and of what can only be read, any key is enough.
        Some(Over::Sure(_)) if key.code != KeyCode::Char('n') => Vec::new(),
        Some(_) => {
            match over::scrolled(state, view, key.code) {
                Some(down) => state.down = down,
                None => close(state),
            }
            Vec::new()
        }
        None if state.learn.is_some() => learn::press(state, key.code),
        None => choose(state, view, key.code),
    }
}

/// Ctrl-C ends the program, and a second one does so without a question; without a server to leave it keeps the seat.
fn interrupt(state: &mut State, view: &View<'_>) -> Vec<Command> {
    state.input = None;
    if state.over == Some(Over::Sure(Deed::Quit)) {
        return if view.lost { vec![Command::Depart] } else { act(state, view, Deed::Yes) };
    }
    state.over = None;
    act(state, view, Deed::Quit)
}

/// A key where nothing can be seen but that there is no room: it can answer whether to quit, and do nothing else.
fn press_unseen(state: &mut State, view: &View<'_>, key: KeyCode) -> Vec<Command> {
    if state.over != Some(Over::Sure(Deed::Quit)) {
        return Vec::new();
    }
    if lower(key) == Deed::Yes.key() {
        return act(state, view, Deed::Yes);
    }
    state.over = None;
    Vec::new()
}

fn lower(key: KeyCode) -> KeyCode {
    match key {
        KeyCode::Char(' ') => KeyCode::Enter,
        KeyCode::Char(letter) => KeyCode::Char(letter.to_ascii_lowercase()),
        other => other,
    }
}

/// A key that does nothing by itself.
fn choose(state: &mut State, view: &View<'_>, key: KeyCode) -> Vec<Command> {
    let way = match key {
        KeyCode::Left => Way::Left,
        KeyCode::Right => Way::Right,
        KeyCode::Up => Way::Up,
        KeyCode::Down => Way::Down,
        KeyCode::PageUp => return scroll(state, PAGE),
        KeyCode::PageDown => return scroll(state, -PAGE),
        KeyCode::End => {
            state.log.rewind();
            return Vec::new();
        }
        KeyCode::Esc => {
            state.table.call_off();
            return Vec::new();
        }
        KeyCode::Char(digit @ '0'..='9') if view.mine().is_some() => return digit_of(state, view, digit),
        KeyCode::Char(_) if deed::waits_for_server(state, view, lower(key)) => return not_now(state),
        KeyCode::Char(_) => return unknown(state),
        _ => return Vec::new(),
    };
    state.table.call_off();
    if view.mine().is_none() {
        return hall::step(state, view, way);
    }
    if let Some(lobby) = view.lobby().filter(|_| view.is_open()) {
        state.table.chosen = board::plane(lobby.board()).step(state.table.chosen, way);
    }
    Vec::new()
}

/// What somebody is told who would be heard by nobody.
fn not_now(state: &mut State) -> Vec<Command> {
    state.notice = Some(screen::NOT_NOW.to_owned());
    Vec::new()
}

fn digit_of(state: &mut State, view: &View<'_>, digit: char) -> Vec<Command> {
    state.table.call_off();
    let value = digit.to_digit(10).and_then(|digit| u8::try_from(digit).ok());
    if let Some((lobby, digit)) = view.lobby().filter(|_| view.is_open()).zip(value) {
        let plane = board::plane(lobby.board());
        state.table.chosen = plane.digit(state.table.chosen, digit);
        return refuse(state, view, plane.barred(Pointed::Digit(digit)));
    }
    Vec::new()
}

/// The most bytes that are typed on one line: what is longer can be said by nobody.
const LONGEST: usize = 1_000;

/// Nothing stands any more in the line that is being typed, or in that of a form.
fn empty(state: &mut State) -> Vec<Command> {
    match (&mut state.input, &mut state.over) {
        (Some(input), None) => {
            input.text.clear();
            if input.purpose == Purpose::Filter {
                state.hall.filter.clear();
            }
        }
        (_, Some(Over::Form(form))) => form.empty(),
        _ => {}
    }
    Vec::new()
}

/// A key for the line that is being typed.
pub(super) fn write(state: &mut State, view: &View<'_>, key: KeyCode) -> Vec<Command> {
    let Some(input) = &mut state.input else { return Vec::new() };
    match key {
        KeyCode::Char(letter) if input.text.len() < LONGEST => input.text.push(letter),
        KeyCode::Backspace => {
            input.text.pop();
        }
        KeyCode::Esc => input.text.clear(),
        _ => {}
    }
    if input.purpose == Purpose::Filter {
        state.hall.filter.clone_from(&input.text);
    }
    if !matches!(key, KeyCode::Enter | KeyCode::Esc) {
        return Vec::new();
    }
    match state.input.take() {
        Some(Input { purpose: Purpose::Say, text }) => say(state, view, text),
        Some(Input { purpose: Purpose::Find, text }) => learn::find(state, text),
        Some(Input { purpose: door @ Purpose::Password { .. }, text }) => {
            hall::unlock(state, view, door, &text)
        }
        _ => Vec::new(),
    }
}

/// Says what was typed; what is too long can be shortened, and what nobody would hear now can be said later. Behind a stroke it is no word for others.
fn say(state: &mut State, view: &View<'_>, text: String) -> Vec<Command> {
    let words = text.trim();
    if words.is_empty() {
        return Vec::new();
    }
    if let Some(order) = words.strip_prefix('/') {
        return mute(state, order);
    }
    if view.lost {
        state.input = Some(Input { purpose: Purpose::Say, text });
        return not_now(state);
    }
    if let Ok(words) = Text::<MAX_CHAT>::try_from(words.to_owned()) {
        return vec![Command::Ask(Action::Say(words))];
    }
    state.notice = Some(chat::too_long(words));
    state.input = Some(Input { purpose: Purpose::Say, text });
    Vec::new()
}

/// `mute NAME` and `unmute NAME`.
fn mute(state: &mut State, order: &str) -> Vec<Command> {
    let (word, name) = order.split_once(' ').unwrap_or((order, ""));
    match (word, Name::clean(name)) {
        ("mute", Ok(name)) => vec![Command::Mute(name, true)],
        ("unmute", Ok(name)) => vec![Command::Mute(name, false)],
        _ => {
            state.notice = Some(screen::HOW_TO_MUTE.to_owned());
            Vec::new()
        }
    }
}
