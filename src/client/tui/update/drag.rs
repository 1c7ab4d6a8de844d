//! Objects that are pulled off a pile: pressed, lifted as far as the mouse comes across them, and taken where it lets go of
//! them outside. Back on the pile, or where the mouse is lost, they fall back, and what was chosen before is so again.

use crossterm::event::{MouseButton, MouseEventKind};
use ratatui::layout::{Position as Point, Rect};

use super::make;
use crate::client::tui::board::{Drag, Plane};
use crate::client::tui::layout;
use crate::client::tui::message::Command;
use crate::client::tui::state::State;
use crate::client::tui::view::View;

/// The mouse does something at a place, on a board with piles.
pub(super) fn pull(
    state: &mut State,
    view: &View<'_>,
    plane: &dyn Plane,
    (kind, at): (MouseEventKind, Point),
) -> Vec<Command> {
    let area = layout::table(state.size).board;
    match kind {
        MouseEventKind::Down(MouseButton::Left) => {
            state.table.call_off();
            let pressed = plane.press(area, at, state.table.chosen).filter(|_| view.is_open());
            state.table.drag = press(state, view, plane, area, at);
            // What is seen to be lifted is what would be taken.
            let lifted = state.table.drag.as_ref().and_then(|drag| plane.lift(drag.from, drag.to));
            state.table.chosen = pressed.or(lifted).or(state.table.chosen);
            Vec::new()
        }
        MouseEventKind::Drag(MouseButton::Left) => {
            if let Some(drag) = &mut state.table.drag {
                follow(drag, plane, area, at);
                state.table.chosen = plane.lift(drag.from, drag.to);
            }
            Vec::new()
        }
        MouseEventKind::Up(MouseButton::Left) => release(state, view, plane, area, at),
        // The button was released where nobody saw it, or another one was pressed.
        MouseEventKind::Moved | MouseEventKind::Down(_) => {
            state.table.call_off();
            Vec::new()
        }
        _ => Vec::new(),
    }
}

fn press(state: &State, view: &View<'_>, plane: &dyn Plane, area: Rect, at: Point) -> Option<Drag> {
    let lobby = view.lobby().filter(|_| view.is_open())?;
    let (turn, grip, before) = (lobby.turn(), plane.grip(area, at)?, state.table.chosen);
    Some(Drag { turn, from: grip, to: grip, at, off: false, moved: false, before })
}

/// The mouse has come here with what it holds.
fn follow(drag: &mut Drag, plane: &dyn Plane, area: Rect, at: Point) {
    let here = plane.grip(area, at);
    (drag.at, drag.moved) = (at, drag.moved || here != Some(drag.from));
    drag.off = !plane.is_on(area, at, drag.from.pile);
    if let Some(grip) = here.filter(|grip| grip.pile == drag.from.pile) {
        drag.to = grip;
    }
}

/// Takes what is held, if it is off its pile; a press without a pull chooses, and a pull that ends on the pile does nothing.
fn release(state: &mut State, view: &View<'_>, plane: &dyn Plane, area: Rect, at: Point) -> Vec<Command> {
    let Some(mut drag) = state.table.drag.take() else { return Vec::new() };
    follow(&mut drag, plane, area, at);
    if drag.off {
        return make(state, view, plane.lift(drag.from, drag.to));
    }
    let clicked = plane.pick(area, at).filter(|_| !drag.moved);
    state.table.chosen = clicked.or(drag.before);
    Vec::new()
}
