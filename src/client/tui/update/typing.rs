//! Keys for a text that is being typed: a chat message, a filter, a code, a move to find, a file name or a
//! password.

use crossterm::event::{KeyCode, KeyEvent};

use super::{hall, records};
use crate::client::Action;
use crate::client::tui::message::Effect;
use crate::client::tui::state::{Input, Purpose, State};
use crate::client::tui::text_field::TextField;
use crate::client::tui::view::View;
use crate::client::words::{chat, screen};
use crate::lobby::{Name, Text};
use crate::wire::limits::MAX_CHAT;

/// The largest number of bytes of a text.
const MOST: usize = 1_000;

/// Takes a key for the text.
pub(super) fn press(state: &mut State, view: &View<'_>, key: KeyEvent) -> Vec<Effect> {
    let Some(input) = &mut state.input else { return Vec::new() };
    match key.code {
        KeyCode::Esc => input.field = TextField::default(),
        _ => input.field.press(key, MOST),
    }
    if input.purpose == Purpose::Filter {
        input.field.text().clone_into(&mut state.hall.filter);
    }
    if matches!(key.code, KeyCode::Enter | KeyCode::Esc) { finish(state, view) } else { Vec::new() }
}

fn finish(state: &mut State, view: &View<'_>) -> Vec<Effect> {
    let Some(Input { purpose, field }) = state.input.take() else { return Vec::new() };
    match purpose {
        Purpose::Chat => return say(state, view, field.text()),
        Purpose::Find => find(state, view, field.text()),
        Purpose::Code => return hall::join_by_code(state, view, field.text()),
        Purpose::File => return records::write(state, field.text()),
        Purpose::Password { .. } => return hall::unlock(state, view, purpose, field.text()),
        Purpose::Filter => {}
    }
    Vec::new()
}

/// Selects the move that was typed; a text that is no move can be corrected.
fn find(state: &mut State, view: &View<'_>, text: &str) {
    let found = match (&mut state.learn, view.lobby()) {
        _ if text.trim().is_empty() => return,
        (Some(learn), _) => learn.find(text),
        (None, Some(lobby)) => {
            let mv = lobby.board().read_move(text).map_err(|bad| format!("{bad}."));
            mv.map(|mv| state.board.chosen = Some(mv))
        }
        (None, None) => return,
    };
    if let Err(why) = found {
        (state.notice, state.input) = (Some(why), Some(Input::new(Purpose::Find, text)));
    }
}

/// Sends a chat message. One that is too long can be shortened, and one without a connection can be sent
/// later. A message with a slash is a command.
fn say(state: &mut State, view: &View<'_>, text: &str) -> Vec<Effect> {
    let words = text.trim();
    if words.is_empty() {
        return Vec::new();
    }
    if let Some(command) = words.strip_prefix('/') {
        return command_with_name(state, command);
    }
    let notice = match Text::<MAX_CHAT>::try_from(words.to_owned()) {
        _ if view.lost => screen::NOT_NOW.to_owned(),
        Ok(words) => return vec![Effect::Act(Action::Say(words))],
        Err(_) => chat::too_long(words),
    };
    (state.notice, state.input) = (Some(notice), Some(Input::new(Purpose::Chat, text)));
    Vec::new()
}

/// `mute NAME`, `unmute NAME` and `kick NAME`.
fn command_with_name(state: &mut State, command: &str) -> Vec<Effect> {
    let (word, name) = command.split_once(' ').unwrap_or((command, ""));
    match (word, Name::clean(name)) {
        ("kick", _) => vec![Effect::Act(Action::Kick(Text::cut(name)))],
        ("mute", Ok(name)) => vec![Effect::Mute(name, true)],
        ("unmute", Ok(name)) => vec![Effect::Mute(name, false)],
        _ => {
            state.notice = Some(screen::SLASH_COMMANDS.to_owned());
            Vec::new()
        }
    }
}
