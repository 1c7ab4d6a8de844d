//! What the server said, as it is shown: told in the same words as at the line face, and seen on the board.

use super::super::bar;
use super::super::board::{self, Fall};
use super::super::deed::Deed;
use super::super::log::Kind;
use super::super::message::Command;
use super::super::state::{Input, Over, State};
use super::super::view::View;
use crate::client::session::{Afterwards, SessionEvent};
use crate::client::words::screen;
use crate::client::{Action, Failure, words};
use crate::game::any::{Board, Move};
use crate::game::connect_four::board::ROWS;
use crate::lobby::{Event, Lobby};
use crate::wire::Refusal;

/// Takes in what the server said.
pub(super) fn take(state: &mut State, view: &View<'_>, news: SessionEvent) -> Vec<Command> {
    match news {
        SessionEvent::Entered => tell_entered(state, view),
        SessionEvent::Happened { event: Event::Closed, .. } if view.is_watching() => {
            tell(state, words::chat::CLOSED);
        }
        SessionEvent::Happened { event, before } => happen(state, view, &event, &before),
        SessionEvent::Lost { failure, patience, limited } => {
            let watching = view.is_watching();
            tell(state, words::connection::lost(&failure, patience, limited, watching));
        }
        SessionEvent::Barred { refusal, left } => tell(state, words::connection::barred(&refusal, left)),
        SessionEvent::Returned { late } => tell_back(state, view, late),
        SessionEvent::ReturnedAnew { late } => {
            if let Some(moves) = view.lobby().and_then(words::so_far) {
                tell(state, moves);
            }
            tell_back(state, view, late);
        }
        SessionEvent::Hint { turn, mv, words } => hint(state, view, (turn, mv), &words.to_string()),
        SessionEvent::Halted => {
            match (view.model.halted(), view.lobby()) {
                (Some(why), None) => state.notice = Some(words::connection::not_let_in(why)),
                (why, _) => tell(state, words::connection::halted(why)),
            }
            if view.leaves_once_recorded {
                tell(state, words::connection::LEAVING_UNRECORDED);
                state.notice = Some(words::connection::LEAVING_UNRECORDED.to_owned());
            }
        }
        SessionEvent::Said(lines) => {
            for line in &lines {
                state.log.add(Kind::Said, words::chat::said(line));
            }
        }
        SessionEvent::Refused { asked: Some(asked), refusal: Refusal::Halted { why } }
            if asked.is_leave() =>
        {
            tell(state, words::connection::kept_in(&why.to_string(), view.kept));
            state.notice = Some(words::connection::KEPT_IN.to_owned());
        }
        SessionEvent::Refused { refusal, .. } => return refused(state, view, refusal),
        SessionEvent::Outside if view.quitting || state.afterwards == Afterwards::Home => {
            return vec![Command::End];
        }
        SessionEvent::Outside => return vec![Command::Go(Action::List)],
        // What moves were worth is found out here.
        SessionEvent::Reviewed(_) | SessionEvent::Hall { .. } | SessionEvent::Nothing => {}
    }
    Vec::new()
}

fn tell(state: &mut State, text: impl Into<String>) {
    state.log.add(Kind::Told, text);
}

fn tell_entered(state: &mut State, view: &View<'_>) {
    let Some(mine) = view.mine() else { return };
    let lines = match mine.you() {
        None => words::chat::watching(&mine.lobby),
        Some(you) if !view.two => words::entered(&mine.lobby, you),
        Some(_) => Vec::new(),
    };
    // The board is to be seen, and need not be told.
    lines
        .into_iter()
        .filter(|line| !line.is_empty() && !line.contains('\n'))
        .for_each(|line| tell(state, line));
    if !view.two {
        for line in words::not_granted(&state.wish, state.chosen, &mine.lobby) {
            tell(state, line);
        }
    }
}

fn happen(state: &mut State, view: &View<'_>, event: &Event, before: &Lobby) {
    let Some(after) = view.lobby() else { return };
    let kind = if matches!(event, Event::Moved { .. }) { Kind::Move } else { Kind::Told };
    let lines = match event {
        // The line face names what is typed, the screen its key.
        Event::Paused if !view.is_watching() => vec![screen::rests(&bar::key(Deed::Resume, state.look))],
        _ => words::told(event, before, after, view.eyes),
    };
    for line in lines {
        state.log.add(kind, line);
    }
    match event {
        Event::Started { .. } => state.table.fall = None,
        // How it has ended stands where something was told before.
        Event::Ended { .. } => state.notice = None,
        Event::Moved { mv, .. } if !state.look.still => state.table.fall = fall(before.board(), *mv),
        _ => {}
    }
}

/// The way of a stone, where one falls.
fn fall(board: &Board, mv: Move) -> Option<(Fall, u8)> {
    let end = board::lands(board, mv)?;
    Some((Fall { row: ROWS - 1, ..end }, end.row))
}

fn tell_back(state: &mut State, view: &View<'_>, late: bool) {
    tell(state, words::connection::returned(view.is_watching()));
    // What quitting means was another thing a moment ago: it is asked anew.
    state.over.take_if(|over| *over == Over::Sure(Deed::Quit));
    if late {
        tell(state, words::connection::TOO_LATE);
        state.notice = Some(words::connection::TOO_LATE.to_owned());
    }
}

/// The move of a hint is chosen, so that it need only be made.
fn hint(state: &mut State, view: &View<'_>, (turn, mv): (u32, Move), words: &str) {
    // Otherwise the game went on while the server thought.
    let Some(lobby) = view.lobby().filter(|lobby| lobby.turn() == turn) else { return };
    let said = words::hint(lobby, mv, words).join(" ");
    tell(state, said.clone());
    if words.contains(words::NIM_SUM) && !std::mem::replace(&mut state.table.explained, true) {
        tell(state, words::WHAT_THE_NIM_SUM_IS.join(" "));
    }
    state.notice = Some(said);
    (state.table.hint, state.table.chosen) = (Some((turn, mv)), Some(mv));
    if let Some(drag) = &mut state.table.drag {
        drag.before = Some(mv);
    }
}

/// A refusal of what somebody came for ends the session, any other is told.
fn refused(state: &mut State, view: &View<'_>, refusal: Refusal) -> Vec<Command> {
    if let Some(door) = super::hall::locked(&state.wish, &refusal) {
        let said_one = matches!(&state.wish, Action::Join(_, Some(_)) | Action::Watch(_, Some(_)));
        state.notice = said_one.then(|| screen::WRONG_PASSWORD.to_owned());
        state.input = Some(Input::new(door));
        return Vec::new();
    }
    if view.arriving {
        return vec![Command::Fail(Failure::Refused(refusal))];
    }
    state.notice = Some(format!("No: {refusal}."));
    Vec::new()
}
