//! The boards: how each game is drawn, and what a place on its board means. They know the rules' positions and moves, and
//! no lobby, no server and no keyboard; who may move, and when, is for others.

mod buttons;
mod connect_four;
mod even_or_odd;
mod heap;
mod nim;
mod points;
mod squares;
mod track;

use ratatui::layout::{Position as Point, Rect};

use super::look::{Look, Tone};
use super::pen::Pen;
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::{Game, Side};

/// Which way an arrow key points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To the left.
    Left,
    /// To the right.
    Right,
    /// Up.
    Up,
    /// Down.
    Down,
}

/// An object that a mouse can take hold of: those of a pile are counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grip {
    /// The pile's place in the row, from 0.
    pub pile: u8,
    /// The object's place in the pile.
    pub object: u64,
}

/// Objects that are being pulled off a pile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drag {
    /// The turn in which that began; in another one it means nothing.
    pub turn: u32,
    /// Where the mouse was pressed.
    pub from: Grip,
    /// The last object of this pile over which the mouse was.
    pub to: Grip,
    /// Where the mouse is.
    pub at: Point,
    /// The mouse is off the pile: what it holds would be taken.
    pub off: bool,
    /// The mouse has been elsewhere than on the object on which it was pressed.
    pub moved: bool,
    /// The move that was chosen before, and is so again where the pull is called off.
    pub before: Option<Move>,
}

/// A stone on its way down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fall {
    /// The column, from 0.
    pub column: u8,
    /// The row in which it is, from 0 at the bottom.
    pub row: u8,
}

/// What somebody points at.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pointed {
    /// What this digit stands for.
    Digit(u8),
    /// This place, on a board drawn into that part.
    Place(Rect, Point),
}

/// What is to be seen on a board besides its position.
#[derive(Debug, Clone, Copy, Default)]
pub struct Shown<'a> {
    /// The move that would be made.
    pub chosen: Option<Move>,
    /// Whether a move can be made now.
    pub open: bool,
    /// The last move.
    pub last: Option<Move>,
    /// A good move, where somebody asked for one.
    pub best: Option<Move>,
    /// What is being pulled off.
    pub drag: Option<&'a Drag>,
    /// A stone that is falling.
    pub fall: Option<Fall>,
}

/// A game's board, as it is drawn and pointed at.
pub(super) trait Plane {
    /// Draws it into all of the pen's part.
    fn paint(&self, shown: &Shown<'_>, pen: &mut Pen<'_>);

    /// Whether it can be drawn into this part too, which is narrower than any board needs to be played on.
    fn fits(&self, _area: Rect) -> bool {
        false
    }

    /// The move that is meant by a place, on a board drawn into this part. It is legal.
    fn pick(&self, area: Rect, at: Point) -> Option<Move>;

    /// The move that an arrow key leads to from the chosen one.
    fn step(&self, chosen: Option<Move>, way: Way) -> Option<Move>;

    /// The move that a digit stands for.
    fn digit(&self, chosen: Option<Move>, digit: u8) -> Option<Move>;

    /// The move that a digit stands for, or a place on a board drawn into this part, where that is not legal now; so that it can
    /// be said why.
    fn barred(&self, _at: Pointed) -> Option<Move> {
        None
    }

    /// The object at this place, where there are piles.
    fn grip(&self, _area: Rect, _at: Point) -> Option<Grip> {
        None
    }

    /// Whether this place is on a pile, be it between two objects.
    fn is_on(&self, _area: Rect, _at: Point, _pile: u8) -> bool {
        false
    }

    /// The move that takes all objects between two of a pile, or as many of them as may be taken.
    fn lift(&self, _from: Grip, _to: Grip) -> Option<Move> {
        None
    }

    /// The move that is chosen by a button at this place, where there are some, seen from the one that is chosen before.
    fn press(&self, _area: Rect, _at: Point, _chosen: Option<Move>) -> Option<Move> {
        None
    }

    /// Whether there are such buttons on a board drawn into this part.
    fn has_buttons(&self, _area: Rect) -> bool {
        false
    }

    /// Whether a place is where several stones can go, so that it does not say which one is meant.
    fn is_ambiguous(&self, _area: Rect, _at: Point) -> bool {
        false
    }

