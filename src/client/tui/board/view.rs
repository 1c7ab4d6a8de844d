//! What all boards have in common: how a board is drawn, and what keys and mouse positions mean on it. A
//! board knows the positions and moves of its game, but no lobby, no server and no keyboard.

use ratatui::layout::{Position as Point, Rect};

use crate::client::tui::appearance::Tone;
use crate::client::tui::painter::Painter;
use crate::game::Side;
use crate::game::any::{Board, Move};

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
    /// The row of a falling stone; 0 is at the bottom.
    pub fall: Option<u8>,
}

/// The board of a game on the screen.
pub(in crate::client::tui) trait BoardView {
    /// Paints it into the painter's area.
    fn paint(&self, shown: &Shown<'_>, painter: &mut Painter<'_>);

    /// The places of moves on a board in this area: a click into one means its move, which may be illegal.
    fn spots(&self, _area: Rect) -> Vec<(Rect, Move)> {
        Vec::new()
    }

    /// The move that a position means, which may be illegal.
    fn pick(&self, area: Rect, at: Point) -> Option<Move> {
        self.spots(area).into_iter().find(|(spot, _)| spot.contains(at)).map(|(_, mv)| mv)
    }

    /// The move in this direction from the selected one.
    fn step(&self, board: &Board, chosen: Move, direction: Direction) -> Option<Move> {
        let spots = self.spots(WIDE);
        let (here, _) = spots.iter().find(|(_, mv)| *mv == chosen)?;
        let legal = spots.iter().filter(|(_, mv)| board.play(*mv).is_ok());
        let near = legal.filter_map(|(area, mv)| Some((distance(*here, *area, direction)?, *mv)));
        near.min_by_key(|(far, _)| *far).map(|(_, mv)| mv)
    }

    /// The move that a digit means, which may be illegal.
    fn digit(&self, chosen: Option<Move>, digit: u8) -> Option<Move>;
}

/// An area in which every board has room.
pub(super) const WIDE: Rect = Rect { x: 0, y: 0, width: 80, height: 24 };

/// The distance of an area in a direction: the way along, plus twice the way aside; `None` if it is not in
/// that direction. A row counts as two columns.
fn distance(from: Rect, to: Rect, direction: Direction) -> Option<u32> {
    let middle = |area: Rect| (i32::from(area.x + area.width / 2), i32::from(area.y + area.height / 2) * 2);
    let (from, to) = (middle(from), middle(to));
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
