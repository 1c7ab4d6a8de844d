//! The keyboard and the mouse in the hall and in a lobby: which command or handler they reach.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position as Point;

use super::{board, hall, learn, records, typing};
use crate::client::tui::available_commands;
use crate::client::tui::board::Direction;
use crate::client::tui::command::KeyCommand;
use crate::client::tui::form::Form;
use crate::client::tui::keys::no_such_key;
use crate::client::tui::layout;
use crate::client::tui::message::Effect;
use crate::client::tui::overlay;
use crate::client::tui::page::{self, is_control, rows_of, rows_of_wheel};
use crate::client::tui::palette::{ListedCommand, Palette, Picked};
use crate::client::tui::state::{Input, Overlay, Purpose, State};
use crate::client::tui::view::View;
use crate::client::words::screen;
use crate::client::{Action, Leaving};

/// The rows of a page of the log.
const PAGE: i16 = 8;

/// The rows of a turn of the wheel in the log.
const WHEEL: i16 = 3;

/// A key is pressed.
pub(super) fn press(state: &mut State, view: &View<'_>, key: KeyEvent) -> Vec<Effect> {
    if is_control(key, 'c') {
        return interrupt(state, view);
    }
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    if layout::is_small(state.size) {
        return if control { Vec::new() } else { press_unseen(state, view, key.code) };
    }
    if !control {
        state.notice = None;
    }
    if matches!(state.overlay, Some(Overlay::Palette(_))) {
        return in_palette(state, view, |palette, commands| palette.press(key, commands));
    }
    if key.code == KeyCode::F(1) && state.overlay.is_none() {
        return run(state, view, KeyCommand::HelpInText);
    }
    if is_control(key, 'p') && !available_commands::in_palette(state, view).is_empty() {
        return run(state, view, KeyCommand::Palette);
    }
    if state.input.is_some() && state.overlay.is_none() {
        return typing::press(state, view, key);
    }
    let help = state.form.as_ref().map(|form| available_commands::help_in_form(state, form));
    let has_help = help == Some(KeyCommand::Help);
    // In a form the keys without a character are commands, and the question mark where it cannot be part of
    // the text.
    if let (None, Some(form)) = (&state.overlay, &mut state.form)
        && !matches!(key.code, KeyCode::Enter | KeyCode::Esc)
        && (key.code != KeyCommand::Help.key() || !has_help)
    {
        form.press(key);
        return Vec::new();
    }
    if control {
        return Vec::new();
    }
    if let Some(command) = available_commands::with_key(state, view, page::lower(key.code)) {
        return run(state, view, command);
    }
    match state.overlay {
        // A question is closed by its own keys alone, one of them n; anything else is closed by any key that does not scroll.
        Some(Overlay::Confirm(_) | Overlay::Overwrite(_)) if key.code != KeyCode::Char('n') => {}
        Some(Overlay::Leaving { .. }) => {}
        Some(_) => match rows_of(key.code) {
            Some(rows) => overlay::scroll(state, view, rows),
            None => close(state),
        },
        None if state.learn.is_some() => learn::press(state, view, key.code),
        None if state.records.is_some() => records::press(state, page::lower(key.code)),
        None => select(state, view, key.code),
    }
    Vec::new()
}

/// The list of actions takes a key or a click, and runs what is picked.
fn in_palette(
    state: &mut State,
    view: &View<'_>,
    does: impl FnOnce(&mut Palette, &[ListedCommand]) -> Picked,
) -> Vec<Effect> {
    let commands = available_commands::in_palette(state, view);
    let Some(Overlay::Palette(palette)) = &mut state.overlay else { return Vec::new() };
    match does(palette, &commands) {
        Picked::Nothing => Vec::new(),
        Picked::Close => {
            close(state);
            Vec::new()
        }
        Picked::Command(command) => {
            close(state);
            run(state, view, command)
        }
    }
}

/// Ctrl-C quits, and a second one keeps the game.
fn interrupt(state: &mut State, view: &View<'_>) -> Vec<Effect> {
    state.input = None;
    if state.overlay.as_ref().is_some_and(Overlay::is_about_quitting) {
        return run(state, view, KeyCommand::KeepGame);
    }
    state.overlay = None;
    run(state, view, KeyCommand::Leave { quits: true })
}

