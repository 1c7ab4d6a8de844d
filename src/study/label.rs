//! Names and values of positions as they are shown, for games and for a textbook's tree. How values are
//! found is not known here.

use crate::game::abstract_tree::{AbstractTree, Branch};
use crate::game::any::{Move, Position, Variant};
use crate::game::notation::side_word;
use crate::game::{Game, Side};
use crate::search::{Known, Points, Value, Verdict};

/// A game whose positions and moves have names.
pub trait Named<G: Game> {
    /// The title.
    fn title(&self) -> String;

    /// The position on one line.
    fn position(&self, position: &G) -> String;

    /// The move as it is typed; empty if the position that it leads to is enough.
    fn mv(&self, position: &G, mv: G::Move) -> String;

    /// The name of a side.
    fn side(&self, side: Side) -> &'static str;

    /// The words for a position without moves.
    fn end(&self) -> &'static str;
}

impl Named<Position> for Variant {
    fn title(&self) -> String {
        self.text()
    }

    fn position(&self, position: &Position) -> String {
        self.board(position.clone()).map_or_else(String::new, |board| board.write_position())
    }

    fn mv(&self, position: &Position, mv: Move) -> String {
        self.board(position.clone()).map_or_else(String::new, |board| board.write_move(mv))
    }

    fn side(&self, side: Side) -> &'static str {
        side_word(side)
    }

    fn end(&self) -> &'static str {
        "the game is over"
    }
}

/// An abstract tree is shown by the names of its nodes.
impl Named<AbstractTree> for AbstractTree {
    fn title(&self) -> String {
        format!("the tree of {}", self.name())
    }

    fn position(&self, position: &AbstractTree) -> String {
        position.name().to_owned()
    }

    fn mv(&self, _: &AbstractTree, _: Branch) -> String {
        String::new()
    }

    fn side(&self, side: Side) -> &'static str {
        match side {
            Side::First => "max",
            Side::Second => "min",
        }
    }

    fn end(&self) -> &'static str {
        "an end"
    }
}

/// The value of a position, ready to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The side to move.
    pub turn: Side,
    /// The value for the side to move.
    pub worth: Shown,
    /// Whether it is certain.
    pub certain: bool,
}

/// A value as it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// Who wins, and how soon if known.
    Game(Known),
    /// A number, in a tree in which nobody wins or loses.
    Number(Points),
}

impl From<Verdict> for Shown {
    fn from(verdict: Verdict) -> Self {
        Self::Game(Known::Verdict(verdict))
    }
}

impl From<Points> for Shown {
    fn from(points: Points) -> Self {
        Self::Number(points)
    }
}

impl Shown {
    /// The number for the first side of a value for the side `turn`: 1 for a win, −1 for a loss, 0 for a
    /// draw; in an abstract tree its number.
    fn number(self, turn: Side) -> i64 {
        let for_mover = match self {
            Self::Number(Points(number)) => number,
            Self::Game(known) => match known.verdict() {
                Verdict::Win => 1,
                Verdict::Draw => 0,
                Verdict::Loss => -1,
            },
        };
        if turn == Side::First { for_mover } else { -for_mover }
    }

    /// The same as it is shown: `+1`, `0`, `-1`; the numbers of an abstract tree as they are written.
    pub(super) fn number_text(self, turn: Side) -> String {
        match (self, self.number(turn)) {
            (Self::Game(_), number @ 1..) => format!("+{number}"),
            (_, number) => number.to_string(),
        }
    }
}

impl Label {
    /// The number for the first side.
    pub fn number(&self) -> i64 {
        self.worth.number(self.turn)
    }

    /// The result for the side to move; `None` in a tree in which nobody wins or loses.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.worth {
            Shown::Game(known) => Some(known.verdict()),
            Shown::Number(_) => None,
        }
    }

    /// The plies to the end, if they are known and a side wins.
    pub fn plies(&self) -> Option<u32> {
        match self.worth {
            Shown::Game(known) => known.plies(),
            Shown::Number(_) => None,
        }
    }

    /// The number as it is shown.
    pub fn number_text(&self) -> String {
        self.worth.number_text(self.turn)
    }

    /// A key to compare moves to this position, for the side that moves: greater is better.
    pub fn for_mover(&self) -> (i64, Option<(Verdict, Option<Value>)>) {
        match self.worth {
            Shown::Game(known) => (0, Some(known.for_mover().rank())),
            Shown::Number(Points(number)) => (-number, None),
        }
    }
}

/// The label of what a tree or a graph found for itself, `estimated` if there is more below it than it
/// holds.
///
/// A win or a loss is certain even then: what was not searched counts as a draw, and the loser would have
/// chosen that.
pub(super) fn of_value(turn: Side, (value, estimated): (Value, bool)) -> Label {
    Label { turn, worth: Shown::Game(Known::Value(value)), certain: !estimated || value != Value::Draw }
}

pub(super) fn of_points(turn: Side, (points, estimated): (Points, bool)) -> Label {
    Label { turn, worth: Shown::Number(points), certain: !estimated }
}

pub(super) fn of_known(turn: Side, known: Known) -> Label {
    Label { turn, worth: Shown::Game(known), certain: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(turn: Side, value: Value) -> Label {
        of_known(turn, Known::Value(value))
    }

    #[test]
    fn the_side_to_move_prefers_quick_wins_and_slow_losses() {
        let ladder = [Value::Loss(1), Value::Loss(3), Value::Draw, Value::Win(4), Value::Win(2)];
        for turn in Side::BOTH {
            let worths = ladder.map(|value| label(turn, value).for_mover());
            assert!(worths.windows(2).all(|pair| pair[0] > pair[1]), "{worths:?}");
        }
        let points = [-3, 0, 7].map(|points| of_points(Side::Second, (Points(points), false)).for_mover());
        assert!(points.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn missing_parts_make_a_draw_uncertain_but_no_win() {
        assert!(!of_value(Side::First, (Value::Draw, true)).certain);
        assert!(of_value(Side::First, (Value::Win(3), true)).certain);
        assert!(of_value(Side::First, (Value::Draw, false)).certain);
    }
}
