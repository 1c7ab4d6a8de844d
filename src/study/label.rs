//! Names and values of positions for display, for games and for abstract trees.

use crate::game::abstract_tree::{AbstractTree, ChildIndex};
use crate::game::any::{Board, Move, Position, Variant};
use crate::game::notation::side_word;
use crate::game::{Game, Side};
use crate::search::{Known, Points, Value, Verdict};

/// A game whose positions and moves have names.
pub trait Named<G: Game> {
    /// The title.
    fn title(&self) -> String;

    /// The position on one line.
    fn position(&self, position: &G) -> String;

    /// The same without the side to move, for lines that name it.
    fn place(&self, position: &G) -> String {
        let name = self.position(position);
        let side = format!(" {}", self.side(position.turn()));
        name.strip_suffix(&side).map_or_else(|| name.clone(), ToOwned::to_owned)
    }

    /// The board at the position; `None` in an abstract tree.
    fn board(&self, position: &G) -> Option<Board>;

    /// The move as it is typed; empty if the name of the next position is enough.
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
        Named::board(self, position).map_or_else(String::new, |board| board.write_position())
    }

    fn board(&self, position: &Position) -> Option<Board> {
        Self::board(self, position.clone())
    }

    fn mv(&self, position: &Position, mv: Move) -> String {
        Named::board(self, position).map_or_else(String::new, |board| board.write_move(mv))
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

    fn board(&self, _: &AbstractTree) -> Option<Board> {
        None
    }

    fn mv(&self, _: &AbstractTree, _: ChildIndex) -> String {
        String::new()
    }

    fn side(&self, side: Side) -> &'static str {
        match side {
            Side::First => "max",
            Side::Second => "min",
        }
    }

    fn end(&self) -> &'static str {
        "leaf"
    }
}

/// The value of a position for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Label {
    /// The side to move.
    pub turn: Side,
    /// The value for the side to move.
    pub value: DisplayValue,
    /// Whether the value is exact.
    pub certain: bool,
}

/// A value for display.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DisplayValue {
    /// Who wins, and how soon if known.
    Game(Known),
    /// A number of an abstract tree.
    Number(Points),
}

impl From<Verdict> for DisplayValue {
    fn from(verdict: Verdict) -> Self {
        Self::Game(Known::Verdict(verdict))
    }
}

impl From<Points> for DisplayValue {
    fn from(points: Points) -> Self {
        Self::Number(points)
    }
}

impl DisplayValue {
    /// Converts a value for the side `turn` into a number for the first side: 1 for a win, −1 for a loss, 0
    /// for a draw, or the number of an abstract tree.
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

    /// The number as text: `+1`, `0` or `-1`, or the number of an abstract tree.
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
        self.value.number(self.turn)
    }

    /// The result for the side to move; `None` in an abstract tree.
    pub fn verdict(&self) -> Option<Verdict> {
        match self.value {
            DisplayValue::Game(known) => Some(known.verdict()),
            DisplayValue::Number(_) => None,
        }
    }

    /// The plies to the end; `None` for a draw or an unknown length.
    pub fn plies(&self) -> Option<u32> {
        match self.value {
            DisplayValue::Game(known) => known.plies(),
            DisplayValue::Number(_) => None,
        }
    }

    /// The number for the first side, as text.
    pub fn number_text(&self) -> String {
        self.value.number_text(self.turn)
    }

    /// A sort key for moves to this position, for the side that makes them: greater is better.
    pub fn for_mover(&self) -> (i64, Option<(Verdict, Option<Value>)>) {
        match self.value {
            DisplayValue::Game(known) => (0, Some(known.for_mover().rank())),
            DisplayValue::Number(Points(number)) => (-number, None),
        }
    }
}

/// The label of a value that a tree or a graph gives by itself; `estimated` if the depth limit cut off a
/// line.
///
/// A win or a loss is exact even then: a position at the limit counts as a draw, which the loser would have
/// chosen.
pub(super) fn of_value(turn: Side, (value, estimated): (Value, bool)) -> Label {
    Label {
        turn,
        value: DisplayValue::Game(Known::Value(value)),
        certain: !estimated || value != Value::Draw,
    }
}

pub(super) fn of_points(turn: Side, (points, estimated): (Points, bool)) -> Label {
    Label { turn, value: DisplayValue::Number(points), certain: !estimated }
}

pub(super) fn of_known(turn: Side, known: Known) -> Label {
    Label { turn, value: DisplayValue::Game(known), certain: true }
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
            let values = ladder.map(|value| label(turn, value).for_mover());
            assert!(values.windows(2).all(|pair| pair[0] > pair[1]), "{values:?}");
        }
        let points = [-3, 0, 7].map(|points| of_points(Side::Second, (Points(points), false)).for_mover());
        assert!(points.windows(2).all(|pair| pair[0] > pair[1]));
    }

    #[test]
    fn a_cut_off_line_makes_a_draw_uncertain_but_not_a_win() {
        assert!(!of_value(Side::First, (Value::Draw, true)).certain);
        assert!(of_value(Side::First, (Value::Win(3), true)).certain);
        assert!(of_value(Side::First, (Value::Draw, false)).certain);
    }
}