    /// Whether the stones that are on the board are moved.
    fn has_slides(&self) -> bool {
        false
    }

    /// Whether it is a count: what is meant is the point that it is to reach.
    fn counts(&self) -> bool {
        false
    }

    /// Whether there are piles: a click on an object chooses, and what is pulled off is taken.
    fn has_piles(&self) -> bool {
        false
    }
}

/// The sign of a side's stones on this board; nothing where its objects are nobody's.
pub(super) fn sign(board: &Board, side: Side, look: Look) -> &'static str {
    match board.position() {
        Position::Nim(_) => "",
        Position::TicTacToe(_) => look.mark(side),
        _ => look.stone(side),
    }
}

/// How this board is drawn.
pub(super) fn plane(board: &Board) -> Box<dyn Plane> {
    match (board.variant(), board.position()) {
        (Variant::Nim(variant), Position::Nim(nim)) => match variant.counts_to() {
            Some(goal) => Box::new(track::Track::new(goal, nim)),
            None => Box::new(nim::Piles::new(&variant, nim)),
        },
        (_, Position::Nim(nim)) => Box::new(nim::Piles::alone(nim)),
        (_, Position::EvenOrOdd(position)) => Box::new(even_or_odd::Middle(position)),
        (_, Position::TicTacToe(position)) => Box::new(squares::Squares(position)),
        (_, Position::ConnectFour(position)) => Box::new(connect_four::Columns(position)),
        (_, Position::PongHauKi(position)) => Box::new(points::Points::pong_hau_ki(&position)),
        (_, Position::MuTorere(position)) => Box::new(points::Points::mu_torere(&position)),
    }
}

/// The move that is chosen before anybody has chosen.
pub(super) fn first(board: &Board) -> Option<Move> {
    let middle = match board.position() {
        // The middle is where people look first.
        Position::ConnectFour(_) => board.read_move("4").ok(),
        Position::TicTacToe(_) => board.read_move("5").ok(),
        _ => None,
    };
    middle.or_else(|| board.position().moves().next())
}

/// The column and the row in which the stone of a move comes to lie, where it falls.
pub(super) fn lands(board: &Board, mv: Move) -> Option<Fall> {
    match (board.position(), mv) {
        (Position::ConnectFour(position), Move::ConnectFour(column)) => {
            connect_four::lands(&position, column)
        }
        _ => None,
    }
}

/// The next of some moves that is wanted, seen from the one that is chosen: the nearest in its direction, as `far` says it.
fn nearest(moves: impl Iterator<Item = Move>, far: impl Fn(Move) -> Option<u32>) -> Option<Move> {
    moves.filter_map(|mv| Some((far(mv)?, mv))).min_by_key(|(far, _)| *far).map(|(_, mv)| mv)
}

/// How far a place is in a direction: the way along, and twice the way aside; nothing where it is not in that direction.
fn distance(from: (i32, i32), to: (i32, i32), way: Way) -> Option<u32> {
    let (x, y) = (to.0 - from.0, to.1 - from.1);
    let (along, aside) = match way {
        Way::Left => (-x, y),
        Way::Right => (x, y),
        Way::Up => (-y, x),
        Way::Down => (y, x),
    };
    (along > 0).then(|| along.unsigned_abs() + 2 * aside.unsigned_abs())
}

/// A stone of a side, or another sign where there is none, with marks beside it if it has just come there.
fn stone(pen: &mut Pen<'_>, (x, y): (u16, u16), side: Side, last: bool, winning: bool) {
    let sign = match (pen.look.ascii, winning) {
        (true, true) => pen.look.stone(side).to_uppercase(),
        _ => pen.look.stone(side).to_owned(),
    };
    pen.put(x, y, &sign, Tone::Of(side));
    let marks = match (winning, last) {
        (true, _) => Some(("[", "]")),
        (_, true) => Some(("(", ")")),
        _ => None,
    };
    if let (Some((before, behind)), true) = (marks, x > 0) {
        pen.put(x - 1, y, before, Tone::Last);
        pen.put(x + 1, y, behind, Tone::Last);
    }
}
