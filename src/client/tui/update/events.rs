//! Events of the session: they update the log, the notice and the board, in the words of the line face.

use crate::client::session::{Afterwards, SessionEvent};
use crate::client::tui::command::KeyCommand;
use crate::client::tui::keys;
use crate::client::tui::log::{EntryKind, Log};
use crate::client::tui::message::Effect;
use crate::client::tui::state::{Input, State};
use crate::client::tui::view::View;
use crate::client::words::screen;
use crate::client::{Action, Failure, words};
use crate::game::any::Move;
use crate::game::connect_four::board::ROWS;
use crate::lobby::{self, Event, Lobby, Notice};
use crate::wire::Refusal;

/// Takes an event.
pub(super) fn take(state: &mut State, view: &View<'_>, event: SessionEvent) -> Vec<Effect> {
    if matches!(event, SessionEvent::Entered | SessionEvent::Returned { .. }) {
        begin_log(state, view);
    }
    match event {
        SessionEvent::Entered => enter(state, view),
        SessionEvent::Happened { event: Event::Closed, .. } if view.is_watching() => {
            tell(state, words::chat::CLOSED);
        }
        SessionEvent::Happened { event, before } => happen(state, view, &event, &before),
        SessionEvent::Lost { failure, patience, limited } => {
            tell(state, words::connection::lost(&failure, patience, limited, view.is_watching()));
        }
        SessionEvent::RetryingReturn { refusal, left } => {
            tell(state, words::connection::retrying_return(&refusal, left));
        }
        SessionEvent::Noticed(notice) => note(state, view, &notice),
        SessionEvent::Kicked => state.notice = Some(words::chat::KICKED.to_owned()),
        SessionEvent::Returned { late, anew, replaced, noticed, quiet } => {
            for notice in &noticed {
                note(state, view, notice);
            }
            if let Some(lobby) = view.lobby().filter(|_| replaced.is_some()) {
                let still = words::connection::still_seated(lobby);
                state.notice = Some(still.clone());
                tell(state, still);
            }
            let moves = view.lobby().filter(|_| anew);
            let moves = moves.and_then(|lobby| words::so_far(lobby, view.viewpoint()));
            if let Some(moves) = moves {
                tell(state, moves);
            }
            if !quiet {
                tell(state, words::connection::returned(view.is_watching()));
            }
            if late {
                tell(state, words::connection::TOO_LATE);
                state.notice = Some(words::connection::TOO_LATE.to_owned());
            }
        }
        SessionEvent::Hint { turn, mv, words } => hint(state, view, (turn, mv), &words.to_string()),
        SessionEvent::Halted => announce(state, view, words::connection::halted(view.model.halted())),
        SessionEvent::HostSaid(words) => announce(state, view, words::chat::host_said(&words)),
        SessionEvent::Said(lines) => {
            for line in &lines {
                state.log.add(EntryKind::Chat, words::chat::said(line));
            }
        }
        SessionEvent::Refused { refusal, .. } => return refuse(state, view, refusal),
        SessionEvent::LeftUnrecorded => return vec![Effect::End],
        SessionEvent::Outside if view.quitting || state.afterwards == Afterwards::Home => {
            return vec![Effect::End];
        }
        SessionEvent::Outside => return vec![Effect::Act(Action::Look)],
        // The learn panel searches values by itself.
        SessionEvent::Reviewed(_) | SessionEvent::Hall { .. } | SessionEvent::Nothing => {}
    }
    Vec::new()
}

/// Empties the log where the person has gone from one lobby to another.
fn begin_log(state: &mut State, view: &View<'_>) {
    let Some(code) = view.lobby().map(Lobby::code) else { return };
    if state.log_of.replace(code).is_some_and(|before| before != code) {
        state.log = Log::default();
    }
}

fn tell(state: &mut State, text: impl Into<String>) {
    state.log.add(EntryKind::Event, text);
}

