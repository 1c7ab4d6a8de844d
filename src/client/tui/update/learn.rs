//! What the keys and the mouse do in the learn panel: the tree is gone through, opened and closed, and the game gone back in.

use crossterm::event::{KeyCode, MouseButton, MouseEventKind};
use ratatui::layout::Position as Point;

use super::make;
use crate::client::tui::deed::{self, Deed};
use crate::client::tui::draw::learn::row_at;
use crate::client::tui::learn::{Learn, Question};
use crate::client::tui::message::Command;
use crate::client::tui::state::{Input, Purpose, State};
use crate::client::tui::view::View;
use crate::client::words::learn::FULL;
use crate::study::branches::Branches;

/// How many lines a page has.
const PAGE: isize = 8;

/// How many lines the wheel goes by.
const WHEEL: isize = 3;

/// Opens the panel.
pub(super) fn begin(state: &mut State, view: &View<'_>) {
    state.table.call_off();
    state.learn = view.lobby().map(|lobby| Box::new(Learn::new(lobby)));
}

/// A key that does nothing by itself.
pub(super) fn press(state: &mut State, key: KeyCode) -> Vec<Command> {
    let Some(learn) = &mut state.learn else { return Vec::new() };
    let mut fits = true;
    match key {
        KeyCode::Up => learn.step(-1),
        KeyCode::Down => learn.step(1),
        KeyCode::PageUp => learn.step(-PAGE),
        KeyCode::PageDown => learn.step(PAGE),
        KeyCode::Home => learn.go(0),
        KeyCode::End => learn.end(),
        KeyCode::Left => learn.close(),
        KeyCode::Right => fits = learn.open(),
        KeyCode::Char(digit @ '0'..='9') => {
            state.input = Some(Input { purpose: Purpose::Find, text: digit.to_string() });
        }
        KeyCode::Char(_) => return super::unknown(state),
        _ => {}
    }
    told(state, fits)
}

/// Goes to the move that was typed; what is none can be put right.
pub(super) fn find(state: &mut State, text: String) -> Vec<Command> {
    let Some(learn) = state.learn.as_mut().filter(|_| !text.trim().is_empty()) else { return Vec::new() };
    match learn.find(&text) {
        Ok(fits) => told(state, fits),
        Err(bad) => {
            state.notice = Some(format!("{bad}."));
            state.input = Some(Input { purpose: Purpose::Find, text });
            Vec::new()
        }
    }
}

/// Takes in what was found out; nothing where it was stopped.
pub(super) fn take(state: &mut State, question: Question, found: Option<Branches>) {
    if let Some(learn) = &mut state.learn {
        let fits = learn.learn(question, found);
        told(state, fits);
    }
}

/// Does something in the panel.
pub(super) fn carry_out(state: &mut State, view: &View<'_>, deed: Deed) -> Vec<Command> {
    let Some(learn) = &mut state.learn else { return Vec::new() };
    let mut fits = true;
    match (deed, view.lobby()) {
        (Deed::Unfold, _) => fits = learn.toggle(),
        (Deed::Deepen, _) => fits = learn.deepen(),
        (Deed::Earlier, Some(lobby)) => learn.travel(lobby, false),
        (Deed::Later, Some(lobby)) => learn.travel(lobby, true),
        // What is being thought about is stopped first.
        _ if learn.rest() => {}
        _ => state.learn = None,
    }
    told(state, fits)
}

fn told(state: &mut State, fits: bool) -> Vec<Command> {
    if !fits {
        state.notice = Some(FULL.to_owned());
    }
    Vec::new()
}

/// The mouse: a click goes to a line, and one on that line makes its move, or opens or closes what cannot be made; its sign
/// opens and closes it in any case.
pub(super) fn touch(state: &mut State, view: &View<'_>, kind: MouseEventKind, at: Point) -> Vec<Command> {
    let (size, meant) = (state.size, deed::meant(state, view));
    let Some(learn) = &mut state.learn else { return Vec::new() };
    let mut fits = true;
    match kind {
        MouseEventKind::ScrollUp => learn.step(-WHEEL),
        MouseEventKind::ScrollDown => learn.step(WHEEL),
        MouseEventKind::Down(MouseButton::Left) => {
            if let Some((node, on_sign)) = row_at(learn, size, at) {
                let here = learn.here().node == node;
                learn.go(node);
                if here && !on_sign && meant.is_some() {
                    return make(state, view, meant);
                }
                if here || on_sign {
                    fits = learn.toggle();
                }
            }
        }
        _ => {}
    }
    told(state, fits)
}

/// What has to be thought about now, if that is something else than before.
pub(super) fn thoughts(state: &mut State) -> Option<Command> {
    let wanted = state.learn.as_ref().and_then(|learn| learn.question());
    let question = wanted.map(|(question, _)| question);
    if question == state.thinking {
        return None;
    }
    state.thinking = question;
    Some(match wanted {
        Some((question, board)) => Command::Think(question, Box::new(board.clone())),
        None => Command::Rest,
    })
}
