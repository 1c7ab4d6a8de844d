//! Moves on the board, by keys and by mouse. The mouse drags objects off a pile: it lifts those that it
//! passes, and a release off the pile takes them. A release on the pile, or a lost release, cancels the
//! drag.

use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::layout::{Position as Point, Rect};

use crate::client::Action;
use crate::client::tui::board::{self, BoardView, Direction, Drag, Pointed};
use crate::client::tui::layout;
use crate::client::tui::message::Effect;
use crate::client::tui::state::State;
use crate::client::tui::view::View;
use crate::client::words::screen;
use crate::game::any::Move;
use crate::lobby::Lobby;

/// Makes a move, if one can be made now.
pub(super) fn make(state: &mut State, view: &View<'_>, mv: Option<Move>) -> Vec<Effect> {
    let Some((lobby, mv)) = view.lobby().zip(mv).filter(|_| view.is_open()) else { return Vec::new() };
    if let Err(illegal) = lobby.board().play(mv) {
        state.notice = Some(format!("{illegal}."));
        return Vec::new();
    }
    // A move that waits for the connection stays selected, and another one can replace it.
    (state.board.chosen, state.board.drag) = (Some(mv).filter(|_| view.lost), None);
    vec![Effect::Act(Action::Play(mv))]
}

/// Says why a move is illegal.
fn refuse(state: &mut State, lobby: &Lobby, illegal: Option<Move>) {
    if let Some(Err(why)) = illegal.map(|mv| lobby.board().play(mv)) {
        state.notice = Some(format!("{why}."));
    }
}

/// Takes an arrow key.
pub(super) fn step(state: &mut State, view: &View<'_>, direction: Direction) {
    if let Some(lobby) = view.lobby().filter(|_| view.is_open()) {
        state.board.chosen = board::view(lobby.board()).step(state.board.chosen, direction);
    }
}

/// Takes a digit.
pub(super) fn digit(state: &mut State, view: &View<'_>, digit: u8) {
    if let Some(lobby) = view.lobby().filter(|_| view.is_open()) {
        let board = board::view(lobby.board());
        state.board.chosen = board.digit(state.board.chosen, digit);
        refuse(state, lobby, board.illegal(Pointed::Digit(digit)));
    }
}

/// Takes a mouse event.
pub(super) fn touch(
    state: &mut State,
    view: &View<'_>,
    lobby: &Lobby,
    (kind, at): (MouseEventKind, Point),
) -> Vec<Effect> {
    let (board, area) = (board::view(lobby.board()), layout::lobby(state.size).board);
    if board.has_piles() {
        return touch_piles(state, view, &*board, (kind, at));
    }
    if !view.is_open() {
        return Vec::new();
    }
    let meant = board.pick(area, at);
    let illegal = board.illegal(Pointed::At(area, at));
    match kind {
        MouseEventKind::Down(MouseButton::Left) if meant.is_some() => return make(state, view, meant),
        MouseEventKind::Down(MouseButton::Left) if illegal.is_some() => refuse(state, lobby, illegal),
        MouseEventKind::Down(MouseButton::Left) if board.is_ambiguous(area, at) => {
            state.notice = Some(screen::WHICH_STONE.to_owned());
        }
        MouseEventKind::Moved | MouseEventKind::Drag(_) if meant.is_some() => state.board.chosen = meant,
        _ => {}
    }
    Vec::new()
}

fn touch_piles(
    state: &mut State,
    view: &View<'_>,
    board: &dyn BoardView,
    (kind, at): (MouseEventKind, Point),
) -> Vec<Effect> {
    let area = layout::lobby(state.size).board;
    match kind {
        MouseEventKind::Down(MouseButton::Left) => {
            state.board.cancel_drag();
            let pressed = board.press(area, at, state.board.chosen).filter(|_| view.is_open());
            state.board.drag = begin(state, view, board, area, at);
            // The objects that are lifted are those that would be taken.
            let lifted = state.board.drag.as_ref().and_then(|drag| board.lift(drag.from, drag.to));
            state.board.chosen = pressed.or(lifted).or(state.board.chosen);
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(drag) = &mut state.board.drag {
                follow(drag, board, area, at);
                state.board.chosen = board.lift(drag.from, drag.to);
            }
        }
        MouseEventKind::Up(MouseButton::Left) => return release(state, view, board, area, at),
        // The release was lost, or another button was pressed.
        MouseEventKind::Moved | MouseEventKind::Down(_) => state.board.cancel_drag(),
        _ => {}
    }
    Vec::new()
}

fn begin(state: &State, view: &View<'_>, board: &dyn BoardView, area: Rect, at: Point) -> Option<Drag> {
    let lobby = view.lobby().filter(|_| view.is_open())?;
    let (turn, grip, before) = (lobby.turn(), board.grip(area, at)?, state.board.chosen);
    Some(Drag { turn, from: grip, to: grip, at, off: false, moved: false, before })
}

fn follow(drag: &mut Drag, board: &dyn BoardView, area: Rect, at: Point) {
    let here = board.grip(area, at);
    (drag.at, drag.moved) = (at, drag.moved || here != Some(drag.from));
    drag.off = !board.is_on(area, at, drag.from.pile);
    if let Some(grip) = here.filter(|grip| grip.pile == drag.from.pile) {
        drag.to = grip;
    }
}

/// Takes the objects if they are off their pile. A click without a drag selects.
fn release(state: &mut State, view: &View<'_>, board: &dyn BoardView, area: Rect, at: Point) -> Vec<Effect> {
    let Some(mut drag) = state.board.drag.take() else { return Vec::new() };
    follow(&mut drag, board, area, at);
    if drag.off {
        return make(state, view, board.lift(drag.from, drag.to));
    }
    let clicked = board.pick(area, at).filter(|_| !drag.moved);
    state.board.chosen = clicked.or(drag.before);
    Vec::new()
}