fn enter(state: &mut State, view: &View<'_>) {
    let Some(mine) = view.mine() else { return };
    let lines = match mine.you() {
        None => words::chat::watching(&mine.lobby),
        Some(you) if !view.is_for_two() => words::entered(&mine.lobby, you),
        Some(_) => Vec::new(),
    };
    // The board is on the screen anyway.
    lines
        .into_iter()
        .filter(|line| !line.is_empty() && !line.contains('\n'))
        .for_each(|line| tell(state, line));
    if !view.is_for_two() {
        for line in words::not_granted(&state.wish, &mine.lobby) {
            tell(state, line);
        }
    }
}

fn happen(state: &mut State, view: &View<'_>, event: &Event, before: &Lobby) {
    let Some(after) = view.lobby() else { return };
    // A notice is about what was before.
    state.notice = None;
    let kind = if matches!(event, Event::Moved { .. }) { EntryKind::Move } else { EntryKind::Event };
    let lines = match event {
        // The line face names a typed command, the screen a key.
        Event::Paused if !view.is_watching() => {
            let key = state.keys.of(&KeyCommand::Act(Action::Resume));
            vec![screen::rests(&keys::name(key, state.appearance))]
        }
        // The result stands below the board, until the next game begins.
        Event::Ended { .. } => Vec::new(),
        _ => words::told(event, before, after, view.viewpoint()),
    };
    let last_result =
        screen::result(before, view.viewpoint()).filter(|_| matches!(event, Event::Started { .. }));
    for line in last_result.into_iter().chain(lines) {
        state.log.add(kind, line);
    }
    match event {
        Event::Started { .. } => state.board.fall = None,
        Event::Moved { mv: Move::ConnectFour(_), .. } if !state.appearance.still => {
            state.board.fall = Some(ROWS - 1);
        }
        _ => {}
    }
}

fn note(state: &mut State, view: &View<'_>, notice: &Notice) {
    let lines = view.lobby().map(|lobby| words::noticed(notice, lobby, view.viewpoint()));
    lines.into_iter().flatten().for_each(|line| tell(state, line));
}

/// Shows a message of the host.
fn announce(state: &mut State, view: &View<'_>, text: String) {
    // The log is shown in a lobby alone.
    if view.lobby().is_none() {
        state.notice = Some(text);
    } else {
        tell(state, text);
    }
}

/// Selects the move of a hint.
fn hint(state: &mut State, view: &View<'_>, (turn, mv): (u32, Move), words: &str) {
    // A hint for a turn that is over is void.
    let Some(lobby) = view.lobby().filter(|lobby| lobby.turn() == turn) else { return };
    let said = words::hint(lobby, mv, words).join(" ");
    tell(state, said.clone());
    let pattern = words::hint_pattern(lobby, words);
    if !pattern.is_empty() && !std::mem::replace(&mut state.board.explained, true) {
        for line in pattern {
            tell(state, line);
        }
    }
    state.notice = Some(said);
    (state.board.hint, state.board.chosen) = (Some((turn, mv)), Some(mv));
    if let Some(drag) = &mut state.board.drag {
        drag.before = Some(mv);
    }
}

/// A refusal of the first request ends the session, any other is a notice.
fn refuse(state: &mut State, view: &View<'_>, refusal: Refusal) -> Vec<Effect> {
    if let Some(purpose) = super::hall::asks_password(&state.wish, &refusal) {
        let was_wrong = matches!(&state.wish, Action::Join(_, Some(_)) | Action::Watch(_, Some(_)));
        state.notice = was_wrong.then(|| screen::WRONG_PASSWORD.to_owned());
        state.input = Some(Input::new(purpose, ""));
        return Vec::new();
    }
    if view.arriving {
        return vec![Effect::Fail(Failure::Refused(refusal))];
    }
    let told = super::hall::refused(view, &state.wish, &refusal);
    // Many names have no room in the row of the notice.
    if matches!(refusal, Refusal::Lobby(lobby::Refusal::NoSuchWatcher { .. })) {
        tell(state, told.clone());
    }
    state.notice = Some(told);
    Vec::new()
}
