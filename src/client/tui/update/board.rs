//! Moves on the board, by keys and by mouse. The mouse drags objects off a pile: it lifts those that it
//! passes, and a release off the pile takes them. A release on the pile, or a lost release, cancels the
//! drag.

use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::layout::{Position as Point, Rect};

use crate::client::Action;
use crate::client::text::{capital, full_stop};
use crate::client::tui::board::{self, BoardView, Direction, Drag, PilesView};
use crate::client::tui::layout;
use crate::client::tui::message::Effect;
use crate::client::tui::state::{Input, Purpose, State};
use crate::client::tui::view::View;
use crate::game::any::Move;
use crate::lobby::Lobby;

/// Makes a move, if one can be made now.
pub(super) fn make(state: &mut State, view: &View<'_>, mv: Option<Move>) -> Vec<Effect> {
    let Some((lobby, mv)) = view.lobby().zip(mv).filter(|_| view.is_open()) else { return Vec::new() };
    if let Err(illegal) = lobby.board().play(mv) {
        state.notice = Some(capital(&full_stop(&illegal.to_string())));
        return Vec::new();
    }
    // A move that waits for the connection stays selected, and another one can replace it.
    (state.board.chosen, state.board.drag) = (Some(mv).filter(|_| view.lost), None);
    vec![Effect::Act(Action::Play(mv))]
}

/// Takes an arrow key.
pub(super) fn step(state: &mut State, view: &View<'_>, direction: Direction) {
    if let Some(lobby) = view.lobby().filter(|_| view.is_open()) {
        let (board, chosen) = (lobby.board(), state.board.chosen);
        let next = chosen.and_then(|chosen| board::view(board).step(board, chosen, direction));
        state.board.chosen = next.or(chosen);
    }
}

/// Takes a digit. A number that may have more digits is typed as a line.
pub(super) fn digit(state: &mut State, view: &View<'_>, digit: char) {
    let Some(lobby) = view.lobby().filter(|_| view.is_open()) else { return };
    let area = layout::lobby(state.size).board;
    if board::piles(lobby.board()).is_some_and(|piles| piles.are_large(area)) {
        state.input = Some(Input::new(Purpose::Find, &digit.to_string()));
        return;
    }
    let value = digit.to_digit(10).and_then(|value| u8::try_from(value).ok()).unwrap_or_default();
    let Some(mv) = board::view(lobby.board()).digit(state.board.chosen, value) else { return };
    match lobby.board().play(mv) {
        Ok(_) => state.board.chosen = Some(mv),
        Err(why) => state.notice = Some(capital(&full_stop(&why.to_string()))),
    }
}

/// Selects the pile of this letter. Returns whether there is one that can be played.
pub(super) fn letter(state: &mut State, view: &View<'_>, letter: char) -> bool {
    let piles = view.lobby().filter(|_| view.is_open()).and_then(|lobby| board::piles(lobby.board()));
    let mv = piles.and_then(|piles| piles.of_letter(letter));
    state.board.chosen = mv.or(state.board.chosen);
    mv.is_some()
}

/// Takes a mouse event.
pub(super) fn touch(
    state: &mut State,
    view: &View<'_>,
    lobby: &Lobby,
    (kind, at): (MouseEventKind, Point),
) -> Vec<Effect> {
    if let Some(piles) = board::piles(lobby.board()) {
        return touch_piles(state, view, &piles, (kind, at));
    }
    let area = layout::lobby(state.size).board;
    let Some(mv) = board::view(lobby.board()).pick(area, at).filter(|_| view.is_open()) else {
        return Vec::new();
    };
    match kind {
        MouseEventKind::Down(MouseButton::Left) => return make(state, view, Some(mv)),
        MouseEventKind::Moved | MouseEventKind::Drag(_) if lobby.board().play(mv).is_ok() => {
            state.board.chosen = Some(mv);
        }
        _ => {}
    }
    Vec::new()
}

fn touch_piles(
    state: &mut State,
    view: &View<'_>,
    piles: &PilesView,
    (kind, at): (MouseEventKind, Point),
) -> Vec<Effect> {
    let area = layout::lobby(state.size).board;
    match kind {
        MouseEventKind::Down(MouseButton::Left) => {
            state.board.cancel_drag();
            let turn = view.lobby().filter(|_| view.is_open()).map(Lobby::turn);
            let Some((turn, from)) = turn.zip(piles.grip(area, at)) else { return Vec::new() };
            let before = state.board.chosen;
            state.board.drag = Some(Drag { turn, from, to: from, at, off: false, moved: false, before });
            // The objects that are lifted are those that would be taken.
            state.board.chosen = piles.lift(from, from).or(before);
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(drag) = &mut state.board.drag {
                follow(drag, piles, area, at);
                state.board.chosen = piles.lift(drag.from, drag.to);
            }
        }
        MouseEventKind::Up(MouseButton::Left) => return release(state, view, piles, area, at),
        // The release was lost, or another button was pressed.
        MouseEventKind::Moved | MouseEventKind::Down(_) => state.board.cancel_drag(),
        _ => {}
    }
    Vec::new()
}

fn follow(drag: &mut Drag, piles: &PilesView, area: Rect, at: Point) {
    let here = piles.grip(area, at);
    (drag.at, drag.moved) = (at, drag.moved || here != Some(drag.from));
    drag.off = !piles.is_on(area, at, drag.from.pile);
    if let Some(grip) = here.filter(|grip| grip.pile == drag.from.pile) {
        drag.to = grip;
    }
}

/// Takes the objects if they are off their pile. A click without a drag selects.
fn release(state: &mut State, view: &View<'_>, piles: &PilesView, area: Rect, at: Point) -> Vec<Effect> {
    let Some(mut drag) = state.board.drag.take() else { return Vec::new() };
    follow(&mut drag, piles, area, at);
    if drag.off {
        return make(state, view, piles.lift(drag.from, drag.to));
    }
    let clicked = piles.pick(area, at).filter(|_| !drag.moved);
    state.board.chosen = clicked.or(drag.before);
    Vec::new()
}