/// A key on a screen that is too small: it can only answer whether to quit.
fn press_unseen(state: &mut State, view: &View<'_>, key: KeyCode) -> Vec<Effect> {
    if !state.overlay.as_ref().is_some_and(Overlay::is_about_quitting) {
        return Vec::new();
    }
    if let Some(command) = available_commands::with_key(state, view, page::lower(key)) {
        return run(state, view, command);
    }
    state.overlay = None;
    Vec::new()
}

/// A key that is no command.
fn select(state: &mut State, view: &View<'_>, key: KeyCode) {
    state.board.cancel_drag();
    match (key, view.lobby()) {
        (KeyCode::Char(digit @ '0'..='9'), Some(_)) => board::digit(state, view, digit),
        (KeyCode::Char(letter), _) if board::letter(state, view, letter.to_ascii_lowercase()) => {}
        (KeyCode::Char(_), _) if is_about_hints(state, key) && available_commands::are_hints_off(view) => {
            state.notice = Some(screen::HINTS_OFF.to_owned());
        }
        (KeyCode::Char(_), Some(lobby)) if is_about_hints(state, key) && lobby.is_paused() => {
            state.notice = Some(screen::NO_HINTS_IN_PAUSE.to_owned());
        }
        // What is typed next is no command, even where nobody reads it.
        (KeyCode::Char(_), Some(_)) if page::lower(key) == state.keys.of(&KeyCommand::Chat) => {
            state.input = Some(Input::new(Purpose::Chat, ""));
        }
        (KeyCode::Char(_), _) => {
            let waits = available_commands::waits_for_connection(state, view, page::lower(key));
            let unknown = || no_such_key(&state.keys, state.appearance);
            state.notice = Some(if waits { screen::NOT_NOW.to_owned() } else { unknown() });
        }
        (key, None) => hall::step(state, view, rows_of(key).unwrap_or(0)),
        (KeyCode::PageUp, _) => scroll_log(state, PAGE),
        (KeyCode::PageDown, _) => scroll_log(state, -PAGE),
        (KeyCode::End, _) => state.log.scroll_to_end(),
        (KeyCode::Left, _) => board::step(state, view, Direction::Left),
        (KeyCode::Right, _) => board::step(state, view, Direction::Right),
        (KeyCode::Up, _) => board::step(state, view, Direction::Up),
        (KeyCode::Down, _) => board::step(state, view, Direction::Down),
        _ => {}
    }
}

/// Whether this is the key of hints or of the learn panel.
fn is_about_hints(state: &State, key: KeyCode) -> bool {
    [KeyCommand::Act(Action::Hint), KeyCommand::Learn]
        .iter()
        .any(|command| state.keys.of(command) == page::lower(key))
}

fn close(state: &mut State) {
    (state.overlay, state.scroll) = (None, 0);
}

fn scroll_log(state: &mut State, rows: i16) {
    let log = layout::lobby(state.size).log;
    state.log.scroll(rows, (log.width, log.height));
}

/// The mouse is moved, or one of its buttons pressed or released.
pub(super) fn touch(state: &mut State, view: &View<'_>, mouse: MouseEvent) -> Vec<Effect> {
    let at = Point { x: mouse.column, y: mouse.row };
    let press = mouse.kind == MouseEventKind::Down(MouseButton::Left);
    if press {
        state.notice = None;
        if let Some(key) = overlay::key_at(state, view, at) {
            return self::press(state, view, key.into());
        }
    }
    if matches!(state.overlay, Some(Overlay::Palette(_))) {
        let size = state.size;
        return in_palette(state, view, |palette, commands| palette.touch(mouse.kind, at, size, commands));
    }
    match (mouse.kind, view.lobby()) {
        _ if press && state.overlay.is_some() => return click_overlay(state, view, at),
        (kind, _) if state.overlay.is_some() => {
            overlay::scroll(state, view, rows_of_wheel(kind).unwrap_or(0));
        }
        (kind, None) if state.records.is_some() => return records::touch(state, kind, at),
        (kind, None) => return hall::touch(state, view, kind, at),
        (kind, _) if state.learn.is_some() => learn::touch(state, kind, at),
        (MouseEventKind::ScrollUp, _) => scroll_log(state, WHEEL),
        (MouseEventKind::ScrollDown, _) => scroll_log(state, -WHEEL),
        (kind, Some(lobby)) => return board::touch(state, view, lobby, (kind, at)),
    }
    Vec::new()
}

