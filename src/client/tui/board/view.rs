//! What all boards have in common: how a board is drawn, and what keys and mouse positions mean on it. A
//! board knows the positions and moves of its game, but no lobby, no server and no keyboard.

use ratatui::layout::{Position as Point, Rect};

use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::Painter;
use crate::game::Side;
use crate::game::any::Move;

/// The direction of an arrow key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

/// An object of a pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grip {
    /// The index of the pile.
    pub pile: u8,
    /// The index of the object in the pile.
    pub object: u64,
}

/// Objects that the mouse drags off a pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drag {
    /// The turn in which the drag began; it is void in any other.
    pub turn: u32,
    /// The object where it began.
    pub from: Grip,
    /// The last object of this pile that the mouse was on.
    pub to: Grip,
    /// The position of the mouse.
    pub at: Point,
    /// The mouse is off the pile: a release takes the objects.
    pub off: bool,
    /// The mouse has left the first object.
    pub moved: bool,
    /// The move that was selected before, for when the drag is cancelled.
    pub before: Option<Move>,
}

/// A falling stone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fall {
    /// The index of its column.
    pub column: u8,
    /// The index of its row; 0 is at the bottom.
    pub row: u8,
}

/// What a person points at.
#[derive(Debug, Clone, Copy)]
pub(in crate::client::tui) enum Pointed {
    /// The meaning of this digit.
    Digit(u8),
    /// This position, on a board in that area.
    At(Rect, Point),
}

/// What is shown on a board besides its position.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shown<'a> {
    /// The selected move.
    pub chosen: Option<Move>,
    /// Whether a move can be made now.
    pub open: bool,
    /// The last move.
    pub last: Option<Move>,
    /// A good move, after a hint.
    pub best: Option<Move>,
    /// The objects that are being dragged.
    pub drag: Option<&'a Drag>,
    /// A falling stone.
    pub fall: Option<Fall>,
}

/// The board of a game on the screen.
pub(in crate::client::tui) trait BoardView {
    /// Paints it into the painter's area.
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>);

    /// Whether it also fits into this area, which is narrower than
    /// [`LEAST_BOARD`](super::super::layout::LEAST_BOARD).
    fn fits(&self, _area: Rect) -> bool {
        false
    }

    /// The legal move that a position means, on a board in this area.
    fn pick(&self, area: Rect, at: Point) -> Option<Move>;

    /// The move in this direction from the selected one.
    fn step(&self, chosen: Option<Move>, direction: Direction) -> Option<Move>;

    /// The move that a digit means.
    fn digit(&self, chosen: Option<Move>, digit: u8) -> Option<Move>;

    /// The move that a person points at, if it is illegal now; for saying why.
    fn illegal(&self, _at: Pointed) -> Option<Move> {
        None
    }

    /// The object of a pile at this position.
    fn grip(&self, _area: Rect, _at: Point) -> Option<Grip> {
        None
    }

    /// Whether this position is on a pile, even if between two objects.
    fn is_on(&self, _area: Rect, _at: Point, _pile: u8) -> bool {
        false
    }

    /// The move that takes the objects between two of a pile, or as many of them as are legal.
    fn lift(&self, _from: Grip, _to: Grip) -> Option<Move> {
        None
    }

    /// The move after a click on a button at this position, from the selected one.
    fn press(&self, _area: Rect, _at: Point, _chosen: Option<Move>) -> Option<Move> {
        None
    }

    /// Whether the board has such buttons in this area.
    fn has_buttons(&self, _area: Rect) -> bool {
        false
    }

    /// Whether several stones can go to this position, so that a click on it is ambiguous.
    fn is_ambiguous(&self, _area: Rect, _at: Point) -> bool {
        false
    }

    /// Whether a move slides a stone.
    fn has_slides(&self) -> bool {
        false
    }

    /// Whether a move advances a count.
    fn counts(&self) -> bool {
        false
    }

    /// Whether there are piles: a click on an object selects, and a drag takes.
    fn has_piles(&self) -> bool {
        false
    }
}

/// The nearest of some moves, by this distance; those without one do not count.
pub(super) fn nearest(
    moves: impl Iterator<Item = Move>,
    distance: impl Fn(Move) -> Option<u32>,
) -> Option<Move> {
    moves.filter_map(|mv| Some((distance(mv)?, mv))).min_by_key(|(far, _)| *far).map(|(_, mv)| mv)
}

/// The distance of a place in a direction: the way along, plus twice the way aside; `None` if it is not in
/// that direction.
pub(super) fn distance(from: (i32, i32), to: (i32, i32), direction: Direction) -> Option<u32> {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let (along, aside) = match direction {
        Direction::Left => (-x, y),
        Direction::Right => (x, y),
        Direction::Up => (-y, x),
        Direction::Down => (y, x),
    };
    (along > 0).then(|| along.unsigned_abs() + 2 * aside.unsigned_abs())
}

/// Paints a stone, with marks beside it if it was moved last or wins.
pub(super) fn stone(painter: &mut Painter<'_>, (x, y): (u16, u16), side: Side, last: bool, wins: bool) {
    let sign = painter.appearance.stone(side);
    let sign = if painter.appearance.ascii && wins { sign.to_uppercase() } else { sign.to_owned() };
    painter.put(x, y, &sign, Tone::Of(side));
    let marks = match (wins, last) {
        (true, _) => Some(("[", "]")),
        (_, true) => Some(("(", ")")),
        _ => None,
    };
    if let (Some((before, after)), true) = (marks, x > 0) {
        painter.put(x - 1, y, before, Tone::Last);
        painter.put(x + 1, y, after, Tone::Last);
    }
}