/// A click closes the overlay; in the help it does what its line says.
fn click_overlay(state: &mut State, view: &View<'_>, at: Point) -> Vec<Effect> {
    let command = overlay::command_at(state, view, at);
    close(state);
    command.map_or_else(Vec::new, |command| press(state, view, state.keys.of(&command).into()))
}

/// Runs a command, or asks for a confirmation first.
fn run(state: &mut State, view: &View<'_>, command: KeyCommand) -> Vec<Effect> {
    match command {
        KeyCommand::Leave { quits } if available_commands::asks_how_to_leave(quits, view) => {
            state.overlay = Some(Overlay::Leaving { quits });
            return Vec::new();
        }
        command if available_commands::asks_first(&command, view) && state.overlay.is_none() => {
            state.overlay = Some(Overlay::Confirm(command));
            return Vec::new();
        }
        _ => {}
    }
    run_now(state, view, command)
}

fn leave(quits: bool, how: Leaving) -> Vec<Effect> {
    vec![Effect::Act(if quits { Action::Quit(how) } else { Action::Leave(how) })]
}

/// Runs a command.
fn run_now(state: &mut State, view: &View<'_>, command: KeyCommand) -> Vec<Effect> {
    let overlay = state.overlay.take();
    state.scroll = 0;
    match command {
        KeyCommand::Act(action) => return vec![Effect::Act(action)],
        KeyCommand::Move | KeyCommand::MakeFromTree => {
            return board::make(state, view, available_commands::meant(state, view));
        }
        KeyCommand::Confirm => match overlay {
            Some(Overlay::Confirm(command)) => return run_now(state, view, command),
            Some(Overlay::Overwrite(path)) => return records::overwrite(state, path),
            _ => {}
        },
        KeyCommand::Leave { quits } => return leave(quits, Leaving::GiveUp),
        KeyCommand::KeepGame | KeyCommand::GiveUpGame => {
            if let Some(Overlay::Leaving { quits }) = overlay {
                let is_kept = command == KeyCommand::KeepGame;
                return leave(quits, if is_kept { Leaving::Keep } else { Leaving::GiveUp });
            }
        }
        KeyCommand::Join => return hall::go(state, view, false),
        KeyCommand::Watch => return hall::go(state, view, true),
        KeyCommand::Submit => return hall::submit(state, view),
        KeyCommand::New | KeyCommand::Quick => {
            state.form = Some(Form::new(&state.preferences, command == KeyCommand::Quick));
        }
        KeyCommand::Records => return records::open(state),
        KeyCommand::ShowAll => state.hall.filter.clear(),
        KeyCommand::ByCode => state.input = Some(Input::new(Purpose::Code, "")),
        KeyCommand::Filter => state.input = Some(Input::new(Purpose::Filter, "")),
        KeyCommand::Chat => state.input = Some(Input::new(Purpose::Chat, "")),
        KeyCommand::Palette => state.overlay = Some(Overlay::Palette(Palette::default())),
        KeyCommand::Rules => state.overlay = Some(Overlay::Rules),
        KeyCommand::Reason => state.overlay = Some(Overlay::Reason),
        KeyCommand::Help | KeyCommand::HelpInText => state.overlay = Some(Overlay::Help),
        KeyCommand::Learn if state.records.is_some() => return records::run(state, command),
        KeyCommand::OpenRecord | KeyCommand::Export | KeyCommand::BackToList | KeyCommand::Back => {
            return records::run(state, command);
        }
        KeyCommand::Learn | KeyCommand::Review => learn::open(state, view),
        KeyCommand::Close if overlay.is_some() || state.form.take().is_some() => {}
        KeyCommand::Unfold
        | KeyCommand::Deepen
        | KeyCommand::Earlier
        | KeyCommand::Later
        | KeyCommand::TurningPoint
        | KeyCommand::Close => {
            learn::run(state, view, command);
        }
        _ => {}
    }
    Vec::new()
}
